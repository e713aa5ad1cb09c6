//! Findings as rows of `IDoFT`, the data set of flaky tests.

use anyorder_model::{Finding, Kind, Suite, csv_line};
use serde_json::Value;

use crate::recalled::Recalled;

const PYTHON: &str = "Project URL,SHA Detected,Pytest Test Name (PathToFile::TestClass::TestMethod or PathToFile::TestMethod),Category,Status,PR Link,Notes";
const JAVA: &str = "Project URL,SHA Detected,Module Path,Fully-Qualified Test Name (packageName.ClassName.methodName),Category,Status,PR Link,Notes";

/// A table with the columns of the data set for the suite's language. Kinds that the data set has no category for are left out.
pub fn idoft(document: &Value) -> String {
    let Recalled { suite, findings } = Recalled::of(document);
    let is_java = suite.driver == "junit";
    let repository = |field: &str| document["repository"][field].as_str().unwrap_or_default();
    let mut table = if is_java { JAVA } else { PYTHON }.to_owned() + "\n";
    for finding in &findings {
        let Some(category) = category(finding) else { continue };
        let test = test_name(&suite, finding, is_java);
        let module = is_java.then_some(suite.root.as_str());
        let cells = [repository("url"), repository("commit")].into_iter().chain(module);
        let cells = cells.chain([test.as_str(), category, "", "", ""]);
        table += &(csv_line(cells) + "\n");
    }
    table
}

fn category(finding: &Finding) -> Option<&'static str> {
    match finding.kind {
        Kind::Victim => Some("OD-Vic"),
        Kind::Brittle => Some("OD-Brit"),
        Kind::NonIdempotent => Some("NIO"),
        Kind::NonDeterministic => {
            let after = finding.rates.as_ref().and_then(|rates| rates.after.as_ref());
            Some(if after.is_some_and(|after| after.is_correlated) { "NDOD" } else { "NOD" })
        }
        _ => None,
    }
}

fn test_name(suite: &Suite, finding: &Finding, is_java: bool) -> String {
    let id = &suite.id(finding.test).0;
    if is_java { id.replace('#', ".") } else { id.clone() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::example;
    use crate::finding_json::finding_value;

    #[test]
    fn a_row_has_the_repository_the_test_and_the_category() {
        let suite = example::suite(&["p", "a[\"1,2\"]", "b"]);
        let mut findings: Vec<Value> =
            example::victims().iter().map(|finding| finding_value(&suite, finding)).collect();
        findings[1]["kind"] = json!("broken");
        let repository = json!({"url": "git@host:shop.git", "commit": "0123"});
        let mut document = json!({"findings": findings, "repository": repository});
        let rows = format!("{PYTHON}\ngit@host:shop.git,0123,\"t.py::a[\"\"1,2\"\"]\",OD-Vic,,,\n");
        assert_eq!(idoft(&document), rows);
        document["suite"] = json!({"driver": "junit", "root": "core"});
        document["findings"][0]["test"] = json!("com.acme.CartTest#total");
        assert_eq!(
            idoft(&document),
            format!("{JAVA}\ngit@host:shop.git,0123,core,com.acme.CartTest.total,OD-Vic,,,\n")
        );
    }
}

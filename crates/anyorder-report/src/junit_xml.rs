//! Findings as JUnit XML: one suite for each file, one case for each finding.
//!
//! Knows which characters XML has. The rest of a text is shown by a sign that stands for what cannot be shown.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyorder_model::{Finding, Suite};
use serde_json::Value;

use crate::finding::{plain_story, sentence};
use crate::recalled::Recalled;

/// The whole file. Findings that somebody has accepted are skipped cases; without any finding there is one case that passes.
pub fn junit_xml(document: &Value) -> String {
    let Recalled { suite, findings } = Recalled::of(document);
    let mut files: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
    for finding in &findings {
        files.entry(&suite.test(finding.test).file).or_default().push(finding);
    }
    let failures = findings.iter().filter(|finding| !is_accepted(finding)).count();
    let mut xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    let tests = findings.len().max(1);
    let _ = writeln!(
        xml,
        "<testsuites name=\"anyorder\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\">"
    );
    if findings.is_empty() {
        xml += "  <testsuite name=\"anyorder\" tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"0\">\n    \
                <testcase classname=\"anyorder\" name=\"nothing was found\"/>\n  </testsuite>\n";
    }
    files.iter().for_each(|(file, findings)| add_file(&mut xml, &suite, file, findings));
    xml + "</testsuites>\n"
}

fn is_accepted(finding: &Finding) -> bool {
    finding.accepted.as_ref().is_some_and(|acceptance| !acceptance.is_expired)
}

fn add_file(xml: &mut String, suite: &Suite, file: &str, findings: &[&Finding]) {
    let skipped = findings.iter().filter(|finding| is_accepted(finding)).count();
    let name = attribute(if file.is_empty() { "tests" } else { file });
    let (tests, failures) = (findings.len(), findings.len() - skipped);
    let _ = writeln!(
        xml,
        "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\">"
    );
    findings.iter().for_each(|finding| add_case(xml, suite, finding));
    *xml += "  </testsuite>\n";
}

fn add_case(xml: &mut String, suite: &Suite, finding: &Finding) {
    let (kind, id) = (finding.kind.name(), &suite.id(finding.test).0);
    let name = attribute(&format!("{id} ({kind} {})", finding.id));
    let _ = writeln!(xml, "    <testcase classname=\"{}\" name=\"{name}\">", attribute(kind));
    let _ = match finding.accepted.as_ref().filter(|_| is_accepted(finding)) {
        Some(acceptance) => {
            writeln!(xml, "      <skipped message=\"accepted: {}\"/>", attribute(&acceptance.reason))
        }
        None => writeln!(
            xml,
            "      <failure type=\"{kind}\" message=\"{}\">{}</failure>",
            attribute(&sentence(suite, finding)),
            text(&plain_story(suite, finding))
        ),
    };
    *xml += "    </testcase>\n";
}

/// Text between tags.
fn text(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut escaped, letter| {
        match letter {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '\r' => escaped += "&#13;",
            '\t' | '\n' => escaped.push(letter),
            '\u{fffe}' | '\u{ffff}' => escaped.push(char::REPLACEMENT_CHARACTER),
            // Those up to U+009F are legal, and yet nobody wants them in a terminal or a browser.
            control if control.is_control() => escaped.push(char::REPLACEMENT_CHARACTER),
            other => escaped.push(other),
        }
        escaped
    })
}

/// Text between double quotes, where line ends would become spaces.
fn attribute(value: &str) -> String {
    text(value).replace('"', "&quot;").replace('\n', "&#10;").replace('\t', "&#9;")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::hostile;

    #[test]
    fn what_xml_cannot_hold_is_replaced_and_the_rest_stays() {
        assert_eq!(text("a\u{1b}[1m<b>&\u{0}\n\u{202e}é"), "a\u{fffd}[1m&lt;b&gt;&amp;\u{fffd}\n\u{202e}é");
        assert_eq!(attribute("\"a\"\n\tb"), "&quot;a&quot;&#10;&#9;b");
    }

    #[test]
    fn each_finding_is_a_failing_case_and_an_accepted_one_is_skipped() {
        let xml = junit_xml(&hostile::document());
        let document = roxmltree::Document::parse(&xml).expect("it is XML");
        let count = |name: &str| document.descendants().filter(|node| node.has_tag_name(name)).count();
        assert_eq!([count("testsuite"), count("testcase"), count("failure"), count("skipped")], [2, 4, 3, 1]);
        let names = document.descendants().filter_map(|node| node.attribute("name"));
        assert!(names.into_iter().any(|name| name.contains("<script>alert('\u{202e}')</script>")), "{xml}");
        let root = document.root_element();
        assert_eq!((root.attribute("tests"), root.attribute("failures")), (Some("4"), Some("3")));
    }

    #[test]
    fn nothing_found_is_a_case_that_passes() {
        let xml = junit_xml(&json!({"findings": []}));
        let document = roxmltree::Document::parse(&xml).expect("it is XML");
        let case = document.descendants().find(|node| node.has_tag_name("testcase")).unwrap();
        assert_eq!((case.children().count(), case.attribute("name")), (0, Some("nothing was found")));
    }
}

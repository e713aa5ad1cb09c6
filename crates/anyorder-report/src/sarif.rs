//! Findings as SARIF 2.1.0, which code scanning services show beside the lines of a change.
//!
//! Knows how a log is built. What the kinds are, and what to do about them, is told by `sarif_rules.rs`.

use std::collections::BTreeMap;

use anyorder_model::{Finding, Spot, Suite, TestIndex};
use serde::Serialize;
use serde_json::Value;

use crate::finding::{plain_story, sentence};
use crate::recalled::Recalled;
use crate::sarif_fix::{Fix, fix};
use crate::sarif_rules::{Rule, level, rules};
use crate::spot::{cells, is_inside, joined, origin, own, parsed, partners};

/// Up to so many tests and lines are told beside the line that a finding is at.
const RELATED: usize = 20;

#[derive(Serialize)]
struct Log {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    tool: Tool,
    automation_details: Named,
    column_kind: &'static str,
    results: Vec<Outcome>,
}

#[derive(Serialize)]
struct Named {
    id: &'static str,
}

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    rules: Vec<Rule>,
}

/// A result; that name means something else here.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Outcome {
    rule_id: &'static str,
    rule_index: usize,
    level: &'static str,
    message: Text,
    locations: [Location; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location>,
    partial_fingerprints: BTreeMap<&'static str, String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suppressions: Vec<Suppression>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fixes: Vec<Fix>,
}

/// A text for people.
#[derive(Serialize)]
pub(crate) struct Text {
    pub(crate) text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<usize>,
    #[serde(rename = "physicalLocation")]
    place: Physical,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Text>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Physical {
    artifact_location: Artifact,
    region: Line,
}

/// A file, from the root of the repository on.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Artifact {
    uri: String,
    uri_base_id: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    start_line: u32,
}

#[derive(Serialize)]
struct Suppression {
    kind: &'static str,
    justification: String,
}

/// The whole log.
pub fn sarif(document: &Value) -> String {
    let Recalled { suite, findings } = Recalled::of(document);
    let prefix = document["repository"]["prefix"].as_str().unwrap_or_default();
    let teller = Teller { document, suite: &suite, prefix };
    let driver =
        Driver { name: "anyorder", version: document["version"].as_str().map(str::to_owned), rules: rules() };
    let run = Run {
        tool: Tool { driver },
        automation_details: Named { id: "anyorder/" },
        column_kind: "unicodeCodePoints",
        results: findings.iter().map(|finding| teller.outcome(finding)).collect(),
    };
    let schema = "https://json.schemastore.org/sarif-2.1.0.json";
    let log = Log { schema, version: "2.1.0", runs: [run] };
    serde_json::to_string_pretty(&log).expect("it has a JSON form") + "\n"
}

struct Teller<'a> {
    document: &'a Value,
    suite: &'a Suite,
    prefix: &'a str,
}

impl Teller<'_> {
    fn outcome(&self, finding: &Finding) -> Outcome {
        let accepted = finding.accepted.as_ref().filter(|acceptance| !acceptance.is_expired);
        let suppression =
            accepted.map(|accepted| Suppression { kind: "external", justification: accepted.reason.clone() });
        let words = format!("{}\n\n{}", sentence(self.suite, finding), plain_story(self.suite, finding));
        Outcome {
            rule_id: finding.kind.name(),
            rule_index: anyorder_model::Kind::ALL.iter().position(|kind| *kind == finding.kind).unwrap_or(0),
            level: level(finding.kind),
            message: Text { text: words },
            locations: [self.location(&origin(self.suite, finding), None, None)],
            related_locations: self.related(finding),
            partial_fingerprints: BTreeMap::from([("findingId/v1", finding.id.0.clone())]),
            suppressions: suppression.into_iter().collect(),
            fixes: Recalled::patches(self.document, finding)
                .filter_map(|patch| fix(patch, |file| self.artifact(file)))
                .collect(),
        }
    }

    /// Where the state is read, and the tests that take part.
    fn related(&self, finding: &Finding) -> Vec<Location> {
        let read = cells(finding).into_iter().filter_map(|state| parsed(state.read.as_deref()?));
        let mut spots: Vec<(Spot, String)> = read.map(|spot| (spot, "read here".to_owned())).collect();
        let name = |test: TestIndex| self.suite.id(test).to_string();
        let mut add = |test: TestIndex, role: &str| {
            spots.push((own(self.suite, test), format!("{role} {}", name(test))));
        };
        add(finding.test, finding.kind.name());
        let role = if finding.setters.is_some() { "setter" } else { "polluter" };
        partners(finding).iter().flatten().for_each(|&test| add(test, role));
        finding.cleaners.iter().flatten().flatten().for_each(|&test| add(test, "cleaner"));
        spots.retain(|(spot, _)| is_inside(&spot.file));
        let mut seen = std::collections::BTreeSet::new();
        spots.retain(|(spot, text)| seen.insert((spot.clone(), text.clone())));
        let numbered = spots.into_iter().take(RELATED).enumerate();
        numbered.map(|(at, (spot, text))| self.location(&spot, Some(at + 1), Some(text))).collect()
    }

    fn location(&self, spot: &Spot, id: Option<usize>, message: Option<String>) -> Location {
        let region = Line { start_line: spot.line };
        let place = Physical { artifact_location: self.artifact(&spot.file), region };
        Location { id, place, message: message.map(|text| Text { text }) }
    }

    fn artifact(&self, file: &str) -> Artifact {
        Artifact { uri: uri(&joined(self.prefix, file)), uri_base_id: "%SRCROOT%" }
    }
}

/// A relative path as an address.
fn uri(path: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    path.bytes()
        .map(|byte| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hostile;

    #[test]
    fn a_result_stands_at_the_polluting_line_with_the_rest_beside_it() {
        let log: Value = serde_json::from_str(&sarif(&hostile::document())).unwrap();
        let result = &log["runs"][0]["results"][0];
        assert_eq!(result["ruleId"], "victim");
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "sub/t.py");
        assert_eq!(
            (&place["artifactLocation"]["uriBaseId"], &place["region"]["startLine"]),
            (&"%SRCROOT%".into(), &2.into())
        );
        let related = result["relatedLocations"].as_array().unwrap();
        let told: Vec<&str> = related.iter().map(|one| one["message"]["text"].as_str().unwrap()).collect();
        assert_eq!(told[0], "read here");
        assert!(
            told[1].starts_with("victim t.py::<script>") && told[2].starts_with("polluter t.py::quote"),
            "{told:?}"
        );
        assert!(result["partialFingerprints"]["findingId/v1"].as_str().unwrap().starts_with("v-"));
        let change = &result["fixes"][0]["artifactChanges"][0];
        assert_eq!(change["replacements"][0]["deletedRegion"]["startLine"], 2);
    }

    #[test]
    fn what_is_accepted_is_suppressed_and_every_rule_is_there() {
        let log: Value = serde_json::from_str(&sarif(&hostile::document())).unwrap();
        let results = log["runs"][0]["results"].as_array().unwrap();
        assert_eq!(results[3]["suppressions"][0]["justification"], "issue <12> \"x\"");
        for result in results {
            let at = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
            assert_eq!(log["runs"][0]["tool"]["driver"]["rules"][at]["id"], result["ruleId"]);
        }
    }

    #[test]
    fn paths_are_escaped() {
        assert_eq!(uri("a b/ü#?.py"), "a%20b/%C3%BC%23%3F.py");
    }
}

//! The document that all reports are made from: what the last commands have reported, merged, with the history of findings.
//!
//! Knows which command has the say in which field. Runs nothing, and waits for nobody who does.

mod past;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyorder_model::Kind;
use anyorder_store::{History, HuntNumber, KnownFinding, StoreError, keep_document, kept_documents};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use self::past::{hunt_value, lifetime, rfc3339};
use crate::git;
use crate::memory::{packed, unpacked};
use crate::recorded::now;

/// What a command has reported last.
#[derive(Serialize, Deserialize)]
struct Kept {
    /// Seconds since 1970.
    at: i64,
    report: Map<String, Value>,
    #[serde(skip)]
    command: String,
}

/// Keeps what a command has reported.
pub(crate) fn keep(project: &Path, command: &str, report: Value) -> Result<(), StoreError> {
    let Value::Object(report) = report else { return Ok(()) };
    let kept = Kept { at: now(), report, command: String::new() };
    keep_document(project, command, &packed(serde_json::to_vec(&kept).expect("it has a JSON form")))
}

/// Commands that have a verdict on the suite, those that tell most first.
const VERDICTS: [&str; 3] = ["hunt", "check", "twice"];

/// Fields that only one command writes.
const OWN: [(&str, &str); 5] = [
    ("check", "selection"),
    ("deps", "dependencies"),
    ("pollution", "pollution"),
    ("pollution", "minded"),
    ("fix", "patches"),
];

/// Fields of the command that has the verdict.
const OF_VERDICT: [&str; 7] =
    ["coverage", "original", "plan", "unconfirmed", "notices", "stopped_early", "cost"];

/// The document of the project in this directory; nothing if no command has reported there.
pub(crate) fn assemble(project: &Path, with_times: bool) -> Result<Option<Value>, StoreError> {
    let kept = kept(project);
    let history = History::open(project)?;
    let (known, hunts) = match &history {
        Some(history) => (history.known_findings()?, history.hunts()?),
        None => (vec![], vec![]),
    };
    if kept.is_empty() && hunts.is_empty() {
        return Ok(None);
    }
    let mut seen: BTreeMap<HuntNumber, BTreeSet<String>> = BTreeMap::new();
    for (hunt, id) in history.map_or(Ok(vec![]), |history| history.sightings())? {
        seen.entry(hunt).or_default().insert(id);
    }
    let mut document = merged(project, &kept, &known);
    document.insert("history".to_owned(), known.iter().map(lifetime).collect());
    document.insert(
        "hunts".to_owned(),
        hunts.iter().map(|hunt| hunt_value(hunt, seen.get(&hunt.number))).collect(),
    );
    document.insert("version".to_owned(), json!(env!("CARGO_PKG_VERSION")));
    if with_times {
        document.insert("generated".to_owned(), json!(rfc3339(now())));
    }
    Ok(Some(Value::Object(document)))
}

/// What commands have reported, the newest last. What another version has written, and this one cannot read, is not there.
fn kept(project: &Path) -> Vec<Kept> {
    let read = |document: anyorder_store::KeptDocument| {
        let kept: Kept = serde_json::from_slice(&unpacked(document.bytes)?).ok()?;
        Some(Kept { command: document.command, ..kept })
    };
    let mut kept: Vec<Kept> = kept_documents(project).into_iter().filter_map(read).collect();
    kept.sort_by_key(|kept| kept.at);
    kept
}

fn merged(project: &Path, kept: &[Kept], known: &[KnownFinding]) -> Map<String, Value> {
    let of = |command: &str| kept.iter().find(|kept| kept.command == command).map(|kept| &kept.report);
    let mut document = Map::from_iter([("schema".to_owned(), json!(1))]);
    let mut take = |from: Option<&Map<String, Value>>, field: &str| {
        if let Some(value) = from.and_then(|report| report.get(field)) {
            document.insert(field.to_owned(), value.clone());
        }
    };
    let verdict = VERDICTS.iter().find_map(|&command| of(command));
    OF_VERDICT.iter().for_each(|field| take(verdict, field));
    OWN.iter().for_each(|(command, field)| take(of(command), field));
    take(kept.last().map(|kept| &kept.report), "suite");
    let root = document.get("suite").and_then(|suite| suite["root"].as_str()).unwrap_or(".");
    document.insert("repository".to_owned(), repository(&project.join(root)));
    let tests = tests(kept);
    document.insert("findings".to_owned(), findings(kept, known, &tests));
    document.insert("tests".to_owned(), Value::Array(tests));
    let commands = kept.iter().map(command_value).collect();
    document.insert("commands".to_owned(), commands);
    with_texts(project, document.get_mut("patches"));
    document
}

/// Which repository it is, at which commit, and the path from there to the suite's root.
fn repository(root: &Path) -> Value {
    let mut value = json!({"prefix": git::prefix(root)});
    for (field, known) in [("url", git::origin(root)), ("commit", git::head(root))] {
        if let Some(known) = known {
            value[field] = json!(known);
        }
    }
    value
}

fn command_value(kept: &Kept) -> Value {
    let mut value = json!({"command": kept.command, "at": rfc3339(kept.at)});
    for field in ["cost", "stopped_early"] {
        if let Some(of_command) = kept.report.get(field) {
            value[field] = of_command.clone();
        }
    }
    value
}

/// The reports of all suites that a command has opened.
fn of_all_suites(report: &Map<String, Value>) -> impl Iterator<Item = &Map<String, Value>> {
    let more = report.get("more").and_then(Value::as_array).into_iter().flatten();
    std::iter::once(report).chain(more.filter_map(Value::as_object))
}

fn listed<'a>(report: &'a Map<String, Value>, field: &'a str) -> impl Iterator<Item = &'a Value> {
    of_all_suites(report).filter_map(move |report| report.get(field).and_then(Value::as_array)).flatten()
}

/// All tests that commands have collected, those of the last one first.
fn tests(kept: &[Kept]) -> Vec<Value> {
    let mut ids: BTreeSet<String> = BTreeSet::new();
    let tests = kept.iter().rev().flat_map(|kept| listed(&kept.report, "tests"));
    tests.filter(|test| ids.insert(text(test, "id"))).cloned().collect()
}

/// The newest finding of each id that stands: the history knows what is gone.
fn findings(kept: &[Kept], known: &[KnownFinding], tests: &[Value]) -> Value {
    let reported = kept.iter().flat_map(|kept| listed(&kept.report, "findings"));
    let mut by_id: BTreeMap<String, Value> =
        reported.map(|finding| (text(finding, "id"), finding.clone())).collect();
    for finding in known {
        let Ok(mut newest) = serde_json::from_str::<Value>(&finding.json) else { continue };
        let old = by_id.remove(&finding.id).unwrap_or_default();
        for field in ["patch", "repair"] {
            if let Some(of_fix) = old.get(field) {
                newest[field] = of_fix.clone();
            }
        }
        if finding.stands {
            by_id.insert(finding.id.clone(), newest);
        }
    }
    let places: BTreeMap<String, usize> =
        tests.iter().enumerate().map(|(at, test)| (text(test, "id"), at)).collect();
    let rank = |finding: &Value| {
        let kind = Kind::ALL.iter().position(|kind| finding["kind"] == kind.name());
        let test = text(finding, "test");
        (kind.unwrap_or(Kind::ALL.len()), places.get(&test).copied().unwrap_or(tests.len()), test)
    };
    let mut findings: Vec<Value> = by_id.into_values().collect();
    findings.sort_by_cached_key(rank);
    Value::Array(findings)
}

fn text(value: &Value, field: &str) -> String {
    value[field].as_str().unwrap_or_default().to_owned()
}

/// Adds to patches what is in their files.
fn with_texts(project: &Path, patches: Option<&mut Value>) {
    for patch in patches.and_then(Value::as_array_mut).into_iter().flatten() {
        for (file, field) in [("diff", "text"), ("pull_request", "pull_request_text")] {
            if let Ok(text) = std::fs::read_to_string(project.join(text(patch, file))) {
                patch[field] = json!(text);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use anyorder_model::TestId;
    use anyorder_store::{Fingerprint, FoundFinding, HuntEnd, HuntStart, Store};
    use tempfile::TempDir;

    use super::*;

    fn project() -> TempDir {
        tempfile::tempdir().unwrap()
    }

    fn fields(names: &[&str], suite: &str) -> Value {
        let mut value = json!({"schema": 1, "suite": {"root": ".", "framework": suite}});
        names.iter().for_each(|name| value[name] = json!(suite));
        value
    }

    fn finding(id: &str, kind: &str, test: &str) -> Value {
        json!({"id": id, "kind": kind, "test": test})
    }

    #[test]
    fn where_nothing_was_recorded_there_is_no_document() {
        assert_eq!(assemble(project().path(), true).unwrap(), None);
    }

    #[test]
    fn each_command_has_its_own_fields_and_a_hunt_the_verdict() {
        let project = project();
        keep(project.path(), "hunt", fields(&["coverage", "cost"], "hunt")).unwrap();
        keep(project.path(), "twice", fields(&["coverage", "cost", "plan"], "twice")).unwrap();
        keep(project.path(), "deps", fields(&["coverage", "dependencies"], "deps")).unwrap();
        let document = assemble(project.path(), false).unwrap().unwrap();
        assert_eq!((&document["coverage"], &document["cost"]), (&json!("hunt"), &json!("hunt")));
        assert_eq!(document["dependencies"], "deps");
        assert!(document.get("plan").is_none() && document.get("generated").is_none(), "{document}");
        assert_eq!(document["commands"].as_array().unwrap().len(), 3);
    }

    #[test]
    fn patches_come_with_what_is_in_their_files() {
        let project = project();
        std::fs::write(project.path().join("p.diff"), "--- a/t.py\n").unwrap();
        let mut report = fields(&[], "fix");
        report["patches"] = json!([{"diff": "p.diff", "pull_request": "gone.md"}]);
        keep(project.path(), "fix", report).unwrap();
        let document = assemble(project.path(), false).unwrap().unwrap();
        assert_eq!(document["patches"][0]["text"], "--- a/t.py\n");
        assert!(document["patches"][0].get("pull_request_text").is_none());
    }

    /// While the history is being written.
    #[test]
    fn the_newest_finding_of_an_id_wins_and_one_that_is_gone_is_history() {
        let project = project();
        let mut store = Store::open(project.path(), &Fingerprint::default()).unwrap();
        let start = |began| HuntStart {
            began,
            argv: vec!["a".to_owned(), "fix".to_owned()],
            seed: 0,
            budget: String::new(),
        };
        let hunts = [0, 86_400].map(|began| store.begin_hunt(&start(began)).unwrap());
        for (id, json) in
            [("v-1", finding("v-1", "victim", "t::b")), ("v-2", finding("v-2", "victim", "t::a"))]
        {
            let (test, json) = (TestId(json["test"].as_str().unwrap().to_owned()), json.to_string());
            store
                .save_finding(hunts[0], &FoundFinding { id, kind: "victim", test: &test, json: &json })
                .unwrap();
        }
        store.not_reproduced(hunts[1], "v-2").unwrap();
        store.end_hunt(hunts[1], HuntEnd { ended: 90_000, exit: 1 }).unwrap();
        let mut report = fields(&[], "hunt");
        let mut older = finding("v-1", "victim", "t::b");
        older["patch"] = json!("p.diff");
        older["signature"] = json!("of old");
        report["findings"] =
            json!([older, finding("p-3", "latent-polluter", "t::a"), finding("v-2", "victim", "t::a")]);
        keep(project.path(), "fix", report).unwrap();

        let document = assemble(project.path(), true).unwrap().unwrap();
        let mut newest = finding("v-1", "victim", "t::b");
        newest["patch"] = json!("p.diff");
        assert_eq!(document["findings"], json!([newest, finding("p-3", "latent-polluter", "t::a")]));
        assert_eq!(document["history"][1]["fixed"], "1970-01-02T00:00:00Z");
        assert!(document["history"][0].get("fixed").is_none());
        assert_eq!(
            (&document["hunts"][0]["findings"], &document["hunts"][1]["exit"]),
            (&json!(["v-1", "v-2"]), &json!(1))
        );
        assert_eq!(document["hunts"][0]["command"], "fix");
    }
}

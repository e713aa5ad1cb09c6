//! Suites whose findings are known: every one with a proved cause gets a patch, and all patches are snapshots, to be read as a
//! maintainer would. Where there is a `fix.json`, each patch comes from the source and stands in the place that it says.

mod common;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyorder_testkit::environment::{NEWEST, PLUGINS};
use anyorder_testkit::fixture::{Fixture, fixtures_with};
use anyorder_testkit::proof::is_proved;
use anyorder_testkit::thorough::usually_or_in_trials;
use common::Anyorder;
use common::expected::{asked, disagreement, in_lanes};
use common::patches::patches;
use serde_json::{Value, json};

/// What `fix.json` says and the report does not.
fn faults(report: &Value, expected: &Value) -> Vec<String> {
    let (patches, findings) = (report["patches"].as_array().unwrap(), report["findings"].as_array().unwrap());
    let fault = |wanted: &Value| {
        let is_it = |finding: &&Value| ["kind", "test"].iter().all(|name| finding[name] == wanted[name]);
        let Some(finding) = findings.iter().find(is_it) else {
            return Some(format!("{} is not among the findings", wanted["test"]));
        };
        let cures = |patch: &&Value| patch["cures"].as_array().unwrap().contains(&finding["id"]);
        let seen = patches.iter().find(cures).unwrap_or(&finding["repair"]);
        let differs =
            |name: &&str| wanted.get(name).unwrap_or(&Value::Null) != seen.get(name).unwrap_or(&Value::Null);
        let differing: Vec<&str> = ["source", "placement", "reason"].into_iter().filter(differs).collect();
        (!differing.is_empty()).then(|| format!("{} {}: {seen:#}", wanted["kind"], wanted["test"]))
    };
    // Tests that set themselves up need no patch, and `fix` does not list them.
    let expected = expected["findings"].as_array().unwrap().iter();
    expected.filter(|wanted| wanted["kind"] != "self-setting").filter_map(fault).collect()
}

/// Whether git and patch accept what stands in a file.
fn is_accepted(directory: &Path, diff: &str) -> bool {
    let run = |program: &str, words: &[&str]| {
        Command::new(program)
            .args(words)
            .current_dir(directory)
            .output()
            .is_ok_and(|ran| ran.status.success())
    };
    run("git", &["apply", "--check", diff]) && run("patch", &["--dry-run", "-p1", "--binary", "-i", diff])
}

/// Files that say what there is to find in a fixture: what patches it gets, what hunts find, or only that there is something.
const KNOWN: [&str; 3] = ["fix.json", "expected.json", "causes.json"];

/// Fixtures that have something to find and no such file.
const OTHERS: [&str; 6] = ["demo", "every_scope", "file_writers", PLUGGED, "seeded_random", "unittest_only"];

/// The fixture whose settings ask for plugins.
const PLUGGED: &str = "plugins_in_addopts";

/// The fixture that is patched every day.
const DAILY: &str = "fix_layout";

/// Every fixture with known findings, by name, with the file that says most of them and what is in it.
fn fixtures() -> BTreeMap<String, (&'static str, Value)> {
    let mut all = BTreeMap::new();
    for file in KNOWN {
        for (name, known) in fixtures_with("pytest", file) {
            all.entry(name).or_insert((file, known));
        }
    }
    all.extend(OTHERS.map(|name| (name.to_owned(), ("causes.json", Value::Null))));
    all.retain(|name, _| usually_or_in_trials(name == DAILY, true));
    all
}

/// Findings whose cause is proved, that no author has declared, and that have no patch.
fn unpatched(report: &Value) -> Vec<String> {
    let findings = report["findings"].as_array().unwrap().iter();
    let unpatched = findings
        .filter(|finding| is_proved(finding) && finding["declared"] != true && finding["patch"].is_null());
    unpatched.map(|finding| format!("{finding:#}")).collect()
}

/// Hunts, fixes, and compares with what is known; what is wrong.
fn check(name: &str, (file, known): &(&str, Value)) -> Option<String> {
    let fixture = Fixture::pytest(name);
    let anyorder = Anyorder::with(if name == PLUGGED { PLUGINS } else { NEWEST }, fixture.path());
    let mut wrong = vec![];
    if *file == "causes.json" {
        anyorder.run(&asked("hunt", &json!({"arguments": []}))).with_code(1);
    } else {
        wrong.extend(disagreement(&anyorder.run(&asked("hunt", known)).json(), known));
    }
    let report = anyorder.run(&["fix", "--json", "-"]).json();
    wrong.extend(if *file == "fix.json" { faults(&report, known) } else { unpatched(&report) });
    for patch in report["patches"].as_array().unwrap() {
        let is_accepted = is_accepted(fixture.path(), patch["diff"].as_str().unwrap());
        wrong.extend((!is_accepted).then(|| format!("not accepted: {patch:#}")));
    }
    insta::assert_snapshot!(name, patches(fixture.path(), &report));
    (!wrong.is_empty()).then(|| format!("{name}: {}", wrong.join("\n\n")))
}

#[test]
fn fixtures_get_the_patches_that_they_say() {
    let wrong = in_lanes(2, fixtures(), check);
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

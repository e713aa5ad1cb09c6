//! Suites whose patches are known: every finding gets a patch from the source and in the place that `fix.json` says, or the
//! reason that it says.

mod common;

use std::fs;
use std::path::Path;
use std::process::Command;

use anyorder_testkit::fixture::{Fixture, fixtures_with};
use anyorder_testkit::thorough::usually_or_in_trials;
use common::Anyorder;
use common::expected::{asked, disagreement};
use serde_json::Value;

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
    expected["findings"].as_array().unwrap().iter().filter_map(fault).collect()
}

/// All patches of a report, as a person would look at them.
fn patches(directory: &Path, report: &Value) -> String {
    let one = |patch: &Value| {
        let diff = fs::read(directory.join(patch["diff"].as_str().unwrap())).unwrap();
        let word = |name: &str| patch[name].as_str().unwrap().to_owned();
        let heading =
            format!("{}, {} at {}: {}", word("strength"), word("source"), word("placement"), word("summary"));
        format!("{heading}\n{}", String::from_utf8_lossy(&diff).replace('\r', "\\r"))
    };
    report["patches"].as_array().unwrap().iter().map(one).collect::<Vec<_>>().join("\n")
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

/// The fixture that is patched every day.
const DAILY: &str = "fix_layout";

#[test]
fn fixtures_get_the_patches_that_they_say() {
    let all = fixtures_with("pytest", "fix.json");
    let (mut wrong, mut seen) = (Vec::new(), Vec::new());
    for (name, expected) in all.iter().filter(|(name, _)| usually_or_in_trials(*name == DAILY, true)) {
        let fixture = Fixture::pytest(name);
        let anyorder = Anyorder::at(fixture.path());
        let hunted = anyorder.run(&asked("hunt", expected)).with_code(1).json();
        wrong.extend(disagreement(&hunted, expected).map(|words| format!("{name}: {words}")));
        let report = anyorder.run(&["fix", "--json", "-"]).json();
        wrong.extend(faults(&report, expected).into_iter().map(|words| format!("{name}: {words}")));
        for patch in report["patches"].as_array().unwrap() {
            assert!(is_accepted(fixture.path(), patch["diff"].as_str().unwrap()), "{name}: {patch:#}");
        }
        seen.push((name, patches(fixture.path(), &report)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    for (name, patches) in seen {
        insta::assert_snapshot!(name.as_str(), patches);
    }
}

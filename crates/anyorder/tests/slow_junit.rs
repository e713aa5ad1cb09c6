//! Hunts in Java builds: what the fixtures say that there is to find is found, the same through forks of a JVM as in new
//! JVMs, and the printed commands show it.

mod common;

use std::collections::BTreeMap;
use std::process::Command;

use anyorder_testkit::fixture::Fixture;
use anyorder_testkit::program::is_installed;
use anyorder_testkit::thorough::usually_or_in_trials;
use common::Anyorder;
use common::expected::{asked, disagreement, fixtures, in_lanes};
use serde_json::Value;

/// How many builds are hunted in at the same time.
const LANES: usize = 2;

/// Hunted in trials only: what is peculiar in them, the agent's own tests try every day.
const PECULIAR: [&str; 8] = [
    "five_templates",
    "four",
    "four_runners",
    "mixed",
    "places_of_state",
    "saved_at_exit",
    "several_partners",
    "three",
];

/// Where forks are compared with new processes every day; `cargo xtask trial thorough slow_junit` does so everywhere.
const COMPARED: [&str; 1] = ["on_disk"];

/// Hunts, or does what else `expected` asks for.
fn tried(fixture: &Fixture, command: &str, isolation: &str, expected: &Value) -> Option<String> {
    let words = [&asked(command, expected)[..], &["--isolation", isolation]].concat();
    let ran = Anyorder::built(fixture.path()).run(&words);
    let how = disagreement(&ran.json(), expected)?;
    Some(format!("{command}, isolation {isolation}: {how}\n{}", ran.shown()))
}

/// A sweep's report, without what it cost and how it was made.
fn swept(fixture: &Fixture, isolation: &str) -> Value {
    let words = ["sweep", "--seed", "3", "--rounds", "3", "--isolation", isolation, "--json", "-"];
    let report = Anyorder::built(fixture.path()).run(&words).json().to_string();
    let mut report = report.replace(&format!(" --isolation {isolation}"), "").parse().unwrap();
    forget_cost(&mut report);
    report
}

/// Reports of several modules stand in each other.
fn forget_cost(report: &mut Value) {
    if let Some(report) = report.as_object_mut() {
        report.remove("cost");
        if let Some(plan) = report.get_mut("plan").and_then(Value::as_object_mut) {
            plan.remove("isolation");
        }
        let more = report.get_mut("more").and_then(Value::as_array_mut);
        more.into_iter().flatten().for_each(forget_cost);
    }
}

/// How forks and new JVMs differ, if they do.
fn difference(fixture: &Fixture) -> Option<String> {
    let (forks, processes) = (swept(fixture, "fork"), swept(fixture, "process"));
    assert_eq!(forks["schema"], 1, "{forks}");
    (forks != processes).then(|| format!("forks against processes:\n{forks:#}\n{processes:#}"))
}

/// Every Java fixture whose build this machine can run, but for the one that has a test of its own.
fn buildable() -> BTreeMap<String, Value> {
    let mut fixtures = fixtures("junit");
    assert!(fixtures.len() > 5, "the fixtures are where they were");
    fixtures.remove(MODULES);
    // Only some machines have Gradle; Maven is asked for.
    fixtures.retain(|name, _| name != "gradle" || is_installed("gradle"));
    fixtures.retain(|name, _| usually_or_in_trials(!PECULIAR.contains(&name.as_str()), true));
    fixtures
}

// What a build tells is kept beside it, so one copy of a fixture serves all that is to be tried in it.
#[test]
fn every_java_fixture_shows_what_it_should_and_some_in_new_processes_too() {
    let wrong = in_lanes(LANES, buildable(), |name, expected| {
        let fixture = Fixture::junit(name);
        let twice = expected.get("twice").and_then(|expected| tried(&fixture, "twice", "fork", expected));
        let is_compared = usually_or_in_trials(COMPARED.contains(&name), true);
        let difference = is_compared.then(|| difference(&fixture)).flatten();
        let is_hunted = usually_or_in_trials(false, true);
        let in_processes = is_hunted.then(|| tried(&fixture, "hunt", "process", expected)).flatten();
        let wrong = [tried(&fixture, "hunt", "fork", expected), in_processes, twice, difference];
        let wrong: Vec<String> = wrong.into_iter().flatten().map(|how| format!("{name}: {how}")).collect();
        (!wrong.is_empty()).then(|| wrong.join("\n"))
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const MODULES: &str = "modules";

#[test]
fn every_module_shows_what_it_should_and_printed_commands_fail_and_pass_without_anyorder() {
    let fixture = Fixture::junit(MODULES);
    let expected = &fixtures("junit")[MODULES];
    let ran = Anyorder::built(fixture.path()).run(&asked("hunt", expected)).with_code(1);
    let report = ran.json();
    assert_eq!(disagreement(&report, expected), None, "{}", ran.shown());
    let is_compared = usually_or_in_trials(false, true);
    assert_eq!(is_compared.then(|| difference(&fixture)).flatten(), None);
    let more = report["more"].as_array().unwrap().iter();
    let findings =
        std::iter::once(&report).chain(more).flat_map(|report| report["findings"].as_array().unwrap());
    let mut number = 0;
    for finding in findings {
        let untried: Vec<&str> =
            finding["not_searched"].as_array().unwrap().iter().filter_map(|what| what.as_str()).collect();
        assert!(untried.iter().any(|what| what.starts_with("the state behind it")), "{finding:#}");
        for (which, passes) in [("fail", false), ("pass", true)] {
            let line = finding["reproduce"][which].as_str().unwrap();
            let output = Command::new("sh").args(["-c", line]).current_dir(fixture.path()).output().unwrap();
            assert_eq!(output.status.success(), passes, "{line}\n{output:?}");
            number += 1;
        }
    }
    assert_eq!(number, 4);
}

//! Hunts in Java builds: what the fixtures say that there is to find is found, and the printed commands show it.

mod common;

use std::process::Command;

use anyorder_testkit::fixture::Fixture;
use anyorder_testkit::program::is_installed;
use common::Anyorder;
use common::expected::{disagreement, fixtures, words};
use serde_json::Value;

/// Hunts, or does what else `expected` asks for.
fn tried(name: &str, command: &str, expected: &Value) -> Option<String> {
    let fixture = Fixture::junit(name);
    let words = [vec![command, "--seed", "0", "--json", "-"], words(&expected["arguments"])].concat();
    let ran = Anyorder::built(fixture.path()).run(&words);
    let how = disagreement(&ran.json(), expected)?;
    Some(format!("{command} in {name}: {how}\n{}", ran.shown()))
}

#[test]
fn every_java_fixture_shows_what_it_should_and_nothing_else() {
    let fixtures = fixtures("junit");
    assert!(fixtures.len() > 5, "the fixtures are where they were");
    // Only some machines have Gradle; Maven is asked for.
    let has_builder = |name: &str| name != "gradle" || is_installed("gradle");
    let fixtures = fixtures.iter().filter(|(name, _)| has_builder(name));
    let wrong: Vec<String> = fixtures.filter_map(|(name, expected)| tried(name, "hunt", expected)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_a_test_saves_shows_in_the_next_run() {
    let fixtures = fixtures("junit");
    let twice = fixtures.iter().filter(|(_, expected)| expected["twice"].is_object());
    let wrong: Vec<String> =
        twice.filter_map(|(name, expected)| tried(name, "twice", &expected["twice"])).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn printed_commands_fail_and_pass_without_anyorder() {
    let fixture = Fixture::junit("modules");
    let report =
        Anyorder::built(fixture.path()).run(&["hunt", "--rounds", "2", "--json", "-"]).with_code(1).json();
    let more = report["more"].as_array().unwrap().iter();
    let findings =
        std::iter::once(&report).chain(more).flat_map(|report| report["findings"].as_array().unwrap());
    let mut number = 0;
    for finding in findings {
        for (which, passes) in [("fail", false), ("pass", true)] {
            let line = finding["reproduce"][which].as_str().unwrap();
            let output = Command::new("sh").args(["-c", line]).current_dir(fixture.path()).output().unwrap();
            assert_eq!(output.status.success(), passes, "{line}\n{output:?}");
            number += 1;
        }
    }
    assert_eq!(number, 4);
}

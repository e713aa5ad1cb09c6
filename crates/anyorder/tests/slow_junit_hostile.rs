//! Java tests that hang, crash, exhaust or change the JVM that they run in: each costs its own outcome, and no more.

mod common;

use std::fs;

use anyorder_testkit::fixture::Fixture;
use common::Anyorder;
use serde_json::Value;

#[test]
fn a_hostile_java_test_costs_what_it_should_and_no_more() {
    let fixture = Fixture::junit("hostile_java");
    let expected: Value =
        serde_json::from_str(&fs::read_to_string(fixture.path().join("outcomes.json")).unwrap()).unwrap();
    let anyorder = Anyorder::built(fixture.path());
    // The build runs every test in peace, once.
    anyorder.run(&["collect"]).with_code(0);
    let first = expected["first"].as_str().unwrap();
    let mut wrong = Vec::new();
    for (class, wanted) in expected["classes"].as_object().unwrap() {
        let ids = expected["then"]
            .as_array()
            .unwrap()
            .iter()
            .map(|name| format!("{class}#{}", name.as_str().unwrap()));
        let order: Vec<String> = std::iter::once(first.to_owned()).chain(ids).collect();
        let fed = Anyorder::built(fixture.path()).input(&(order.join("\n") + "\n"));
        let ran = fed.run(&["replay", "-", "--timeout", "10s", "--json", fixture_report(&fixture).as_str()]);
        let report: Value =
            serde_json::from_str(&fs::read_to_string(fixture_report(&fixture)).unwrap()).unwrap();
        for step in report["runs"][0]["ran"].as_array().unwrap().iter().skip(1) {
            let name = step["test"].as_str().unwrap().rsplit('#').next().unwrap();
            if step["outcome"] != wanted[name] {
                wrong.push(format!(
                    "{class}#{name}: {} for {}\n{}",
                    step["outcome"],
                    wanted[name],
                    ran.shown()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Beside the fixture: what is in it would be a change of its sources.
fn fixture_report(fixture: &Fixture) -> String {
    fixture.path().with_file_name("report.json").display().to_string()
}

//! Forks of a JVM against new JVMs: the same suites in the same orders come to the same results.

mod common;

use anyorder_testkit::fixture::Fixture;
use common::Anyorder;
use common::expected::fixtures;
use serde_json::Value;

/// A sweep's report, without what it cost and how it was made, which commands in it repeat.
fn swept(fixture: &Fixture, isolation: &str) -> String {
    let words = ["sweep", "--seed", "3", "--rounds", "4", "--isolation", isolation, "--json", "-"];
    let mut report = Anyorder::built(fixture.path()).run(&words).json();
    assert_eq!(report["schema"], 1, "{report}");
    forget_cost(&mut report);
    format!("{report:#}").replace(&format!(" --isolation {isolation}"), "")
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

#[test]
fn every_java_fixture_gives_the_same_through_forks_as_through_new_processes() {
    let mut different = Vec::new();
    for (name, _) in fixtures("junit") {
        let fixture = Fixture::junit(&name);
        let (forks, processes) = (swept(&fixture, "fork"), swept(&fixture, "process"));
        if forks != processes {
            different.push(format!("{name}\n{forks}\n{processes}"));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}

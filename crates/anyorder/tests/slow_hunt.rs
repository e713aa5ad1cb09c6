//! Hunts in every fixture that says what there is to find: the verdicts are those, and no others.

mod common;

use anyorder_testkit::fixture::Fixture;
use common::Anyorder;
use common::expected::{disagreement, fixtures, words};
use serde_json::Value;

#[test]
fn every_fixture_shows_what_it_should_and_nothing_else() {
    let fixtures = fixtures("pytest");
    assert!(fixtures.len() > 10, "the fixtures are where they were");
    let mut wrong = Vec::new();
    for (name, expected) in fixtures {
        let fixture = Fixture::pytest(&name);
        let words = [vec!["hunt", "--seed", "0", "--json", "-"], words(&expected["arguments"])].concat();
        let ran = Anyorder::at(fixture.path()).run(&words);
        if let Some(how) = disagreement(&ran.json(), &expected) {
            wrong.push(format!("{name}: {how}\n{}", ran.shown()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_chance_decides_is_never_called_order_dependent() {
    let fixture = Fixture::pytest("non_deterministic");
    for seed in ["1", "2", "3", "4", "5"] {
        let ran = Anyorder::at(fixture.path()).run(&["hunt", "--seed", seed, "--json", "-"]).with_code(0);
        let report = ran.json();
        let kinds = report["findings"].as_array().unwrap().iter().map(|finding| &finding["kind"]);
        let others: Vec<&Value> =
            kinds.filter(|kind| *kind != "non-deterministic" && *kind != "broken").collect();
        assert!(others.is_empty(), "seed {seed}: {others:?}\n{}", ran.shown());
    }
}

//! Hunts in every fixture that says what there is to find: the verdicts are those, and no others.

mod common;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::{fs, iter, thread};

use anyorder_testkit::fixture::Fixture;
use anyorder_testkit::repository;
use common::Anyorder;
use serde_json::Value;

/// Every fixture that has an `expected.json`, by name.
fn fixtures() -> BTreeMap<String, Value> {
    let home = repository().join("fixtures/pytest");
    let entries = fs::read_dir(home).unwrap().map(|entry| entry.unwrap().path());
    let expected = entries.filter_map(|place| {
        let text = fs::read_to_string(place.join("expected.json")).ok()?;
        let name = place.file_name()?.to_string_lossy().into_owned();
        let expected = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        Some((name, expected))
    });
    expected.collect()
}

/// The strings of a JSON list.
fn words(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect()
}

/// A finding in the terms of `expected.json`: who, and the groups around it in no particular order.
fn claim(finding: &Value) -> Value {
    let mut claim = serde_json::json!({"kind": finding["kind"], "test": finding["test"]});
    for name in ["polluters", "setters", "cleaners"] {
        if let Some(groups) = finding[name].as_array() {
            let mut groups: Vec<Vec<&str>> = groups.iter().map(words).collect();
            groups.sort_unstable();
            claim[name] = groups.into();
        }
    }
    for name in ["declared", "interleaved_only"] {
        if finding[name] == true {
            claim[name] = true.into();
        }
    }
    claim
}

fn claims(findings: &Value) -> Vec<Value> {
    let mut claims: Vec<Value> = findings.as_array().unwrap().iter().map(claim).collect();
    claims.sort_by_key(Value::to_string);
    claims
}

/// How many hunts go on at the same time: each of them waits now and then.
const LANES: usize = 3;

/// What a hunt in a fixture has shown otherwise than expected.
fn check(name: &str, expected: &Value) -> Vec<String> {
    let fixture = Fixture::pytest(name);
    let words = [vec!["hunt", "--seed", "0", "--json", "-"], words(&expected["arguments"])].concat();
    let ran = Anyorder::at(fixture.path()).run(&words);
    let report = ran.json();
    let compared = ["findings", "unconfirmed"].map(|field| {
        let (seen, wanted) = (claims(&report[field]), claims(&expected[field]));
        (seen != wanted)
            .then(|| format!("{field} of {name}\nseen: {seen:#?}\nwanted: {wanted:#?}\n{}", ran.shown()))
    });
    compared.into_iter().flatten().collect()
}

#[test]
fn every_fixture_shows_what_it_should_and_nothing_else() {
    let fixtures = fixtures();
    assert!(fixtures.len() > 10, "the fixtures are where they were");
    let fixtures = Mutex::new(fixtures.into_iter());
    let next = || fixtures.lock().unwrap().next();
    let wrong: Vec<String> = thread::scope(|scope| {
        let lanes: Vec<_> = (0..LANES)
            .map(|_| {
                scope.spawn(|| {
                    iter::from_fn(next)
                        .flat_map(|(name, expected)| check(&name, &expected))
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        lanes.into_iter().flat_map(|lane| lane.join().unwrap()).collect()
    });
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

#[test]
fn what_plain_runs_show_only_with_everything_collected_is_reproduced_that_way() {
    let fixture = Fixture::pytest("needs_other_import");
    let report =
        Anyorder::at(fixture.path()).run(&["hunt", "--rounds", "4", "--json", "-"]).with_code(1).json();
    let victim = &report["findings"][0];
    assert_eq!(victim["evidence"]["confirmed"], "plain-ordered", "{victim:#}");
    assert!(victim["reproduce"]["fail"].as_str().unwrap().contains("-p "), "{victim:#}");
}

//! Mutants of a suite that is stable only because of a line here and there: every operator, and every verdict.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyorder_testkit::fixture::Fixture;
use common::Anyorder;
use serde_json::Value;

/// All files of a data set, but for what the command needs for itself.
fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for folder in [directory.to_owned(), directory.join("mutants")] {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                let name = path.strip_prefix(directory).unwrap().display().to_string();
                found.insert(name, fs::read(path).unwrap());
            }
        }
    }
    found
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// A mutant in the terms of `inject.json`.
fn told(mutant: &Value) -> Value {
    let names = |value: &Value, names: &[&str]| -> Value {
        names
            .iter()
            .map(|&name| (name.to_owned(), value[name].clone()))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    let mut told = names(mutant, &["operator", "file", "line", "verdict"]);
    let flaky = mutant["flaky"].as_array().unwrap();
    if !flaky.is_empty() {
        let one = |flaky: &Value| names(flaky, &["test", "kind", "partners", "failure"]);
        told["flaky"] = flaky.iter().map(one).collect::<Vec<Value>>().into();
    }
    told
}

#[test]
fn every_operator_makes_the_mutants_that_are_known_and_they_are_the_same_after_an_interruption() {
    let fixture = Fixture::pytest("inject");
    let out = tempfile::tempdir().unwrap();
    let anyorder = Anyorder::at(fixture.path());
    let inject = |name: &str| {
        let directory = out.path().join(name);
        let words = ["inject", "--operators", "all", "--reruns", "2", "--out", directory.to_str().unwrap()];
        anyorder.run(&words).with_code(0);
        directory
    };
    let whole = inject("whole");
    let seen: Vec<Value> =
        json(&whole.join("dataset.json"))["mutants"].as_array().unwrap().iter().map(told).collect();
    let expected = json(&fixture.path().join("inject.json"));
    let expected = expected["mutants"].as_array().unwrap();
    let missing: Vec<&Value> = expected.iter().filter(|mutant| !seen.contains(mutant)).collect();
    let unexpected: Vec<&Value> = seen.iter().filter(|mutant| !expected.contains(mutant)).collect();
    assert!(missing.is_empty() && unexpected.is_empty(), "missing {missing:#?}, unexpected {unexpected:#?}");

    // What a command that was killed has left: a part of its journal, the last line of it cut off.
    let resumed = out.path().join("resumed");
    fs::create_dir_all(resumed.join(".work")).unwrap();
    let journal = fs::read(whole.join(".work/journal.jsonl")).unwrap();
    fs::write(resumed.join(".work/journal.jsonl"), &journal[..journal.len() * 9 / 10]).unwrap();
    assert_eq!(files(&inject("resumed")), files(&whole));
}

#[test]
fn the_operators_that_are_chosen_are_the_ones_that_are_used_and_misspelt_ones_are_refused() {
    let fixture = Fixture::pytest("inject");
    let out = tempfile::tempdir().unwrap();
    let out = out.path().to_str().unwrap();
    let anyorder = Anyorder::at(fixture.path());
    let words =
        ["inject", "--operators", "alias_copy,widen_scope", "--reruns", "1", "--limit", "2", "--out", out];
    anyorder.run(&words).with_code(0);
    let metrics = json(&Path::new(out).join("metrics.json"));
    assert_eq!(metrics["mutants"], 2);
    let operators: Vec<&String> = metrics["operators"].as_object().unwrap().keys().collect();
    assert!(
        operators.iter().all(|name| ["alias_copy", "widen_scope"].contains(&name.as_str())),
        "{operators:?}"
    );
    anyorder.run(&["inject", "--operators", "del_statment"]).with_code(2);
    anyorder.run(&["inject", "--disk", "shared"]).with_code(2);
}

#[test]
fn a_detector_sees_the_mutant_at_the_project_s_own_path_and_is_scored_by_what_it_names() {
    let fixture = Fixture::pytest("inject");
    let out = tempfile::tempdir().unwrap();
    let detector = r#"grep -q 'mine = DEFAULTS' tests/test_alias_copy.py && echo '{"findings": [
        {"kind": "victim", "test": "tests/test_alias_copy.py::test_sees_the_defaults"},
        {"kind": "victim", "test": "tests/test_alias_copy.py::test_changes_a_copy"}]}'"#;
    let directory = out.path().to_str().unwrap();
    let words =
        ["inject", "--operators", "alias_copy", "--reruns", "1", "--out", directory, "--score", detector];
    let ran = Anyorder::at(fixture.path()).run(&words).with_code(0);
    let told = "recall 100 % (1 of 1 tests; 1 of 1 mutants), precision 50 %";
    assert!(ran.stdout.contains(told), "{}", ran.stdout);
}

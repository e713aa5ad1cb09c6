//! Mutants of a suite that is stable only because of a line here and there: every operator, and every verdict.

mod common;

use std::fs;
use std::path::Path;

use anyorder_testkit::environment::{NEWEST, python};
use anyorder_testkit::fixture::Fixture;
use common::dataset::{files, json, verdicts};
use common::{Anyorder, suite};
use serde_json::Value;

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

/// The data set has those mutants that a list of the fixture's has, and no others.
fn has_the_mutants_of(fixture: &Fixture, list: &str, directory: &Path) {
    let dataset = json(&directory.join("dataset.json"));
    let seen: Vec<Value> = dataset["mutants"].as_array().unwrap().iter().map(told).collect();
    let expected = json(&fixture.path().join("inject.json"));
    let expected = expected[list].as_array().unwrap();
    let missing: Vec<&Value> = expected.iter().filter(|mutant| !seen.contains(mutant)).collect();
    let unexpected: Vec<&Value> = seen.iter().filter(|mutant| !expected.contains(mutant)).collect();
    assert!(missing.is_empty() && unexpected.is_empty(), "missing {missing:#?}, unexpected {unexpected:#?}");
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
    has_the_mutants_of(&fixture, "mutants", &whole);

    // What a command that was killed has left: a part of its journal, the last line of it cut off.
    let resumed = out.path().join("resumed");
    fs::create_dir_all(resumed.join(".work")).unwrap();
    let journal = fs::read(whole.join(".work/journal.jsonl")).unwrap();
    fs::write(resumed.join(".work/journal.jsonl"), &journal[..journal.len() * 9 / 10]).unwrap();
    assert_eq!(files(&inject("resumed")), files(&whole));
}

#[test]
fn a_victim_in_another_class_is_found_in_orders_of_the_whole_file() {
    let fixture = Fixture::pytest("inject");
    let out = tempfile::tempdir().unwrap();
    let file = "tests/test_across_classes.py";
    let words =
        ["inject", "--operators", "all", "--scope", "file", "--reruns", "1", "--orders", "2", "--out"];
    let words = [&words[..], &[out.path().to_str().unwrap(), file]].concat();
    Anyorder::at(fixture.path()).run(&words).with_code(0);
    has_the_mutants_of(&fixture, "in_orders_of_the_file", out.path());
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
fn a_detector_sees_the_mutant_at_the_project_s_own_path_and_is_asked_once_what_it_names() {
    let fixture = Fixture::pytest("inject");
    let out = tempfile::tempdir().unwrap();
    let awake = tempfile::NamedTempFile::new().unwrap();
    let detector = r#"grep -q 'mine = DEFAULTS' tests/test_alias_copy.py && echo '{"findings": [
        {"kind": "victim", "test": "tests/test_alias_copy.py::test_sees_the_defaults"},
        {"kind": "victim", "test": "tests/test_alias_copy.py::test_changes_a_copy"}]}'"#;
    let detector = format!("test -e '{}' && {detector}", awake.path().display());
    let directory = out.path().to_str().unwrap();
    let words =
        ["inject", "--operators", "alias_copy", "--reruns", "1", "--out", directory, "--score", &detector];
    let told = ": recall 100 % (1 of 1 tests; 1 of 1 mutants), precision 50 %";
    let anyorder = Anyorder::at(fixture.path());
    let ran = anyorder.run(&words).with_code(0);
    assert!(ran.stdout.contains(told), "{}", ran.stdout);
    awake.close().unwrap();
    let again = anyorder.run(&words).with_code(0);
    assert!(again.stdout.contains(told), "{}", again.stdout);
}

#[test]
fn a_function_that_cannot_be_changed_behind_some_test_is_changed_in_its_file() {
    let text = "SEEN = []\ndef test_hides():\n    globals().pop('test_uses', None), SEEN.append(1)\n\n\n\
                def test_uses():\n    SEEN.clear()\n    assert SEEN == []\n";
    let suite = suite(&[("test_a.py", text)]);
    let out = tempfile::tempdir().unwrap();
    let words = ["inject", "--reruns", "1", "--orders", "2", "--out", out.path().to_str().unwrap()];
    Anyorder::at(suite.path()).run(&words).with_code(0);
    let [changed, verdict] = ["SEEN.clear()", "order-dependent"].map(str::to_owned);
    let expected = (changed, verdict, vec!["test_a.py::test_uses".to_owned()]);
    assert!(verdicts(out.path()).contains(&expected), "{:?}", verdicts(out.path()));
}

/// A fixture that two files use; without its first line, tests of the second one see each other.
const BOX: &str =
    "import pytest\nBOX = []\n\n\n@pytest.fixture\ndef box():\n    BOX.clear()\n    return BOX\n";
const FILLS: &str = "def test_fills(box):\n    box.append(1)\n    assert len(box) == 1\n";

#[test]
fn a_fixture_is_judged_by_every_file_that_uses_it_and_every_suite_has_its_data_set() {
    let second = format!("{FILLS}\n\n{}", FILLS.replace("test_fills", "test_fills_too"));
    let first = "def test_takes(box):\n    assert box is not None\n";
    let suite = suite(&[("conftest.py", BOX), ("test_one.py", first), ("test_two.py", &second)]);
    let out = tempfile::tempdir().unwrap();
    let anyorder = Anyorder::at(suite.path());
    let python = python(NEWEST);
    let python = python.display();
    let command = format!("'{python}' -m pytest; '{python}' -m pytest test_two.py");
    let directory = out.path().to_str().unwrap();
    let words = ["inject", "--operators", "del_setup", "--reruns", "1", "--orders", "2", "--out", directory];
    anyorder.run(&[&words[..], &["--", "sh", "-c", &command]].concat()).with_code(0);
    let flaky = ["test_two.py::test_fills", "test_two.py::test_fills_too"].map(str::to_owned).to_vec();
    let expected = ("BOX.clear()".to_owned(), "order-dependent".to_owned(), flaky);
    for directory in [out.path().to_owned(), out.path().join("suite-2")] {
        let seen = verdicts(&directory);
        assert!(seen.contains(&expected), "{seen:?}");
    }
}

#[test]
fn a_suite_that_does_not_start_any_more_is_told_and_no_mutant_is_called_invalid_for_it() {
    let suite = suite(&[("test_a.py", "def test_a():\n    names = [1]\n    assert names\n")]);
    let out = tempfile::tempdir().unwrap();
    let anyorder = Anyorder::at(suite.path());
    let journal = out.path().join(".work/journal.jsonl");
    let python = python(NEWEST);
    let command = format!("test ! -e '{}' && exec '{}' -m pytest", journal.display(), python.display());
    let directory = out.path().to_str().unwrap();
    let words = ["inject", "--operators", "hoist_local", "--reruns", "1", "--out", directory];
    anyorder.run(&[&words[..], &["--", "sh", "-c", &command]].concat()).with_code(3);
    let known = fs::read_to_string(journal).unwrap();
    assert!(known.contains("unstable") && !known.contains("verdict"), "{known}");
}

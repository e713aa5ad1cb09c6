//! `anyorder collect`: the tests, as pytest itself lists them.

mod common;

use std::fs;

use anyorder_testkit::environment::{NEWEST, python};
use anyorder_testkit::fixture::Fixture;
use common::{Anyorder, listed_by_pytest, suite};

const TWO: &[(&str, &str)] = &[
    ("test_a.py", "def test_one(): pass\ndef test_two(): pass\n"),
    ("test_b.py", "def test_three(): pass\n"),
];

#[test]
fn the_list_is_the_one_of_pytest() {
    for name in ["demo", "every_scope", "unittest_only"] {
        let fixture = Fixture::pytest(name);
        let ran = Anyorder::at(fixture.path()).run(&["collect"]).with_code(0);
        assert_eq!(ran.lines(), listed_by_pytest(NEWEST, fixture.path()), "{name}");
    }
}

#[test]
fn what_was_collected_is_told_on_standard_error() {
    let suite = suite(TWO);
    let ran = Anyorder::at(suite.path()).run(&["collect"]).with_code(0);
    insta::assert_snapshot!(ran.shown(), @r"
    exit code 0
    --- stdout
    test_a.py::test_one
    test_a.py::test_two
    test_b.py::test_three
    --- stderr
     Collected  3 tests (pytest [version], python [version])
    ");
}

#[test]
fn collecting_leaves_the_project_as_it_was() {
    let fixture = Fixture::pytest("demo");
    let before = fixture.contents();
    Anyorder::at(fixture.path()).run(&["collect"]).with_code(0);
    assert_eq!(fixture.contents(), before);
    assert!(!fixture.path().join(".anyorder").exists());
}

#[test]
fn a_file_as_target_gives_its_tests_alone() {
    let suite = suite(TWO);
    let ran = Anyorder::at(suite.path()).run(&["collect", "test_b.py"]).with_code(0);
    assert_eq!(ran.lines(), ["test_b.py::test_three"]);
}

#[test]
fn a_test_id_as_target_gives_that_test_alone() {
    let suite = suite(TWO);
    let ran = Anyorder::at(suite.path()).run(&["collect", "test_a.py::test_two"]).with_code(0);
    assert_eq!(ran.lines(), ["test_a.py::test_two"]);
}

#[test]
fn a_target_that_does_not_exist_is_told_in_the_words_of_pytest() {
    let suite = suite(TWO);
    let ran = Anyorder::at(suite.path()).run(&["collect", "test_missing.py"]).with_code(2);
    assert!(ran.stderr.contains("file or directory not found: test_missing.py"), "{}", ran.shown());
}

#[test]
fn another_directory_can_be_named() {
    let suite = suite(TWO);
    let elsewhere = tempfile::tempdir().unwrap();
    let directory = suite.path().to_str().unwrap();
    let ran = Anyorder::at(elsewhere.path()).run(&["collect", "-C", directory]).with_code(0);
    assert_eq!(ran.lines().len(), 3);
}

#[test]
fn a_directory_that_does_not_exist_is_a_usage_error() {
    let suite = suite(TWO);
    let ran = Anyorder::at(suite.path()).run(&["collect", "-C", "nowhere"]).with_code(2);
    insta::assert_snapshot!(ran.errors(), @r"
    error: `[dir]/nowhere` is not a directory
    hint: name the directory that holds the project
    ");
}

#[test]
fn json_on_standard_output_is_all_there_is_on_it() {
    let suite = suite(TWO);
    let report = Anyorder::at(suite.path()).run(&["collect", "--json", "-"]).with_code(0).json();
    assert_eq!(report["schema"], 1);
    assert_eq!(report["suite"]["driver"], "pytest");
    assert_eq!(report["suite"]["tests"], 3);
    assert_eq!(report["tests"][2]["id"], "test_b.py::test_three");
    assert_eq!(report["tests"][2]["group"], "test_b.py");
    assert_eq!(report["tests"][1]["line"], 2);
    assert!(report.get("more").is_none());
}

#[test]
fn json_in_a_file_leaves_the_list_on_standard_output() {
    let suite = suite(TWO);
    let ran = Anyorder::at(suite.path()).run(&["collect", "--json", "tests.json"]).with_code(0);
    assert_eq!(ran.lines().len(), 3);
    let report: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(suite.path().join("tests.json")).unwrap()).unwrap();
    assert_eq!(report["tests"].as_array().unwrap().len(), 3);
}

#[test]
fn a_command_that_starts_pytest_is_used_as_it_is() {
    let suite = suite(TWO);
    fs::write(
        suite.path().join("test.sh"),
        format!("exec '{}' -m pytest -q test_a.py\n", python(NEWEST).display()),
    )
    .unwrap();
    let ran = Anyorder::at(suite.path()).run(&["collect", "--", "sh", "test.sh"]).with_code(0);
    assert_eq!(ran.lines(), ["test_a.py::test_one", "test_a.py::test_two"]);
}

#[test]
fn a_command_that_starts_pytest_twice_has_two_suites() {
    let suite = suite(TWO);
    let script = format!(
        "set -e\npy='{}'\n\"$py\" -m pytest test_b.py\necho between\n\"$py\" -m pytest test_a.py\n",
        python(NEWEST).display()
    );
    fs::write(suite.path().join("test.sh"), script).unwrap();
    let anyorder = Anyorder::at(suite.path());
    let ran = anyorder.run(&["collect", "--", "sh", "test.sh"]).with_code(0);
    assert_eq!(ran.lines(), ["test_b.py::test_three", "test_a.py::test_one", "test_a.py::test_two"]);
    let report = anyorder.run(&["collect", "--json", "-", "--", "sh", "test.sh"]).with_code(0).json();
    assert_eq!(report["suite"]["tests"], 1);
    assert_eq!(report["more"].as_array().unwrap().len(), 1);
    assert_eq!(report["more"][0]["suite"]["tests"], 2);
    assert_eq!(report["more"][0]["tests"][0]["id"], "test_a.py::test_one");
}

#[test]
fn targets_and_a_command_do_not_go_together() {
    let suite = suite(TWO);
    let ran = Anyorder::at(suite.path()).run(&["collect", "test_a.py", "--", "true"]).with_code(2);
    insta::assert_snapshot!(ran.errors(), @r"
    error: targets and a command of your own do not go together
    hint: name the targets inside the command, after `--`
    ");
}

#[test]
fn one_unreadable_file_does_not_cost_the_others() {
    let fixture = Fixture::pytest("collection_errors");
    let ran = Anyorder::at(fixture.path()).run(&["collect"]).with_code(0);
    assert_eq!(ran.lines(), ["test_fine.py::test_one", "test_fine.py::test_two", "test_fine.py::test_three"]);
    insta::assert_snapshot!(ran.errors(), @r"
     Collected  3 tests (pytest [version], python [version])
      Not read  test_cannot_be_imported.py
                ModuleNotFoundError: No module named 'a_module_that_does_not_exist'
    ");
    let report = Anyorder::at(fixture.path()).run(&["collect", "--json", "-"]).with_code(0).json();
    assert_eq!(report["suite"]["errors"][0]["at"], "test_cannot_be_imported.py");
}

#[test]
fn an_id_that_occurs_twice_is_told() {
    let suite = suite(&[
        (
            "test_a.py",
            "import pytest\n@pytest.mark.parametrize('x', [1, 1], ids=['same', 'same'])\ndef test_x(x): pass\n",
        ),
        ("conftest.py", "def pytest_collection_modifyitems(items):\n    items.append(items[0])\n"),
    ]);
    let ran = Anyorder::at(suite.path()).run(&["collect"]).with_code(0);
    let mut ids = ran.lines();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), ran.lines().len(), "{}", ran.shown());
    assert!(ran.stderr.contains("more than once"), "{}", ran.shown());
}

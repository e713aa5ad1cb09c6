//! `anyorder deps` and `anyorder pollution`: PRADET's two examples, and what tests leave behind.

mod common;

use std::fs;
use std::process::Command;

use anyorder_testkit::environment::{PLUGINS, python};
use common::{Anyorder, Ran, suite};
use serde_json::{Value, json};
use tempfile::TempDir;

const DATA_SOURCE: &str = r#"
class DataSource:
    def __init__(self, short_name, clone_string, kind):
        self.short_name, self.clone_string, self.kind = short_name, clone_string, kind
    def __str__(self):
        return f"{self.short_name}_{self.kind}_{self.clone_string}"

data = None

def test_set_field():
    global data
    data = DataSource("Repository", "path", "HG")
    assert data.short_name == "Repository"

def test_set_clone_string():
    assert data.clone_string == "path"
    data.clone_string = "path_2"
    assert data.clone_string == "path_2"

def test_to_string():
    data.short_name, data.kind, data.clone_string = "short_name", "HG", "clone_string"
    assert str(data) == "short_name_HG_clone_string"
"#;

const JOINT: &str = r#"
initialized = False
foo = None

def test_1():
    global initialized
    initialized = True

def test_2():
    global initialized, foo
    if not initialized:
        initialized = True
    foo = "foo"

def test_3():
    assert initialized
    assert foo == "foo"
"#;

fn run(directory: &TempDir, words: &[&str]) -> Ran {
    Anyorder::at(directory.path()).run(words)
}

/// Which test has to run before which, without the files.
fn manifest(report: &Value) -> Vec<(String, String)> {
    let name = |id: &Value| id.as_str().unwrap().split("::").last().unwrap().to_owned();
    let all = report["dependencies"]["manifest"].as_array().unwrap();
    all.iter().map(|one| (name(&one["before"]), name(&one["after"]))).collect()
}

fn pair(before: &str, after: &str) -> (String, String) {
    (before.to_owned(), after.to_owned())
}

#[test]
fn both_tests_of_the_data_source_need_the_one_that_sets_the_field() {
    let directory = suite(&[("test_source.py", DATA_SOURCE)]);
    let report = run(&directory, &["deps", "--json", "-"]).with_code(0).json();
    let set_field = |after| pair("test_set_field", after);
    assert_eq!(manifest(&report), [set_field("test_set_clone_string"), set_field("test_to_string")]);
    assert_eq!(report["dependencies"]["unexpected"], json!([]));
}

#[test]
fn a_reference_order_shows_that_the_clone_string_is_needed_too() {
    let directory = suite(&[("test_source.py", DATA_SOURCE)]);
    let report = run(&directory, &["deps", "--reference", "original", "--json", "-"]).with_code(0).json();
    let expected =
        [pair("test_set_field", "test_set_clone_string"), pair("test_set_clone_string", "test_to_string")];
    assert_eq!(manifest(&report), expected);
    assert_eq!(report["dependencies"]["untestable"].as_array().unwrap().len(), 1);
}

#[test]
fn the_third_of_three_tests_needs_only_the_one_that_sets_up_all_of_it() {
    let directory = suite(&[("test_joint.py", JOINT)]);
    for words in [&["deps", "--json", "-"][..], &["deps", "--reference", "original", "--json", "-"]] {
        let report = run(&directory, words).with_code(0).json();
        assert_eq!(manifest(&report), [pair("test_2", "test_3")], "{words:?}");
        assert_eq!(report["dependencies"]["benign"], 2);
    }
}

#[test]
fn the_graph_and_a_schedule_that_can_be_replayed_are_written() {
    let directory = suite(&[(
        "test_two.py",
        "foo = None\ndef test_a(): assert foo\ndef test_b():\n    global foo\n    foo = 1\n",
    )]);
    let files = TempDir::new().unwrap();
    let [dot, order] = ["deps.dot", "order.txt"].map(|name| files.path().join(name));
    run(&directory, &["deps", "--dot", dot.to_str().unwrap(), "--schedule", order.to_str().unwrap()])
        .with_code(0);
    let dot = fs::read_to_string(dot).unwrap();
    assert!(
        dot.contains(r#""test_two.py::test_b" -> "test_two.py::test_a" [label="test_two.foo"];"#),
        "{dot}"
    );
    assert_eq!(fs::read_to_string(&order).unwrap(), "test_two.py::test_b\ntest_two.py::test_a\n");
    run(&directory, &["replay", order.to_str().unwrap()]).with_code(0);
}

#[test]
fn what_depends_stays_together_in_plain_pytest_and_on_several_workers() {
    let directory = suite(&[(
        "test_two.py",
        "foo = None\ndef test_a(): assert foo\ndef test_b():\n    global foo\n    foo = 1\ndef test_c(): pass\n",
    )]);
    let files = TempDir::new().unwrap();
    let plugin = files.path().join("together.py");
    run(&directory, &["deps", "--together", plugin.to_str().unwrap()]).with_code(0);
    let passes = |words: &[&str]| {
        let mut pytest = Command::new(python(PLUGINS));
        pytest.args(["-m", "pytest", "-p", "no:randomly", "-p", "no:random_order"]).args(words);
        let output = pytest.current_dir(&directory).env("PYTHONPATH", files.path()).output().unwrap();
        output.status.success()
    };
    assert!(!passes(&[]));
    assert!(passes(&["-p", "together", "-p", "no:xdist"]));
    assert!(passes(&["-p", "together", "-n", "2"]));
}

#[test]
fn what_is_left_for_good_is_a_latent_polluter_and_makes_exit_code_1() {
    let directory = suite(&[("test_joint.py", JOINT)]);
    let report = run(&directory, &["pollution", "--json", "-"]).with_code(1).json();
    let places: Vec<&str> =
        report["pollution"].as_array().unwrap().iter().map(|one| one["place"].as_str().unwrap()).collect();
    assert_eq!(places, ["test_joint.initialized", "test_joint.foo"]);
    let finding = &report["findings"][0];
    assert_eq!(
        (&finding["kind"], &finding["test"]),
        (&json!("latent-polluter"), &json!("test_joint.py::test_1"))
    );
    assert_eq!(finding["state"][0]["cell"], "test_joint.initialized");
    let clean = suite(&[("test_clean.py", "def test_nothing(): pass")]);
    run(&clean, &["pollution"]).with_code(0);
}

//! An order that failed elsewhere is found here.

mod common;

use std::process::Command;

use anyorder_testkit::environment::{NEWEST, python};
use common::{Anyorder, clean, suite};
use serde_json::json;

/// Fails only behind five tests in one order out of 120, so that no pair and hardly any order shows it.
const CHAIN: &str = "
import pytest

at = 0


@pytest.mark.parametrize('step', [4, 3, 2, 1, 0])
def test_step(step):
    global at
    at = at + 1 if at == step else 0


class TestEnd:
    def test_victim(self):
        assert at < 5


@pytest.mark.parametrize('name', ['a', 'b.c', 'd::e'])
def test_other(name):
    assert name
";

const VICTIM: &str = "test_chain.py::TestEnd::test_victim";

fn step(number: usize) -> String {
    format!("test_chain.py::test_step[{number}]")
}

#[test]
fn an_order_that_failed_in_ci_is_replayed_and_minimised() {
    let suite = suite(&[("test_chain.py", CHAIN)]);
    let anyorder = Anyorder::at(suite.path());
    let hunt = ["hunt", "--rounds", "1", "--plain-pairs", "1", "--no-explain", "--quick", "--json", "-"];
    let before = anyorder.run(&hunt).json();
    assert_eq!(before["findings"], json!([]));

    let ids = [step(0), "test_chain.py::test_other[d::e]".to_owned(), step(1), step(2), step(3), step(4)];
    let mut ci = Command::new(python(NEWEST));
    ci.args(["-m", "pytest", "-p", "no:randomly", "-p", "no:cacheprovider", "--junitxml=ci.xml"]);
    clean(ci.args(ids.iter().map(|id| id.replace("test_other[d::e]", "test_other"))).arg(VICTIM));
    let ran = ci.env("PYTHONDONTWRITEBYTECODE", "1").current_dir(suite.path()).output().unwrap();
    assert_eq!(ran.status.code(), Some(1), "{ran:?}");

    let imported = anyorder.run(&["import", "ci.xml"]).with_code(0);
    assert!(
        imported.errors().contains("Imported  ci.xml: 9 tests, 1 failed; the next"),
        "{}",
        imported.errors()
    );
    let after = anyorder.run(&hunt).with_code(1).json();
    assert_eq!(after["findings"].as_array().unwrap().len(), 1, "{after:#}");
    assert_eq!(after["findings"][0]["test"], VICTIM);
    let chain: Vec<String> = (0..5).map(step).collect();
    assert_eq!(after["findings"][0]["polluters"], json!([chain]));
}

#[test]
fn files_that_tell_nothing_of_the_suite_are_refused() {
    let suite = suite(&[("test_a.py", "def test_a(): pass\n")]);
    let anyorder = Anyorder::at(suite.path());
    let outside = tempfile::tempdir().unwrap();
    let file = outside.path().join("ci.xml");
    let path = file.display().to_string();
    let import = |text: &str| {
        std::fs::write(&file, text).unwrap();
        anyorder.run(&["import", &path]).with_code(2).errors()
    };
    assert!(import("<testsuite>").contains("is not JUnit XML"));
    let other = import(r#"<testsuite><testcase classname="other" name="test_a"/></testsuite>"#);
    assert!(
        other.contains("1 case is no test of this suite") && other.contains("error: the files name no test"),
        "{other}"
    );
}

//! `anyorder profile`: what is shown of tests that leave state behind, and what is remembered.

mod common;

use std::fs;

use common::{Anyorder, Ran, suite};
use serde_json::Value;
use tempfile::TempDir;

const SHOP: &str = r#"
import os

CURRENCY = "USD"
FLAGS = {}

def price():
    return CURRENCY
"#;

const TESTS: &str = r#"
import os, signal
import pytest, shop

@pytest.fixture(scope="module")
def euro():
    shop.CURRENCY = "EUR"
    yield
    shop.CURRENCY = "USD"

def test_price(): assert shop.price() == "USD"
def test_beta(): shop.FLAGS["beta"] = True
def test_gamma(): shop.FLAGS["gamma"] = True
def test_in_euro(euro): assert shop.price() == "EUR"
def test_no_flags():
    assert not shop.FLAGS
    shop.FLAGS["own"] = os.getpid()
"#;

fn shop() -> TempDir {
    suite(&[("shop.py", SHOP), ("test_shop.py", TESTS)])
}

fn profile(directory: &TempDir, words: &[&str]) -> Ran {
    Anyorder::at(directory.path()).run(&[&["profile"], words].concat())
}

/// Without what depends on the versions of Python and pytest.
fn steady(text: &str) -> String {
    let depends = |line: &&str| line.contains("    reads ") || line.contains("that nobody can observe");
    text.split_inclusive('\n').filter(|line| !depends(line)).collect()
}

/// The profile of a test in a report.
fn profile_of<'report>(report: &'report Value, name: &str) -> &'report Value {
    let profiles = report["profiles"].as_array().expect("there are profiles");
    let is_it = |profile: &&Value| profile["test"].as_str().is_some_and(|id| id.ends_with(name));
    profiles.iter().find(is_it).unwrap_or_else(|| panic!("{name} in {report:#}"))
}

#[test]
fn cells_and_tests_are_counted() {
    insta::assert_snapshot!(steady(&profile(&shop(), &[]).with_code(0).shown()), @r"
    exit code 0
    --- stdout

     writers  readers  cell
           3        3  shop.FLAGS[…]   3 items
           1        1  fixture euro (module) of test_shop.py   <absent> -> None
           1        2  shop.CURRENCY   'USD' -> 'EUR'

       cells  test
           2  test_shop.py::test_in_euro
           1  test_shop.py::test_beta
           1  test_shop.py::test_gamma
           1  test_shop.py::test_no_flags

       Summary  4 of 5 tests leave shared state changed, 3 of them for good; 5 cells
                1 test ends otherwise when it runs again: `anyorder twice`
    --- stderr
     Collected  5 tests (pytest [version], python [version])
    ");
}

#[test]
fn one_test_is_shown_in_full() {
    let shop = shop();
    let shown = |test: &str| steady(&profile(&shop, &[test]).with_code(0).stdout);
    insta::assert_snapshot!(shown("test_shop.py::test_in_euro"), @r"

    test_shop.py::test_in_euro
        alone     passed
        again     passed
        writes    fixture euro (module) of test_shop.py   <absent> -> None   (undone by a tear-down)
                  shop.CURRENCY   'USD' -> 'EUR'   (undone by a tear-down)
        code      shop.py   price
                  test_shop.py   euro, test_in_euro
    ");
    let shown = shown("test_shop.py::test_no_flags");
    assert!(shown.contains("    again     failed\n"), "{shown}");
    assert!(shown.contains("   (differs between two identical runs)\n"), "{shown}");
}

#[test]
fn the_report_has_every_profile() {
    let report = profile(&shop(), &["--json", "-"]).with_code(0).json();
    let euro = profile_of(&report, "test_in_euro");
    let writes = euro["writes"].as_array().unwrap();
    let currency = writes.iter().find(|write| write["cell"] == "shop.CURRENCY").expect("it is written");
    assert_eq!((&currency["before"], &currency["after"]), (&"'USD'".into(), &"'EUR'".into()));
    assert_eq!((&currency["torn_down"], &currency["unstable"]), (&true.into(), &false.into()));
    let names = currency["names"].as_array().unwrap();
    let reads = profile_of(&report, "test_price")["reads"].as_array().unwrap();
    assert!(names.iter().any(|name| reads.contains(name)), "{names:?} {reads:?}");
    let own = profile_of(&report, "test_no_flags");
    assert_eq!((&own["alone"], &own["again"]), (&"passed".into(), &"failed".into()));
    assert_eq!(own["writes"][0]["unstable"], true, "{own:#}");
    assert_eq!(report["findings"], Value::Null);
}

#[test]
fn what_was_watched_is_not_watched_again() {
    let shop = shop();
    let runs = |ran: Ran| ran.with_code(0).json()["cost"]["test_runs"].as_u64().unwrap();
    let (first, second) = (profile(&shop, &["--json", "-"]), profile(&shop, &["--json", "-"]));
    assert_eq!(first.json()["profiles"], second.json()["profiles"]);
    assert_eq!((runs(first), runs(second)), (3 * 5 + 1, 0), "one test leaves what no other run has left");
}

#[test]
fn cells_that_the_user_ignores_are_hidden_until_all_are_wanted() {
    let shop = shop();
    let shows = |words: &[&str]| profile(&shop, words).with_code(0).stdout.contains("shop.FLAGS");
    assert!(shows(&[]));
    assert!(!shows(&["--ignore-cells", "shop.FLAGS*"]));
    fs::write(shop.path().join("anyorder.toml"), "ignore-cells = ['shop.F*']\n").unwrap();
    assert!(!shows(&[]));
    assert!(shows(&["--all"]));
}

#[test]
fn a_pattern_that_makes_no_sense_is_refused() {
    let shop = shop();
    let ran = profile(&shop, &["--ignore-cells", "*"]).with_code(2);
    assert!(ran.stderr.contains("it would hide every cell"), "{}", ran.shown());
    fs::write(shop.path().join("anyorder.toml"), "ignore-cells = [7]\n").unwrap();
    insta::assert_snapshot!(profile(&shop, &[]).with_code(2).errors(), @r"
    error: `ignore-cells = [7]` in `anyorder.toml` makes no sense: a list of strings is wanted
    hint: `anyorder profile --help` describes `--ignore-cells`
    ");
}

#[test]
fn without_forks_there_are_no_profiles() {
    insta::assert_snapshot!(profile(&shop(), &["--isolation", "process"]).with_code(2).errors(), @r"
     Collected  5 tests (pytest [version], python [version])
    error: what a test leaves changed can be seen in forks only, and here each order has a new process
    hint: leave `--isolation process` out
    ");
}

#[test]
fn a_test_that_crashes_while_it_is_watched_costs_nobody_else_a_profile() {
    let tests = "import os\nseen = []\ndef test_crash(): os.abort()\ndef test_after(): seen.append(1)\n";
    let suite = suite(&[("test_a.py", tests)]);
    let report = profile(&suite, &["--json", "-"]).with_code(0).json();
    let [crash, after] = ["test_crash", "test_after"].map(|name| profile_of(&report, name));
    assert_eq!((&crash["alone"], &crash["writes"]), (&"crashed".into(), &Value::Array(vec![])));
    assert_eq!(after["writes"][0]["cell"], "test_a.seen[0:]", "{after:#}");
}

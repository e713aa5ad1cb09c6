//! `anyorder twice` across runs: what a first run saves, a second one trips over.

mod common;

use common::{Anyorder, suite};

/// The first test leaves a file that it cannot stand, the second one does not mind.
const SAVES: &str = "\
import pathlib
def test_saves():
    saved = pathlib.Path('saved')
    assert not saved.exists()
    saved.touch()
def test_is_indifferent(): pass
";

const ACROSS: [&str; 5] = ["twice", "--mode", "across-runs", "--json", "-"];

#[test]
fn a_file_that_is_left_makes_the_next_run_fail() {
    let suite = suite(&[("test_a.py", SAVES)]);
    let ran = Anyorder::at(suite.path()).run(&ACROSS).with_code(1);
    let report = ran.json();
    let findings = report["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 1, "{}", ran.shown());
    assert_eq!(findings[0]["test"], "test_a.py::test_saves");
    assert_eq!(findings[0]["kind"], "non-idempotent");
    assert_eq!(findings[0]["mode"], "across-runs");
    assert_eq!(findings[0]["evidence"]["plain_pairs"], 5);
}

#[test]
fn what_the_budget_leaves_no_time_for_is_unconfirmed() {
    let suite = suite(&[("test_a.py", SAVES)]);
    let ran = Anyorder::at(suite.path()).run(&[&ACROSS[..], &["--budget", "1ms"]].concat()).with_code(5);
    let report = ran.json();
    assert_eq!(report["findings"].as_array().unwrap().len(), 0, "{}", ran.shown());
    assert_eq!(report["unconfirmed"][0]["test"], "test_a.py::test_saves", "{}", ran.shown());
    assert_eq!(report["stopped_early"], "the budget is spent");
}

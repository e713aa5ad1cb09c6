//! Forks are compared with plain runs before they are trusted; what differs is named, and runs another way.

mod common;

use anyorder_testkit::fixture::Fixture;
use common::{Anyorder, Ran};

fn sweep(fixture: &str, arguments: &[&str]) -> Ran {
    let fixture = Fixture::pytest(fixture);
    Anyorder::at(fixture.path()).calibrated().run(&[&["sweep", "--rounds", "2"], arguments].concat())
}

#[track_caller]
fn says(ran: &Ran, words: &str) {
    assert!(ran.stderr.contains(words), "{words}\n{}", ran.stderr);
}

#[test]
fn a_test_that_needs_a_thread_from_import_is_named_and_leaves_the_forks() {
    let ran = sweep("import_thread", &[]);
    says(&ran, "test_worker.py::test_work_is_done failed in a fork and passed in a plain run");
    says(&ran, "a fork lacks the threads that were started at import (doubler)");
    says(&ran, "2 passed");
    assert!(ran.code == 0 && ran.stdout.contains("0 tests differ"), "{ran:?}");
}

#[test]
fn a_test_that_uses_up_a_connection_from_import_is_named_and_leaves_the_forks() {
    let ran = sweep("import_connection", &[]);
    says(&ran, "test_greeting.py::test_greeting_arrives failed in a fork and passed in a plain run");
    says(&ran, "forks share a connection that was made at import (test_greeting.HERE, test_greeting.THERE)");
    assert!(ran.code == 0 && ran.stdout.contains("0 tests differ"), "{ran:?}");
}

#[test]
fn an_import_that_changes_an_outcome_is_named() {
    let ran = sweep("import_state", &["--seed", "1"]);
    says(
        &ran,
        "test_empty.py::test_registry_is_empty passed alone, and failed alone when test_plugin.py is imported too",
    );
}

#[test]
fn a_suite_that_forks_well_is_not_talked_about() {
    let ran = sweep("every_scope", &[]);
    assert!(!ran.stderr.contains("Notice"), "{}", ran.stderr);
}

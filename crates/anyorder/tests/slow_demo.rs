//! `anyorder doctor`, and what `anyorder demo` refuses. What the demo finds: `slow_guide`.

mod common;

use anyorder_testkit::environment::PLUGINS;
use anyorder_testkit::fixture::Fixture;
use common::{Anyorder, suite};

#[test]
fn the_demo_never_writes_into_a_directory_that_is_there() {
    let directory = tempfile::tempdir().unwrap();
    let ran = Anyorder::at(directory.path()).run(&["demo", "--into", "."]).with_code(2);
    assert!(ran.stderr.contains("name a directory that is not there yet"), "{}", ran.shown());
}

#[test]
fn a_healthy_suite_is_healthy_to_the_doctor() {
    let suite = suite(&[("test_a.py", "def test_a(): pass\n")]);
    let ran = Anyorder::at(suite.path()).run(&["doctor"]).with_code(0);
    assert!(ran.stdout.contains("Good  the original order is green: 1 passed"), "{}", ran.shown());
    assert!(!ran.stdout.contains("Hinders"), "{}", ran.shown());
}

#[test]
fn the_doctor_names_plugins_unreadable_files_and_unordered_parameters() {
    let fixture = Fixture::pytest("plugins_in_addopts");
    let ran = Anyorder::with(PLUGINS, fixture.path()).run(&["doctor"]).with_code(0);
    assert!(ran.stdout.contains("overridden here"), "{}", ran.shown());
    let fixture = Fixture::pytest("collection_errors");
    let ran = Anyorder::at(fixture.path()).run(&["doctor"]).with_code(0);
    assert!(ran.stdout.contains("test_cannot_be_imported.py cannot be collected"), "{}", ran.shown());
    let suite = suite(&[(
        "test_a.py",
        "import pytest\n@pytest.mark.parametrize('x', set('abcdefghij'))\ndef test_a(x): pass\n",
    )]);
    let ran = Anyorder::at(suite.path()).run(&["doctor"]);
    assert!(ran.stdout.contains("two starts collect the same tests in different orders"), "{}", ran.shown());
}

#[test]
fn the_doctor_says_that_there_are_no_tests() {
    let fixture = Fixture::pytest("no_tests");
    Anyorder::at(fixture.path()).run(&["doctor"]).with_code(4);
}

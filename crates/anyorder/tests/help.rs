//! What the binary says about itself.

mod common;

use anyorder_testkit::fixture::Fixture;
use common::{Anyorder, suite};

const COMMANDS: [&str; 16] = [
    "check",
    "collect",
    "sweep",
    "profile",
    "deps",
    "pollution",
    "explain",
    "fix",
    "report",
    "import",
    "inject",
    "replay",
    "doctor",
    "demo",
    "completions",
    "man",
];

fn help_of(words: &[&str]) -> String {
    let nowhere = tempfile::tempdir().unwrap();
    for columns in ["80", "200"] {
        let ran =
            Anyorder::without_python(nowhere.path()).variable("COLUMNS", columns).run(words).with_code(0);
        assert_eq!(ran.stderr, "");
        let long: Vec<&str> = ran.stdout.lines().filter(|line| line.chars().count() > 100).collect();
        assert!(long.is_empty(), "{words:?}: {long:#?}");
    }
    Anyorder::without_python(nowhere.path()).run(words).stdout
}

#[test]
fn every_command_is_listed_and_has_examples_in_its_help() {
    let overview = help_of(&["--help"]);
    for command in COMMANDS {
        assert!(overview.contains(&format!("\n  {command} ")), "{overview}");
        let help = help_of(&[command, "--help"]);
        assert!(help.contains("Examples:"), "{help}");
        assert!(help.contains(&format!("\n  anyorder {command}")), "{help}");
        help_of(&[command, "-h"]);
        help_of(&["help", command]);
    }
}

#[test]
fn the_overview_has_examples_too() {
    assert!(help_of(&["--help"]).contains("Examples:"));
}

#[test]
fn the_overview_names_the_exit_codes() {
    let overview = help_of(&["--help"]);
    assert!(overview.contains("Exit codes: 0 nothing found"), "{overview}");
}

#[test]
fn the_version_is_one_line() {
    let nowhere = tempfile::tempdir().unwrap();
    let ran = Anyorder::without_python(nowhere.path()).run(&["--version"]).with_code(0);
    assert_eq!(ran.stdout, concat!("anyorder ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn a_misspelt_option_or_command_is_a_usage_error_with_a_suggestion() {
    let nowhere = tempfile::tempdir().unwrap();
    let anyorder = Anyorder::without_python(nowhere.path());
    let ran = anyorder.run(&["sweep", "--strategi", "reverse"]).with_code(2);
    assert!(ran.stderr.contains("'--strategy'"), "{}", ran.shown());
    let ran = anyorder.run(&["swep"]).with_code(2);
    assert!(ran.stderr.contains("'sweep'"), "{}", ran.shown());
    let ran = anyorder.run(&["sweep", "--strategy", "sideways"]).with_code(2);
    assert!(ran.stderr.contains("reverse-class"), "{}", ran.shown());
}

#[test]
fn quiet_prints_nothing_on_standard_error() {
    let fixture = Fixture::pytest("collection_errors");
    let anyorder = Anyorder::at(fixture.path());
    for words in [&["collect", "--quiet"][..], &["sweep", "-q", "--rounds", "2"]] {
        let ran = anyorder.run(words).with_code(0);
        assert_eq!(ran.stderr, "");
        assert_ne!(ran.stdout, "");
    }
}

#[test]
fn quiet_still_tells_an_error() {
    let suite = suite(&[]);
    let ran = Anyorder::at(suite.path()).run(&["collect", "--quiet"]).with_code(4);
    assert!(ran.stderr.starts_with("error: "), "{}", ran.shown());
}

#[test]
fn there_is_colour_only_when_it_is_wanted() {
    let suite =
        suite(&[("test_a.py", "seen = []\ndef test_a(): assert not seen\ndef test_b(): seen.append(1)\n")]);
    let sweep = ["sweep", "--strategy", "reverse", "--color"];
    let ran = |when: &str| Anyorder::at(suite.path()).run(&[&sweep[..], &[when]].concat()).with_code(1);
    let (always, never, auto) = (ran("always"), ran("never"), ran("auto"));
    assert!(always.stdout.contains("\u{1b}["));
    assert!(always.stderr.contains("\u{1b}["));
    assert!(!never.stdout.contains('\u{1b}'));
    assert_eq!(auto.stdout, never.stdout);
    assert_eq!(auto.stderr, never.stderr);
}

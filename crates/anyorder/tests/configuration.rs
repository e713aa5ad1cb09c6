//! Settings: what is typed wins over the environment, which wins over the project's file, which wins over defaults.

mod common;

use std::fs;
use std::path::Path;

use common::{Anyorder, suite};
use tempfile::TempDir;

fn with_config(name: &str, text: &str) -> TempDir {
    let suite = suite(&[("test_a.py", "def test_one(): pass\ndef test_two(): pass\n")]);
    fs::write(suite.path().join(name), text).unwrap();
    suite
}

fn plan(directory: &Path, variables: &[(&str, &str)], words: &[&str]) -> (u64, u64) {
    let mut anyorder = Anyorder::at(directory);
    for (name, value) in variables {
        anyorder = anyorder.variable(name, value);
    }
    anyorder.run(&[&["sweep", "--json", "report.json"], words].concat()).with_code(0);
    let report: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(directory.join("report.json")).unwrap()).unwrap();
    // the original order counts as one
    (report["plan"]["seed"].as_u64().unwrap(), report["coverage"]["orders"].as_u64().unwrap() - 1)
}

#[test]
fn an_unknown_key_is_named_with_its_line_and_a_suggestion() {
    let suite = with_config("anyorder.toml", "# ours\nseed = 3\n\nronds = 5\n");
    let ran = Anyorder::at(suite.path()).run(&["sweep"]).with_code(2);
    insta::assert_snapshot!(ran.errors(), @r"
    error: unknown key `ronds` in `anyorder.toml`, line 4
    hint: did you mean `rounds`? The keys are python, workers, timeout, memory, isolation, disk, trust-forks, seed, strategy, rounds, budget, ignore-cells
    ");
}

#[test]
fn an_unknown_key_in_pyproject_is_named_with_its_own_line() {
    let text =
        "[project]\nname = \"x\"\nsed-like = 1\n\n[tool.other]\nsedd = 1\n\n[tool.anyorder]\nsedd = 5\n";
    let suite = with_config("pyproject.toml", text);
    let ran = Anyorder::at(suite.path()).run(&["collect"]).with_code(2);
    insta::assert_snapshot!(ran.errors(), @r"
    error: unknown key `sedd` in `pyproject.toml`, line 9
    hint: did you mean `seed`? The keys are python, workers, timeout, memory, isolation, disk, trust-forks, seed, strategy, rounds, budget, ignore-cells
    ");
}

#[test]
fn a_wrong_value_is_quoted_with_its_file() {
    for (text, expected) in [
        ("rounds = \"many\"\n", "error: `rounds = \"many\"` in `anyorder.toml` makes no sense"),
        ("rounds = -1\n", "error: `rounds = -1` in `anyorder.toml` makes no sense"),
        ("workers = 1.5\n", "error: `workers = 1.5` in `anyorder.toml` makes no sense"),
        ("strategy = \"sideways\"\n", "error: `strategy = \"sideways\"` in `anyorder.toml` makes no sense"),
        ("timeout = \"5 parsecs\"\n", "error: `timeout = \"5 parsecs\"` in `anyorder.toml` makes no sense"),
        ("isolation = [1]\n", "error: `isolation = [1]` in `anyorder.toml` makes no sense"),
        ("budget = \"x\"\n", "error: `budget = \"x\"` in `anyorder.toml` makes no sense"),
    ] {
        let suite = with_config("anyorder.toml", text);
        let ran = Anyorder::at(suite.path()).run(&["sweep"]).with_code(2);
        assert!(ran.stderr.starts_with(expected), "{}", ran.shown());
        assert!(ran.stderr.contains("\nhint: "), "{}", ran.shown());
    }
}

#[test]
fn broken_toml_is_named_with_its_line() {
    let suite = with_config("anyorder.toml", "seed = 1\nrounds = = 2\n");
    let ran = Anyorder::at(suite.path()).run(&["collect"]).with_code(2);
    assert!(ran.stderr.starts_with("error: `anyorder.toml` is not valid TOML, line 2: "), "{}", ran.shown());
}

#[test]
fn a_configuration_file_that_cannot_be_read_is_not_passed_over() {
    let suite = suite(&[("test_a.py", "def test_one(): pass\n")]);
    fs::write(suite.path().join("anyorder.toml"), b"seed = 1 # caf\xe9\n").unwrap();
    let ran = Anyorder::at(suite.path()).run(&["collect"]).with_code(2);
    assert!(ran.stderr.contains("anyorder.toml"), "{}", ran.shown());
}

#[test]
fn both_files_set_rounds_and_seed() {
    let own = with_config("anyorder.toml", "rounds = 3\nseed = 11\n");
    assert_eq!(plan(own.path(), &[], &[]), (11, 3));
    let shared = with_config("pyproject.toml", "[tool.anyorder]\nrounds = 2\nseed = 12\n");
    assert_eq!(plan(shared.path(), &[], &[]), (12, 2));
}

#[test]
fn the_environment_wins_over_the_file_and_flags_win_over_both() {
    let suite = with_config("anyorder.toml", "rounds = 3\nseed = 11\n");
    let variables = [("ANYORDER_SEED", "22"), ("ANYORDER_ROUNDS", "4")];
    assert_eq!(plan(suite.path(), &variables, &[]), (22, 4));
    assert_eq!(plan(suite.path(), &variables, &["--seed", "33", "--rounds", "5"]), (33, 5));
}

#[test]
fn without_settings_there_are_twenty_orders_from_seed_zero() {
    let suite = with_config("pyproject.toml", "[project]\nname = \"x\"\n");
    assert_eq!(plan(suite.path(), &[], &[]), (0, 20));
}

#[test]
fn a_wrong_value_in_the_environment_is_a_usage_error() {
    let suite = with_config("pyproject.toml", "");
    let ran = Anyorder::at(suite.path()).variable("ANYORDER_SEED", "lucky").run(&["sweep"]).with_code(2);
    assert!(ran.stderr.contains("lucky"), "{}", ran.shown());
}

#[test]
fn no_workers_at_all_is_a_usage_error() {
    let suite = with_config("pyproject.toml", "");
    let ran = Anyorder::at(suite.path()).run(&["collect", "--workers", "0"]).with_code(2);
    insta::assert_snapshot!(ran.errors(), @r"
    error: there has to be at least one worker
    hint: leave `--workers` out for one per core
    ");
}

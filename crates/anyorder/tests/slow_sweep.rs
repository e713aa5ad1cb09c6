//! `anyorder sweep`: which tests it lists, and that each sighting can be replayed as printed.

mod common;

use std::path::Path;

use anyorder_testkit::fixture::Fixture;
use anyorder_testkit::thorough::usually_or_in_trials;
use common::{Anyorder, Ran, suggested_replays, suite};

/// Fails in three of ten runs, whatever the order.
const LUCKY: &str = "test_lucky_customer_gets_a_gift";

/// Every file of the demo without the non-deterministic test.
const DETERMINISTIC: [&str; 5] = [
    "tests/test_cart.py",
    "tests/test_currency.py",
    "tests/test_inventory.py",
    "tests/test_settings.py",
    "tests/test_templates.py",
];

fn sorted(mut names: Vec<&str>) -> Vec<&str> {
    names.retain(|name| *name != LUCKY);
    names.sort_unstable();
    names
}

fn stdout(directory: &Path, words: &[&str], code: i32) -> String {
    Anyorder::at(directory).run(&[&["sweep"], words].concat()).with_code(code).stdout
}

/// Each suggestion does what the sighting says: red, unless the sighting itself was a pass.
fn replay_all(directory: &Path, ran: &Ran) {
    let replays = suggested_replays(ran);
    assert_eq!(replays.len(), ran.differing().len(), "{}", ran.shown());
    for (words, test) in replays.iter().zip(ran.differing()) {
        if test.ends_with(LUCKY) {
            continue;
        }
        let replayed = Anyorder::at(directory).run(words).with_code(1);
        assert!(replayed.stdout.contains(&format!("    Failed  {test}\n")), "{}", replayed.shown());
    }
}

#[test]
fn reverse_lists_exactly_the_known_tests_of_the_demo() {
    let fixture = Fixture::pytest("demo");
    let before = fixture.contents();
    let ran = Anyorder::at(fixture.path()).run(&["sweep", "--strategy", "reverse"]).with_code(1);
    let expected = [
        "test_greeting_is_english",
        "test_new_shop_has_no_stock",
        "test_price_of_tea_is_cached",
        "test_prices_are_in_dollars",
    ];
    // `test_book_costs_full_price` needs two polluters, and reverse runs only one of them before it.
    // `test_receipt_lists_every_item` runs before its polluter then.
    assert_eq!(sorted(ran.differing_names()), expected, "{}", ran.shown());
    assert_eq!(fixture.contents(), before);
    replay_all(fixture.path(), &ran);
}

#[test]
fn isolated_finds_the_brittle_test_and_no_victim() {
    let fixture = Fixture::pytest("demo");
    let ran = Anyorder::at(fixture.path()).run(&["sweep", "--strategy", "isolated"]).with_code(1);
    assert_eq!(sorted(ran.differing_names()), ["test_price_of_tea_is_cached"], "{}", ran.shown());
}

#[test]
fn pairs_find_every_dependence_on_a_single_test() {
    let fixture = Fixture::pytest("demo");
    let ran = Anyorder::at(fixture.path()).run(&["sweep", "--strategy", "pairs"]).with_code(1);
    let expected = [
        "test_greeting_is_english",
        "test_new_shop_has_no_stock",
        "test_price_of_tea_is_cached",
        "test_prices_are_in_dollars",
        "test_receipt_lists_every_item",
    ];
    assert_eq!(sorted(ran.differing_names()), expected, "{}", ran.shown());
    assert!(ran.stdout.contains("100.0 % of direct successions tried"), "{}", ran.shown());
}

#[test]
fn random_orders_find_every_dependence_in_time() {
    let fixture = Fixture::pytest("demo");
    let ran = Anyorder::at(fixture.path()).run(&["sweep", "--rounds", "60"]).with_code(1);
    let expected = [
        "test_book_costs_full_price",
        "test_greeting_is_english",
        "test_new_shop_has_no_stock",
        "test_price_of_tea_is_cached",
        "test_prices_are_in_dollars",
        "test_receipt_lists_every_item",
    ];
    assert_eq!(sorted(ran.differing_names()), expected, "{}", ran.shown());
    replay_all(fixture.path(), &ran);
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_seed_others() {
    let fixture = Fixture::pytest("demo");
    let with = |seed: &str, workers: &str| {
        let words = ["--rounds", "5", "--seed", seed, "--workers", workers];
        stdout(fixture.path(), &[&words[..], &DETERMINISTIC].concat(), 1)
    };
    let first = with("7", "2");
    assert_eq!(with("7", "2"), first);
    assert_eq!(with("7", "1"), first);
    assert_eq!(with("7", "4"), first);
    assert_ne!(with("8", "2"), first);
}

#[test]
fn new_processes_give_the_same_findings_as_forks() {
    let fixture = Fixture::pytest("demo");
    let strategies: &[&str] =
        usually_or_in_trials(&["random-class"], &["random", "random-class", "reverse-class", "isolated"]);
    for &strategy in strategies {
        let with = |isolation: &str| {
            let words = ["--strategy", strategy, "--rounds", "2", "--seed", "3", "--isolation", isolation];
            let targets = if strategy == "isolated" { &DETERMINISTIC[..2] } else { &DETERMINISTIC[..] };
            let ran = Anyorder::at(fixture.path()).run(&[&["sweep"], &words[..], targets].concat());
            let named = format!("--isolation {isolation}");
            (ran.code, without_cost(&ran.stdout).replace(&named, "--isolation [named]"))
        };
        assert_eq!(with("process"), with("fork"), "{strategy}");
    }
}

/// Without the line that counts forks and processes, in which the two ways differ for good.
fn without_cost(stdout: &str) -> String {
    stdout.lines().filter(|line| !line.contains(" test runs, ")).collect::<Vec<_>>().join("\n")
}

#[test]
fn new_processes_agree_with_forks_on_every_scope() {
    let fixture = Fixture::pytest("every_scope");
    let rounds = usually_or_in_trials("1", "4");
    let with = |isolation: &str| {
        let words = ["sweep", "--rounds", rounds, "--seed", "5", "--isolation", isolation];
        let ran = Anyorder::at(fixture.path()).run(&words);
        (ran.code, without_cost(&ran.stdout))
    };
    assert_eq!(with("process"), with("fork"));
}

#[test]
fn a_spent_budget_stops_early_with_an_exit_code_of_its_own() {
    let fixture = Fixture::pytest("every_scope");
    let ran = Anyorder::at(fixture.path()).run(&["sweep", "--strategy", "pairs", "--budget", "1s"]);
    assert!(ran.stderr.contains("   Stopped  the budget is spent"), "{}", ran.shown());
    assert!(ran.stdout.contains("% of direct successions tried"), "{}", ran.shown());
    assert_eq!(ran.code, if ran.differing().is_empty() { 5 } else { 1 }, "{}", ran.shown());
}

#[test]
fn a_spent_budget_does_not_hide_what_was_found() {
    let suite = suite(&[(
        "test_a.py",
        "import time\nseen = []\ndef test_a(): assert not seen\ndef test_b(): seen.append(1)\ndef test_c(): time.sleep(0.3)\n",
    )]);
    let ran = Anyorder::at(suite.path()).run(&["sweep", "--rounds", "1000", "--budget", "10x"]).with_code(1);
    assert_eq!(ran.differing_names(), ["test_a"], "{}", ran.shown());
    assert!(ran.stderr.contains("   Stopped  the budget is spent"), "{}", ran.shown());
}

#[test]
fn a_budget_may_be_in_suite_times_and_need_not_be_spent() {
    let suite = suite(&[("test_a.py", "def test_a(): pass\ndef test_b(): pass\n")]);
    let ran = Anyorder::at(suite.path()).run(&["sweep", "--rounds", "2", "--budget", "50x"]).with_code(0);
    assert!(!ran.stderr.contains("Stopped"), "{}", ran.shown());
}

#[test]
fn a_suite_without_dependences_has_exit_code_0_and_saves_nothing() {
    let suite = suite(&[("test_a.py", "def test_a(): pass\ndef test_b(): pass\n")]);
    let ran = Anyorder::at(suite.path()).calibrated().run(&["sweep"]).with_code(0);
    insta::assert_snapshot!(ran.shown(), @r"
    exit code 0
    --- stdout
       Summary  0 tests differ from the original order; 2 showed no change
                21 orders, 100.0 % of direct successions tried
                48 test runs, 23 forks, 4 processes
    --- stderr
     Collected  2 tests (pytest [version], python [version])
      Original  2 passed
    ");
    assert!(!suite.path().join(".anyorder").exists());
}

#[test]
fn a_test_that_passes_only_in_other_orders_is_listed_and_its_replay_passes() {
    let suite =
        suite(&[("test_a.py", "seen = []\ndef test_a(): assert seen\ndef test_b(): seen.append(1)\n")]);
    let ran = Anyorder::at(suite.path()).run(&["sweep", "--strategy", "reverse"]).with_code(1);
    assert!(
        ran.stdout.contains("            failed in the original order; 1 passed in 1 order\n"),
        "{}",
        ran.shown()
    );
    for words in suggested_replays(&ran) {
        Anyorder::at(suite.path()).run(&words).with_code(0);
    }
}

#[test]
fn a_sweep_through_a_command_with_two_suites_reports_both() {
    let suite = suite(&[
        ("test_a.py", "seen = []\ndef test_a(): assert not seen\ndef test_b(): seen.append(1)\n"),
        ("test_b.py", "seen = []\ndef test_c(): assert not seen\ndef test_d(): seen.append(1)\n"),
    ]);
    let python = anyorder_testkit::environment::python(anyorder_testkit::environment::NEWEST);
    let script =
        format!("for file in test_a.py test_b.py; do '{}' -m pytest $file || exit; done", python.display());
    let words = ["sweep", "--strategy", "reverse", "--json", "report.json", "--", "sh", "-c", &script];
    let ran = Anyorder::at(suite.path()).run(&words).with_code(1);
    assert_eq!(ran.differing(), ["test_a.py::test_a", "test_b.py::test_c"], "{}", ran.shown());
    let saved: std::collections::BTreeSet<_> = suggested_replays(&ran).into_iter().collect();
    assert_eq!(
        saved.len(),
        2,
        "two findings, one saved order: the second suite overwrote the first's\n{}",
        ran.shown()
    );
    let report = std::fs::read_to_string(suite.path().join("report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["differs"][0]["test"], "test_a.py::test_a");
    assert_eq!(report["more"][0]["differs"][0]["test"], "test_b.py::test_c");
}

#[test]
fn json_on_standard_output_is_all_there_is_on_it() {
    let suite =
        suite(&[("test_a.py", "seen = []\ndef test_a(): assert not seen\ndef test_b(): seen.append(1)\n")]);
    let report = Anyorder::at(suite.path())
        .run(&["sweep", "--strategy", "reverse", "--json", "-"])
        .with_code(1)
        .json();
    assert_eq!(report["schema"], 1);
    assert_eq!(report["plan"]["strategy"], "reverse");
    assert_eq!(report["differs"][0]["test"], "test_a.py::test_a");
    assert_eq!(report["differs"][0]["original"], "passed");
    assert_eq!(
        report["differs"][0]["first"]["order"],
        serde_json::json!(["test_a.py::test_b", "test_a.py::test_a"])
    );
    assert_eq!(report["original"], serde_json::json!({"passed": 2}));
}

#[test]
fn a_sweep_reads_what_can_be_read() {
    let fixture = Fixture::pytest("collection_errors");
    for isolation in ["fork", "process"] {
        let ran = Anyorder::at(fixture.path())
            .run(&["sweep", "--rounds", "3", "--isolation", isolation])
            .with_code(0);
        assert!(ran.stderr.contains("  Not read  test_cannot_be_imported.py\n"), "{}", ran.shown());
        assert!(ran.stdout.contains("3 showed no change"), "{}", ran.shown());
    }
}

/// Two tests, in a directory where pytest does not look by itself.
fn suite_beside_testpaths() -> tempfile::TempDir {
    let suite = suite(&[("pytest.ini", "[pytest]\ntestpaths = tests\n")]);
    for directory in ["tests", "other"] {
        std::fs::create_dir(suite.path().join(directory)).unwrap();
        let text = "seen = []\ndef test_a(): assert not seen\ndef test_b(): seen.append(1)\n";
        std::fs::write(suite.path().join(directory).join(format!("test_{directory}.py")), text).unwrap();
    }
    suite
}

#[test]
fn a_suggested_replay_works_after_a_sweep_of_some_targets() {
    let suite = suite_beside_testpaths();
    let ran = Anyorder::at(suite.path()).run(&["sweep", "--strategy", "reverse", "other"]).with_code(1);
    replay_all(suite.path(), &ran);
}

#[test]
fn a_suggested_replay_works_after_a_sweep_of_another_directory() {
    let suite = suite_beside_testpaths();
    let elsewhere = tempfile::tempdir().unwrap();
    let directory = suite.path().to_str().unwrap();
    let ran =
        Anyorder::at(elsewhere.path()).run(&["sweep", "--strategy", "reverse", "-C", directory]).with_code(1);
    replay_all(elsewhere.path(), &ran);
}

#[test]
fn a_suggested_replay_works_after_a_sweep_through_a_command() {
    let suite = suite_beside_testpaths();
    std::fs::write(suite.path().join("conftest.py"), "import os\nassert os.environ['SHELF'] == 'green'\n")
        .unwrap();
    let python = anyorder_testkit::environment::python(anyorder_testkit::environment::NEWEST);
    let words = [
        "sweep",
        "--strategy",
        "reverse",
        "--",
        "env",
        "SHELF=green",
        python.to_str().unwrap(),
        "-m",
        "pytest",
    ];
    let ran = Anyorder::at(suite.path()).run(&words).with_code(1);
    replay_all(suite.path(), &ran);
}

#[test]
fn a_debugger_in_the_project_s_own_options_is_set_aside() {
    let suite =
        suite(&[("test_a.py", "seen = []\ndef test_a(): assert not seen\ndef test_b(): seen.append(1)\n")]);
    let python = anyorder_testkit::environment::python(anyorder_testkit::environment::NEWEST);
    let words = ["sweep", "--strategy", "reverse", "--", python.to_str().unwrap(), "-m", "pytest", "--pdb"];
    let ran = Anyorder::at(suite.path()).run(&words).with_code(1);
    assert!(ran.stdout.contains("passed in the original order; 1 failed in 1 order"), "{}", ran.shown());
}

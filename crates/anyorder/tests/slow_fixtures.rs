//! Suites with one peculiarity each: what a sweep or a replay makes of them.

mod common;

use std::fs;
use std::path::Path;

use anyorder_testkit::environment::{ASYNC, NEWEST, PLUGINS, PYTESTS, Recipe};
use anyorder_testkit::fixture::Fixture;
use anyorder_testkit::thorough::usually_or_in_trials;
use common::{Anyorder, Ran, listed_by_pytest};

fn sweep(directory: &Path, words: &[&str], code: i32) -> Ran {
    Anyorder::at(directory).run(&[&["sweep"], words].concat()).with_code(code)
}

/// The oldest every day, where most is different, and all of them in trials.
fn pytests() -> Vec<Recipe> {
    usually_or_in_trials(vec![PYTESTS[0]], PYTESTS.to_vec())
}

/// A fixture whose tests have the same outcomes in every order that is tried.
fn nothing_differs(recipe: Recipe, name: &str, strategies: &[&[&str]]) {
    let fixture = Fixture::pytest(name);
    let before = fixture.contents();
    for words in strategies {
        let ran = Anyorder::with(recipe, fixture.path()).run(&[&["sweep"], *words].concat()).with_code(0);
        let original =
            ran.stderr.lines().find_map(|line| line.strip_prefix("  Original  ")).unwrap_or_default();
        assert!(original.ends_with(" passed"), "{words:?}\n{}", ran.shown());
    }
    assert_eq!(fixture.contents(), before, "{name} was changed");
}

/// `collect` writes an order file that `replay` reads, forwards and backwards.
fn collected_order_replays(recipe: Recipe, name: &str, plain: &[&str]) {
    let fixture = Fixture::pytest(name);
    let anyorder = Anyorder::with(recipe, fixture.path());
    let order = anyorder.run(&["collect"]).with_code(0).stdout;
    let backwards: Vec<&str> = order.lines().rev().collect();
    for order in [order.clone(), backwards.join("\n")] {
        fs::write(fixture.path().join("order.txt"), &order).unwrap();
        let ran = anyorder.run(&[&["replay", "order.txt"], plain].concat()).with_code(0);
        let tests = order.lines().count();
        let expected = format!("  Replayed  {tests} tests: {tests} passed\n");
        assert!(ran.stdout.ends_with(&expected), "{}: {}", recipe.name, ran.shown());
    }
}

#[test]
fn odd_ids_survive_the_way_into_an_order_file_and_back() {
    for recipe in pytests() {
        collected_order_replays(recipe, "odd_ids", &[]);
        collected_order_replays(recipe, "odd_ids_unescaped", &[]);
    }
}

#[test]
fn odd_ids_can_be_replayed_by_plain_pytest() {
    for recipe in pytests() {
        collected_order_replays(recipe, "odd_ids", &["--plain"]);
    }
}

#[test]
fn unescaped_ids_can_be_replayed_by_plain_pytest() {
    for recipe in pytests() {
        collected_order_replays(recipe, "odd_ids_unescaped", &["--plain"]);
    }
}

#[test]
fn a_server_for_the_session_is_there_in_every_order() {
    nothing_differs(
        NEWEST,
        "session_server",
        &[&["--strategy", "pairs"], &["--rounds", "5"], &["--strategy", "isolated"]],
    );
}

#[test]
fn a_child_process_for_the_session_answers_in_every_order() {
    nothing_differs(
        NEWEST,
        "session_subprocess",
        &[&["--strategy", "pairs"], &["--rounds", "5"], &["--strategy", "isolated"]],
    );
}

#[test]
fn a_suite_that_turns_warnings_into_errors_sees_none_of_ours() {
    for recipe in pytests() {
        nothing_differs(recipe, "strict_warnings", &[&["--strategy", "pairs"], &["--rounds", "3"]]);
    }
    nothing_differs(NEWEST, "strict_warnings", &[&["--isolation", "process", "--rounds", "2"]]);
}

#[test]
fn captured_output_never_reaches_a_neighbour() {
    let many = ["--workers", "4"];
    let isolated: &[&str] = &[&["--strategy", "isolated", "--rounds", "3"], &many[..]].concat();
    let random: &[&str] = &[&["--rounds", "12"], &many[..]].concat();
    let pairs: &[&str] = &[&["--strategy", "pairs"], &many[..]].concat();
    nothing_differs(NEWEST, "captured_output", &[isolated, random, pairs]);
}

#[test]
fn captured_output_is_told_for_the_test_that_printed_it() {
    let fixture = Fixture::pytest("captured_output");
    let anyorder = Anyorder::at(fixture.path());
    let order = anyorder.run(&["collect"]).with_code(0).stdout;
    let report = anyorder.input(&order);
    report.run(&["replay", "-", "--output", "--json", "report.json"]).with_code(0);
    let report: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(fixture.path().join("report.json")).unwrap()).unwrap();
    for step in report["runs"][0]["ran"].as_array().unwrap() {
        let (test, output) = (step["test"].as_str().unwrap(), step["output"].as_str().unwrap_or_default());
        let (printed, written) =
            ("printed by test_prints_without_a_fixture", "written by test_writes_to_descriptor_1");
        assert_eq!(
            output.contains(printed),
            test.ends_with("::test_prints_without_a_fixture"),
            "{test}: {output}"
        );
        assert_eq!(
            output.contains(written),
            test.ends_with("::test_writes_to_descriptor_1_without_a_fixture"),
            "{test}: {output}"
        );
        assert_eq!(
            output.contains("left in a buffer"),
            test.ends_with("_newline_or_flush"),
            "{test}: {output}"
        );
    }
}

#[test]
fn the_random_state_of_a_fork_is_that_of_an_ordinary_run() {
    let fixture = Fixture::pytest("seeded_random");
    sweep(fixture.path(), &["--strategy", "isolated"], 0);
    sweep(fixture.path(), &["--strategy", "isolated", "--isolation", "process"], 0);
    let ran = sweep(fixture.path(), &["--strategy", "pairs"], 1);
    let known = ["test_state_is_as_the_import_left_it", "test_draw_is_not_the_first_after_seed_one"];
    assert_eq!(ran.differing_names(), known, "{}", ran.shown());
}

#[test]
fn a_suite_of_unittest_alone_has_its_victims_found() {
    let fixture = Fixture::pytest("unittest_only");
    let known = ["test_a_only_the_host_is_there", "test_a_new_wardrobe_is_empty"];
    let ran = sweep(fixture.path(), &["--strategy", "pairs"], 1);
    let mut names = ran.differing_names();
    names.sort_unstable_by(|a, b| b.cmp(a));
    assert_eq!(names, known, "{}", ran.shown());
    sweep(fixture.path(), &["--strategy", "isolated"], 0);
}

#[test]
fn tests_that_start_pytest_do_not_start_us() {
    nothing_differs(
        NEWEST,
        "starts_pytest",
        &[&["--strategy", "isolated"], &["--strategy", "reverse", "--isolation", "process"]],
    );
}

#[test]
fn plugins_that_choose_repeat_or_measure_are_set_aside() {
    let fixture = Fixture::pytest("plugins_in_addopts");
    let before = fixture.contents();
    let anyorder = Anyorder::with(PLUGINS, fixture.path());
    let expected = ["test_is_cold_at_first", "test_boils", "test_sorting", "test_random_number"];
    let expected = expected.map(|name| format!("test_kettle.py::{name}"));
    assert_eq!(anyorder.run(&["collect"]).with_code(0).lines(), expected);
    let ran = anyorder.run(&["sweep", "--strategy", "isolated", "--rounds", "3"]).with_code(0);
    assert!(ran.stdout.contains("4 showed no change"), "{}", ran.shown());
    assert_eq!(fixture.contents(), before);
    assert!(!fixture.path().join(".coverage").exists());
}

#[test]
fn a_victim_is_found_behind_plugins_and_its_plain_replay_agrees() {
    let fixture = Fixture::pytest("plugins_in_addopts");
    let anyorder = Anyorder::with(PLUGINS, fixture.path());
    let ran = anyorder.run(&["sweep", "--strategy", "reverse"]).with_code(1);
    assert_eq!(ran.differing_names(), ["test_is_cold_at_first"], "{}", ran.shown());
    let [replay] = &common::suggested_replays(&ran)[..] else { panic!("{}", ran.shown()) };
    for plain in [&[][..], &["--plain"]] {
        let words: Vec<&str> = replay.iter().map(String::as_str).chain(plain.iter().copied()).collect();
        let ran = anyorder.run(&words).with_code(1);
        assert!(ran.stdout.ends_with("  Replayed  4 tests: 3 passed, 1 failed\n"), "{}", ran.shown());
    }
    assert!(!fixture.path().join(".coverage").exists());
}

#[test]
fn asynchronous_tests_pass_in_every_order() {
    let strategies: &[&[&str]] =
        &[&["--strategy", "pairs"], &["--rounds", "5"], &["--strategy", "isolated", "--workers", "4"]];
    nothing_differs(ASYNC, "async_tests", strategies);
    nothing_differs(ASYNC, "async_tests", &[&["--rounds", "2", "--isolation", "process"]]);
}

#[test]
fn every_pytest_collects_and_sweeps_every_scope() {
    for recipe in pytests() {
        let fixture = Fixture::pytest("every_scope");
        let anyorder = Anyorder::with(recipe, fixture.path());
        let listed = anyorder.run(&["collect"]).with_code(0);
        assert_eq!(listed.lines(), listed_by_pytest(recipe, fixture.path()), "{}", recipe.name);
        anyorder.run(&["sweep", "--rounds", "3"]).with_code(0);
    }
}

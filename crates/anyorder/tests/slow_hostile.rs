//! Tests that do their worst: it costs their own outcome, never another order, never the command, never the user's files.
//!
//! That the tree is bit-identical and that no process is left is looked at after every command, by `common`.

mod common;

use anyorder_testkit::fixture::Fixture;
use anyorder_testkit::thorough::usually_or_in_trials;
use common::Anyorder;
use common::hostile::{Hostile, Outcomes};

const ORDER: [&str; 3] = ["before", "hostile", "after"];

/// In forks; in trials in new processes, too.
#[track_caller]
fn replays(hostile: &Hostile, check: impl Fn(&Outcomes)) {
    for isolation in usually_or_in_trials(&["fork"][..], &["fork", "process"]) {
        check(&hostile.replay(&ORDER, &["--isolation", isolation]));
    }
}

#[track_caller]
fn has_outcomes(outcomes: &Outcomes, expected: [&str; 3]) {
    let seen: Vec<&str> = outcomes.iter().map(|(_, outcome, _)| outcome.as_str()).collect();
    assert_eq!(seen, expected, "{outcomes:?}");
}

/// The hostile test does not survive; its order ends there, and no other order suffers.
#[track_caller]
fn ends_its_order(name: &'static str, outcome: &str, kind: &str) {
    let hostile = Hostile::new(name);
    replays(&hostile, |outcomes| {
        has_outcomes(outcomes, ["passed", outcome, "not-reached"]);
        assert!(kind.is_empty() || outcomes[1].2 == kind, "{outcomes:?}");
    });
    let swept = hostile.pairs();
    assert_eq!(swept.differing, [""; 0], "{}", swept.ran.shown());
    swept.ran.with_code(0);
}

/// The hostile test is odd, and that is all.
#[track_caller]
fn hurts_nobody(name: &'static str, outcome: &str) {
    let hostile = Hostile::new(name);
    replays(&hostile, |outcomes| has_outcomes(outcomes, ["passed", outcome, "passed"]));
    let swept = hostile.pairs();
    assert_eq!(swept.differing, [""; 0], "{}", swept.ran.shown());
    swept.ran.with_code(0);
}

/// The test after it fails, as it would in plain pytest, and only where it comes after it in the same order.
#[track_caller]
fn pollutes_its_own_order_alone(name: &'static str) {
    pollutes(name, &["after"]);
}

#[track_caller]
fn pollutes(name: &'static str, victims: &[&str]) {
    let hostile = Hostile::new(name);
    replays(&hostile, |outcomes| has_outcomes(outcomes, ["passed", "passed", "failed"]));
    let swept = hostile.pairs();
    assert_eq!(swept.differing, victims, "{}", swept.ran.shown());
    let report = swept.ran.with_code(1).json();
    for at in 0..victims.len() {
        assert_eq!(report["differs"][at]["outcomes"]["failed"], 1, "{report}");
        assert_eq!(report["differs"][at]["outcomes"]["passed"], 3, "{report}");
    }
}

#[test]
fn an_infinite_loop_times_out() {
    ends_its_order("infinite_loop", "timed-out", "timeout");
}

#[test]
fn a_sleep_past_the_limit_times_out() {
    ends_its_order("sleep", "timed-out", "timeout");
}

#[test]
fn leaving_the_process_is_a_crash() {
    ends_its_order("os_exit", "crashed", "exit");
}

#[test]
fn a_segmentation_fault_is_a_crash() {
    ends_its_order("segfault", "crashed", "SIGSEGV");
}

#[test]
fn eating_memory_is_a_crash() {
    ends_its_order("eats_memory", "crashed", "memory");
}

#[test]
fn a_keyboard_interrupt_is_a_crash() {
    ends_its_order("keyboard_interrupt", "crashed", "KeyboardInterrupt");
}

#[test]
fn closing_every_descriptor_is_a_crash() {
    ends_its_order("closes_descriptors", "crashed", "");
}

#[test]
fn garbage_on_the_wire_costs_one_outcome() {
    ends_its_order("garbage_on_the_wire", "crashed", "");
}

#[test]
fn a_flood_on_the_wire_costs_one_outcome() {
    ends_its_order("flood_on_the_wire", "crashed", "");
}

#[test]
fn an_endless_message_on_the_wire_costs_one_outcome() {
    ends_its_order("endless_message_on_the_wire", "crashed", "");
}

#[test]
fn half_a_message_on_the_wire_costs_one_outcome() {
    ends_its_order("half_a_message_on_the_wire", "crashed", "");
}

#[test]
fn a_closed_wire_costs_one_outcome() {
    ends_its_order("closes_the_wire", "crashed", "");
}

#[test]
fn fifty_children_are_ended_with_their_order() {
    hurts_nobody("fork_bomb", "passed");
}

#[test]
fn daemons_are_ended_with_the_command() {
    hurts_nobody("daemon", "passed");
}

#[test]
fn threads_that_are_left_running_hurt_nobody() {
    hurts_nobody("leaves_threads", "passed");
}

#[test]
fn a_server_on_a_fixed_port_hurts_nobody() {
    hurts_nobody("fixed_port", "passed");
}

#[test]
fn ten_megabytes_of_binary_hurt_nobody() {
    hurts_nobody("binary_output", "passed");
}

#[test]
fn output_that_is_not_utf_8_hurts_nobody() {
    hurts_nobody("undecodable_output", "failed");
}

#[test]
fn functions_that_are_replaced_hurt_nobody() {
    hurts_nobody("replaces_functions", "passed");
}

#[test]
fn system_exit_is_a_failure_like_any_other() {
    hurts_nobody("system_exit", "failed");
}

#[test]
fn a_working_directory_that_was_deleted_hurts_nobody() {
    hurts_nobody("deletes_own_directory", "passed");
}

#[test]
fn a_change_of_directory_is_seen_in_its_own_order_alone() {
    pollutes_its_own_order_alone("changes_directory");
}

#[test]
fn a_reloaded_module_is_seen_in_its_own_order_alone() {
    pollutes_its_own_order_alone("reloads_a_module");
}

#[test]
fn a_deleted_project_is_missed_in_its_own_order_alone() {
    pollutes("deletes_the_project", &["before", "after"]);
}

#[test]
fn files_in_the_source_tree_are_seen_in_their_own_order_alone() {
    pollutes_its_own_order_alone("writes_into_the_source");
}

#[test]
fn a_full_temporary_directory_is_seen_in_its_own_order_alone() {
    pollutes_its_own_order_alone("fills_the_temporary_directory");
}

#[test]
fn closing_standard_output_breaks_its_own_order_as_in_plain_pytest() {
    let hostile = Hostile::new("closes_stdout");
    replays(&hostile, |outcomes| has_outcomes(outcomes, ["passed", "failed", "error"]));
    let swept = hostile.pairs();
    assert_eq!(swept.differing, ["before", "after"], "{}", swept.ran.shown());
    swept.ran.with_code(1);
}

#[test]
fn unicode_spaces_brackets_line_ends_and_lambdas_in_ids_hurt_nobody() {
    let hostile = Hostile::new("odd_ids");
    let listed = hostile.anyorder().run(&["collect", "test_odd_ids.py"]).with_code(0).stdout;
    assert_eq!(listed.lines().count(), 14, "{listed}");
    let backwards: Vec<&str> = listed.lines().rev().collect();
    for isolation in ["fork", "process"] {
        let words = ["replay", "-", "--isolation", isolation];
        let ran = hostile.anyorder().input(&backwards.join("\n")).run(&words).with_code(0);
        assert!(ran.stdout.ends_with("  Replayed  14 tests: 14 passed\n"), "{}", ran.shown());
    }
    hostile.anyorder().run(&["sweep", "--strategy", "pairs", "test_odd_ids.py"]).with_code(0);
}

#[test]
fn twenty_thousand_tests_in_one_file_hurt_nobody() {
    let fixture = Fixture::pytest("many_tests");
    let anyorder = Anyorder::at(fixture.path());
    let listed = anyorder.run(&["collect"]).with_code(0).stdout;
    assert_eq!(listed.lines().count(), 20_002);
    let some: Vec<&str> = listed.lines().rev().step_by(100).collect();
    let ran = anyorder.input(&some.join("\n")).run(&["replay", "-"]).with_code(0);
    assert!(ran.stdout.ends_with("  Replayed  201 tests: 201 passed\n"), "{}", ran.shown());
}

//! Tests that end, freeze or interrupt their process: it costs their outcome, never the command.

mod common;

use common::{Anyorder, Ran, suite, write_order};
use tempfile::TempDir;

const IDS: [&str; 3] = ["test_a.py::test_before", "test_a.py::test_bad", "test_a.py::test_after"];

/// Three tests, of which the middle one does something bad.
fn with_bad_test(body: &str) -> TempDir {
    let text = format!(
        "import ctypes, os, signal, sys, time, threading\nimport pytest\n\
         def test_before(): pass\ndef test_bad():\n    {body}\ndef test_after(): pass\n"
    );
    let suite = suite(&[("test_a.py", &text)]);
    write_order(suite.path(), "order.txt", &IDS);
    suite
}

/// The order stops at the bad test, in forks and in new processes alike.
fn replay_stops(body: &str, words: &[&str], verb: &str, signature: &str, tally: &str) {
    let suite = with_bad_test(body);
    for isolation in ["fork", "process"] {
        let words = [&["replay", "order.txt", "--isolation", isolation], words].concat();
        let ran = Anyorder::at(suite.path()).run(&words).with_code(1);
        let expected = format!("{verb:>10}  test_a.py::test_bad\n            {signature}");
        assert!(ran.stdout.contains(&expected), "{isolation}\n{}", ran.shown());
        assert!(ran.stdout.contains("Not reached  test_a.py::test_after\n"), "{isolation}\n{}", ran.shown());
        assert!(
            ran.stdout.ends_with(&format!("  Replayed  3 tests: {tally}\n")),
            "{isolation}\n{}",
            ran.shown()
        );
    }
}

#[test]
fn a_test_that_leaves_the_process_has_crashed() {
    replay_stops(
        "os._exit(3)",
        &[],
        "Crashed",
        "exit: the process left with code 3",
        "1 passed, 1 crashed, 1 not reached",
    );
}

#[test]
fn a_test_that_leaves_the_process_with_code_0_has_crashed_too() {
    replay_stops(
        "os._exit(0)",
        &[],
        "Crashed",
        "exit: the process left with code 0",
        "1 passed, 1 crashed, 1 not reached",
    );
}

#[test]
fn a_segmentation_fault_is_named() {
    replay_stops("ctypes.string_at(0)", &[], "Crashed", "SIGSEGV: ", "1 passed, 1 crashed, 1 not reached");
}

#[test]
fn a_test_that_aborts_is_named() {
    replay_stops("os.abort()", &[], "Crashed", "SIGABRT: ", "1 passed, 1 crashed, 1 not reached");
}

#[test]
fn a_test_that_never_ends_times_out() {
    let limit = ["--timeout", "2s"];
    replay_stops(
        "while True: pass",
        &limit,
        "Timed out",
        "timeout: no end within 2 s",
        "1 passed, 1 timed out, 1 not reached",
    );
}

#[test]
fn a_test_that_never_ends_and_ignores_signals_times_out() {
    let body = "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 30)); time.sleep(1000)";
    replay_stops(
        body,
        &["--timeout", "2s"],
        "Timed out",
        "timeout: no end within 2 s",
        "1 passed, 1 timed out, 1 not reached",
    );
}

#[test]
fn a_keyboard_interrupt_inside_a_test_ends_its_order() {
    replay_stops(
        "raise KeyboardInterrupt",
        &[],
        "Crashed",
        "KeyboardInterrupt",
        "1 passed, 1 crashed, 1 not reached",
    );
}

#[test]
fn pytest_exit_inside_a_test_ends_its_order() {
    replay_stops(
        "pytest.exit('enough')",
        &[],
        "Crashed",
        "Exit: enough",
        "1 passed, 1 crashed, 1 not reached",
    );
}

#[test]
fn a_test_that_eats_memory_has_crashed() {
    let body = "data = [bytearray(b'x' * 2**20) for _ in range(600)]; time.sleep(5)";
    replay_stops(
        body,
        &["--memory", "300MiB"],
        "Crashed",
        "memory: grew to ",
        "1 passed, 1 crashed, 1 not reached",
    );
}

#[test]
fn a_test_that_closes_every_descriptor_has_crashed() {
    let suite = with_bad_test("os.closerange(3, 4096)");
    let ran = Anyorder::at(suite.path()).run(&["replay", "order.txt"]);
    assert!([0, 1].contains(&ran.code), "{}", ran.shown());
    assert!(ran.stdout.contains("  Replayed  3 tests: "), "{}", ran.shown());
}

#[test]
fn system_exit_inside_a_test_is_a_failure_like_any_other() {
    let suite = with_bad_test("sys.exit(0)");
    let ran = Anyorder::at(suite.path()).run(&["replay", "order.txt"]).with_code(1);
    assert!(
        ran.stdout.contains("    Failed  test_a.py::test_bad\n            SystemExit: 0"),
        "{}",
        ran.shown()
    );
    assert!(ran.stdout.ends_with("  Replayed  3 tests: 2 passed, 1 failed\n"), "{}", ran.shown());
}

fn sweep(body: &str, words: &[&str]) -> Ran {
    let suite = with_bad_test(body);
    let ran = Anyorder::at(suite.path()).run(&[&["sweep"], words].concat());
    assert!(ran.stdout.contains("   Summary  "), "{}", ran.shown());
    ran
}

#[test]
fn a_sweep_goes_on_after_crashes() {
    for body in ["os._exit(3)", "ctypes.string_at(0)", "raise KeyboardInterrupt"] {
        let ran = sweep(body, &["--rounds", "6"]);
        assert!([0, 1].contains(&ran.code), "{}", ran.shown());
        assert!(ran.stderr.contains("  Original  1 passed, 1 crashed, 1 not reached\n"), "{}", ran.shown());
        assert!(ran.stdout.contains("7 orders"), "{}", ran.shown());
    }
}

#[test]
fn a_sweep_goes_on_after_time_outs() {
    let ran = sweep("time.sleep(1000)", &["--timeout", "1s", "--strategy", "isolated"]).with_code(0);
    assert!(ran.stderr.contains("  Original  1 passed, 1 timed out, 1 not reached\n"), "{}", ran.shown());
}

#[test]
fn a_sweep_survives_a_test_that_kills_its_parent() {
    let ran = sweep("os.kill(os.getppid(), signal.SIGKILL)", &["--rounds", "6", "--workers", "2"]);
    assert!([0, 1, 3].contains(&ran.code), "{}", ran.shown());
}

#[test]
fn a_test_that_leaves_only_in_some_orders_is_listed() {
    let suite = suite(&[(
        "test_a.py",
        "import os\nseen = []\ndef test_a():\n    if seen: os._exit(9)\ndef test_b(): seen.append(1)\n",
    )]);
    let ran = Anyorder::at(suite.path()).run(&["sweep", "--strategy", "reverse"]).with_code(1);
    assert_eq!(ran.differing_names(), ["test_a"]);
    assert!(ran.stdout.contains("passed in the original order; 1 crashed in 1 order"), "{}", ran.shown());
}

#[test]
fn plain_pytest_names_the_test_that_ended_it() {
    for (body, verb) in [("os._exit(3)", "Crashed"), ("raise KeyboardInterrupt", "Crashed")] {
        let suite = with_bad_test(body);
        let ran = Anyorder::at(suite.path()).run(&["replay", "order.txt", "--plain"]);
        let blamed = ran.stdout.contains(&format!("{verb:>10}  test_a.py::test_bad\n"));
        // Without results there is nobody to blame, but the hint says what it looks like.
        let hinted = ran.code == 3 && ran.stderr.contains("a test probably ends the process");
        assert!(blamed || hinted, "{}", ran.shown());
    }
}

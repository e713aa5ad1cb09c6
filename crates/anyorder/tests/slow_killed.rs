//! Processes that are killed from the side: by a test, or by whoever has lost patience with anyorder.

mod common;

use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use common::Anyorder;
use common::hostile::{Hostile, LIMITS};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

/// The killer itself may pass or go down with its parent; the others do not notice.
#[test]
fn a_test_that_kills_its_parent_costs_no_more_than_its_own_order() {
    let hostile = Hostile::new("kills_its_parent");
    for isolation in ["fork", "process"] {
        let outcomes = hostile.replay(&["before", "hostile", "after"], &["--isolation", isolation]);
        let seen: Vec<&str> = outcomes.iter().map(|(_, outcome, _)| outcome.as_str()).collect();
        let is_known = [["passed", "passed", "passed"], ["passed", "crashed", "not-reached"]]
            .iter()
            .any(|known| seen == known);
        assert!(is_known, "{isolation}: {outcomes:?}");
    }
}

#[test]
fn a_parent_that_was_killed_is_missed_by_no_other_order() {
    let hostile = Hostile::new("kills_its_parent");
    let swept = hostile.pairs();
    let innocent = swept.differing.iter().find(|name| *name != "hostile");
    assert_eq!(innocent, None, "{}", swept.ran.shown());
    assert!([0, 1].contains(&swept.ran.code), "{}", swept.ran.shown());
}

#[test]
fn a_plain_run_cannot_kill_anyorder() {
    let hostile = Hostile::new("kills_its_parent");
    let order = [hostile.id("before"), hostile.id("hostile"), hostile.id("after")].join("\n");
    let ran = hostile.anyorder().input(&order).run(&["replay", "-", "--plain"]);
    assert!([0, 1, 3].contains(&ran.code), "{}", ran.shown());
}

/// Every test by itself, the hostile ones side by side with the others.
#[test]
fn the_whole_hostile_suite_can_be_swept() {
    let hostile = Hostile::new("");
    let words = ["sweep", "--strategy", "isolated", "--workers", "2", "--json", "-"];
    let ran = hostile.anyorder().run(&[&words, &LIMITS[..]].concat());
    assert!([0, 1].contains(&ran.code), "{}", ran.shown());
    let report = ran.json();
    let tests = report["suite"]["tests"].as_u64().expect("it says how many");
    assert_eq!(report["coverage"]["orders"], tests + 1, "{}", ran.shown());
    assert_eq!(report["stopped_early"], Value::Null, "{}", ran.shown());
    assert_eq!(hostile.left_behind(), [""; 0], "{}", ran.shown());
}

/// Moments within a sweep, from its first steps until hostile tests of many kinds have run.
fn moments(seed: u64, count: usize) -> impl Iterator<Item = Duration> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    (0..count).map(move |_| Duration::from_millis(random.random_range(50..6000)))
}

/// Sweeps the hostile suite until the signal comes; gives the exit code, if there is one.
fn swept_until(hostile: &Hostile, anyorder: &Anyorder, moment: Duration, signal: &str) -> Option<i32> {
    let words = ["sweep", "--strategy", "pairs", "--workers", "2"];
    let mut command = anyorder.command(&[&words, &LIMITS[..]].concat());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it was built");
    sleep(moment);
    assert_eq!(child.try_wait().expect("it is ours"), None, "{moment:?}: it ended by itself");
    let kill = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status();
    assert!(kill.is_ok_and(|status| status.success()));
    let sent = Instant::now();
    let status = child.wait().expect("it is ours");
    assert!(sent.elapsed() < Duration::from_secs(5), "{moment:?}: it took {:?}", sent.elapsed());
    anyorder.has_ended(&format!("{signal} after {moment:?}, temporary files {:?}", hostile.left_behind()));
    status.code()
}

#[test]
fn killed_at_any_moment_it_leaves_no_process_and_the_tree_as_it_was() {
    let hostile = Hostile::new("");
    for moment in moments(3, 6) {
        swept_until(&hostile, &hostile.anyorder(), moment, "KILL");
    }
    hostile.anyorder().run(&["collect"]).with_code(0);
    assert_eq!(hostile.left_behind(), [""; 0], "the next command cleans up");
}

#[test]
fn interrupted_at_any_moment_it_leaves_nothing_at_all() {
    let hostile = Hostile::new("");
    for moment in moments(4, 3) {
        // Before it has begun to listen, an interruption is the end of it like of any program.
        let code = swept_until(&hostile, &hostile.anyorder(), moment, "INT");
        assert!(code == Some(130) || (code.is_none() && moment < Duration::from_millis(200)), "{code:?}");
        assert_eq!(hostile.left_behind(), [""; 0], "{moment:?}");
    }
}

//! How a hunt ends: exit codes, a budget, an interruption, a second hunt, and a kill at any moment.

mod common;

use std::path::Path;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyorder_store::History;
use anyorder_testkit::environment::{BARE, NEWEST, python};
use anyorder_testkit::fixture::Fixture;
use anyorder_testkit::thorough::usually_or_in_trials;
use common::{Anyorder, Ran, suite};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;
use tempfile::TempDir;

const VICTIM: &str = "seen = []\ndef test_a(): assert not seen\ndef test_b(): seen.append(1)\n";
const SLOW_VICTIM: &str = "import time\nseen = []\ndef test_a(): assert not seen\ndef test_b(): seen.append(1)\ndef test_c(): time.sleep(0.3)\n";

fn one_file(text: &str) -> TempDir {
    suite(&[("test_a.py", text)])
}

#[test]
fn each_exit_code_has_its_reason() {
    let hunt = |text: &str, words: &[&str], code: i32| {
        Anyorder::at(one_file(text).path())
            .run(&[&["hunt", "--rounds", "1", "--plain-pairs", "1"], words].concat())
            .with_code(code)
    };
    hunt("def test_a(): pass\n", &[], 0);
    hunt("def test_a(): assert False\n", &[], 0);
    hunt(VICTIM, &[], 1);
    hunt(VICTIM, &["--budget", "soon"], 2);
    hunt("import nothing_of_that_name\n", &[], 3);
    hunt("", &[], 4);
    let bare = one_file(VICTIM);
    Anyorder::with(BARE, bare.path()).run(&["hunt"]).with_code(3);
}

#[test]
fn a_budget_that_is_too_small_ends_without_a_verdict_and_says_so() {
    let slow = one_file("import time\ndef test_a(): time.sleep(0.4)\ndef test_b(): time.sleep(0.4)\n");
    let ran = Anyorder::at(slow.path()).run(&["hunt", "--budget", "1s", "--json", "-"]).with_code(5);
    assert_eq!(ran.json()["stopped_early"], "the budget is spent", "{}", ran.shown());
    assert!(ran.stderr.contains("   Stopped  the budget is spent"), "{}", ran.shown());
    assert!(ran.stderr.contains("nothing found"), "{}", ran.shown());
}

#[test]
fn no_arguments_at_all_means_a_hunt() {
    let suite = one_file(VICTIM);
    let ran =
        Anyorder::without_python(suite.path()).variable("ANYORDER_PYTHON", python(NEWEST)).run::<&str>(&[]);
    let ran = ran.with_code(1);
    assert!(ran.stdout.contains("victim  test_a.py::test_a"), "{}", ran.shown());
}

/// Waits until the hunt has put `text` on its standard error, which goes to `log`.
fn wait_for(log: &Path, text: &str) {
    let deadline = Instant::now() + Duration::from_mins(1);
    while !std::fs::read_to_string(log).unwrap_or_default().contains(text) {
        assert!(Instant::now() < deadline, "it never said {text:?}");
        sleep(Duration::from_millis(20));
    }
}

fn begin(anyorder: &Anyorder, words: &[&str], log: &Path) -> Child {
    let log = std::fs::File::create(log).unwrap();
    anyorder.command(words).stderr(log).stdout(Stdio::null()).spawn().unwrap()
}

#[test]
fn an_interrupted_hunt_tells_what_it_knows() {
    let (suite, home) = (one_file(SLOW_VICTIM), TempDir::new().unwrap());
    let (log, json) = (home.path().join("log"), home.path().join("report.json"));
    let anyorder = Anyorder::at(suite.path());
    let words = ["hunt", "--rounds", "1000", "--json", json.to_str().unwrap()];
    let mut child = begin(&anyorder, &words, &log);
    wait_for(&log, "Suspect");
    interrupt(&child);
    let status = child.wait().unwrap();
    anyorder.has_ended(&std::fs::read_to_string(&log).unwrap());
    let report: Value = serde_json::from_str(&std::fs::read_to_string(json).unwrap()).unwrap();
    assert_eq!(status.code(), Some(130));
    assert_eq!(report["stopped_early"], "interrupted");
    assert_eq!(report["unconfirmed"][0]["test"], "test_a.py::test_a");
}

/// What Ctrl-C sends.
fn interrupt(child: &Child) {
    let status = std::process::Command::new("kill").args(["-s", "INT", &child.id().to_string()]).status();
    assert!(status.unwrap().success());
}

#[test]
fn a_second_hunt_at_the_same_time_is_told_who_the_first_is() {
    let (suite, home) = (one_file(SLOW_VICTIM), TempDir::new().unwrap());
    let (log, anyorder) = (home.path().join("log"), Anyorder::at(suite.path()));
    let mut first = begin(&anyorder, &["hunt", "--rounds", "1000"], &log);
    wait_for(&log, "Baseline");
    let second = Anyorder::at(suite.path()).run(&["hunt"]);
    first.kill().unwrap();
    first.wait().unwrap();
    anyorder.has_ended("");
    let second = second.with_code(2);
    assert!(second.stderr.contains(&first.id().to_string()), "{}", second.shown());
}

const HUNT: [&str; 9] = ["hunt", "--rounds", "2", "--seed", "3", "--plain-pairs", "1", "--json", "-"];

fn finish(directory: &Path) -> Ran {
    Anyorder::at(directory).run(&HUNT).with_code(1)
}

/// How many test runs a hunt has paid for.
fn test_runs(ran: &Ran) -> u64 {
    ran.json()["cost"]["test_runs"].as_u64().unwrap()
}

/// Begins a hunt and kills it after so long; whether it was still going on then.
fn kill_after(time: Duration, directory: &Path) -> bool {
    let anyorder = Anyorder::at(directory);
    let mut child = anyorder.command(&HUNT).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    sleep(time);
    let is_going_on = child.try_wait().unwrap().is_none();
    child.kill().unwrap();
    child.wait().unwrap();
    anyorder.has_ended("");
    is_going_on
}

fn forget(directory: &Path) {
    std::fs::remove_dir_all(directory.join(".anyorder")).unwrap();
}

/// A report without what was measured to explain what was found: time, and how many objects a process has.
fn without_measures(report: &Value) -> Value {
    match report {
        Value::Array(items) => items.iter().map(without_measures).collect(),
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(name, _)| !["seconds", "cells_seen"].contains(&name.as_str()));
            kept.map(|(name, value)| (name.clone(), without_measures(value))).collect()
        }
        other => other.clone(),
    }
}

#[test]
fn a_hunt_that_is_killed_at_any_moment_ends_as_if_it_had_not_been() {
    let wanted_kills = usually_or_in_trials(3, 20);
    let fixture = Fixture::pytest("red_baseline");
    let begun = Instant::now();
    let wanted = without_measures(&finish(fixture.path()).json()["findings"]);
    let took = begun.elapsed();
    forget(fixture.path());
    let mut random = ChaCha8Rng::seed_from_u64(4);
    let (mut kills, mut kills_in_a_row) = (0, 0);
    while kills < wanted_kills {
        let was_going_on = kill_after(took.mul_f64(random.random_range(0.05..0.7)), fixture.path());
        kills += u32::from(was_going_on);
        kills_in_a_row += 1;
        // Work that is recorded makes every hunt shorter than the one before, so now and then it begins anew.
        if !was_going_on || kills_in_a_row == 4 || kills == wanted_kills {
            let ran = finish(fixture.path());
            assert_eq!(
                without_measures(&ran.json()["findings"]),
                wanted,
                "after {kills} kills\n{}",
                ran.shown()
            );
            forget(fixture.path());
            kills_in_a_row = 0;
        }
    }
}

/// How many test runs are on record.
fn recorded(directory: &Path) -> u64 {
    let runs = History::open(directory).unwrap().map(|history| history.runs().unwrap());
    runs.into_iter().flatten().map(|run| run.outcomes.len() as u64).sum()
}

#[test]
fn a_hunt_that_was_killed_repeats_nothing_that_it_had_recorded() {
    let fixture = Fixture::pytest("red_baseline");
    let begun = Instant::now();
    let whole = test_runs(&finish(fixture.path()));
    let took = begun.elapsed();
    let on_record = recorded(fixture.path());
    let again = test_runs(&finish(fixture.path()));
    // Forks are calibrated with a few runs in every hunt, and known findings are tried again.
    assert!(again * 4 < whole, "{again} test runs after {whole}");
    assert!(on_record > whole / 2, "{on_record} of {whole} test runs are on record");
    forget(fixture.path());
    assert!(kill_after(took.mul_f64(0.6), fixture.path()));
    let before = recorded(fixture.path());
    let rest = test_runs(&finish(fixture.path()));
    assert!(before > 0, "it was killed before anything was recorded");
    assert!(rest + before <= whole + again, "{rest} more test runs after {before} of {whole}");
    assert_eq!(recorded(fixture.path()), on_record, "the same questions were asked");
}

//! Programs of tests that run at the same time, in lanes.
//!
//! Knows how many at a time and in which sequence. Refuses to know what they test.

use std::process::Command;
use std::sync::Mutex;
use std::{env, iter, thread};

use anyorder_testkit::repository;

use crate::tally::{Tally, heard};

/// How much is done at the same time: most of it waits now and then.
const LANES: usize = 3;

/// What takes longest, and so begins first: else two lanes would wait for the last at the end.
const LONGEST: [&str; 11] = [
    "agents/junit",
    "trial suites",
    "slow_junit",
    "slow_hunt",
    "slow_guide",
    "slow_fixtures",
    "slow_hostile",
    "slow_junit_build",
    "slow_sweep",
    "slow_hunt_ends",
    "slow_inject",
];

/// A program that runs tests and counts them at its end.
pub(crate) struct Job {
    pub(crate) name: String,
    pub(crate) command: Command,
}

impl Job {
    /// One file of integration tests.
    pub(crate) fn file(name: String) -> Self {
        let mut command = Command::new("bash");
        command.args(["-c", TIMED, env!("CARGO"), "test", "--quiet", "--workspace", "--no-fail-fast"]);
        command.args(["--test", &name]).current_dir(repository());
        Job { name, command }
    }
}

/// Says what a command and its children took: seconds of CPU, in programs and in the system.
const TIMED: &str = r#"TIMEFORMAT="%U + %S s of CPU"; { time "$0" "$@" 2>/dev/null; } 2>&1"#;

/// Does all of it; what a job prints is shown when it has ended.
pub(crate) fn in_lanes(mut jobs: Vec<Job>) -> Tally {
    let place = |job: &Job| LONGEST.iter().position(|name| *name == job.name).unwrap_or(LONGEST.len());
    jobs.sort_by_key(place);
    let (waiting, all) = (Mutex::new(jobs.into_iter()), Mutex::new(Tally::default()));
    let next = || waiting.lock().expect("no lane panics").next();
    let lane = || {
        for mut job in iter::from_fn(next) {
            let mut shown = format!("---- {}\n", job.name);
            let tally = heard(&mut job.command, &mut |line| shown = format!("{shown}{line}\n"));
            println!("{shown}");
            all.lock().expect("no lane panics").add(&tally);
        }
    };
    thread::scope(|scope| (0..LANES).for_each(|_| drop(scope.spawn(lane))));
    all.into_inner().expect("no lane panics")
}

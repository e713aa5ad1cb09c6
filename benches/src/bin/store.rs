//! What the store costs: the digest of 5,000 files, recording and recalling runs, opening a large history.
//!
//! `cargo xtask bench store`. No suite is run; the runs are made up: half of a suite of 1,000 tests, then one test.
#![expect(clippy::print_stdout, reason = "a bench prints its table")]

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyorder_model::TestId;
use anyorder_store::{Fingerprint, OrderDigest, Run, RunKey, Store, digest_of_sources};

const FILES: usize = 5_000;
const FILE_BYTES: usize = 8_000;
const RUNS: u32 = 20_000;
const SINGLE_RUNS: u32 = 4_000;
const BATCH: usize = 100;
const TESTS: usize = 1_000;
const ANSWER: [u8; 1_000] = [b'x'; 1_000];

fn main() {
    let home = tempfile::tempdir().expect("a temporary directory can be made");
    measure_sources(home.path());
    let project = home.path().join("project");
    fs::create_dir(&project).expect("a directory can be made");
    measure_runs(&project);
}

fn measure_sources(home: &Path) {
    let project = home.join("sources");
    for number in 0..FILES {
        let directory = project.join(format!("package_{}", number / 50));
        fs::create_dir_all(&directory).expect("a directory can be made");
        let contents = format!("# {number}\n").repeat(FILE_BYTES / 7);
        fs::write(directory.join(format!("module_{number}.py")), contents).expect("a file can be written");
    }
    timed("digest of 5,000 files of 8 kB, without git", 1, || digest_of_sources(&project, None));
    for words in [&["init", "--quiet"][..], &["add", "--all"]] {
        let git = Command::new("git").arg("-C").arg(&project).args(words).status();
        assert!(git.is_ok_and(|status| status.success()), "git can be run");
    }
    timed("the same, with git", 1, || digest_of_sources(&project, None));
}

fn measure_runs(project: &Path) {
    let ids: Vec<TestId> =
        (0..TESTS).map(|number| TestId(format!("tests/test_module.py::TestClass::test_{number}"))).collect();
    let tests: Vec<&TestId> = ids.iter().step_by(2).chain([&ids[1]]).collect();
    let outcomes = "p".repeat(tests.len());
    let order = OrderDigest::of(&tests);
    let key = |repetition| RunKey { session: 1, purpose: "sweep", repetition, order };
    let run = |repetition| Run { key: key(repetition), tests: &tests, outcomes: &outcomes, answer: &ANSWER };
    let open = || Store::open(project, &Fingerprint::default()).expect("the store opens");

    let mut store = open();
    timed("record, one run at a time", SINGLE_RUNS, || {
        (0..SINGLE_RUNS).for_each(|number| store.record(&run(number)).expect("it is recorded"));
    });
    let runs: Vec<Run> = (SINGLE_RUNS..SINGLE_RUNS + RUNS).map(run).collect();
    timed("record, 100 runs at a time", RUNS, || {
        runs.chunks(BATCH).for_each(|runs| store.record_all(runs).expect("they are recorded"));
    });
    timed("recall", RUNS, || {
        (0..RUNS).for_each(|number| assert!(store.recall(&key(number)).expect("it is recalled").is_some()));
    });
    drop(store);
    let bytes = fs::metadata(project.join(".anyorder/history.sqlite")).map_or(0, |file| file.len());
    println!("{:44} {:>8.1} MB", "the history is then", bytes as f64 / 1e6);
    timed("opening it", 1, || drop(open()));
}

fn timed<T>(what: &str, number: u32, work: impl FnOnce() -> T) {
    let begun = Instant::now();
    work();
    let seconds = begun.elapsed().as_secs_f64();
    let each =
        if number > 1 { format!("   {:>8.0} per s", f64::from(number) / seconds) } else { String::new() };
    println!("{what:44} {:>8.1} ms{each}", seconds * 1e3);
}

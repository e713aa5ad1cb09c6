//! A writer that is killed at any instant loses nothing that `record` has returned for, and tears nothing.

mod common;

use std::io::{BufRead, BufReader, Write, stdout};
use std::ops::Range;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use anyorder_store::{Run, Store};
use common::{key, open, test};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const KILLS: u32 = 20;
const BATCH: u32 = 5;
const PROJECT: &str = "ANYORDER_TEST_PROJECT";
const FIRST: &str = "ANYORDER_TEST_FIRST";

#[test]
fn a_killed_writer_loses_nothing_that_was_recorded() {
    if let Some(project) = std::env::var_os(PROJECT) {
        return write_until_killed(Path::new(&project));
    }
    let project = tempfile::tempdir().unwrap();
    let mut random = ChaCha8Rng::seed_from_u64(4);
    let mut recorded = 0;
    for _ in 0..KILLS {
        let mut writer =
            start_writer("a_killed_writer_loses_nothing_that_was_recorded", project.path(), recorded);
        let told = kill_after(&mut writer, random.random_range(1..40), random.random_range(0..2000));
        let store = open(project.path());
        assert_eq!(store.set_aside(), None);
        recorded = check(&store, told);
    }
    assert!(recorded > KILLS, "the writers have not come far enough to prove anything: {recorded}");
}

#[test]
fn a_writer_killed_while_it_opens_leaves_a_store_that_opens() {
    if let Some(project) = std::env::var_os(PROJECT) {
        return write_until_killed(Path::new(&project));
    }
    let mut random = ChaCha8Rng::seed_from_u64(5);
    for _ in 0..KILLS {
        let project = tempfile::tempdir().unwrap();
        let mut writer =
            start_writer("a_writer_killed_while_it_opens_leaves_a_store_that_opens", project.path(), 0);
        // Starting the program takes a few milliseconds, and making the database a few more.
        sleep(Duration::from_micros(random.random_range(1_000..30_000)));
        kill(&mut writer);
        let store = open(project.path());
        assert_eq!(store.set_aside(), None);
        check(&store, 0);
    }
}

fn start_writer(test: &str, project: &Path, first: u32) -> Child {
    let mut writer = Command::new(std::env::current_exe().unwrap());
    writer.args(["--exact", test, "--nocapture"]).env(PROJECT, project).env(FIRST, first.to_string());
    writer.stdout(Stdio::piped()).spawn().unwrap()
}

/// Records one run and then a batch of runs, again and again; tells after each pair how many pairs are recorded.
fn write_until_killed(project: &Path) {
    let mut store = open(project);
    let mut told = stdout();
    for pair in std::env::var(FIRST).unwrap().parse().unwrap().. {
        record_all(&mut store, "single", pair..pair + 1);
        record_all(&mut store, "batch", pair * BATCH..(pair + 1) * BATCH);
        writeln!(told, "recorded {}", pair + 1).unwrap();
    }
}

fn record_all(store: &mut Store, purpose: &str, numbers: Range<u32>) {
    let test = test("test_one");
    let tests = [&test];
    let answers: Vec<(u32, Vec<u8>)> = numbers.map(|number| (number, answer(number))).collect();
    let runs: Vec<Run> = answers
        .iter()
        .map(|(number, answer)| Run {
            key: key(purpose, *number, &tests),
            tests: &tests,
            outcomes: "p",
            answer,
        })
        .collect();
    store.record_all(&runs).unwrap();
}

/// Longer than a page of the database now and then.
fn answer(number: u32) -> Vec<u8> {
    number.to_le_bytes().repeat(1 + number as usize * 37 % 3000)
}

/// Kills the writer some microseconds after it has told of so many recordings; gives the last number that it told.
fn kill_after(writer: &mut Child, lines: usize, micros: u64) -> u32 {
    let output = BufReader::new(writer.stdout.take().unwrap());
    let mut told = output
        .lines()
        .map_while(Result::ok)
        .filter_map(|line| line.strip_prefix("recorded ").and_then(|number| number.parse().ok()));
    let before = told.by_ref().take(lines).last();
    sleep(Duration::from_micros(micros));
    kill(writer);
    told.last().or(before).unwrap()
}

fn kill(writer: &mut Child) {
    writer.kill().unwrap();
    assert_eq!(writer.wait().unwrap().signal(), Some(9), "the writer has ended by itself");
}

/// Everything that was told of is there, every answer is whole, and every batch is complete. Gives the number of pairs.
fn check(store: &Store, told: u32) -> u32 {
    let runs = store.history().runs().unwrap();
    let count = |purpose| u32::try_from(runs.iter().filter(|run| run.purpose == purpose).count()).unwrap();
    let (singles, batched) = (count("single"), count("batch"));
    assert_eq!(batched % BATCH, 0, "a batch is torn");
    let pairs = batched / BATCH;
    assert!(
        pairs >= told && [pairs, pairs + 1].contains(&singles),
        "told {told}, kept {singles} and {batched}"
    );
    for (purpose, number) in [("single", singles), ("batch", batched)] {
        for run in 0..number {
            let recalled = store.recall(&key(purpose, run, &[&test("test_one")])).unwrap();
            assert!(recalled == Some(answer(run)), "{purpose} run {run} of {number} is lost or torn");
        }
    }
    pairs
}

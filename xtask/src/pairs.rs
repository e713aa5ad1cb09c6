//! All ordered pairs of public suites by brute force, against pairs that profiles suggest: is every pair that changes an
//! outcome settled rightly, and how soon?
//!
//! Brute force takes long, so what it has found is kept below `target/trials`, a line for each first test, and a trial that was
//! ended goes on from there. To begin anew, delete the file.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;

use anyorder_engine::{Isolation, Settings};
use anyorder_model::{Fan, Oracle, Order, Outcome, Purpose, TestIndex};
use anyorder_search::{HuntSettings, PairReport, pairs};
use anyorder_testkit::oracle::Forks;
use anyorder_testkit::suites::{Suite, suite};
use anyorder_testkit::{engine, repository};
use serde_json::{Value, json};

/// Suites, or some files of one, with 50 to 300 tests; at least three of them have such pairs.
const TRIED: [(&str, &[&str]); 5] = [
    ("zanna", &[]),
    ("async-lru", &[]),
    ("humanize", &["tests", "-k", "i18n or filesize or ordinal", "-oaddopts="]),
    ("structlog", &["tests/test_stdlib.py"]),
    ("six", &[]),
];

/// The share of what brute force needs within which pairs should be settled, and how many of them.
const SOON: f64 = 0.1;
const WANTED: f64 = 0.99;
/// One in so many pairs may run to settle all.
const MOST: u64 = 4;
/// Progress is told whenever so many first tests are done.
const TOLD: usize = 10;

type Pair = (TestIndex, TestIndex);

/// Tries the named suites, or all; prints one line for each, and what is amiss. Whether nothing is.
pub(crate) fn against_all(names: &[&str]) -> bool {
    let names = if names.is_empty() { TRIED.map(|(name, _)| name).to_vec() } else { names.to_vec() };
    println!(
        "{:14} {:>6} {:>8} {:>8} {:>9} {:>7} {:>7} {:>6} {:>9} {:>9} {:>10}",
        "suite",
        "tests",
        "effects",
        "pairs",
        "changing",
        "right",
        "wrong",
        "soon",
        "last at",
        "of pairs",
        "dissolved"
    );
    let are_good: Vec<bool> = names.iter().map(|name| against_all_of(name)).collect();
    are_good.into_iter().all(|is_good| is_good)
}

fn against_all_of(name: &str) -> bool {
    let files = TRIED.iter().find(|(tried, _)| *tried == name).map_or(&[][..], |(_, files)| files);
    let public = suite(name);
    let public = if files.is_empty() { public } else { Suite { arguments: files, ..public } };
    let (_home, prepared) = public.prepare().copied();
    let settings = Settings { isolation: Some(Isolation::Fork), workers: 2, ..Settings::default() };
    let engine = engine::open(&prepared.python, &prepared.directory, public.arguments, settings);
    let mut oracle = Forks(&engine);
    let changing = by_brute_force(&mut oracle, name);
    let tests = engine.suite().len();
    let all = (tests * tests) as u64;
    let report = pairs(&mut oracle, &HuntSettings { pair_runs: Some(all / MOST), ..HuntSettings::default() });
    let verdict = Verdict::new(&report, &changing, all as f64 * SOON);
    println!(
        "{name:14} {tests:>6} {:>8} {:>8} {:>9} {:>7} {:>7} {:>6} {:>9} {:>8.1}% {:>10}",
        report.effects().map_or(0, anyorder_search::Effects::count),
        all - tests as u64,
        changing.len(),
        verdict.right,
        verdict.wrong.len(),
        verdict.soon,
        verdict.last,
        100.0 * verdict.last as f64 / all as f64,
        report.audit().1
    );
    for &(first, test) in verdict.wrong.iter().take(10) {
        println!("    {} after {}", engine.suite().id(test), engine.suite().id(first));
    }
    verdict.wrong.is_empty() && verdict.soon as f64 >= WANTED * changing.len() as f64
}

/// Every pair whose second test ends otherwise than alone, twice in a row, with how it ends.
fn by_brute_force(oracle: &mut Forks<'_>, name: &str) -> BTreeMap<Pair, Outcome> {
    let tests: Vec<TestIndex> = oracle.suite().indices().collect();
    let alone: Vec<Outcome> =
        ends(oracle, Order::default(), &tests).into_iter().map(|(_, end)| end).collect();
    let mut kept = Kept::new(name, oracle);
    for (done, &first) in tests.iter().enumerate() {
        if kept.found.contains_key(&first) {
            continue;
        }
        let changed = changed_twice(oracle, first, &tests, &alone);
        kept.keep(oracle, first, changed);
        if (done + 1) % TOLD == 0 {
            eprintln!(
                "{name}: {} of {} first tests, {} pairs change",
                done + 1,
                tests.len(),
                kept.pairs().len()
            );
        }
    }
    kept.pairs()
}

/// The tests that end otherwise than alone right after `first`, both times.
fn changed_twice(
    oracle: &mut Forks<'_>,
    first: TestIndex,
    tests: &[TestIndex],
    alone: &[Outcome],
) -> Vec<(TestIndex, Outcome)> {
    let mut asked: Vec<TestIndex> = tests.iter().copied().filter(|&test| test != first).collect();
    let mut changed = Vec::new();
    for _ in 0..2 {
        if !asked.is_empty() {
            let ends = ends(oracle, Order(vec![first]), &asked).into_iter();
            changed = ends.filter(|(test, end)| alone[test.at()] != *end).collect();
        }
        asked = changed.iter().map(|(test, _)| *test).collect();
    }
    changed
}

/// What brute force has found so far, by first test, and the file that it is kept in.
struct Kept {
    file: PathBuf,
    found: BTreeMap<TestIndex, Vec<(TestIndex, Outcome)>>,
}

impl Kept {
    fn new(name: &str, oracle: &Forks<'_>) -> Self {
        let directory = repository().join("target/trials");
        fs::create_dir_all(&directory).expect("target can be written");
        let file = directory.join(format!("pairs-{name}-{}.jsonl", oracle.suite().len()));
        let lines = fs::read_to_string(&file).unwrap_or_default();
        let known: BTreeMap<&str, TestIndex> =
            oracle.suite().indices().map(|test| (oracle.suite().id(test).0.as_str(), test)).collect();
        let test = |value: &Value| known.get(value.as_str()?).copied();
        let found = lines.lines().filter_map(|line| {
            let line: Value = serde_json::from_str(line).ok()?;
            let changing = line["changing"].as_array()?.iter();
            let changing =
                changing.map(|pair| Some((test(&pair[0])?, serde_json::from_value(pair[1].clone()).ok()?)));
            Some((test(&line["first"])?, changing.collect::<Option<_>>()?))
        });
        Kept { file, found: found.collect() }
    }

    fn keep(&mut self, oracle: &Forks<'_>, first: TestIndex, changing: Vec<(TestIndex, Outcome)>) {
        let id = |test: TestIndex| oracle.suite().id(test).0.as_str();
        let told: Vec<Value> = changing.iter().map(|&(test, outcome)| json!([id(test), outcome])).collect();
        let mut file =
            OpenOptions::new().create(true).append(true).open(&self.file).expect("target can be written");
        writeln!(file, "{}", json!({"first": id(first), "changing": told})).expect("target can be written");
        self.found.insert(first, changing);
    }

    fn pairs(&self) -> BTreeMap<Pair, Outcome> {
        let of_first = |(&first, changing): (&TestIndex, &Vec<(TestIndex, Outcome)>)| {
            changing.iter().map(move |&(test, end)| ((first, test), end)).collect::<Vec<_>>()
        };
        self.found.iter().flat_map(of_first).collect()
    }
}

/// How each of `tests` ends after `prefix`.
fn ends(oracle: &mut Forks<'_>, prefix: Order, tests: &[TestIndex]) -> Vec<(TestIndex, Outcome)> {
    let tails = tests.iter().map(|&test| Order(vec![test])).collect();
    let fan = Fan { purpose: Purpose::Pairs, repetition: 0, prefix, tails };
    let records = oracle.run(vec![fan]).expect("forks are never halted");
    let last = records[0].tails.iter().filter_map(|tail| tail.steps.last());
    last.map(|step| (step.test, step.outcome)).collect()
}

/// What guided pairs made of the pairs that change an outcome.
struct Verdict {
    right: usize,
    /// How many of the right ones within the share of runs.
    soon: usize,
    /// The run that settled the last right one.
    last: usize,
    /// Changing pairs that are not settled, or otherwise.
    wrong: Vec<Pair>,
}

impl Verdict {
    fn new(report: &PairReport, changing: &BTreeMap<Pair, Outcome>, soon: f64) -> Self {
        let asked: Vec<Pair> = changing.keys().copied().collect();
        let mut verdict = Verdict { right: 0, soon: 0, last: 0, wrong: Vec::new() };
        for (pair, settled) in asked.iter().zip(report.settled(&asked)) {
            let settled = settled.filter(|settled| {
                settled.change.as_ref().is_some_and(|change| change.outcome == changing[pair])
            });
            let Some(settled) = settled else {
                verdict.wrong.push(*pair);
                continue;
            };
            let run = settled.run.unwrap_or(0);
            verdict.right += 1;
            verdict.soon += usize::from((run as f64) < soon);
            verdict.last = verdict.last.max(run);
        }
        verdict
    }
}

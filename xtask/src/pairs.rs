//! All ordered pairs of public suites by brute force, against pairs that profiles suggest: is every pair that changes an
//! outcome settled rightly, and how soon?

use std::collections::BTreeMap;
use std::time::Instant;

use anyorder_engine::{Isolation, Settings};
use anyorder_model::{Fan, Oracle, Order, Outcome, Purpose, TestIndex};
use anyorder_search::{HuntSettings, PairReport, pairs};
use anyorder_testkit::engine;
use anyorder_testkit::oracle::Forks;
use anyorder_testkit::suites::suite;

/// Suites of 50 to 300 tests; at least three of them have such pairs.
const TRIED: [&str; 5] = ["six", "knack", "async-lru", "asgiref", "requests-mock"];

/// The share of what brute force needs within which pairs should be settled, and how many of them.
const SOON: f64 = 0.1;
const WANTED: f64 = 0.99;

type Pair = (TestIndex, TestIndex);

/// Tries the named suites, or all; prints one line for each, and what is amiss. Whether nothing is.
pub(crate) fn against_all(names: &[&str]) -> bool {
    let names = if names.is_empty() { TRIED.to_vec() } else { names.to_vec() };
    println!(
        "{:14} {:>6} {:>8} {:>8} {:>9} {:>7} {:>7} {:>6} {:>9} {:>10} {:>8} {:>8}",
        "suite",
        "tests",
        "effects",
        "pairs",
        "changing",
        "right",
        "wrong",
        "soon",
        "last at",
        "dissolved",
        "all s",
        "guided s"
    );
    let are_good: Vec<bool> = names.iter().map(|name| against_all_of(name)).collect();
    are_good.into_iter().all(|is_good| is_good)
}

fn against_all_of(name: &str) -> bool {
    let public = suite(name);
    let (_home, prepared) = public.prepare().copied();
    let settings = Settings { isolation: Some(Isolation::Fork), workers: 2, ..Settings::default() };
    let engine = engine::open(&prepared.python, &prepared.directory, public.arguments, settings);
    let mut oracle = Forks(&engine);
    let begun = Instant::now();
    let changing = by_brute_force(&mut oracle);
    let brute_s = begun.elapsed().as_secs_f64();
    let begun = Instant::now();
    let tests = engine.suite().len();
    let all = (tests * tests) as u64;
    let report = pairs(&mut oracle, &HuntSettings { pair_runs: Some(all), ..HuntSettings::default() });
    let verdict = Verdict::new(&report, &changing, all as f64 * SOON);
    println!(
        "{name:14} {tests:>6} {:>8} {:>8} {:>9} {:>7} {:>7} {:>6} {:>9} {:>10} {brute_s:>8.0} {:>8.0}",
        report.effects().map_or(0, anyorder_search::Effects::count),
        all - tests as u64,
        changing.len(),
        verdict.right,
        verdict.wrong.len(),
        verdict.soon,
        verdict.last,
        report.audit().1,
        begun.elapsed().as_secs_f64()
    );
    for &(first, test) in verdict.wrong.iter().take(10) {
        println!("    {} after {}", engine.suite().id(test), engine.suite().id(first));
    }
    verdict.wrong.is_empty() && verdict.soon as f64 >= WANTED * changing.len() as f64
}

/// Every pair whose second test ends otherwise than alone, twice in a row, with how it ends.
fn by_brute_force(oracle: &mut Forks<'_>) -> BTreeMap<Pair, Outcome> {
    let tests: Vec<TestIndex> = oracle.suite().indices().collect();
    let alone: Vec<Outcome> =
        ends(oracle, Order::default(), &tests).into_iter().map(|(_, end)| end).collect();
    let mut changing = BTreeMap::new();
    for &first in &tests {
        let others: Vec<TestIndex> = tests.iter().copied().filter(|&test| test != first).collect();
        let changed = |oracle: &mut Forks<'_>, others: &[TestIndex]| -> Vec<(TestIndex, Outcome)> {
            let ends = ends(oracle, Order(vec![first]), others);
            ends.into_iter().filter(|(test, end)| alone[test.at()] != *end).collect()
        };
        let once: Vec<TestIndex> = changed(oracle, &others).into_iter().map(|(test, _)| test).collect();
        if !once.is_empty() {
            let again = changed(oracle, &once);
            changing.extend(again.into_iter().map(|(test, end)| ((first, test), end)));
        }
    }
    changing
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

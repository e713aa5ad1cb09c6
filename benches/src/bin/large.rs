//! A suite of 26,852 tests: the memory that it takes, and what the engine adds to a long order.
//!
//! `cargo xtask trial large`. Fails where a limit is exceeded.
#![expect(clippy::print_stdout, reason = "a bench prints its numbers")]

use std::process::ExitCode;
use std::time::Instant;

use anyorder_engine::Settings;
use anyorder_model::{Order, RunRecord};
use anyorder_search::sample;
use anyorder_testkit::engine;
use anyorder_testkit::suites::{Prepared, Suite, suite};
use benches::memory::peak_during;
use benches::{Bench, median};

const SAMPLE: usize = 500;
const ROUNDS: usize = 3;

/// In a fork nobody reads what pytest prints, so it prints nothing; plain pytest gets the same advantage.
const SILENT: [&str; 2] = ["-p", "no:terminal"];

/// Bytes of memory for everything together.
const MOST_MEMORY: u64 = 2 << 30;

/// Milliseconds of CPU for each test.
const MOST_OVERHEAD: f64 = 0.3;

fn main() -> ExitCode {
    let suite = suite("packaging");
    let is_small = memory(&suite);
    let is_quick = overhead(&Bench::open(suite));
    if is_small && is_quick { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Collects, runs one order, and a sample of the tests alone, with as many workers as usual.
fn memory(suite: &Suite) -> bool {
    let Prepared { python, directory } = suite.prepare();
    let begun = Instant::now();
    let (records, peak) = peak_during(|| {
        let engine = engine::open(&python, &directory, suite.arguments, Settings::default());
        let alone = sample(engine.suite(), SAMPLE, 1).into_iter().map(|test| vec![Order(vec![test])]);
        let whole = engine::run(&engine, vec![vec![Order::original(engine.suite())]]);
        (whole, engine::run(&engine, alone.collect()))
    });
    let (whole, alone) = records;
    println!("{} tests in one order: {}", whole[0].steps.len(), whole[0].tally());
    println!("{} tests alone: {} as in that order", alone.len(), as_before(&alone, &whole[0]));
    println!(
        "at most {} MiB for all processes together (proportional set size), {:.0} s",
        peak >> 20,
        begun.elapsed().as_secs_f64()
    );
    peak <= MOST_MEMORY && as_before(&alone, &whole[0]) == alone.len()
}

fn as_before(alone: &[RunRecord], whole: &RunRecord) -> usize {
    let outcome = |record: &RunRecord| {
        let step = &record.steps[0];
        whole.steps.iter().any(|seen| seen.test == step.test && seen.outcome == step.outcome)
    };
    alone.iter().filter(|record| outcome(record)).count()
}

/// Compares one order in a fork with plain pytest, less what plain pytest takes to start and collect.
fn overhead(bench: &Bench) -> bool {
    let tests = bench.engine.suite().len() as f64;
    let (mut engine_own, mut differences, mut plain_tests) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let (forked, own) = bench.cpu_of_long_order();
        let plain =
            bench.cpu_of_suite(&SILENT) - bench.cpu_of_suite(&[&SILENT[..], &["--collect-only"]].concat());
        engine_own.push(own / tests);
        plain_tests.push(plain / tests);
        differences.push((forked - plain) / tests);
    }
    let added = median(differences);
    println!(
        "CPU of one test of a long order in ms, median of {ROUNDS} rounds: plain pytest that prints nothing {:.3}; added by the engine \
         and the agent together {added:.3}; the engine's own process {:.3}",
        median(plain_tests),
        median(engine_own)
    );
    added <= MOST_OVERHEAD
}

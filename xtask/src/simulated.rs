//! Trials on simulated suites: is a verdict ever wrong, and how much do sweeps and pairs find?

use std::time::Instant;

use anyorder_model::{Oracle, Order};
use anyorder_search::simulate::{Mix, Op, SimSuite, SimTest, Trial, pair_trial, recall, trial_with};
use anyorder_search::{DepsSettings, HuntSettings, Sweep, deps};

/// Suites of each sort, unless told otherwise.
const SUITES: u64 = 10_000;

/// Hunts through this many random suites, without and with tests that fail at random. Whether no verdict was wrong, or at
/// most 1 in 10,000 where forks share what is left to chance.
pub(crate) fn verdicts(arguments: &[&str]) -> bool {
    let Ok(suites) = arguments.first().map_or(Ok(SUITES), |number| number.parse()) else {
        eprintln!("not a number of suites: {}", arguments.join(" "));
        return false;
    };
    let mixes = [
        (Mix::Deterministic, "deterministic"),
        (Mix::WithChance, "with chance"),
        (Mix::WithSharedChance, "with shared chance"),
    ];
    mixes.into_iter().all(|(mix, name)| {
        [true, false].into_iter().all(|is_guided| {
            let begun = Instant::now();
            let settings = HuntSettings { is_guided, ..HuntSettings::default() };
            let trial = trial_with(mix, 0, suites, &settings);
            let guided = if is_guided { "guided" } else { "not guided" };
            print_trial(&format!("{name}, {guided}"), &trial, begun.elapsed().as_secs_f64());
            // Where forks share chance, the plain pairs alone have to tell; two more may be bad luck in a short trial.
            let allowed = if mix == Mix::WithSharedChance { trial.chance_tests / 10_000 + 2 } else { 0 };
            trial.faults.len() as u64 <= allowed
        })
    })
}

fn print_trial(name: &str, trial: &Trial, seconds: f64) {
    println!(
        "{name:30} {} suites, {} tests ({} fail at random), {} findings ({} left nothing out), {} wrong; {} of {} tests with \
         a single partner found, {} victims and brittles in all; {:.1} runs and {:.1} forks per test; {seconds:.0} s",
        trial.suites,
        trial.tests,
        trial.chance_tests,
        trial.findings,
        trial.complete,
        trial.faults.len(),
        trial.partnered_found,
        trial.partnered,
        trial.dependent,
        trial.runs as f64 / trial.tests as f64,
        trial.forks as f64 / trial.tests as f64
    );
    trial.faults.iter().take(20).for_each(|fault| println!("    {fault}"));
}

/// Prints how many masked victims whole orders and halves find, round by round.
pub(crate) fn sweeps() -> bool {
    for (size, suites) in [(40, 200), (200, 100), (1_000, 20)] {
        println!(
            "{size} tests, victims with 0 to 30 cleaners: share found (suite runs, forks per test; hunt in all)"
        );
        for (sweep, name) in [(Sweep::Whole, "whole orders"), (Sweep::Halves, "halves")] {
            for rounds in [1, 2, 4, 8, 16] {
                let rounds = if sweep == Sweep::Whole { 2 * rounds } else { rounds };
                let settings = HuntSettings { rounds: Some(rounds), sweep, ..HuntSettings::default() };
                let recall = recall(&settings, size, suites);
                println!(
                    "    {rounds:3} {name:12}  {:.2}   ({:.0}, {:.1})",
                    recall.found as f64 / recall.victims as f64,
                    recall.suite_times,
                    recall.forks_per_test
                );
            }
        }
    }
    true
}

/// Prints how soon guided pairs settle what all pairs would show, and what they find that 20 orders do not. Whether they
/// settle 99 % of the pairs that change an outcome within a tenth of the runs where everything can be seen.
pub(crate) fn pairs() -> bool {
    let mut is_good = true;
    let sorts = [
        (Mix::Deterministic, 2_000, true, "busy, all is seen"),
        (Mix::Deterministic, 2_000, false, "busy, some is hidden"),
        (Mix::Masked, 50, true, "masked, all is seen"),
    ];
    for (mix, suites, can_see_all, name) in sorts {
        let trial = pair_trial(mix, 200, suites, can_see_all);
        let share = |part: u64| 100.0 * part as f64 / trial.changing as f64;
        println!(
            "{name:20} {} tests with {} effects, {} pairs, {} ran; {} change an outcome, {:.1} % settled rightly, {:.1} % \
             within a tenth of the runs; {} wrong, {} effects dissolved",
            trial.tests,
            trial.effects,
            trial.pairs,
            trial.runs,
            trial.changing,
            share(trial.right),
            share(trial.in_first_tenth),
            trial.wrong,
            trial.dissolved
        );
        is_good &= !can_see_all || share(trial.in_first_tenth) >= 99.0;
    }
    for (size, suites) in [(40, 200), (200, 100), (1_000, 20)] {
        for (is_guided, name) in [(true, "guided"), (false, "not guided")] {
            let settings = HuntSettings { is_guided, ..HuntSettings::default() };
            let recall = recall(&settings, size, suites);
            println!(
                "{size:5} tests, masked victims, {name:10} {:.3} found ({:.1} suite runs, {:.1} forks per test)",
                recall.found as f64 / recall.victims as f64,
                recall.suite_times,
                recall.forks_per_test
            );
        }
    }
    is_good
}

/// Finds the dependencies of a suite in which every test writes a cell of its own and reads all. Whether that takes less than
/// 2 GiB of memory.
pub(crate) fn dependencies(arguments: &[&str]) -> bool {
    let tests = arguments.first().and_then(|number| number.parse().ok()).unwrap_or(1_200);
    let test = |at: usize| SimTest {
        group: at / 20,
        ops: [Op::Set(at, 1)].into_iter().chain((0..tests).map(|cell| Op::Need(cell, 3))).collect(),
        ..SimTest::default()
    };
    let suite = SimSuite::new((0..tests).map(test).collect(), 0);
    for references in [vec![], vec![Order::original(suite.suite())]] {
        let begun = Instant::now();
        let name = if references.is_empty() { "order-free" } else { "original order" };
        let found =
            deps(&mut suite.clone(), &DepsSettings { references, ..DepsSettings::default() }).dependencies;
        println!(
            "{tests} tests, {name}: {} data dependencies, {} benign, {} open, {} untestable, {} manifest; {:.0} s, {} MiB at most",
            found.data_pairs,
            found.benign,
            found.open,
            found.untestable.len(),
            found.manifest.len(),
            begun.elapsed().as_secs_f64(),
            peak_memory_mib()
        );
    }
    peak_memory_mib() < 2_048
}

/// The most memory that this process has had.
fn peak_memory_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).map_or(0, |kib: u64| kib / 1024)
}

//! Trials on simulated suites: is a verdict ever wrong, and how much do sweeps find?

use std::time::Instant;

use anyorder_search::simulate::{Mix, recall, trial};
use anyorder_search::{HuntSettings, Sweep};

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
        let begun = Instant::now();
        let trial = trial(mix, 0, suites);
        println!(
            "{name:18} {suites} suites, {} tests ({} fail at random), {} findings ({} left nothing out), {} wrong; \
             {} of {} tests with a single partner found; {:.0} s",
            trial.tests,
            trial.chance_tests,
            trial.findings,
            trial.complete,
            trial.faults.len(),
            trial.partnered_found,
            trial.partnered,
            begun.elapsed().as_secs_f64()
        );
        trial.faults.iter().take(20).for_each(|fault| println!("    {fault}"));
        // Where forks share chance, the plain pairs alone have to tell; two more may be bad luck in a short trial.
        let allowed = if mix == Mix::WithSharedChance { trial.chance_tests / 10_000 + 2 } else { 0 };
        trial.faults.len() as u64 <= allowed
    })
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

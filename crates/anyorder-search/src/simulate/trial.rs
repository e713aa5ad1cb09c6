//! Many simulated suites at once: how often is a verdict wrong, and how much is found?

use anyorder_model::{Finding, Kind, TestIndex};

use super::truth::has_tried_all;
use super::{Mix, faults, random_suite, single_partners};
use crate::{HuntSettings, hunt};

/// What a trial has counted.
#[derive(Clone, Debug, Default)]
pub struct Trial {
    /// Suites that were hunted through.
    pub suites: u64,
    /// Their tests.
    pub tests: u64,
    /// Tests of these that fail at random.
    pub chance_tests: u64,
    /// Verdicts on tests.
    pub findings: u64,
    /// Victims and brittles among these.
    pub dependent: u64,
    /// Tests that have run in all.
    pub runs: u64,
    /// Processes that a fork would have had to make.
    pub forks: u64,
    /// Verdicts that left nothing out but tests that work only together.
    pub complete: u64,
    /// Victims and brittles that have a single partner.
    pub partnered: u64,
    /// Of these, the ones that were found.
    pub partnered_found: u64,
    /// What was wrong, with the seed of the suite.
    pub faults: Vec<String>,
}

/// Hunts through this many random suites, of seeds from `first` on.
pub fn trial(mix: Mix, first: u64, suites: u64) -> Trial {
    trial_with(mix, first, suites, &HuntSettings::default())
}

/// The same, with these settings, whose seed does not count.
pub fn trial_with(mix: Mix, first: u64, suites: u64, settings: &HuntSettings) -> Trial {
    let mut trial = Trial { suites, ..Trial::default() };
    for seed in first..first + suites {
        let mut suite = random_suite(seed, mix, 200);
        let report = hunt(&mut suite, &HuntSettings { seed: !seed, ..settings.clone() });
        trial.tests += suite.tests().len() as u64;
        trial.chance_tests += suite.tests().iter().filter(|test| test.rate.is_some()).count() as u64;
        trial.findings += report.findings.len() as u64;
        let depends = |finding: &&Finding| matches!(finding.kind, Kind::Victim | Kind::Brittle);
        trial.dependent += report.findings.iter().filter(depends).count() as u64;
        trial.runs += suite.runs;
        trial.forks += suite.forks;
        let is_complete = |finding: &&Finding| has_tried_all(finding);
        trial.complete += report.findings.iter().filter(is_complete).count() as u64;
        trial.faults.extend(faults(&suite, &report).into_iter().map(|fault| format!("seed {seed}: {fault}")));
        for test in (0..).take(suite.tests().len()).map(TestIndex) {
            let is_partnered =
                suite.tests()[test.at()].rate.is_none() && !single_partners(&suite, test).is_empty();
            let is_found =
                |kind| report.findings.iter().any(|finding| finding.test == test && finding.kind == kind);
            trial.partnered += u64::from(is_partnered);
            trial.partnered_found +=
                u64::from(is_partnered && (is_found(Kind::Victim) || is_found(Kind::Brittle)));
        }
    }
    trial
}

/// How much a number of rounds finds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Recall {
    /// Victims that there are.
    pub victims: u64,
    /// Victims that were found.
    pub found: u64,
    /// Tests that ran in all, over the suites' sizes: about how many runs of the suite a hunt costs.
    pub suite_times: f64,
    /// Forks, over the suites' sizes.
    pub forks_per_test: f64,
}

/// Hunts through suites of this size whose polluters are masked.
pub fn recall(settings: &HuntSettings, size: usize, suites: u64) -> Recall {
    let mut recall = Recall::default();
    for seed in 0..suites {
        let mut suite = random_suite(seed, Mix::Masked, size);
        let report = hunt(&mut suite, &HuntSettings { seed: !seed, ..settings.clone() });
        let tests = (0..).take(size).map(TestIndex);
        recall.victims += tests.filter(|&test| !single_partners(&suite, test).is_empty()).count() as u64;
        recall.found += report.findings.iter().filter(|finding| finding.kind == Kind::Victim).count() as u64;
        recall.suite_times += suite.runs as f64 / size as f64 / suites as f64;
        recall.forks_per_test += suite.forks as f64 / size as f64 / suites as f64;
    }
    recall
}

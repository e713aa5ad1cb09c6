//! What a hunt is told: how much to try, and how sure to be.

use anyorder_model::{Kind, Order, TestIndex};

/// What a hunt is told.
#[derive(Clone, Debug)]
pub struct HuntSettings {
    /// Decides everything random.
    pub seed: u64,
    /// How often the original order runs.
    pub baseline_runs: u32,
    /// How many orders are swept; [`default_rounds`] if it is not told.
    pub rounds: Option<u64>,
    /// What a round is.
    pub sweep: Sweep,
    /// Whether tests are profiled, if they can be, so that likely pairs run first, and fewer orders where these show nothing.
    pub is_guided: bool,
    /// How many pairs of tests run; [`default_pair_runs`] if it is not told.
    pub pair_runs: Option<u64>,
    /// Alternating pairs of runs through forks, before a difference is believed.
    pub fork_pairs: u32,
    /// Alternating pairs of plain runs, before a difference is reported.
    pub plain_pairs: u32,
    /// How many forks the search for all single partners may cost, and half as many that for all cleaners;
    /// [`default_forks`] if it is not told.
    pub forks: Option<u64>,
    /// Whether a fresh state costs a new process: then what is tried beyond the orders is a tenth.
    pub is_dear: bool,
    /// How many questions the search for one group may cost.
    pub questions: usize,
    /// What earlier hunts found; tried first.
    pub known: Vec<Known>,
    /// Orders in which a test failed elsewhere; tried next.
    pub foreign: Vec<Order>,
}

/// All pairs are tried in suites that have at most this many, which takes a few seconds.
const ALL_PAIRS: u64 = 600;
/// How many times less is tried where a fresh state is dear.
const DEAR: u64 = 10;

impl HuntSettings {
    /// How many forks the search for all single partners may cost in a suite of so many tests.
    pub(crate) fn forks(&self, tests: usize) -> u64 {
        self.forks.unwrap_or_else(|| self.affordable(default_forks(tests)))
    }

    /// Whether one group of partners for each finding is enough.
    pub(crate) fn wants_one_group(&self) -> bool {
        self.forks == Some(0)
    }

    /// How many pairs may run in a suite of so many tests.
    pub(crate) fn pair_runs(&self, tests: usize) -> u64 {
        self.pair_runs.unwrap_or_else(|| self.affordable(default_pair_runs(tests)))
    }

    /// Whether each test runs right after each other one.
    pub(crate) fn has_all_pairs(&self, tests: usize) -> bool {
        self.rounds != Some(0) && (tests * tests) as u64 <= self.affordable(ALL_PAIRS)
    }

    /// What is affordable of what would be if a fresh state were a fork.
    pub(crate) fn affordable(&self, forks: u64) -> u64 {
        if self.is_dear { forks / DEAR } else { forks }
    }
}

impl Default for HuntSettings {
    fn default() -> Self {
        HuntSettings {
            seed: 0,
            baseline_runs: 3,
            rounds: None,
            sweep: Sweep::Whole,
            is_guided: true,
            pair_runs: None,
            fork_pairs: 3,
            plain_pairs: 5,
            forks: None,
            is_dear: false,
            questions: 400,
            known: Vec::new(),
            foreign: Vec::new(),
        }
    }
}

/// What one round of a sweep is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sweep {
    /// One order of the whole suite.
    #[default]
    Whole,
    /// Half of the suite as a prefix, each test of the other half after it; then the halves swapped.
    Halves,
}

impl Sweep {
    /// Both, with what they mean.
    pub const ALL: [(Sweep, &'static str); 2] = [
        (Sweep::Whole, "One order of the whole suite"),
        (Sweep::Halves, "A random half, each other test after it in a fork; then the halves swapped"),
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Sweep::Whole => "whole",
            Sweep::Halves => "halves",
        }
    }
}

/// A finding of an earlier hunt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// What was found.
    pub kind: Kind,
    /// The test.
    pub test: TestIndex,
    /// The order in which it passed.
    pub passing: Order,
    /// The order in which it failed.
    pub failing: Order,
}

/// How many whole orders are swept when nobody says: more for small suites, where they cost little.
pub fn default_rounds(tests: usize) -> u64 {
    (6_000 / tests.max(1) as u64).clamp(3, 20)
}

/// How many pairs of tests run when nobody says: all of them in a small suite, two for each test in a large one.
pub fn default_pair_runs(tests: usize) -> u64 {
    (2 * tests as u64).max(ALL_PAIRS)
}

/// How many forks the search for single partners may cost when nobody says; that for cleaners gets half of it.
pub fn default_forks(tests: usize) -> u64 {
    (tests as u64).max(1_000)
}

/// How many test runs the search for groups beyond the first may cost in all.
fn default_runs(tests: usize) -> usize {
    (tests / 2).max(1_000)
}

/// What is left to spend on answers that no verdict depends on.
pub(crate) struct Allowance {
    /// Forks, for cleaners.
    pub(crate) forks: u64,
    /// Test runs, for groups.
    runs: usize,
    /// Questions, for each group.
    pub(crate) questions: usize,
}

impl Allowance {
    pub(crate) fn new(settings: &HuntSettings, tests: usize) -> Self {
        Allowance {
            forks: settings.forks(tests) / 2,
            runs: default_runs(tests),
            questions: settings.questions,
        }
    }

    /// Takes so many test runs, if there are as many.
    pub(crate) fn take_runs(&mut self, runs: usize) -> bool {
        let left = self.runs.checked_sub(runs);
        self.runs = left.unwrap_or(self.runs);
        left.is_some()
    }
}

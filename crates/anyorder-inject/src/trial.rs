//! One mutant on trial: what its tests have shown so far.

use std::collections::BTreeMap;

use anyorder_model::{Order, Outcome, RunRecord, Signature, Step, TestIndex};

use crate::Mutant;

/// Of many tests that run a changed function, so many are tried alone before anything is known of them.
const MOST_ALONE: usize = 8;

pub(crate) struct Trial<'m> {
    pub(crate) mutant: &'m Mutant,
    /// Stable tests that run what was changed.
    pub(crate) tests: Vec<TestIndex>,
    /// Stable tests that may notice.
    pub(crate) judged: Vec<TestIndex>,
    /// Whether the change is made in a process that has collected the suite.
    pub(crate) is_swapped: bool,
    /// How many orders have run.
    pub(crate) orders: u64,
    /// Whether a changed test has passed behind all others, among which it was as it is.
    has_hope: bool,
    seen: BTreeMap<TestIndex, Seen>,
}

/// What a test has shown.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    /// How it ended alone.
    pub(crate) alone: Option<End>,
    /// The first order in which it passed behind others, up to it.
    pub(crate) passing: Option<Order>,
    /// The first order in which it failed behind others, up to it, and how.
    pub(crate) failing: Option<(Order, Signature)>,
    /// It passed and then failed, twice in a row.
    pub(crate) failed_again: Option<Signature>,
}

/// How a test ended, as far as it is evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Passed,
    Failed(Signature),
    /// It took too long, or its process ended.
    Lost,
    /// It was skipped, or not reached.
    Other,
}

impl From<&Step> for End {
    fn from(step: &Step) -> Self {
        match step.outcome {
            Outcome::Passed => End::Passed,
            Outcome::Failed | Outcome::Error => End::Failed(step.signature.clone().unwrap_or_default()),
            Outcome::TimedOut | Outcome::Crashed => End::Lost,
            Outcome::Skipped | Outcome::Xfailed | Outcome::Xpassed | Outcome::NotReached => End::Other,
        }
    }
}

impl<'m> Trial<'m> {
    pub(crate) fn new(mutant: &'m Mutant, tests: Vec<TestIndex>, judged: Vec<TestIndex>) -> Self {
        Trial { mutant, tests, judged, is_swapped: false, orders: 0, has_hope: false, seen: BTreeMap::new() }
    }

    /// The tests that are tried alone.
    pub(crate) fn first_tests(&self) -> &[TestIndex] {
        &self.tests[..self.tests.len().min(MOST_ALONE)]
    }

    pub(crate) fn seen(&self, test: TestIndex) -> Seen {
        self.seen.get(&test).cloned().unwrap_or_default()
    }

    pub(crate) fn note(&mut self, record: &RunRecord) {
        self.orders += 1;
        let tests: Vec<TestIndex> = record.steps.iter().map(|step| step.test).collect();
        for (at, step) in record.steps.iter().enumerate() {
            let seen = self.seen.entry(step.test).or_default();
            let end = End::from(step);
            if at == 0 {
                seen.alone.get_or_insert(end);
                continue;
            }
            let order = || Order(tests[..=at].to_vec());
            let is_again = tests[..at].contains(&step.test);
            match end {
                End::Failed(signature) if is_again && seen.alone == Some(End::Passed) => {
                    seen.failed_again.get_or_insert(signature);
                }
                _ if is_again => {}
                End::Passed => {
                    seen.passing.get_or_insert_with(order);
                }
                End::Failed(signature) => {
                    seen.failing.get_or_insert_with(|| (order(), signature));
                }
                End::Lost | End::Other => {}
            }
        }
    }

    /// An order in which the change was made behind all tests of the class.
    pub(crate) fn note_behind_all(&mut self, record: &RunRecord) {
        self.orders += 1;
        let changed = record.steps.iter().skip(self.judged.len());
        self.has_hope |= changed.map(End::from).any(|end| end == End::Passed || end == End::Other);
    }

    /// Whether there is an order, or may be one, in which a test passes that fails alone.
    pub(crate) fn may_pass(&self) -> bool {
        self.has_hope || !self.suspects().is_empty()
    }

    /// Whether none of the tests that were tried alone passed.
    pub(crate) fn fails_alone(&self) -> bool {
        self.first_tests().iter().all(|&test| !matches!(self.seen(test).alone, Some(End::Passed)))
    }

    /// Whether a test that was tried alone was lost.
    pub(crate) fn is_lost_alone(&self) -> bool {
        self.first_tests().iter().any(|&test| self.seen(test).alone == Some(End::Lost))
    }

    /// How the first of its tests fails that fails.
    pub(crate) fn failure(&self) -> Option<Signature> {
        self.tests.iter().find_map(|&test| {
            let seen = self.seen(test);
            match seen.alone {
                Some(End::Failed(signature)) => Some(signature),
                _ => seen.failing.map(|(_, signature)| signature),
            }
        })
    }

    /// The tests that have both passed and failed.
    pub(crate) fn suspects(&self) -> Vec<TestIndex> {
        let is_mixed = |test: &TestIndex| {
            let seen = self.seen(*test);
            let has_passed = seen.passing.is_some() || seen.alone == Some(End::Passed);
            let has_failed = seen.failing.is_some() || matches!(seen.alone, Some(End::Failed(_)));
            has_passed && has_failed || seen.failed_again.is_some()
        };
        self.judged.iter().copied().filter(is_mixed).collect()
    }

    /// Whether a test has failed in some order.
    pub(crate) fn has_failed(&self) -> bool {
        self.failure().is_some() || self.is_lost_alone()
    }
}

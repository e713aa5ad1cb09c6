//! One mutant on trial in one class: what the tests have shown so far.

use std::collections::BTreeMap;

use anyorder_model::{Order, Outcome, RunRecord, Signature, Step, TestIndex};

use crate::Mutant;
use crate::verdict::Fate;

/// Of many tests that run a changed function, so many are tried alone before anything is known of them.
const MOST_ALONE: usize = 8;

/// Of many tests that order seems to decide, so many are looked into: each takes runs of the plain runner.
const MOST_SUSPECTS: usize = 8;

/// Of many victims, so many have their cleaners looked for: each takes an order for every other test.
const MOST_CLEANED: usize = 2;

pub(crate) struct Trial<'m> {
    pub(crate) mutant: &'m Mutant,
    /// Stable tests of the class that run what was changed.
    pub(crate) tests: Vec<TestIndex>,
    /// Stable tests of the class, which may notice.
    pub(crate) judged: Vec<TestIndex>,
    /// Whether the change is made in a process that has collected the suite.
    pub(crate) is_swapped: bool,
    /// How many orders have run.
    pub(crate) orders: u64,
    /// Whether a changed test has passed behind all others, among which it was as it is.
    has_hope: bool,
    cleaned: usize,
    seen: BTreeMap<TestIndex, Seen>,
    /// Orders that have run several times, each time anew.
    repeats: Vec<Vec<RunRecord>>,
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

impl Seen {
    fn has_passed(&self) -> bool {
        self.passing.is_some() || self.alone == Some(End::Passed)
    }

    fn failure(&self) -> Option<&Signature> {
        match &self.alone {
            Some(End::Failed(signature)) => Some(signature),
            _ => self.failing.as_ref().map(|(_, signature)| signature),
        }
    }
}

/// How a test ended, as far as it is evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Passed,
    /// It failed, took too long, or ended its process.
    Failed(Signature),
    /// It was skipped, or failed as it was expected to.
    Other,
    /// It was not reached.
    Unseen,
}

impl From<&Step> for End {
    fn from(step: &Step) -> Self {
        match step.outcome {
            Outcome::Passed => End::Passed,
            Outcome::Failed | Outcome::Error | Outcome::TimedOut | Outcome::Crashed => {
                End::Failed(step.signature.clone().unwrap_or_default())
            }
            Outcome::Skipped | Outcome::Xfailed | Outcome::Xpassed => End::Other,
            Outcome::NotReached => End::Unseen,
        }
    }
}

impl<'m> Trial<'m> {
    pub(crate) fn new(
        mutant: &'m Mutant,
        tests: Vec<TestIndex>,
        judged: Vec<TestIndex>,
        is_swapped: bool,
    ) -> Self {
        let (seen, repeats) = (BTreeMap::new(), vec![]);
        Trial { mutant, tests, judged, is_swapped, orders: 0, has_hope: false, cleaned: 0, seen, repeats }
    }

    /// The tests that are tried alone before all else.
    pub(crate) fn first_tests(&self) -> &[TestIndex] {
        &self.tests[..self.tests.len().min(MOST_ALONE)]
    }

    /// The tests that are tried alone only if nobody has passed so far.
    pub(crate) fn other_tests(&self) -> &[TestIndex] {
        &self.tests[self.first_tests().len()..]
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
                End::Other | End::Unseen => {}
            }
        }
    }

    /// The longest order that begins with this one and has shown a suspect that will be looked into; this one if there is none.
    pub(crate) fn shown_from(&self, order: &Order) -> Order {
        let seen = self.chosen_suspects().0.into_iter().map(|test| self.seen(test));
        let shown = seen.flat_map(|seen| [seen.passing, seen.failing.map(|(order, _)| order)]);
        let longer = shown.flatten().filter(|shown| shown.tests().starts_with(order.tests()));
        longer.max_by_key(Order::len).unwrap_or_else(|| order.clone())
    }

    pub(crate) fn note_repeats(&mut self, records: Vec<RunRecord>) {
        self.repeats.push(records);
    }

    /// How the last test of an order has ended each time that it ran anew, if it did.
    pub(crate) fn repeated(&self, order: &Order) -> Option<Vec<End>> {
        let is_of_it = |record: &RunRecord| record.asked.tests().starts_with(order.tests());
        let records = self.repeats.iter().find(|records| records.iter().all(is_of_it))?;
        let end = |record: &RunRecord| record.steps.get(order.len() - 1).map_or(End::Unseen, End::from);
        Some(records.iter().map(end).collect())
    }

    /// An order in which the change was made behind all tests of the class.
    pub(crate) fn note_behind_all(&mut self, record: &RunRecord) {
        self.orders += 1;
        let changed = record.steps.iter().skip(self.judged.len());
        self.has_hope |= changed.map(End::from).any(|end| end == End::Passed || end == End::Other);
    }

    /// Whether the tests that were tried alone failed, and no test that runs what was changed has passed in any order.
    pub(crate) fn fails_so_far(&self) -> bool {
        let fails_alone = |test: &TestIndex| matches!(self.seen(*test).alone, Some(End::Failed(_)));
        let has_passed = |test: &TestIndex| self.seen(*test).has_passed();
        !self.has_hope
            && self.first_tests().iter().all(fails_alone)
            && !self.tests.iter().any(has_passed)
            && self.suspects().is_empty()
    }

    /// Tests that have failed each time, and have not been tried alone.
    pub(crate) fn only_behind_others(&self) -> Vec<TestIndex> {
        let is_unclear = |test: &TestIndex| {
            let seen = self.seen(*test);
            seen.alone.is_none() && seen.passing.is_none() && seen.failing.is_some()
        };
        self.judged.iter().copied().filter(is_unclear).collect()
    }

    /// What is known before suspects are looked into: killed by a test that fails in all orders, or equivalent.
    pub(crate) fn told(&self) -> Fate {
        let failing = self.judged.iter().find_map(|&test| {
            let seen = self.seen(test);
            seen.failure().filter(|_| !seen.has_passed()).cloned()
        });
        failing.map_or(Fate::Equivalent, Fate::Killed)
    }

    /// Whether cleaners of one more victim are looked for.
    pub(crate) fn wants_cleaners(&mut self) -> bool {
        self.cleaned += 1;
        self.cleaned <= MOST_CLEANED
    }

    /// Those suspects that are looked into, changed tests first, and those that are not.
    pub(crate) fn chosen_suspects(&self) -> (Vec<TestIndex>, Vec<TestIndex>) {
        let (mut chosen, others): (Vec<TestIndex>, Vec<TestIndex>) =
            self.suspects().into_iter().partition(|test| self.tests.contains(test));
        chosen.extend(others);
        let left = chosen.split_off(chosen.len().min(MOST_SUSPECTS));
        chosen.sort();
        (chosen, left)
    }

    /// The tests that have both passed and failed.
    pub(crate) fn suspects(&self) -> Vec<TestIndex> {
        let is_mixed = |test: &TestIndex| {
            let seen = self.seen(*test);
            seen.has_passed() && seen.failure().is_some() || seen.failed_again.is_some()
        };
        self.judged.iter().copied().filter(is_mixed).collect()
    }
}

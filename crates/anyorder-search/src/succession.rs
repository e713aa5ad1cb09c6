//! Which tests have run directly after which: the honest measure of how much a sweep has tried.

use anyorder_model::{Coverage, FanRecord, Order, Outcome, Step, TestIndex};
use roaring::RoaringTreemap;

/// A set of ordered pairs of tests.
#[derive(Debug)]
pub struct Successions {
    tests: usize,
    orders: u64,
    seen: RoaringTreemap,
}

impl Successions {
    /// None seen yet, of a suite with this many tests.
    pub fn new(tests: usize) -> Self {
        Successions { tests, orders: 0, seen: RoaringTreemap::new() }
    }

    /// Notes every direct succession in an order that ran.
    pub fn note(&mut self, ran: &Order) {
        self.orders += 1;
        ran.tests().windows(2).for_each(|pair| self.insert(pair[0], pair[1]));
    }

    /// Notes every direct succession in a fan that ran; each tail counts as an order.
    pub fn note_fan(&mut self, record: &FanRecord) {
        self.orders += record.tails.len() as u64;
        self.note_steps(None, &record.prefix);
        let before = record.prefix.last().map(|step| step.test);
        record.tails.iter().for_each(|tail| self.note_steps(before, &tail.steps));
    }

    /// Whether `second` ran directly after `first`.
    pub fn contains(&self, first: TestIndex, second: TestIndex) -> bool {
        self.seen.contains(self.key(first, second))
    }

    fn note_steps(&mut self, mut before: Option<TestIndex>, steps: &[Step]) {
        for step in steps.iter().take_while(|step| step.outcome != Outcome::NotReached) {
            before.iter().for_each(|&before| self.insert(before, step.test));
            before = Some(step.test);
        }
    }

    fn insert(&mut self, first: TestIndex, second: TestIndex) {
        if first != second {
            self.seen.insert(self.key(first, second));
        }
    }

    fn key(&self, first: TestIndex, second: TestIndex) -> u64 {
        key(self.tests, first, second)
    }

    /// Those that were seen, by their keys.
    pub(crate) fn keys(&self) -> &RoaringTreemap {
        &self.seen
    }

    /// What was noted, as counts.
    pub fn coverage(&self) -> Coverage {
        let tests = self.tests as u64;
        let pairs = tests * tests.saturating_sub(1);
        Coverage { orders: self.orders, pairs, pairs_tried: self.seen.len(), ..Coverage::default() }
    }
}

/// A pair of tests as a number, in a suite of so many.
pub(crate) fn key(tests: usize, first: TestIndex, second: TestIndex) -> u64 {
    (first.at() * tests + second.at()) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyorder_model::TestIndex;

    #[test]
    fn repeats_and_known_pairs_do_not_count_again() {
        let mut successions = Successions::new(3);
        for order in [&[0, 1, 2][..], &[1, 2], &[2, 2]] {
            successions.note(&order.iter().copied().map(TestIndex).collect());
        }
        assert_eq!(
            successions.coverage(),
            Coverage { orders: 3, pairs: 6, pairs_tried: 2, ..Coverage::default() }
        );
    }
}

//! Orders that are likely to show what the original order hides.
//!
//! Knows which orders are worth a run. Does not look at outcomes.
//!
//! A whole order puts each test behind about half of the others, for one run of the suite. Halves do the same, for two
//! runs and a fork per test; on simulated suites both find as much for the same number of test runs (see
//! `docs/hunting.md`), so whole orders are the default. The first is the original one backwards: together with the
//! baseline it puts every test behind every other. After that an order and its reverse take turns; groups stay together
//! in the first such pair. Successions that were not there before are preferred.

use anyorder_model::{Order, Suite, TestIndex};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::Successions;
use crate::groups::groups_of;

/// Makes the orders of a sweep, one after the other.
pub(crate) struct Orders {
    tests: Vec<TestIndex>,
    groups: Vec<Vec<TestIndex>>,
    seed: u64,
    last: Vec<TestIndex>,
    /// Those of the original order, and of every order since.
    successions: Successions,
}

/// How often a successor is drawn anew when its succession was seen already.
const DRAWS: usize = 8;

impl Orders {
    /// Orders of these tests, which stand as in the original order.
    pub(crate) fn new(suite: &Suite, tests: &[TestIndex], seed: u64) -> Self {
        let original = Order(tests.to_vec());
        let mut successions = Successions::new(suite.len());
        successions.note(&original);
        let mut groups = groups_of(suite);
        groups.iter_mut().for_each(|group| group.retain(|test| tests.binary_search(test).is_ok()));
        groups.retain(|group| !group.is_empty());
        Orders { tests: original.0.clone(), groups, seed, last: original.0, successions }
    }

    /// The order of this round. Rounds must be asked for one after the other, from 0.
    pub(crate) fn whole(&mut self, round: u64) -> Vec<TestIndex> {
        let order: Order = if round.is_multiple_of(2) {
            self.last.iter().rev().copied().collect()
        } else if round == 1 {
            Order(self.grouped(&mut self.random(round)))
        } else {
            Order(self.scattered(&self.tests, &mut self.random(round)))
        };
        self.successions.note(&order);
        self.last.clone_from(&order.0);
        order.0
    }

    /// A random half in a random order, and the other half.
    pub(crate) fn halves(&self, round: u64) -> [Vec<TestIndex>; 2] {
        let mut tests = self.tests.clone();
        tests.shuffle(&mut self.random(round));
        let other = tests.split_off(tests.len() / 2);
        [tests, other]
    }

    fn grouped(&self, random: &mut ChaCha8Rng) -> Vec<TestIndex> {
        let mut groups: Vec<&Vec<TestIndex>> = self.groups.iter().collect();
        groups.shuffle(random);
        groups.iter().flat_map(|group| self.scattered(group, random)).collect()
    }

    /// A random order that avoids successions that were there before, where that is easy.
    fn scattered(&self, tests: &[TestIndex], random: &mut ChaCha8Rng) -> Vec<TestIndex> {
        let mut left = tests.to_vec();
        let mut order: Vec<TestIndex> = Vec::with_capacity(tests.len());
        while !left.is_empty() {
            let is_new =
                |&at: &usize| order.last().is_none_or(|&last| !self.successions.contains(last, left[at]));
            let drawn = (0..DRAWS).map(|_| random.random_range(0..left.len())).find(is_new);
            let at = drawn.unwrap_or_else(|| random.random_range(0..left.len()));
            order.push(left.swap_remove(at));
        }
        order
    }

    fn random(&self, round: u64) -> ChaCha8Rng {
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        random.set_stream(round);
        random
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyorder_model::{Test, TestId};

    #[test]
    fn an_order_and_its_reverse_take_turns_and_few_successions_come_twice() {
        let test = |at: u32| Test {
            id: TestId(format!("t{at}")),
            group: format!("g{}", at / 5),
            file: String::new(),
            line: 1,
            markers: vec![],
        };
        let suite = Suite::new("simulated", (0..40).map(test).collect());
        let mut orders = Orders::new(&suite, &Order::original(&suite).0, 3);
        let rounds: Vec<Vec<TestIndex>> = (0..17).map(|round| orders.whole(round)).collect();
        for pair in rounds[1..].chunks(2) {
            assert!(pair[0].iter().rev().eq(&pair[1]));
        }
        let tried = orders.successions.coverage().pairs_tried;
        assert!(tried > 18 * 39 * 9 / 10, "{tried}");
    }
}

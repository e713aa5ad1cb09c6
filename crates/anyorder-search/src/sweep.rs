//! Orders that are likely to show what the original order hides.
//!
//! Knows which orders are worth a run. Does not look at outcomes.
//!
//! A whole order puts each test behind about half of the others, for one run of the suite. Halves do the same, for two
//! runs and a fork per test; on simulated suites whole orders find more for the same number of test runs (see
//! `docs/hunting.md`), so they are the default. The first order is the original one backwards: together with the
//! baseline it puts every test behind every other. After that an order and its reverse take turns, and tests of a
//! group stay together in one of two such pairs. Successions that were not seen yet come first.

use anyorder_model::{Suite, TestIndex};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::groups::groups_of;

/// Makes the orders of a sweep, one after the other.
pub(crate) struct Orders {
    tests: Vec<TestIndex>,
    groups: Vec<Vec<TestIndex>>,
    seed: u64,
    last: Vec<TestIndex>,
}

/// How often a successor is drawn anew when its succession was seen already.
const DRAWS: usize = 8;

impl Orders {
    pub(crate) fn new(suite: &Suite, seed: u64) -> Self {
        Orders {
            tests: suite.indices().collect(),
            groups: groups_of(suite),
            seed,
            last: suite.indices().collect(),
        }
    }

    /// The order of this round. Rounds must be asked for one after the other, from 0.
    pub(crate) fn whole(
        &mut self,
        round: u64,
        is_seen: &dyn Fn(TestIndex, TestIndex) -> bool,
    ) -> Vec<TestIndex> {
        let order = if round.is_multiple_of(2) {
            self.last.iter().rev().copied().collect()
        } else {
            let mut random = self.random(round);
            if round == 1 {
                self.grouped(&mut random, is_seen)
            } else {
                scatter(&self.tests, &mut random, is_seen)
            }
        };
        self.last.clone_from(&order);
        order
    }

    /// A random half in a random order, and the other half.
    pub(crate) fn halves(&self, round: u64) -> [Vec<TestIndex>; 2] {
        let mut tests = self.tests.clone();
        tests.shuffle(&mut self.random(round));
        let other = tests.split_off(tests.len() / 2);
        [tests, other]
    }

    fn grouped(
        &self,
        random: &mut ChaCha8Rng,
        is_seen: &dyn Fn(TestIndex, TestIndex) -> bool,
    ) -> Vec<TestIndex> {
        let mut groups: Vec<&Vec<TestIndex>> = self.groups.iter().collect();
        groups.shuffle(random);
        groups.iter().flat_map(|group| scatter(group, random, is_seen)).collect()
    }

    fn random(&self, round: u64) -> ChaCha8Rng {
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        random.set_stream(round);
        random
    }
}

/// A random order that avoids successions that were seen, where that is easy.
fn scatter(
    tests: &[TestIndex],
    random: &mut ChaCha8Rng,
    is_seen: &dyn Fn(TestIndex, TestIndex) -> bool,
) -> Vec<TestIndex> {
    let mut left = tests.to_vec();
    let mut order: Vec<TestIndex> = Vec::with_capacity(tests.len());
    while !left.is_empty() {
        let mut draw = || random.random_range(0..left.len());
        let fresh = |&at: &usize| order.last().is_none_or(|&last| !is_seen(last, left[at]));
        let at = (0..DRAWS).map(|_| draw()).find(fresh);
        let at = at.unwrap_or_else(|| random.random_range(0..left.len()));
        order.push(left.swap_remove(at));
    }
    order
}

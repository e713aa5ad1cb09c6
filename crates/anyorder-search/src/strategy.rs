//! The classic ways to choose orders: those of iDFlakies and `DTDetector`, and the plain ones.

use anyorder_model::{Order, Suite, TestIndex};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::groups::groups_of;
use crate::tuscan;

/// How orders are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// As collected.
    Original,
    /// Last test first.
    Reverse,
    /// Last group first.
    ReverseClass,
    /// All tests shuffled.
    Random,
    /// Groups shuffled, and the tests inside each; groups stay together.
    RandomClass,
    /// Each test by itself.
    Isolated,
    /// Each test right after each other test.
    Pairs,
    /// Whole orders in which each test stands right after each other test.
    Tuscan,
}

/// Orders that may share the execution of a common prefix. Different batches share nothing.
pub type Batch = Vec<Order>;

impl Strategy {
    /// Every strategy, with what it does.
    pub const ALL: [(Strategy, &'static str); 8] = [
        (Strategy::Original, "As collected"),
        (Strategy::Reverse, "Last test first"),
        (Strategy::ReverseClass, "Last class or file first, the tests in each as collected"),
        (Strategy::Random, "All tests shuffled"),
        (Strategy::RandomClass, "Classes and files shuffled, and the tests in each"),
        (Strategy::Isolated, "Each test by itself"),
        (Strategy::Pairs, "Each test right after each other test"),
        (Strategy::Tuscan, "Whole orders in which each test stands right after each other test"),
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Strategy::Original => "original",
            Strategy::Reverse => "reverse",
            Strategy::ReverseClass => "reverse-class",
            Strategy::Random => "random",
            Strategy::RandomClass => "random-class",
            Strategy::Isolated => "isolated",
            Strategy::Pairs => "pairs",
            Strategy::Tuscan => "tuscan",
        }
    }

    /// How many orders one round has.
    pub fn orders_per_round(self, tests: usize) -> u64 {
        let many = tests as u64;
        match self {
            Strategy::Isolated => many,
            Strategy::Pairs => many * many.saturating_sub(1),
            Strategy::Tuscan => tuscan::count(tests) as u64,
            _ => 1,
        }
    }

    /// How many tests each of its orders has.
    pub fn tests_per_order(self, tests: usize) -> usize {
        match self {
            Strategy::Isolated => 1,
            Strategy::Pairs => 2,
            _ => tests,
        }
    }

    /// Rounds when the user names no number: one where rounds are alike, more where they differ.
    pub fn default_rounds(self) -> u64 {
        if matches!(self, Strategy::Random | Strategy::RandomClass) { 20 } else { 1 }
    }
}

/// The orders of `rounds` rounds, lazily: pairs of a large suite would not fit into memory.
///
/// The same suite, strategy and seed give the same orders. Round `n` does not depend on how many rounds there are.
pub fn batches(
    strategy: Strategy,
    suite: &Suite,
    rounds: u64,
    seed: u64,
) -> impl Iterator<Item = Batch> + Send + use<> {
    let tests: Vec<TestIndex> = suite.indices().collect();
    let groups = groups_of(suite);
    (0..rounds).flat_map(move |round| {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(round);
        round_of(strategy, &tests, &groups, &mut random)
    })
}

/// A few tests, chosen at random.
pub fn sample(suite: &Suite, size: usize, seed: u64) -> Vec<TestIndex> {
    let tests: Vec<TestIndex> = suite.indices().collect();
    let mut chosen = shuffled(&tests, &mut ChaCha8Rng::seed_from_u64(seed));
    chosen.truncate(size);
    chosen
}

fn round_of(
    strategy: Strategy,
    tests: &[TestIndex],
    groups: &[Vec<TestIndex>],
    random: &mut ChaCha8Rng,
) -> Box<dyn Iterator<Item = Batch> + Send> {
    let whole = |tests: Vec<TestIndex>| -> Box<dyn Iterator<Item = Batch> + Send> {
        Box::new(std::iter::once(vec![Order(tests)]))
    };
    match strategy {
        Strategy::Original => whole(tests.to_vec()),
        Strategy::Reverse => whole(tests.iter().rev().copied().collect()),
        Strategy::ReverseClass => whole(groups.iter().rev().flatten().copied().collect()),
        Strategy::Random => whole(shuffled(tests, random)),
        Strategy::RandomClass => {
            let groups = shuffled(groups, random);
            whole(groups.iter().flat_map(|group| shuffled(group, random)).collect())
        }
        Strategy::Isolated => {
            Box::new(shuffled(tests, random).into_iter().map(|test| vec![Order(vec![test])]))
        }
        Strategy::Pairs => {
            let tests = tests.to_vec();
            Box::new(shuffled(&tests, random).into_iter().map(move |first| pairs_after(first, &tests)))
        }
        Strategy::Tuscan => Box::new(tuscan::rows(&shuffled(tests, random)).map(|row| vec![Order(row)])),
    }
}

/// `first` runs once; every other test runs from the state it leaves.
fn pairs_after(first: TestIndex, tests: &[TestIndex]) -> Batch {
    tests.iter().filter(|&&second| second != first).map(|&second| Order(vec![first, second])).collect()
}

fn shuffled<T: Clone>(values: &[T], random: &mut ChaCha8Rng) -> Vec<T> {
    let mut values = values.to_vec();
    values.shuffle(random);
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyorder_model::Test;
    use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};

    fn suite(groups: &[usize]) -> Suite {
        let tests = groups.iter().enumerate().flat_map(|(group, &size)| {
            (0..size).map(move |test| Test::in_file(format!("g{group}::t{test}"), format!("g{group}")))
        });
        Suite::new("simulated", tests.collect())
    }

    fn orders(strategy: Strategy, suite: &Suite, rounds: u64, seed: u64) -> Vec<Vec<u32>> {
        let indices = |order: Order| order.0.iter().map(|test| test.0).collect();
        batches(strategy, suite, rounds, seed).flatten().map(indices).collect()
    }

    #[test]
    fn reverse_class_keeps_the_order_inside_groups() {
        assert_eq!(orders(Strategy::ReverseClass, &suite(&[2, 1, 2]), 1, 0), [[3, 4, 2, 0, 1]]);
    }

    #[test]
    fn pairs_are_every_ordered_pair_once() {
        let mut pairs = orders(Strategy::Pairs, &suite(&[3]), 1, 7);
        pairs.sort();
        assert_eq!(pairs, [[0, 1], [0, 2], [1, 0], [1, 2], [2, 0], [2, 1]]);
    }

    #[test]
    fn pairs_with_the_same_first_test_share_a_batch() {
        for batch in batches(Strategy::Pairs, &suite(&[4]), 1, 7) {
            assert!(batch.iter().all(|order| order.0[0] == batch[0].0[0]));
        }
    }

    #[test]
    fn random_class_keeps_groups_together() {
        let suite = suite(&[3, 4, 2]);
        for order in orders(Strategy::RandomClass, &suite, 20, 3) {
            let mut seen: Vec<&str> =
                order.iter().map(|&t| suite.test(TestIndex(t)).group.as_str()).collect();
            seen.dedup();
            assert_eq!(seen.len(), 3);
        }
    }

    proptest! {
        #[test]
        fn every_round_has_the_number_of_orders_it_says(groups in proptest::collection::vec(1_usize..5, 1..5)) {
            let suite = suite(&groups);
            for (strategy, _) in Strategy::ALL {
                let expected = 2 * strategy.orders_per_round(suite.len());
                prop_assert_eq!(orders(strategy, &suite, 2, 1).len() as u64, expected);
            }
        }

        #[test]
        fn whole_orders_are_permutations_and_repeat_with_their_seed(
            groups in proptest::collection::vec(1_usize..6, 1..6), seed in any::<u64>(),
        ) {
            let suite = suite(&groups);
            for strategy in [Strategy::Reverse, Strategy::ReverseClass, Strategy::Random, Strategy::RandomClass] {
                let first = orders(strategy, &suite, 3, seed);
                prop_assert_eq!(&first, &orders(strategy, &suite, 3, seed));
                prop_assert_eq!(&first[..2], &orders(strategy, &suite, 2, seed)[..]);
                for mut order in first {
                    order.sort_unstable();
                    prop_assert!(order.into_iter().eq(0..u32::try_from(suite.len()).unwrap()));
                }
            }
        }
    }
}

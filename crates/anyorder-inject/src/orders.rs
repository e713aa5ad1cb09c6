//! The orders that mutants of a class are tried in: as many random ones as the FLAKER paper has, the same for all.

use anyorder_model::{Order, Suite, TestIndex};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// So many random orders of these tests, no two the same; fewer if there are no more.
pub(crate) fn random(suite: &Suite, tests: &[TestIndex], many: u32, seed: u64) -> Vec<Order> {
    let mut random = ChaCha8Rng::seed_from_u64(seed ^ name_of(suite, tests));
    let mut orders: Vec<Order> = Vec::new();
    let tries = many.saturating_mul(4);
    for _ in 0..tries {
        let mut order = tests.to_vec();
        order.shuffle(&mut random);
        let order = Order(order);
        if !orders.contains(&order) {
            orders.push(order);
        }
        if orders.len() == many as usize {
            break;
        }
    }
    orders
}

/// The tests in `last` behind all others, which come as they are written and the other way round.
pub(crate) fn with_last(tests: &[TestIndex], last: &[TestIndex]) -> Vec<Order> {
    let others: Vec<TestIndex> = tests.iter().copied().filter(|test| !last.contains(test)).collect();
    let backwards = others.iter().rev().copied();
    let mut orders = vec![
        others.iter().chain(last).copied().collect(),
        backwards.chain(last.iter().rev().copied()).collect(),
    ];
    orders.dedup();
    orders
}

/// All tests as they are written, and the other way round, and then some of them.
pub(crate) fn behind_all(tests: &[TestIndex], last: &[TestIndex]) -> Vec<Order> {
    let backwards = tests.iter().rev();
    vec![tests.iter().chain(last).copied().collect(), backwards.chain(last).copied().collect()]
}

/// A number for a list of tests, the same wherever the suite is.
fn name_of(suite: &Suite, tests: &[TestIndex]) -> u64 {
    let bytes = tests.iter().flat_map(|&test| suite.id(test).0.bytes().chain([0]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

//! What there is to find in a mutant: the tests that order decides, by all pairs with a changed test on either side.
//!
//! What takes three tests is not seen here.

use std::collections::{BTreeMap, BTreeSet};

use anyorder_model::{Halted, Order, TestIndex};

use crate::Mutant;
use crate::judge::{Judge, last_ends};
use crate::stable::stable_of;
use crate::trial::{End, Trial};

/// Where many tests run what was changed, as many of them are paired with all others as make this many pairs; at least one.
const MOST_PAIRS: usize = 5000;

impl Judge<'_> {
    /// Those of these tests that end otherwise behind a changed test than alone, or behind another one if they are changed
    /// themselves: each time, and not without the mutant.
    pub fn paired(&mut self, mutant: &Mutant, tests: &[TestIndex]) -> Result<BTreeSet<TestIndex>, Halted> {
        self.bench.fitness(&[mutant])?;
        let tests = stable_of(tests, self.left_out);
        let changed = tests.iter().copied().filter(|test| mutant.tests.contains(test));
        let most = (MOST_PAIRS / (2 * tests.len().max(1))).max(1);
        let changed: Vec<TestIndex> = changed.take(most).collect();
        let mut trial = Trial::new(mutant, changed, tests, false);
        let singles = trial.judged.iter().map(|&test| Order(vec![test])).collect();
        let alone = last_ends(&self.run(&mut trial, singles)?);
        let alone: BTreeMap<TestIndex, End> = trial.judged.iter().copied().zip(alone).collect();
        let orders = pairs(&trial.tests, &trial.judged);
        let ends = last_ends(&self.run(&mut trial, orders.clone())?);
        let mut found = BTreeSet::new();
        for (order, end) in orders.iter().zip(&ends) {
            let test = order.tests()[1];
            let differs = is_other(&alone[&test], end) && !found.contains(&test);
            if differs && self.is_so_each_time(&mut trial, order)? {
                found.insert(test);
            }
        }
        Ok(found)
    }

    /// Whether the last test of a pair ends alike each time, and otherwise than alone; and passes without the mutant.
    fn is_so_each_time(&mut self, trial: &mut Trial<'_>, order: &Order) -> Result<bool, Halted> {
        if self.pass_as_is(std::slice::from_ref(order))? != [true] {
            return Ok(false);
        }
        let alone = self.repeat(trial, &Order(order.tests()[1..].to_vec()))?;
        let behind = self.repeat(trial, order)?;
        Ok(alone.iter().all(|alone| behind.iter().all(|behind| is_other(alone, behind))))
    }
}

/// Each changed test before and behind every test, itself among them.
fn pairs(changed: &[TestIndex], tests: &[TestIndex]) -> Vec<Order> {
    let before = changed.iter().flat_map(|&first| tests.iter().map(move |&test| Order(vec![first, test])));
    let others = tests.iter().filter(|test| !changed.contains(test));
    let behind = others.flat_map(|&first| changed.iter().map(move |&test| Order(vec![first, test])));
    before.chain(behind).collect()
}

fn is_other(alone: &End, behind: &End) -> bool {
    matches!((alone, behind), (End::Passed, End::Failed(_)) | (End::Failed(_), End::Passed))
}

//! A schedule from manifest dependencies, and groups of tests that may run at the same time.
//!
//! Knows which test has to run before which. Runs nothing.

use std::collections::{BTreeMap, BTreeSet};

use anyorder_model::{Group, Manifest, Order, TestIndex};

use crate::graph::Graph;

/// What follows from manifest dependencies.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Schedule {
    /// All tests, close to the original order.
    pub(crate) order: Order,
    /// Which dependencies it cannot respect.
    pub(crate) conflicts: Vec<Manifest>,
    /// Tests that depend on each other, in that order; each other test by itself.
    pub(crate) parallel: Vec<Group>,
}

/// An order of so many tests that respects these dependencies, as far as they do not contradict each other.
pub(crate) fn schedule(tests: usize, manifest: &[Manifest]) -> Schedule {
    let all: BTreeSet<TestIndex> = (0..).take(tests).map(TestIndex).collect();
    let edge = |manifest: &Manifest| (manifest.before, manifest.after);
    let graph = Graph::new(manifest.iter().map(edge));
    let (order, broken) = graph.order(&all);
    let broken: BTreeSet<_> = broken.into_iter().collect();
    let (conflicts, kept): (Vec<&Manifest>, Vec<&Manifest>) =
        manifest.iter().partition(|manifest| broken.contains(&edge(manifest)));
    let parts = Graph::new(kept.into_iter().map(edge)).parts();
    let part_of: BTreeMap<TestIndex, usize> = parts
        .iter()
        .enumerate()
        .flat_map(|(number, part)| part.iter().map(move |&test| (test, number)))
        .collect();
    let mut parallel: Vec<Group> = vec![Vec::new(); parts.len()];
    for &test in &order {
        match part_of.get(&test) {
            Some(&number) => parallel[number].push(test),
            None => parallel.push(vec![test]),
        }
    }
    Schedule { order: Order(order), conflicts: conflicts.into_iter().cloned().collect(), parallel }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyorder_model::Outcome;

    fn before(before: u32, after: u32) -> Manifest {
        Manifest {
            before: TestIndex(before),
            after: TestIndex(after),
            test: TestIndex(after),
            expected: Outcome::Passed,
            otherwise: Outcome::Failed,
            cells: vec![],
            is_inferred: false,
        }
    }

    #[test]
    fn what_depends_stays_together_and_the_rest_may_run_anywhere() {
        let schedule = schedule(5, &[before(4, 1), before(1, 0)]);
        assert_eq!(schedule.order.0, [2, 3, 4, 1, 0].map(TestIndex));
        assert_eq!(
            schedule.parallel,
            [vec![4, 1, 0], vec![2], vec![3]]
                .map(|group| group.into_iter().map(TestIndex).collect::<Vec<_>>())
        );
        assert_eq!(schedule.conflicts, []);
    }

    #[test]
    fn tests_that_each_want_to_be_first_are_told_and_kept_apart() {
        let schedule = schedule(2, &[before(0, 1), before(1, 0)]);
        assert_eq!(schedule.conflicts, [before(1, 0)]);
        assert_eq!(schedule.parallel.len(), 1);
    }
}

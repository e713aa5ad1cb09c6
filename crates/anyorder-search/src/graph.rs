//! A graph of tests: which have to run before which.
//!
//! Knows edges, ways, parts and orders. Does not know why an edge is there.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use anyorder_model::TestIndex;

/// From a test to one that comes later.
pub(crate) type Edge = (TestIndex, TestIndex);

/// Tests, and edges from earlier to later ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    later: BTreeMap<TestIndex, BTreeSet<TestIndex>>,
    earlier: BTreeMap<TestIndex, BTreeSet<TestIndex>>,
}

impl Graph {
    pub(crate) fn new(edges: impl IntoIterator<Item = Edge>) -> Self {
        let mut graph = Graph::default();
        edges.into_iter().for_each(|edge| graph.insert(edge));
        graph
    }

    fn insert(&mut self, (one, two): Edge) {
        self.later.entry(one).or_default().insert(two);
        self.earlier.entry(two).or_default().insert(one);
    }

    pub(crate) fn remove(&mut self, (one, two): Edge) {
        self.later.entry(one).or_default().remove(&two);
        self.earlier.entry(two).or_default().remove(&one);
    }

    /// The tests right behind this one.
    pub(crate) fn later(&self, test: TestIndex) -> impl Iterator<Item = TestIndex> {
        self.later.get(&test).into_iter().flatten().copied()
    }

    /// The tests right before this one.
    pub(crate) fn earlier(&self, test: TestIndex) -> impl Iterator<Item = TestIndex> {
        self.earlier.get(&test).into_iter().flatten().copied()
    }

    /// Whether there is another way along an edge, over tests like these: then it cannot be the other way round.
    pub(crate) fn has_other_way(&self, (one, two): Edge, is_between: impl Fn(TestIndex) -> bool) -> bool {
        let mut known = BTreeSet::new();
        let mut open = vec![one];
        while let Some(test) = open.pop() {
            if test != one && self.has(test, two) {
                return true;
            }
            let next = self.later(test).filter(|&next| next != two && is_between(next));
            open.extend(next.filter(|&next| known.insert(next)));
        }
        false
    }

    fn has(&self, one: TestIndex, two: TestIndex) -> bool {
        self.later.get(&one).is_some_and(|later| later.contains(&two))
    }

    fn neighbours(&self, test: TestIndex) -> impl Iterator<Item = TestIndex> {
        self.later(test).chain(self.earlier(test))
    }

    /// All tests that hang together with the first test of an edge when the edge itself is taken out; nothing if the second
    /// one is among them.
    pub(crate) fn split(&self, (one, two): Edge) -> Option<BTreeSet<TestIndex>> {
        let are_near = |test: TestIndex| self.has(test, two) || self.has(two, test);
        if self.neighbours(one).any(are_near) {
            return None; // true of nearly all edges where there are many
        }
        let mut part = BTreeSet::from([one]);
        let mut open = vec![one];
        while let Some(test) = open.pop() {
            let next = self.neighbours(test).filter(|&next| (test, next) != (one, two));
            open.extend(next.filter(|&next| part.insert(next)));
        }
        (!part.contains(&two)).then_some(part)
    }

    /// Tests that hang together, whichever way edges go. Tests without an edge are not there.
    pub(crate) fn parts(&self) -> Vec<BTreeSet<TestIndex>> {
        let mut known: BTreeSet<TestIndex> = BTreeSet::new();
        let mut parts = Vec::new();
        for (&start, _) in self.later.iter().filter(|(_, later)| !later.is_empty()) {
            if known.contains(&start) {
                continue;
            }
            let (mut part, mut open) = (BTreeSet::from([start]), vec![start]);
            while let Some(test) = open.pop() {
                let next = self.later(test).chain(self.earlier(test));
                open.extend(next.filter(|&next| part.insert(next)));
            }
            known.extend(&part);
            parts.push(part);
        }
        parts
    }

    /// These tests in an order that keeps all edges; where there is a choice, lower ones come first. Also the edges that it
    /// does not keep, since they are on a cycle with others.
    pub(crate) fn order(&self, tests: &BTreeSet<TestIndex>) -> (Vec<TestIndex>, Vec<Edge>) {
        let waits = tests.iter().map(|&test| (test, self.earlier(test).count()));
        let mut waits: BTreeMap<TestIndex, usize> = waits.collect();
        let free = waits.iter().filter(|(_, count)| **count == 0);
        let mut free: BinaryHeap<Reverse<TestIndex>> = free.map(|(&test, _)| Reverse(test)).collect();
        let mut left = tests.clone();
        let (mut order, mut broken) = (Vec::with_capacity(tests.len()), Vec::new());
        while let Some(&first) = left.first() {
            let next = free.pop().map_or(first, |Reverse(test)| test);
            left.remove(&next);
            broken.extend(self.earlier(next).filter(|test| left.contains(test)).map(|test| (test, next)));
            order.push(next);
            for later in self.later(next).filter(|test| left.contains(test)) {
                let count = waits.get_mut(&later).expect("it is one of the tests");
                *count -= 1;
                if *count == 0 {
                    free.push(Reverse(later));
                }
            }
        }
        (order, broken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{ProptestConfig, prop_assert_eq, proptest};

    fn graph(edges: &[(u32, u32)]) -> Graph {
        Graph::new(edges.iter().map(|&(one, two)| (TestIndex(one), TestIndex(two))))
    }

    fn edge(one: u32, two: u32) -> Edge {
        (TestIndex(one), TestIndex(two))
    }

    #[test]
    fn an_edge_with_another_way_beside_it_cannot_be_turned() {
        let graph = graph(&[(0, 1), (1, 2), (0, 2)]);
        assert!(graph.has_other_way(edge(0, 2), |_| true));
        assert!(!graph.has_other_way(edge(1, 2), |_| true));
    }

    #[test]
    fn only_an_edge_that_holds_two_parts_together_splits() {
        let graph = graph(&[(0, 1), (1, 2), (0, 2), (2, 3), (3, 4)]);
        assert_eq!(graph.split(edge(2, 3)), Some(BTreeSet::from([0, 1, 2].map(TestIndex))));
        assert_eq!(graph.split(edge(0, 1)), None);
    }

    #[test]
    fn edges_that_contradict_each_other_are_broken_and_told() {
        let tests = BTreeSet::from([0, 1, 2].map(TestIndex));
        let (order, broken) = graph(&[(0, 1), (1, 0), (1, 2)]).order(&tests);
        assert_eq!(order, [0, 1, 2].map(TestIndex));
        assert_eq!(broken, [edge(1, 0)]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn an_order_keeps_every_edge_that_it_does_not_call_broken(
            edges in proptest::collection::vec((0_u32..12, 0_u32..12), 0..30)
        ) {
            let edges = edges.iter().filter(|(one, two)| one != two).map(|&(one, two)| edge(one, two));
            let edges: BTreeSet<Edge> = edges.collect();
            let tests: BTreeSet<TestIndex> = (0..12).map(TestIndex).collect();
            let (order, broken) = Graph::new(edges.iter().copied()).order(&tests);
            prop_assert_eq!(order.iter().copied().collect::<BTreeSet<_>>(), tests);
            let at = |test: TestIndex| order.iter().position(|&other| other == test).unwrap();
            for edge in edges {
                prop_assert_eq!(at(edge.0) > at(edge.1), broken.contains(&edge));
            }
        }
    }
}

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

    /// Whether it would have a cycle if this edge were the other way round.
    pub(crate) fn is_cyclic_with_inverted(&self, (one, two): Edge) -> bool {
        let mut known = BTreeSet::from([one]);
        let mut open: Vec<TestIndex> = self.later(one).filter(|&test| test != two).collect();
        while let Some(test) = open.pop() {
            if test == two {
                return true;
            }
            if known.insert(test) {
                open.extend(self.later(test));
            }
        }
        false
    }

    /// How many tests the smaller part has that this edge alone keeps in the graph; nothing if it is not alone.
    pub(crate) fn split(&self, (one, two): Edge, size: usize) -> Option<usize> {
        let is_other = |from: TestIndex, to: TestIndex| (from, to) != (one, two) && (to, from) != (one, two);
        let mut known = BTreeSet::from([two]);
        let mut open = vec![two];
        while let Some(test) = open.pop() {
            let next = self.later(test).chain(self.earlier(test)).filter(|&next| is_other(test, next));
            open.extend(next.filter(|&next| known.insert(next)));
        }
        (!known.contains(&one)).then(|| known.len().min(size - known.len()))
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

    /// These tests in an order that keeps all edges, except that this one is the other way round; where there is a choice,
    /// lower places come first. Edges that are on a cycle with others are not kept; those come last.
    pub(crate) fn order(
        &self,
        tests: &BTreeSet<TestIndex>,
        inverted: Option<Edge>,
        place: impl Fn(TestIndex) -> usize,
    ) -> (Vec<TestIndex>, Vec<Edge>) {
        let edges = tests.iter().flat_map(|&test| self.later(test).map(move |next| (test, next)));
        let edges = edges.filter(|(_, next)| tests.contains(next));
        let turn = |edge: Edge| if Some(edge) == inverted { (edge.1, edge.0) } else { edge };
        let turned = Graph::new(edges.map(turn));
        let mut waits: BTreeMap<TestIndex, usize> =
            tests.iter().map(|&test| (test, turned.earlier(test).count())).collect();
        let free = waits.iter().filter(|(_, count)| **count == 0);
        let mut free: BinaryHeap<Reverse<(usize, TestIndex)>> =
            free.map(|(&test, _)| Reverse((place(test), test))).collect();
        let (mut order, mut broken) = (Vec::with_capacity(tests.len()), Vec::new());
        let mut done = BTreeSet::new();
        while order.len() < tests.len() {
            let left = || tests.iter().filter(|test| !done.contains(*test));
            let first_left = || *left().min_by_key(|test| place(**test)).expect("tests are left");
            let next = free.pop().map_or_else(first_left, |Reverse((_, test))| test);
            broken.extend(turned.earlier(next).filter(|test| !done.contains(test)).map(|test| (test, next)));
            done.insert(next);
            order.push(next);
            for later in turned.later(next).filter(|test| !done.contains(test)) {
                let count = waits.get_mut(&later).expect("it is one of the tests");
                *count -= 1;
                if *count == 0 {
                    free.push(Reverse((place(later), later)));
                }
            }
        }
        (order, broken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{ProptestConfig, any, prop_assert, prop_assert_eq, proptest};

    fn graph(edges: &[(u32, u32)]) -> Graph {
        Graph::new(edges.iter().map(|&(one, two)| (TestIndex(one), TestIndex(two))))
    }

    fn edge(one: u32, two: u32) -> Edge {
        (TestIndex(one), TestIndex(two))
    }

    #[test]
    fn an_edge_with_another_way_around_it_cannot_be_inverted() {
        let graph = graph(&[(0, 1), (1, 2), (0, 2)]);
        assert!(graph.is_cyclic_with_inverted(edge(0, 2)));
        assert!(!graph.is_cyclic_with_inverted(edge(1, 2)));
    }

    #[test]
    fn only_an_edge_that_holds_two_parts_together_splits() {
        let graph = graph(&[(0, 1), (1, 2), (0, 2), (2, 3), (3, 4)]);
        assert_eq!(graph.split(edge(2, 3), 5), Some(2));
        assert_eq!(graph.split(edge(0, 1), 5), None);
    }

    #[test]
    fn edges_that_contradict_each_other_are_broken_and_told() {
        let tests = BTreeSet::from([0, 1, 2].map(TestIndex));
        let (order, broken) = graph(&[(0, 1), (1, 0), (1, 2)]).order(&tests, None, TestIndex::at);
        assert_eq!(order, [0, 1, 2].map(TestIndex));
        assert_eq!(broken, [edge(1, 0)]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn an_order_keeps_every_edge_but_the_inverted_one(
            edges in proptest::collection::vec((0_u32..12, 0_u32..12), 1..30), which in any::<usize>()
        ) {
            let forward = edges.iter().filter(|(one, two)| one != two).map(|&(one, two)| edge(one.min(two), one.max(two)));
            let forward: Vec<Edge> = forward.collect();
            if forward.is_empty() {
                return Ok(());
            }
            let graph = Graph::new(forward.iter().copied());
            let inverted = forward[which % forward.len()];
            for part in graph.parts().iter().filter(|part| part.contains(&inverted.0)) {
                let (order, broken) = graph.order(part, Some(inverted), TestIndex::at);
                prop_assert_eq!(broken.is_empty(), !graph.is_cyclic_with_inverted(inverted));
                let at = |test: TestIndex| order.iter().position(|&other| other == test).unwrap();
                for &(one, two) in forward.iter().filter(|edge| part.contains(&edge.0)) {
                    let is_kept = at(one) < at(two);
                    prop_assert!(!broken.is_empty() || is_kept != ((one, two) == inverted));
                }
            }
        }
    }
}

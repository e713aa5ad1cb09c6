//! From data dependencies of a reference order to manifest ones, as PRADET does it.
//!
//! Knows edges from writers to readers, and that the reference order keeps all of them. One edge at a time is turned round
//! in an order that keeps all the others; if both of its tests end as in the reference order, the edge goes. Those of the
//! test that ran last come first, so that what a test needs has run before it. An edge whose turn would break another one
//! waits until that one is gone, and is *untestable* if it never is. Parts that no edge connects are refined side by side.
//!
//! Beyond PRADET: what changes has to change again, and not to change when the same tests run with the edge as it was.

use std::collections::{BTreeMap, BTreeSet};

use anyorder_model::{Halted, Outcome, Purpose, Step, TestIndex};

use crate::asker::Asker;
use crate::confirm::sight_of;
use crate::graph::{Edge, Graph};
use crate::sight::Sight;

/// Among the edges of one test, this many are looked at for one that splits its part.
const LOOK_AHEAD: usize = 16;

/// What has become of the edges.
#[derive(Debug, Default)]
pub(crate) struct Refined {
    /// With the test whose outcome changes, and its two ends: in the reference order, and with the edge turned round.
    pub(crate) manifest: BTreeMap<Edge, (TestIndex, [Sight; 2])>,
    pub(crate) benign: BTreeSet<Edge>,
    pub(crate) untestable: BTreeSet<Edge>,
    /// Those that there were no runs for.
    pub(crate) open: BTreeSet<Edge>,
}

struct Refinement<'a, 'b> {
    asker: &'a mut Asker<'b>,
    graph: Graph,
    /// Where each test stands in the reference order, and how it ends there.
    places: BTreeMap<TestIndex, usize>,
    expected: BTreeMap<TestIndex, Sight>,
    refined: Refined,
}

/// Refines the edges of an order that ran like this, trying at most so many.
pub(crate) fn refine(
    asker: &mut Asker<'_>,
    reference: &[Step],
    edges: BTreeSet<Edge>,
    most: u64,
) -> Result<Refined, Halted> {
    let places = reference.iter().enumerate().map(|(place, step)| (step.test, place)).collect();
    let expected = reference.iter().map(|step| (step.test, Sight::from(step))).collect();
    let graph = Graph::new(edges.iter().copied());
    let refined = Refined { open: edges, ..Refined::default() };
    let mut refinement = Refinement { asker, graph, places, expected, refined };
    if refinement.run(most)? {
        refinement.give_up();
    }
    Ok(refinement.refined)
}

impl Refinement<'_, '_> {
    /// Whether there were runs enough for all edges that can be turned.
    fn run(&mut self, most: u64) -> Result<bool, Halted> {
        let mut tried = 0;
        while tried < most {
            let parts = self.graph.parts();
            let mut turns: Vec<(Edge, &BTreeSet<TestIndex>)> =
                parts.iter().filter_map(|part| Some((self.choose(part)?, part))).collect();
            turns.truncate(usize::try_from(most - tried).unwrap_or(usize::MAX));
            if turns.is_empty() {
                return Ok(true);
            }
            tried += turns.len() as u64;
            let orders = turns.iter().map(|(edge, part)| self.order(part, *edge, true)).collect();
            let runs = self.asker.orders(Purpose::Refine, 0, orders)?;
            for ((edge, part), steps) in turns.into_iter().zip(&runs) {
                self.settle(edge, part, steps)?;
            }
        }
        Ok(false)
    }

    /// The next edge to turn: one of the test that ran last. Where there is a choice, one that splits the part into large
    /// ones; else the one whose writer ran last.
    fn choose(&self, part: &BTreeSet<TestIndex>) -> Option<Edge> {
        let mut readers: Vec<TestIndex> = part.iter().copied().collect();
        readers.sort_by_key(|test| std::cmp::Reverse(self.places[test]));
        readers.into_iter().find_map(|reader| {
            let mut edges: Vec<Edge> = self.graph.earlier(reader).map(|writer| (writer, reader)).collect();
            edges.retain(|edge| self.refined.open.contains(edge));
            edges.sort_by_key(|edge| std::cmp::Reverse(self.places[&edge.0]));
            let can_turn = |edge: &Edge| !self.graph.is_cyclic_with_inverted(*edge);
            let first = edges.iter().position(can_turn)?;
            let ahead = edges[first..].iter().take(LOOK_AHEAD).copied();
            let splitting = ahead.filter_map(|edge| Some((self.graph.split(edge, part.len())?, edge)));
            let best = splitting.filter(|(size, _)| *size > 1).max_by_key(|&(size, _)| size);
            Some(best.map_or(edges[first], |(_, edge)| edge))
        })
    }

    /// The tests of a part up to both ends of an edge, which is turned round or not.
    fn order(&self, part: &BTreeSet<TestIndex>, edge: Edge, is_turned: bool) -> Vec<TestIndex> {
        let inverted = is_turned.then_some(edge);
        let (mut order, _) = self.graph.order(part, inverted, |test| self.places[&test]);
        let last = order.iter().rposition(|&test| test == edge.0 || test == edge.1).unwrap_or(0);
        order.truncate(last + 1);
        order
    }

    fn settle(&mut self, edge: Edge, part: &BTreeSet<TestIndex>, steps: &[Step]) -> Result<(), Halted> {
        self.refined.open.remove(&edge);
        let ends = [edge.1, edge.0].map(|test| (test, sight_of(steps, test)));
        let is_told = ends.iter().all(|(test, end)| end.is_evidence() && self.expected[test].is_evidence());
        let changed = ends.into_iter().find(|(test, end)| !is_same(end, &self.expected[test]));
        match changed.filter(|_| is_told) {
            None if is_told => {
                self.graph.remove(edge);
                self.refined.benign.insert(edge);
            }
            Some((test, end)) if self.is_confirmed(edge, part, test, &end)? => {
                let expected = self.expected[&test].clone();
                self.refined.manifest.insert(edge, (test, [expected, end]));
            }
            _ => {
                self.refined.untestable.insert(edge);
            }
        }
        Ok(())
    }

    /// Whether a test changes again, and not with the edge as it was.
    fn is_confirmed(
        &mut self,
        edge: Edge,
        part: &BTreeSet<TestIndex>,
        test: TestIndex,
        end: &Sight,
    ) -> Result<bool, Halted> {
        let orders = [true, false].map(|is_turned| self.order(part, edge, is_turned)).to_vec();
        let runs = self.asker.orders(Purpose::Refine, 1, orders)?;
        let [again, control] = [0, 1].map(|at| sight_of(&runs[at], test));
        Ok(is_same(&again, end) && is_same(&control, &self.expected[&test]))
    }

    /// No edge that is left can be turned.
    fn give_up(&mut self) {
        let stuck = std::mem::take(&mut self.refined.open);
        self.refined.untestable.extend(stuck);
    }
}

/// The same outcome. What a fixture of a group does behind a test is not its own.
pub(crate) fn is_same(one: &Sight, other: &Sight) -> bool {
    own_outcome(one) == own_outcome(other)
}

pub(crate) fn own_outcome(sight: &Sight) -> Outcome {
    if sight.is_torn() { Outcome::Passed } else { sight.outcome }
}

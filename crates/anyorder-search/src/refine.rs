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
    /// Tests that edges connect, as they stand in the reference order.
    parts: Vec<Vec<TestIndex>>,
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
    let mut refinement = Refinement { asker, parts: Vec::new(), graph, places, expected, refined };
    refinement.graph.parts().into_iter().for_each(|part| refinement.add_part(part));
    if refinement.run(most)? {
        refinement.give_up();
    }
    Ok(refinement.refined)
}

impl Refinement<'_, '_> {
    fn add_part(&mut self, part: BTreeSet<TestIndex>) {
        let mut part: Vec<TestIndex> = part.into_iter().collect();
        part.sort_by_key(|test| self.places[test]);
        self.parts.push(part);
    }

    /// Whether there were runs enough for all edges that can be turned.
    fn run(&mut self, most: u64) -> Result<bool, Halted> {
        let mut tried = 0;
        while tried < most {
            let turns = self.parts.iter().enumerate();
            let mut turns: Vec<(Edge, usize)> =
                turns.filter_map(|(at, part)| Some((self.choose(part)?, at))).collect();
            turns.truncate(usize::try_from(most - tried).unwrap_or(usize::MAX));
            if turns.is_empty() {
                return Ok(true);
            }
            tried += turns.len() as u64;
            let orders = turns.iter().map(|&(edge, at)| self.turned(&self.parts[at], edge)).collect();
            let runs = self.asker.orders(Purpose::Refine, 0, orders)?;
            for ((edge, at), steps) in turns.into_iter().zip(&runs) {
                self.settle(edge, at, steps)?;
            }
        }
        Ok(false)
    }

    /// The next edge to turn: one of the test that ran last. Where there is a choice, one that splits the part into large
    /// ones; else the one whose writer ran last.
    fn choose(&self, part: &[TestIndex]) -> Option<Edge> {
        part.iter().rev().find_map(|&reader| {
            let mut edges: Vec<Edge> = self.graph.earlier(reader).map(|writer| (writer, reader)).collect();
            edges.retain(|edge| self.refined.open.contains(edge));
            edges.sort_by_key(|edge| std::cmp::Reverse(self.places[&edge.0]));
            let first = edges.iter().position(|&edge| self.can_turn(edge))?;
            let ahead = edges[first..].iter().take(LOOK_AHEAD);
            let splitting = ahead.filter_map(|&edge| Some((self.graph.split(edge)?.len(), edge)));
            let sizes = splitting.map(|(size, edge)| (size.min(part.len() - size), edge));
            let best = sizes.filter(|(size, _)| *size > 1).max_by_key(|&(size, _)| size);
            Some(best.map_or(edges[first], |(_, edge)| edge))
        })
    }

    /// Whether an edge can be turned without breaking another one. All edges go forward in the reference order.
    fn can_turn(&self, edge: Edge) -> bool {
        let last = self.places[&edge.1];
        !self.graph.has_other_way(edge, |test| self.places[&test] < last)
    }

    /// A part in an order that keeps every edge but this one, which is turned; close to the reference order, and no longer
    /// than need be: the reader waits for nothing that waits for the writer, and the writer comes right behind it.
    fn turned(&self, part: &[TestIndex], (writer, reader): Edge) -> Vec<TestIndex> {
        let mut waiting = BTreeSet::from([writer]);
        let mut order = Vec::new();
        for &test in part.iter().take_while(|&&test| test != reader) {
            if waiting.contains(&test) {
                waiting.extend(self.graph.later(test));
            } else {
                order.push(test);
            }
        }
        order.extend([reader, writer]);
        order
    }

    fn settle(&mut self, edge: Edge, at: usize, steps: &[Step]) -> Result<(), Halted> {
        self.refined.open.remove(&edge);
        let ends = [edge.1, edge.0].map(|test| (test, sight_of(steps, test)));
        let is_told = ends.iter().all(|(test, end)| end.is_evidence() && self.expected[test].is_evidence());
        let changed = ends.into_iter().find(|(test, end)| !is_same(end, &self.expected[test]));
        match changed.filter(|_| is_told) {
            None if is_told => {
                self.refined.benign.insert(edge);
                self.remove(edge, at);
            }
            Some((test, end)) if self.is_confirmed(edge, at, test, &end)? => {
                let expected = self.expected[&test].clone();
                self.refined.manifest.insert(edge, (test, [expected, end]));
            }
            _ => {
                self.refined.untestable.insert(edge);
            }
        }
        Ok(())
    }

    /// Takes an edge out, and its part apart if nothing else holds that together.
    fn remove(&mut self, edge: Edge, at: usize) {
        let split = self.graph.split(edge);
        self.graph.remove(edge);
        if let Some(split) = split {
            let (one, other): (Vec<TestIndex>, Vec<TestIndex>) =
                self.parts[at].iter().partition(|test| split.contains(test));
            self.parts[at] = one;
            self.parts.push(other);
        }
    }

    /// Whether a test changes again, and not with the edge as it was.
    fn is_confirmed(&mut self, edge: Edge, at: usize, test: TestIndex, end: &Sight) -> Result<bool, Halted> {
        let part = &self.parts[at];
        let kept = part.iter().copied().take_while(|&test| test != edge.1).chain([edge.1]).collect();
        let runs = self.asker.orders(Purpose::Refine, 1, vec![self.turned(part, edge), kept])?;
        let [again, control] = [0, 1].map(|at| sight_of(&runs[at], test));
        Ok(is_same(&again, end) && is_same(&control, &self.expected[&test]))
    }

    /// No edge that is left can be turned.
    fn give_up(&mut self) {
        let stuck = std::mem::take(&mut self.refined.open);
        self.refined.untestable.extend(stuck);
    }
}

/// The same outcome, as far as can be told: an error of a fixture behind a test hides how it ended, unless it was red.
pub(crate) fn is_same(one: &Sight, other: &Sight) -> bool {
    let is_green = |sight: &Sight| sight.is_torn() || !sight.outcome.is_red();
    if one.is_torn() || other.is_torn() {
        is_green(one) && is_green(other)
    } else {
        one.outcome == other.outcome
    }
}

/// The outcome of a test without what a fixture does behind it.
pub(crate) fn own_outcome(sight: &Sight) -> Outcome {
    if sight.is_torn() { Outcome::Passed } else { sight.outcome }
}

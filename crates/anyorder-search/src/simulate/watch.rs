//! Watching simulated tests: the cells that each leaves changed, and those that it looked at.
//!
//! Knows the whole state, and hides of it what [`Eyes`] are too weak for, as a real agent would.

use std::collections::BTreeSet;

use anyorder_model::{Cell, CellKind, Step, TestIndex, Watch, WatchRecord, Watched};

use super::{SimSuite, World, charge, next};

/// How well tests are watched. The default sees everything.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Eyes {
    /// Cells whose changes are not seen.
    pub hidden: Vec<usize>,
    /// Cells that are seen as read by everybody.
    pub unnamed: Vec<usize>,
    /// Cells that look like caches.
    pub caches: Vec<usize>,
    /// The share of reads that are missed.
    pub missed: f64,
    /// The share of cells that a test only seems to read.
    pub imagined: f64,
}

impl SimSuite {
    pub(super) fn run_watch(&mut self, eyes: &Eyes, watch: &Watch) -> WatchRecord {
        let mut chance = self.chance;
        let mut flip =
            |world: &World, test: TestIndex, rate: f64| self.has_luck(world, test, rate, &mut chance);
        let mut world = self.fresh(None);
        self.run_into(&mut world, watch.prefix.tests(), &mut Vec::new(), &mut flip);
        let before = world.cells.clone();
        let mut watched: Vec<Watched> = Vec::new();
        let mut steps: Vec<Step> = Vec::new();
        let mut noise = None;
        for &test in watch.tests.tests() {
            let mark = world.cells.clone();
            world.looked = Some(Vec::new());
            self.run_into(&mut world, &[test], &mut steps, &mut flip);
            noise = self.tests[test.at()].rate.map(|_| self.watches).or(noise);
            watched.push(Watched {
                step: steps[steps.len() - 1].clone(),
                writes: self.changed(eyes, &mark, &world.cells, noise),
                reads: if watch.traces { self.reads(eyes, test, &world) } else { BTreeSet::new() },
                code: Vec::new(),
                opened: None,
            });
        }
        self.leave(&mut world, None).into_iter().for_each(|late| charge(&mut steps, late));
        watched.iter_mut().zip(steps).for_each(|(watched, step)| watched.step = step);
        let in_the_end = Some(self.changed(eyes, &before, &world.cells, noise));
        let is_bare = watch.tests.tests().last().is_some_and(|&test| !self.has_fixture(test));
        let mut then: Vec<Step> = Vec::new();
        let goes_on = is_bare || !watch.only_bare;
        let behind = if goes_on { watch.then.tests() } else { &[] };
        self.run_into(&mut world, behind, &mut then, &mut flip);
        self.leave(&mut world, None).into_iter().for_each(|late| charge(&mut then, late));
        self.chance = chance;
        self.runs += (watch.prefix.len() + watch.tests.len() + behind.len()) as u64;
        self.forks += 1;
        self.watches += 1;
        WatchRecord { watched, is_bare, in_the_end, then }
    }

    /// What differs between two states, as far as it is seen. Tests that fail at random leave other random numbers each time.
    fn changed(&self, eyes: &Eyes, before: &[u8], after: &[u8], noise: Option<u64>) -> Vec<Cell> {
        let is_seen = |at: &usize| before[*at] != after[*at] && !eyes.hidden.contains(at);
        let cells = (0..self.cells).filter(is_seen).map(|at| Cell {
            path: format!("shared.c{at}"),
            kind: if eyes.caches.contains(&at) { CellKind::Cache } else { CellKind::Global },
            before: before[at].to_string(),
            after: after[at].to_string(),
            names: if eyes.unnamed.contains(&at) { vec![] } else { vec![name(at)] },
            key: format!("c{at}={}", after[at]),
            place: at.to_string(),
        });
        cells.chain(noise.map(random_numbers)).collect()
    }

    /// The names of cells that the test looked at: some are missed, some are only imagined, always the same ones.
    fn reads(&self, eyes: &Eyes, test: TestIndex, world: &World) -> BTreeSet<String> {
        let looked = world.looked.as_deref().unwrap_or_default();
        let is_named = |at: &usize| {
            let mut luck = self.seed ^ ((u64::from(test.0) << 32) | *at as u64).wrapping_mul(0x9e37_79b9);
            let luck = next(&mut luck);
            if looked.contains(at) { luck >= eyes.missed } else { luck < eyes.imagined }
        };
        (0..self.cells).filter(is_named).map(name).collect()
    }
}

fn name(cell: usize) -> String {
    format!("shared.c{cell}")
}

fn random_numbers(noise: u64) -> Cell {
    Cell {
        path: "random".to_owned(),
        kind: CellKind::Process,
        before: "as seeded".to_owned(),
        after: "drawn".to_owned(),
        names: vec![],
        key: format!("random={noise}"),
        place: "random".to_owned(),
    }
}

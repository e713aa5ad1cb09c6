//! Dependencies between tests: through which state, and which of them decide an outcome.
//!
//! Knows where dependencies come from: from pairs, which need no order to compare with; and from reference orders, where
//! tests may depend on several others at once. What any of them shows counts.

use std::collections::{BTreeMap, BTreeSet};

use anyorder_model::{
    Coverage, DataEdge, Dependencies, Halted, Manifest, Oracle, Order, Profile, Purpose, Station, Step,
    TestIndex, Watch, Watched, Write,
};
use roaring::RoaringTreemap;

use crate::asker::Asker;
use crate::flow::{Flow, Traced};
use crate::graph::Edge;
use crate::pairs::{PairReport, pairs};
use crate::refine::{Refined, is_same, own_outcome, refine};
use crate::schedule::schedule;
use crate::settings::HuntSettings;
use crate::sight::Sight;

/// How dependencies are looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DepsSettings {
    /// Decides everything random.
    pub seed: u64,
    /// Orders whose data dependencies are refined; pairs from the fresh state if there are none.
    pub references: Vec<Order>,
    /// How many pairs run; 10 for each test, and 2,000 at least, if it is not told.
    pub pair_runs: Option<u64>,
    /// How many edges of each reference order are tried; 2 for each test, and 1,000 at least, if it is not told.
    pub edge_runs: Option<u64>,
}

/// What is known about dependencies.
#[derive(Clone, Debug)]
pub struct DepsReport {
    /// The dependencies.
    pub dependencies: Dependencies,
    /// How much was tried.
    pub coverage: Coverage,
    /// Why it ended early, if it did.
    pub stopped_early: Option<Halted>,
}

/// Finds the dependencies between all tests.
pub fn deps(oracle: &mut dyn Oracle, settings: &DepsSettings) -> DepsReport {
    let tests = oracle.suite().len();
    let mut known = Known::default();
    let (coverage, halted) = if settings.references.is_empty() {
        let pair_runs = settings.pair_runs.unwrap_or((10 * tests as u64).max(2_000));
        let hunt =
            HuntSettings { seed: settings.seed, pair_runs: Some(pair_runs), ..HuntSettings::default() };
        let report = pairs(oracle, &hunt);
        known.note_pairs(&report, tests);
        (report.coverage, report.stopped_early)
    } else {
        let mut asker = Asker::new(oracle);
        let edge_runs = settings.edge_runs.unwrap_or((2 * tests as u64).max(1_000));
        let mut orders = settings.references.iter();
        let result = orders.try_for_each(|reference| known.note_reference(&mut asker, reference, edge_runs));
        (asker.coverage(&RoaringTreemap::new()), result.err())
    };
    let mut report = DepsReport { dependencies: known.dependencies(tests), coverage, stopped_early: halted };
    if halted.is_none() {
        match known.try_schedule(&mut Asker::new(oracle), &report.dependencies.schedule) {
            Ok(unexpected) => report.dependencies.unexpected = Some(unexpected),
            Err(halted) => report.stopped_early = Some(halted),
        }
    }
    report
}

/// All that pairs or orders have shown so far.
#[derive(Default)]
struct Known {
    flow: Flow,
    /// By who runs before whom, and whose outcome that decides.
    manifest: BTreeMap<(Edge, TestIndex), Manifest>,
    untestable: BTreeMap<Edge, Vec<String>>,
    benign: BTreeSet<Edge>,
    open: BTreeSet<Edge>,
    /// How tests are expected to end; with several reference orders, as in the first.
    expected: BTreeMap<TestIndex, Sight>,
}

impl Known {
    /// Pairs need no expectation but the test alone. What a test is spared of has to come later, what it needs before.
    fn note_pairs(&mut self, report: &PairReport, tests: usize) {
        self.flow = Flow::new(report.profiles());
        for test in (0..).take(tests).map(TestIndex) {
            self.expected.extend(report.sight_alone(test).map(|alone| (test, alone.clone())));
        }
        let is_settled = report.settled_pairs();
        for pair in self.flow.pairs() {
            let known = if is_settled(pair) { &mut self.benign } else { &mut self.open };
            known.insert(pair);
        }
        for ((first, test), seen, is_inferred) in report.all_changes() {
            let Some(alone) = report.sight_alone(test).filter(|alone| !is_same(alone, &seen)) else {
                continue;
            };
            self.benign.remove(&(first, test));
            let is_set = alone.outcome.is_red() && !seen.outcome.is_red();
            let (edge, ends) = if is_set {
                self.expected.insert(test, seen.clone());
                ((first, test), [&seen, alone])
            } else {
                ((test, first), [alone, &seen])
            };
            let cells = self.flow.between(first, test);
            self.manifest.insert((edge, test), manifest(edge, test, ends, cells, is_inferred));
        }
    }

    /// Watches an order, and refines the data dependencies that it has.
    fn note_reference(
        &mut self,
        asker: &mut Asker<'_>,
        reference: &Order,
        edge_runs: u64,
    ) -> Result<(), Halted> {
        asker.begin(Station::Profile, Some(1));
        let mut known = BTreeSet::new();
        let reference: Order = reference.tests().iter().copied().filter(|&test| known.insert(test)).collect();
        let steps = asker.orders(Purpose::Refine, 0, vec![reference.0.clone()])?.remove(0);
        let watch = Watch::new(Order::default(), reference.clone());
        let record = asker.watch(watch)?;
        let mut traced = Traced::default();
        record.watched.iter().for_each(|watched| traced.note(watched));
        self.flow.merge(Flow::new(&record.watched.into_iter().map(profile_of).collect::<Vec<_>>()));
        let edges: BTreeSet<Edge> = traced.edges().collect();
        asker.begin(Station::Refine, Some(edge_runs.min(edges.len() as u64)));
        for step in &steps {
            self.expected.entry(step.test).or_insert_with(|| step.into());
        }
        let refined = refine(asker, &steps, edges, edge_runs)?;
        self.unite(refined, &traced);
        Ok(())
    }

    /// Adds what one reference order has shown: what matters anywhere does, and what was tried anywhere is not open.
    fn unite(&mut self, refined: Refined, traced: &Traced) {
        for (edge, (test, [expected, otherwise])) in refined.manifest {
            let manifest = manifest(edge, test, [&expected, &otherwise], traced.cells(edge), false);
            self.manifest.insert((edge, test), manifest);
        }
        self.benign.extend(refined.benign);
        self.open.extend(refined.open);
        self.untestable.extend(refined.untestable.into_iter().map(|edge| (edge, traced.cells(edge))));
        let shown: BTreeSet<Edge> = self.manifest.keys().map(|(edge, _)| *edge).collect();
        self.benign.retain(|edge| !shown.contains(edge));
        self.untestable.retain(|edge, _| !shown.contains(edge) && !self.benign.contains(edge));
        self.open.retain(|edge| {
            !shown.contains(edge) && !self.benign.contains(edge) && !self.untestable.contains_key(edge)
        });
    }

    fn dependencies(&self, tests: usize) -> Dependencies {
        let manifest: Vec<Manifest> = self.manifest.values().cloned().collect();
        let untestable = self.untestable.iter();
        let untestable =
            untestable.map(|(&(writer, reader), cells)| DataEdge { writer, reader, cells: cells.clone() });
        let schedule = schedule(tests, &manifest);
        Dependencies {
            data: self.flow.shared(),
            data_pairs: self.flow.pairs().count() as u64,
            untestable: untestable.collect(),
            benign: self.benign.len() as u64,
            open: self.open.len() as u64,
            schedule: schedule.order,
            conflicts: schedule.conflicts,
            parallel: schedule.parallel,
            unexpected: None,
            manifest,
        }
    }

    /// Runs the schedule; which tests do not end as expected.
    fn try_schedule(&self, asker: &mut Asker<'_>, schedule: &Order) -> Result<Vec<TestIndex>, Halted> {
        if schedule.is_empty() {
            return Ok(Vec::new());
        }
        let steps = asker.orders(Purpose::Refine, 2, vec![schedule.0.clone()])?.remove(0);
        let is_expected = |step: &&Step| {
            self.expected.get(&step.test).is_none_or(|expected| is_same(expected, &Sight::from(*step)))
        };
        let unexpected = steps.iter().filter(|step| !is_expected(step)).map(|step| step.test);
        let unexpected: BTreeSet<TestIndex> = unexpected.collect();
        Ok(unexpected.into_iter().collect())
    }
}

fn manifest(
    (before, after): Edge,
    test: TestIndex,
    [expected, otherwise]: [&Sight; 2],
    cells: Vec<String>,
    is_inferred: bool,
) -> Manifest {
    let [expected, otherwise] = [expected, otherwise].map(own_outcome);
    Manifest { before, after, test, expected, otherwise, cells, is_inferred }
}

/// What a test did in an order, as a profile.
fn profile_of(watched: Watched) -> Profile {
    let write = |cell| Write { cell, is_torn_down: false, is_unstable: false, is_elsewhere: true };
    Profile {
        test: watched.step.test,
        alone: watched.step,
        again: None,
        writes: watched.writes.into_iter().map(write).collect(),
        reads: watched.reads,
        code: watched.code,
        opened: watched.opened,
    }
}

//! Calibration: are forks to be trusted here?
//!
//! Before other orders are believed, the original order is compared between a fork and the plain runner, and so are a few
//! tests alone. A test that differs, and does so again, leaves the fast path: orders with it run in processes of their
//! own. One that differs only because the plain runner imports less is not the fork's fault: then the import of another
//! file changes its outcome, and that file is named.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use anyorder_engine::{Engine, EngineError, Isolation, PlainAsk, Rung};
use anyorder_model::{Event, Order, Outcome, Plan, Progress, RunRecord, TestIndex};
use anyorder_search::{Shrunk, sample, shrink};

use crate::failure::Failure;
use crate::session::{Session, run_once};

/// How many tests are compared alone.
const SAMPLE: usize = 2;

/// What each test ended in.
type Outcomes = BTreeMap<TestIndex, Outcome>;

pub(crate) struct Calibration<'a> {
    engine: &'a Engine,
    /// How long one plain run of the suite should take.
    expected: Duration,
}

impl<'a> Calibration<'a> {
    pub(crate) fn new(engine: &'a Engine, expected: Duration) -> Self {
        Calibration { engine, expected }
    }

    /// Compares, tells what differs, and takes what cannot be trusted off the fast path. `original` is the original order as
    /// a fork ran it; whether that can be trusted is the answer.
    pub(crate) fn trusts(&self, session: &mut Session<'_>, original: &RunRecord) -> Result<bool, Failure> {
        if self.engine.isolation() == Isolation::Process {
            return Ok(true);
        }
        match self.compare(session, original) {
            Ok(()) | Err(EngineError::Cancelled) => Ok(self.engine.trusts_all()),
            Err(error) => Err(error.into()),
        }
    }

    fn compare(&self, session: &mut Session<'_>, original: &RunRecord) -> Result<(), EngineError> {
        let order = Order::original(self.engine.suite());
        let plain = self.plain(session, PlainAsk::new(&order).on(Rung::Plain))?;
        if plain.is_empty() {
            session.tell(&Event::Notice {
                text: "the plain runner gave no results, so forks could not be compared with it".to_owned(),
                hint: Some("`anyorder doctor` looks at the suite".to_owned()),
            });
            return Ok(());
        }
        let mut forked = outcomes(original);
        if !self.engine.ready().connections.is_empty() {
            // The first fork had what it found in the connections to itself.
            forked = self.fork(order.clone())?.unwrap_or(forked);
        }
        let different = differing(&forked, &plain);
        if !different.is_empty() {
            self.look_closer(session, &order, &different)?;
        }
        for test in sample(self.engine.suite(), SAMPLE, self.engine.settings().seed) {
            if !different.contains(&test) {
                self.compare_alone(session, test)?;
            }
        }
        Ok(())
    }

    /// A test that differs again in a fork, and not in a process of the agent's own, is not for forks.
    fn look_closer(
        &self,
        session: &mut Session<'_>,
        order: &Order,
        different: &[TestIndex],
    ) -> Result<(), EngineError> {
        let ask = PlainAsk::new(order).on(Rung::Plain);
        let (plain, forked) = (self.plain(session, ask)?, self.fork(order.clone())?.unwrap_or_default());
        let again = differing(&forked, &plain);
        for &test in different.iter().filter(|test| again.contains(test)) {
            self.distrust(session, test, forked[&test], plain[&test]);
        }
        Ok(())
    }

    fn compare_alone(&self, session: &mut Session<'_>, test: TestIndex) -> Result<(), EngineError> {
        let order = Order(vec![test]);
        let by_id = PlainAsk::new(&order).on(Rung::Plain);
        let mut seen = None;
        for _ in 0..2 {
            let forked = self.fork(order.clone())?.and_then(|forked| forked.get(&test).copied());
            let plain = self.plain(session, by_id)?.get(&test).copied();
            let Some(both) = forked.zip(plain).filter(|(forked, plain)| is_different(*forked, *plain)) else {
                return Ok(());
            };
            seen = Some(both);
        }
        let (forked, plain) = seen.expect("it was compared twice");
        let all = PlainAsk::new(&order).on(Rung::PlainOrdered);
        let with_imports = self.plain(session, all)?.get(&test).copied();
        if with_imports.is_none_or(|outcome| is_different(outcome, forked)) {
            self.distrust(session, test, forked, plain);
            return Ok(());
        }
        let file = self.import_that_matters(session, test, forked)?;
        session.tell(&imports_matter(self.engine, test, plain, forked, &file));
        Ok(())
    }

    /// The file whose import alone gives `test` the outcome that it has when everything is imported.
    fn import_that_matters(
        &self,
        session: &mut Session<'_>,
        test: TestIndex,
        outcome: Outcome,
    ) -> Result<Vec<String>, EngineError> {
        let suite = self.engine.suite();
        let own = suite.test(test).file.clone();
        let mut files: Vec<String> = suite.tests().iter().map(|test| test.file.clone()).collect();
        files.dedup();
        files.retain(|file| *file != own);
        let order = Order(vec![test]);
        let root = Path::new(&self.engine.hello().root);
        let holds = |files: &[String]| {
            let named = files.iter().chain([&own]).map(|file| root.join(file).display().to_string());
            let collected: Vec<String> = named.collect();
            let ask =
                PlainAsk { collected: Some(&collected), ..PlainAsk::new(&order).on(Rung::PlainOrdered) };
            Ok::<_, EngineError>(self.plain(session, ask)?.get(&test) == Some(&outcome))
        };
        match shrink(&files, usize::MAX, holds)? {
            Shrunk::Minimal(files) | Shrunk::Unfinished(files) => Ok(files),
        }
    }

    fn distrust(&self, session: &mut Session<'_>, test: TestIndex, forked: Outcome, plain: Outcome) {
        self.engine.distrust([test]);
        let ready = self.engine.ready();
        let reason = match (&ready.threads[..], &ready.connections[..]) {
            ([], []) => "the reason cannot be seen from outside".to_owned(),
            ([], connections) => {
                format!("forks share a connection that was made at import ({})", connections.join(", "))
            }
            (threads, _) => {
                format!("a fork lacks the threads that were started at import ({})", threads.join(", "))
            }
        };
        session.tell(&Event::Notice {
            text: format!(
                "{} {forked} in a fork and {plain} in a plain run: {reason}",
                self.engine.suite().id(test)
            ),
            hint: Some(
                "orders with it run in processes of their own, which is slower; everything else is forked"
                    .to_owned(),
            ),
        });
    }

    /// What a fork saw of `order`; `None` if it was interrupted.
    fn fork(&self, order: Order) -> Result<Option<Outcomes>, EngineError> {
        Ok(run_once(self.engine, order)?.as_ref().map(outcomes))
    }

    fn plain(&self, session: &mut Session<'_>, ask: PlainAsk<'_>) -> Result<Outcomes, EngineError> {
        session.tell(&Event::Planned(Plan {
            strategy: "plain".to_owned(),
            orders: 1,
            seed: self.engine.settings().seed,
            workers: 1,
            isolation: Isolation::Process.name(),
        }));
        let is_whole = ask.order.len() == self.engine.suite().len();
        let run = self.engine.run_plain(ask, |elapsed| {
            let share = elapsed.as_secs_f64() / self.expected.as_secs_f64();
            let share = if is_whole { share.min(0.99) } else { 0.0 };
            session.tell(&Event::Progressed(Progress { orders_done: 0, orders: 1, share, running: None }));
        })?;
        Ok(outcomes(&run.record))
    }
}

fn imports_matter(
    engine: &Engine,
    test: TestIndex,
    plain: Outcome,
    with: Outcome,
    files: &[String],
) -> Event {
    let test = engine.suite().id(test);
    let files = files.join(" and ");
    Event::Notice {
        text: format!(
            "{test} {plain} alone, and {with} alone when {files} is imported too: the import changes state"
        ),
        hint: Some(format!("look for what {files} does when it is imported")),
    }
}

/// What every test that was reached ended in.
fn outcomes(record: &RunRecord) -> Outcomes {
    let reached = record.steps.iter().filter(|step| step.outcome != Outcome::NotReached);
    reached.map(|step| (step.test, step.outcome)).collect()
}

fn differing(forked: &Outcomes, plain: &Outcomes) -> Vec<TestIndex> {
    let both = forked.iter().filter_map(|(test, outcome)| Some((*test, *outcome, *plain.get(test)?)));
    both.filter(|(_, forked, plain)| is_different(*forked, *plain)).map(|(test, ..)| test).collect()
}

/// The plain runner's results do not know an unexpected pass, nor what ended the process.
fn is_different(forked: Outcome, plain: Outcome) -> bool {
    let plainly = |outcome| match outcome {
        Outcome::Xpassed => Outcome::Passed,
        Outcome::TimedOut => Outcome::Crashed,
        other => other,
    };
    plainly(forked) != plainly(plain)
}

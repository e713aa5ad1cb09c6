//! Calibration: are forks to be trusted here?
//!
//! Before other orders are believed, the original order is compared between a fork and the plain runner, and so are a few
//! tests alone. A test that differs, and does so again, leaves the fast path: orders with it run in processes of their
//! own. One that differs only because the plain runner imports less is not the fork's fault: then the import of another
//! file changes its outcome, and that file is named.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use anyorder_engine::{Engine, EngineError, Isolation, PlainRequest, Rung};
use anyorder_model::{Aim, Event, Order, Outcome, Plan, Progress, RunRecord, TestIndex};
use anyorder_search::{Shrunk, sample, shrink};

use crate::failure::Failure;
use crate::session::{Session, run_once};

/// How many tests are compared alone.
const SAMPLE: usize = 2;

/// How often a difference has to come again: a test that fails at random does so by chance in fewer than 1 of 100 suites.
const MORE_FORKS: u32 = 5;
const MORE_PLAIN_RUNS: u32 = 2;

/// What each test ended in.
type Outcomes = BTreeMap<TestIndex, Outcome>;

pub(crate) struct Calibration<'a> {
    engine: &'a Engine,
    /// How long one plain run of the suite should take.
    expected: Duration,
    /// Seconds of CPU that a plain run of the suite took.
    suite_cpu_s: Cell<Option<f64>>,
}

impl<'a> Calibration<'a> {
    pub(crate) fn new(engine: &'a Engine, expected: Duration) -> Self {
        Calibration { engine, expected, suite_cpu_s: Cell::new(None) }
    }

    /// Seconds of CPU that one plain run of the suite takes, once it was run.
    pub(crate) fn suite_cpu_s(&self) -> Option<f64> {
        self.suite_cpu_s.get()
    }

    /// Compares, tells what differs, and takes what cannot be trusted off the fast path. `original` is the original order as
    /// a fork ran it; whether that can be trusted is the answer.
    pub(crate) fn trusts(&self, session: &mut Session<'_>, original: &RunRecord) -> Result<bool, Failure> {
        if let Some(notice) = differs_from_the_users_run(self.engine, original) {
            session.tell(&notice);
        }
        if self.engine.isolation() == Isolation::Process || self.engine.settings().trusts_forks {
            return Ok(true);
        }
        match self.compare(session, original) {
            Ok(()) | Err(EngineError::Cancelled) => Ok(self.engine.trusts_all()),
            Err(error) => Err(error.into()),
        }
    }

    fn compare(&self, session: &mut Session<'_>, original: &RunRecord) -> Result<(), EngineError> {
        let Some((order, mut forked)) = self.order_that_ends(original)? else {
            session.tell(&Event::Notice {
                text:
                    "tests end the process or take too long, so forks could not be compared with plain runs"
                        .to_owned(),
                hint: None,
            });
            return Ok(());
        };
        let plain = self.plain(session, PlainRequest::new(&order))?;
        if plain.is_empty() {
            session.tell(&Event::Notice {
                text: "the plain runner gave no results, so forks could not be compared with it".to_owned(),
                hint: Some("`anyorder doctor` looks at the suite".to_owned()),
            });
            return Ok(());
        }
        if !self.engine.ready().connections.is_empty() {
            // The first fork had what it found in the connections to itself.
            forked = self.fork(order.clone())?.unwrap_or(forked);
        }
        let different = differing(&forked, &plain);
        let differs = |test: &TestIndex| different.contains_key(test);
        let chosen = sample(self.engine.suite(), SAMPLE, self.engine.settings().seed);
        let chosen: Vec<TestIndex> =
            chosen.into_iter().filter(|test| order.tests().contains(test) && !differs(test)).collect();
        if !different.is_empty() {
            self.look_closer(session, &order, different)?;
        }
        chosen.into_iter().try_for_each(|test| self.compare_alone(session, test))
    }

    /// The original order without the tests that end the process or run out of time, and what a fork saw of it.
    fn order_that_ends(&self, original: &RunRecord) -> Result<Option<(Order, Outcomes)>, EngineError> {
        const TRIES: u32 = 4;
        let mut record = original.clone();
        for _ in 0..TRIES {
            let ends_it = |outcome| matches!(outcome, Outcome::Crashed | Outcome::TimedOut);
            if !record.steps.iter().any(|step| ends_it(step.outcome)) {
                return Ok(Some((record.asked.clone(), outcomes(&record))));
            }
            let rest = record.steps.iter().filter(|step| !ends_it(step.outcome)).map(|step| step.test);
            match run_once(self.engine, rest.collect())? {
                Some(next) => record = next,
                None => return Err(EngineError::Cancelled),
            }
        }
        Ok(None)
    }

    /// A test that is always one thing in forks, and always another in plain runs, is not for forks. One that merely varies
    /// is left alone.
    fn look_closer(
        &self,
        session: &mut Session<'_>,
        order: &Order,
        mut different: BTreeMap<TestIndex, (Outcome, Outcome)>,
    ) -> Result<(), EngineError> {
        let keep = |different: &mut BTreeMap<TestIndex, (Outcome, Outcome)>,
                    seen: &Outcomes,
                    is_fork: bool| {
            different
                .retain(|test, (forked, plain)| seen.get(test) == Some(if is_fork { forked } else { plain }));
        };
        for _ in 0..MORE_FORKS {
            if different.is_empty() {
                return Ok(());
            }
            let forked = self.fork(order.clone())?.unwrap_or_default();
            keep(&mut different, &forked, true);
        }
        for _ in 0..MORE_PLAIN_RUNS {
            if different.is_empty() {
                return Ok(());
            }
            let plain = self.plain(session, PlainRequest::new(order))?;
            keep(&mut different, &plain, false);
        }
        for (test, (forked, plain)) in different {
            self.distrust(session, test, forked, plain);
        }
        Ok(())
    }

    fn compare_alone(&self, session: &mut Session<'_>, test: TestIndex) -> Result<(), EngineError> {
        let order = Order(vec![test]);
        let by_id = PlainRequest::new(&order).on(Rung::Plain);
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
        let all = PlainRequest::new(&order).on(Rung::PlainOrdered);
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
            let ask = PlainRequest {
                collected: Some(&collected),
                ..PlainRequest::new(&order).on(Rung::PlainOrdered)
            };
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

    fn plain(&self, session: &mut Session<'_>, ask: PlainRequest<'_>) -> Result<Outcomes, EngineError> {
        session.tell(&Event::Planned(Plan {
            strategy: "plain".to_owned(),
            orders: 1,
            seed: self.engine.settings().seed,
            workers: 1,
            isolation: Isolation::Process.name(),
            aim: Aim::Differences,
        }));
        let is_whole = *ask.order == Order::original(self.engine.suite());
        let before = self.engine.cost().cpu_s;
        let run = self.engine.run_plain(ask, |elapsed| {
            let share = elapsed.as_secs_f64() / self.expected.as_secs_f64();
            let share = if is_whole { share.min(0.99) } else { 0.0 };
            session.tell(&Event::Progressed(Progress { orders_done: 0, orders: 1, share, running: None }));
        })?;
        if is_whole {
            self.suite_cpu_s.set(Some(self.engine.cost().cpu_s - before));
        }
        Ok(outcomes(&run.record))
    }
}

/// Tests that ended otherwise than when the user's own runner ran them all, where the driver has seen that.
pub(crate) fn differs_from_the_users_run(engine: &Engine, original: &RunRecord) -> Option<Event> {
    const SHOWN: usize = 5;
    let suite = engine.suite();
    let known = engine.driver().known_outcomes().iter();
    let known: Outcomes = known.filter_map(|(id, outcome)| Some((suite.index_of(id)?, *outcome))).collect();
    let mut different = differing(&outcomes(original), &known);
    different.retain(|_, (here, there)| here.is_red() != there.is_red() || !here.is_red());
    let lines = different
        .iter()
        .map(|(test, (here, there))| format!("{}: {here} here, {there} there", suite.id(*test)));
    let mut lines: Vec<String> = lines.take(SHOWN).collect();
    if different.len() > SHOWN {
        lines.push(format!("and {} more", different.len() - SHOWN));
    }
    (!different.is_empty()).then(|| Event::Notice {
        text: format!(
            "{} of {} tests ended otherwise here than in the run of the project's own build\n{}",
            different.len(),
            known.len(),
            lines.join("\n")
        ),
        hint: Some("other orders are compared with what happened here".to_owned()),
    })
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

/// What each test that differs was in the fork, and in the plain run.
fn differing(forked: &Outcomes, plain: &Outcomes) -> BTreeMap<TestIndex, (Outcome, Outcome)> {
    let both = forked.iter().filter_map(|(test, outcome)| Some((*test, (*outcome, *plain.get(test)?))));
    both.filter(|(_, (forked, plain))| is_different(*forked, *plain)).collect()
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

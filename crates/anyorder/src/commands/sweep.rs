//! `anyorder sweep`: other orders, and the tests whose outcome changes in them.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use anyorder_config::Budget;
use anyorder_engine::{Engine, EngineError, Update};
use anyorder_model::{
    Aim, Coverage, Differs, Event, Order, Plan, Progress, RunRecord, Sighting, format_order_file,
};
use anyorder_report::Terminal;
use anyorder_search::{Comparison, Strategy, Successions, batches};

use crate::args::{SweepArgs, parse_strategy};
use crate::calibration::Calibration;
use crate::exit_code::Exit;
use crate::failure::Failure;
use crate::project::Project;
use crate::session::{Done, Session, ends_its_parent, run_once, total_duration};
use crate::shell;

pub(crate) fn run(args: &SweepArgs, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let mut session = Session::new(terminal, &args.suite.how, false)?;
    let project = Project::open(&args.suite.how, &mut session)?;
    let sweep = Sweep::new(args, &project)?;
    let suites = project.suites(&mut session, &args.suite)?;
    session.each_suite(suites, &args.suite.targets, |session, engine, took| {
        sweep.suite(session, engine, &project, took)
    })
}

struct Sweep {
    strategy: Strategy,
    rounds: u64,
    seed: u64,
    budget: Option<Budget>,
    /// What to type behind `anyorder replay FILE`.
    typed: Vec<String>,
}

impl Sweep {
    fn new(args: &SweepArgs, project: &Project) -> Result<Self, Failure> {
        let strategy =
            args.strategy.or(project.config.get("strategy", parse_strategy)?).unwrap_or(Strategy::Random);
        let rounds =
            args.rounds.or(project.config.get("rounds", |text| text.parse().map_err(|e| format!("{e}")))?);
        Ok(Sweep {
            strategy,
            rounds: rounds.unwrap_or(strategy.default_rounds()),
            seed: project.settings.seed,
            budget: args.budget.or(project.config.get("budget", str::parse)?),
            typed: args.suite.typed_again(),
        })
    }

    /// The original order first, then all others, compared with it.
    fn suite(
        &self,
        session: &mut Session<'_>,
        engine: &Engine,
        project: &Project,
        took: Duration,
    ) -> Result<Done, Failure> {
        let begun = Instant::now();
        let Some(mut original) = self.original(engine, session)? else { return Ok(interrupted()) };
        let suite_time = took + total_duration(&original);
        if !Calibration::new(engine, suite_time).trusts(session, &original)? {
            original = self.original(engine, session)?.unwrap_or(original);
        }
        session.tell(&Event::Original { tally: original.tally(), took: total_duration(&original) });
        let deadline = self.budget.map(|budget| begun + budget.allowance(suite_time));
        let mut comparison = Comparison::new(&original);
        let mut successions = Successions::new(engine.suite().len());
        successions.note(&original.order_that_ran());
        let stopped_early = self.orders(session, engine, deadline, |number, record| {
            comparison.note(number, record);
            successions.note(&record.order_that_ran());
        })?;
        let coverage = Coverage { tests_compared: comparison.compared(), ..successions.coverage() };
        let mut differing = comparison.differing();
        if !session.cancel.is_cancelled() {
            run_again_alone(engine, &mut differing)?;
        }
        self.save_orders(engine, project, &mut differing)?;
        let has_found = differing.iter().any(|differs| differs.repeats != Some(false));
        let exit = match (has_found, stopped_early) {
            (true, _) => Exit::Found,
            (false, Some(_)) => Exit::Unfinished,
            (false, None) => Exit::Nothing,
        };
        let closing = move |cost| {
            let differing = differing.into_iter().map(Event::Differs);
            differing.chain([Event::Finished { coverage: Some(coverage), cost, stopped_early }]).collect()
        };
        Ok(Done { exit, closing: Box::new(closing) })
    }

    /// `None` if it was interrupted.
    fn original(&self, engine: &Engine, session: &mut Session<'_>) -> Result<Option<RunRecord>, Failure> {
        let order = Order::original(engine.suite());
        let mut original = None;
        self.watch(session, engine, 1, vec![vec![order]].into_iter(), None, |_, record| {
            original = Some(record.clone());
        })?;
        Ok(original)
    }

    fn orders(
        &self,
        session: &mut Session<'_>,
        engine: &Engine,
        deadline: Option<Instant>,
        note: impl FnMut(u64, &RunRecord),
    ) -> Result<Option<&'static str>, Failure> {
        let orders = self.rounds.saturating_mul(self.strategy.orders_per_round(engine.suite().len()));
        let batches = batches(self.strategy, engine.suite(), self.rounds, self.seed);
        self.watch(session, engine, orders, batches, deadline, note)
    }

    /// Runs `batches` and tells of the progress. Gives the reason if it ended before all had run.
    fn watch(
        &self,
        session: &mut Session<'_>,
        engine: &Engine,
        orders: u64,
        batches: impl Iterator<Item = Vec<Order>> + Send,
        deadline: Option<Instant>,
        mut note: impl FnMut(u64, &RunRecord),
    ) -> Result<Option<&'static str>, Failure> {
        session.tell(&Event::Planned(Plan {
            strategy: self.strategy.name().to_owned(),
            orders,
            seed: self.seed,
            workers: engine.settings().workers,
            isolation: engine.isolation().name(),
            aim: Aim::Differences,
        }));
        let mut progress = Progress { orders_done: 0, orders, share: 0.0, running: None };
        let tests_per_order = if orders == 1 {
            engine.suite().len()
        } else {
            self.strategy.tests_per_order(engine.suite().len())
        };
        let whole = orders as f64 * tests_per_order as f64;
        let mut runs_before = None;
        let mut out_of_time = false;
        let ended = engine.run(batches, |update| {
            match update {
                Update::Ran { number, record } => {
                    progress.orders_done += 1;
                    note(number, &record);
                }
                Update::EndsItsParent { test } => session.tell(&ends_its_parent(engine, test)),
                Update::Tick { running, test_runs } => {
                    let before = *runs_before.get_or_insert(test_runs);
                    let by_tests = (test_runs - before) as f64 / whole;
                    progress.share =
                        by_tests.max(progress.orders_done as f64 / orders.max(1) as f64).min(1.0);
                    progress.running = running;
                    session.tell(&Event::Progressed(progress.clone()));
                }
            }
            out_of_time = deadline.is_some_and(|deadline| Instant::now() > deadline);
            if out_of_time { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        Ok(match ended {
            _ if progress.orders_done == orders => None,
            _ if out_of_time => Some("the budget is spent"),
            Ok(()) | Err(EngineError::Cancelled) => Some("interrupted"),
            Err(error) if progress.orders_done == 0 => return Err(error.into()),
            Err(error) => {
                // What is known by now is worth telling.
                let hint = error.evidence_and_hint().1;
                session.tell(&Event::Notice { text: error.to_string(), hint });
                Some("the suite could not be run any more")
            }
        })
    }

    /// Writes down the first order in which each test differs, so that it can be replayed.
    fn save_orders(
        &self,
        engine: &Engine,
        project: &Project,
        differing: &mut [Differs],
    ) -> Result<(), Failure> {
        if differing.is_empty() {
            return Ok(());
        }
        let directory = project.state_directory("orders")?;
        let suite =
            if engine.session() == 0 { String::new() } else { format!("suite-{}-", engine.session() + 1) };
        for differs in differing {
            let (number, test) = (differs.first.number, differs.test.0);
            let name = format!("{suite}{}-{}-{number}-{test}.txt", self.strategy.name(), self.seed);
            let path = directory.join(&name);
            let text = format_order_file(differs.first.order.ids(engine.suite()));
            std::fs::write(&path, text)
                .map_err(|error| Failure::unwritable(&path, &error, "free some space"))?;
            let saved = format!(".anyorder/orders/{name}");
            let typed = self.typed.iter().map(String::as_str);
            differs.first.replay = Some(shell::join(["anyorder", "replay", &saved].into_iter().chain(typed)));
            differs.first.saved = Some(saved);
        }
        Ok(())
    }
}

/// Orders that run side by side share the disk and the network, and some tests differ by themselves. So an order in which
/// a test differed runs once more, with nothing beside it; if the difference does not come again, the test's next one.
fn run_again_alone(engine: &Engine, differing: &mut [Differs]) -> Result<(), Failure> {
    let tries = differing.iter().map(|differs| 1 + differs.later.len()).max().unwrap_or(0);
    for attempt in 0..tries {
        let is_open =
            |differs: &Differs| differs.repeats != Some(true) && sighting(differs, attempt).is_some();
        for (number, order) in longest_orders(differing.iter().filter(|differs| is_open(differs)), attempt) {
            let Some(record) = run_once(engine, order)? else { return Ok(()) };
            for differs in differing.iter_mut().filter(|differs| is_open(differs)) {
                if sighting(differs, attempt).is_some_and(|seen| seen.number == number) {
                    settle(differs, attempt, &record);
                }
            }
        }
    }
    Ok(())
}

fn sighting(differs: &Differs, attempt: usize) -> Option<&Sighting> {
    std::iter::once(&differs.first).chain(&differs.later).nth(attempt)
}

/// One order for each number: tests that differed in the same order saw different lengths of it.
fn longest_orders<'a>(differing: impl Iterator<Item = &'a Differs>, attempt: usize) -> BTreeMap<u64, Order> {
    let mut longest: BTreeMap<u64, Order> = BTreeMap::new();
    for Sighting { number, order, .. } in differing.filter_map(|differs| sighting(differs, attempt)) {
        let known = longest.entry(*number).or_default();
        if known.len() < order.len() {
            known.clone_from(order);
        }
    }
    longest
}

/// Notes whether the difference has come again; if so, it is the one to show.
fn settle(differs: &mut Differs, attempt: usize, record: &RunRecord) {
    let Some(seen) = sighting(differs, attempt) else { return };
    let again = record.steps.get(seen.order.len() - 1);
    let again = again.filter(|step| step.test == differs.test && step.outcome == seen.outcome);
    differs.repeats = Some(again.is_some());
    let Some(again) = again else { return };
    if attempt > 0 {
        std::mem::swap(&mut differs.first, &mut differs.later[attempt - 1]);
    }
    differs.first.signature.clone_from(&again.signature);
}

fn interrupted() -> Done {
    let closing = |cost| vec![Event::Finished { coverage: None, cost, stopped_early: Some("interrupted") }];
    Done { exit: Exit::Interrupted, closing: Box::new(closing) }
}

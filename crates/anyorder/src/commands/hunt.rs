//! `anyorder hunt`, and `anyorder` alone: all stations, one after the other; or one order, looked into.

use std::time::{Duration, Instant};

use anyorder_config::Budget;
use anyorder_engine::{Engine, Isolation};
use anyorder_explain::{ExplainSettings, explain};
use anyorder_model::{Aim, Event, Fan, Halted, Oracle, Order, Plan, Purpose, RunRecord, TestId};
use anyorder_report::Terminal;
use anyorder_search::{HuntReport, HuntSettings, Noise, Sweep, default_rounds, hunt, investigate};

use super::profile::noise;
use crate::args::HuntArgs;
use crate::calibration::Calibration;
use crate::exit_code::Exit;
use crate::failure::Failure;
use crate::oracle::EngineOracle;
use crate::order_file::{order_of, read_order};
use crate::project::Project;
use crate::recorded::{Again, Earlier, Outcome, Recorded};
use crate::session::{Done, Session, total_duration};

pub(crate) fn run(args: &HuntArgs, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let mut session = Session::new(terminal, &args.suite.how, false)?;
    let project = Project::open(&args.suite.how, &mut session)?.recording();
    session.keep(&project.directory, "hunt");
    let hunter = Hunter::new(args, &project)?;
    let suites = project.suites(&mut session, &args.suite)?;
    session.each_suite(suites, &args.suite.targets, |session, engine, took| {
        hunter.suite(session, engine, &project, took)
    })
}

/// What was typed for a hunt.
#[derive(Default)]
pub(crate) struct Hunter {
    pub(crate) sweep: Sweep,
    pub(crate) rounds: Option<u64>,
    /// Whether one group of partners for each finding is enough.
    pub(crate) is_quick: bool,
    pub(crate) plain_pairs: Option<u32>,
    /// Whether the state behind findings is not looked for.
    pub(crate) leaves_unexplained: bool,
    pub(crate) noise: Noise,
    pub(crate) budget: Option<Budget>,
    /// The only order to look into.
    pub(crate) order: Option<(std::path::PathBuf, Vec<TestId>)>,
    /// What decides which tests there are.
    pub(crate) choice: Vec<String>,
}

impl Hunter {
    fn new(args: &HuntArgs, project: &Project) -> Result<Self, Failure> {
        let rounds = project.config.get("rounds", |text| text.parse().map_err(|error| format!("{error}")))?;
        let order = args
            .order
            .as_ref()
            .map(|file| Ok::<_, Failure>((file.clone(), read_order(&project.directory, file)?)));
        Ok(Hunter {
            sweep: args.sweep,
            rounds: args.rounds.or(rounds),
            is_quick: args.quick,
            plain_pairs: Some(args.plain_pairs),
            leaves_unexplained: args.no_explain,
            noise: noise(&[], project)?,
            budget: args.budget.or(project.config.get("budget", str::parse)?),
            order: order.transpose()?,
            choice: args.suite.choice(),
        })
    }

    pub(crate) fn suite(
        &self,
        session: &mut Session<'_>,
        engine: &Engine,
        project: &Project,
        took: Duration,
    ) -> Result<Done, Failure> {
        let begun = Instant::now();
        let order = self.order.as_ref().map(|(file, ids)| order_of(engine.suite(), file, ids)).transpose()?;
        let recorded = Recorded {
            engine,
            project,
            choice: &self.choice,
            budget: self.budget_words(engine),
            tries_again: if order.is_none() { Again::All } else { Again::Nothing },
            replays_foreign: order.is_none(),
            expects_changes: false,
        };
        recorded.carry_out(session, |oracle, earlier| {
            let settings = self.settings(engine, earlier);
            let Some(order) = &order else { return self.whole(oracle, engine, &settings, begun, took) };
            oracle.limit(begun, self.budget.map(|budget| budget.allowance(took)));
            oracle.session().tell(&Event::Planned(self.plan(engine)));
            let report = investigate(oracle, order, &settings);
            Ok(Some((self.explained(oracle, engine, report), None)))
        })
    }

    pub(super) fn settings(&self, engine: &Engine, earlier: Earlier) -> HuntSettings {
        let usual = HuntSettings::default();
        HuntSettings {
            seed: engine.settings().seed,
            sweep: self.sweep,
            rounds: self.rounds,
            forks: self.is_quick.then_some(0),
            is_dear: engine.isolation() == Isolation::Process,
            known: earlier.known,
            foreign: earlier.foreign,
            plain_pairs: self.plain_pairs.unwrap_or(usual.plain_pairs),
            ..usual
        }
    }

    /// All stations; nothing if it was interrupted before the first.
    pub(super) fn whole(
        &self,
        oracle: &mut EngineOracle<'_, '_>,
        engine: &Engine,
        settings: &HuntSettings,
        begun: Instant,
        took: Duration,
    ) -> Result<Option<Outcome>, Failure> {
        let Some(original) = original(oracle) else { return Ok(None) };
        let suite_time = took + total_duration(&original);
        let calibration = Calibration::new(engine, suite_time);
        calibration.trusts(oracle.session(), &original)?;
        oracle.session().tell(&Event::Original { tally: original.tally(), took: total_duration(&original) });
        oracle.limit(begun, self.budget.map(|budget| budget.allowance(suite_time)));
        oracle.session().tell(&Event::Planned(self.plan(engine)));
        let report = hunt(oracle, settings);
        Ok(Some((self.explained(oracle, engine, report), calibration.suite_cpu_s())))
    }

    /// With the state behind its findings, as far as there is time.
    pub(super) fn explained(
        &self,
        oracle: &mut EngineOracle<'_, '_>,
        engine: &Engine,
        mut report: HuntReport,
    ) -> HuntReport {
        let is_over = matches!(report.stopped_early, Some(Halted::Interrupted | Halted::Broken));
        if self.leaves_unexplained || is_over {
            return report;
        }
        let settings = match engine.isolation() {
            Isolation::Fork => ExplainSettings { noise: self.noise.clone(), ..ExplainSettings::default() },
            Isolation::Process => ExplainSettings::dear(self.noise.clone()),
        };
        let halted = explain(oracle, &mut report.findings, &settings);
        report.stopped_early = report.stopped_early.or(halted);
        report
    }

    fn rounds(&self, engine: &Engine) -> u64 {
        self.rounds.unwrap_or(default_rounds(engine.suite().len()))
    }

    pub(super) fn budget_words(&self, engine: &Engine) -> String {
        self.budget.map_or_else(|| format!("{} rounds", self.rounds(engine)), |budget| budget.to_string())
    }

    fn plan(&self, engine: &Engine) -> Plan {
        Plan {
            strategy: "hunt".to_owned(),
            orders: self.rounds(engine),
            seed: engine.settings().seed,
            workers: engine.settings().workers,
            isolation: engine.isolation().name(),
            aim: Aim::Verdicts,
        }
    }
}

/// The first run of the baseline, which forks are calibrated with; `None` if nothing more can be run.
fn original(oracle: &mut EngineOracle<'_, '_>) -> Option<RunRecord> {
    let asked = Order::original(oracle.suite());
    let fan = Fan {
        purpose: Purpose::Baseline,
        repetition: 0,
        prefix: Order::default(),
        tails: vec![asked.clone()],
    };
    let steps = oracle.run(vec![fan]).ok()?.pop()?.tails.pop()?.steps;
    Some(RunRecord { asked, steps })
}

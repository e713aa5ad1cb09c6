//! `anyorder hunt`, and `anyorder` alone: all stations, one after the other.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyorder_config::Budget;
use anyorder_engine::Engine;
use anyorder_model::{
    Cost, Event, Fan, Halted, Kind, Oracle, Order, Plan, Purpose, RunRecord, Suite, TestId, TestIndex,
};
use anyorder_report::{Terminal, finding_value};
use anyorder_search::{HuntReport, HuntSettings, Known, default_rounds, hunt};
use anyorder_store::{FoundFinding, HuntEnd, HuntStart, KnownFinding, Store, StoreError};

use crate::args::HuntArgs;
use crate::calibration::Calibration;
use crate::exit_code::Exit;
use crate::failure::Failure;
use crate::fingerprint;
use crate::memory::Memory;
use crate::oracle::{EngineOracle, Trouble};
use crate::project::Project;
use crate::session::{Done, Session, total_duration};

pub(crate) fn run(args: &HuntArgs, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let mut session = Session::new(terminal, &args.suite.how, false)?;
    let project = Project::new(&args.suite.how, &session.cancel)?;
    let hunter = Hunter::new(args, &project)?;
    let opened = project.open(&args.suite)?;
    session.each_suite(opened, &args.suite.targets, |session, engine, took| {
        hunter.suite(session, engine, &project, took)
    })
}

pub(crate) struct Hunter {
    pub(crate) rounds: Option<u64>,
    pub(crate) budget: Option<Budget>,
    /// What was typed that decides which tests there are.
    pub(crate) typed: Vec<String>,
}

impl Hunter {
    fn new(args: &HuntArgs, project: &Project) -> Result<Self, Failure> {
        let rounds = project.config.get("rounds", |text| text.parse().map_err(|error| format!("{error}")))?;
        Ok(Hunter {
            rounds: args.rounds.or(rounds),
            budget: args.budget.or(project.config.get("budget", str::parse)?),
            typed: args.suite.typed_again(),
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
        let mut store = Store::open(&project.directory, &fingerprint::of(project, engine, &self.typed))?;
        if let Some(path) = store.set_aside() {
            let text = format!("the old history could not be read; it is kept as {}", path.display());
            session.tell(&Event::Notice { text, hint: None });
        }
        let number = store.begin_hunt(&self.start(engine))?;
        let known = known(engine.suite(), &store.history().known_findings()?);
        let files = project.state_directory("plain")?;
        let memory = Memory::new(&mut store, engine.suite(), engine.session());
        let mut oracle = EngineOracle::new(engine, session, memory, files);
        let Some(original) = original(&mut oracle) else {
            return oracle.trouble.map_or_else(|| Ok(interrupted()), |trouble| Err(trouble.into()));
        };
        let suite_time = took + total_duration(&original);
        let calibration = Calibration::new(engine, suite_time);
        calibration.trusts(oracle.session(), &original)?;
        oracle.session().tell(&Event::Original { tally: original.tally(), took: total_duration(&original) });
        oracle.limit(begun, self.budget.map(|budget| budget.allowance(suite_time)));
        let settings = HuntSettings {
            seed: engine.settings().seed,
            rounds: self.rounds,
            known: known.iter().map(|(_, known)| known.clone()).collect(),
            ..HuntSettings::default()
        };
        oracle.session().tell(&Event::Planned(self.plan(engine)));
        let report = hunt(&mut oracle, &settings);
        let trouble = oracle.trouble.take();
        let suite_cpu_s = calibration.suite_cpu_s();
        note_findings(&mut store, number, engine.suite(), &report, &known)?;
        let exit = exit_of(&report);
        store.end_hunt(number, HuntEnd { ended: now(), exit: i32::from(exit as u8) })?;
        finish(session, trouble, report, exit, suite_cpu_s)
    }

    fn start(&self, engine: &Engine) -> HuntStart {
        HuntStart {
            began: now(),
            argv: std::env::args().collect(),
            seed: engine.settings().seed,
            budget: match (self.budget, self.rounds) {
                (Some(budget), _) => budget.to_string(),
                (None, rounds) => {
                    format!("{} rounds", rounds.unwrap_or(default_rounds(engine.suite().len())))
                }
            },
        }
    }

    fn plan(&self, engine: &Engine) -> Plan {
        Plan {
            strategy: "hunt".to_owned(),
            orders: self.rounds.unwrap_or(default_rounds(engine.suite().len())),
            seed: engine.settings().seed,
            workers: engine.settings().workers,
            isolation: engine.isolation().name(),
        }
    }
}

/// The first run of the baseline, which forks are calibrated with.
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

/// What earlier hunts found and this suite can still show.
fn known(suite: &Suite, findings: &[KnownFinding]) -> Vec<(String, Known)> {
    let standing = findings.iter().filter(|finding| finding.stands);
    standing.filter_map(|finding| Some((finding.id.clone(), known_one(suite, finding)?))).collect()
}

fn known_one(suite: &Suite, finding: &KnownFinding) -> Option<Known> {
    let json: serde_json::Value = serde_json::from_str(&finding.json).ok()?;
    let order = |name: &str| -> Option<Order> {
        let ids: Vec<TestId> = serde_json::from_value(json["evidence"][name].clone()).ok()?;
        ids.iter().map(|id| suite.index_of(id)).collect::<Option<Vec<TestIndex>>>().map(Order)
    };
    Some(Known {
        kind: Kind::ALL.into_iter().find(|kind| kind.name() == finding.kind)?,
        test: suite.index_of(&finding.test)?,
        failing: order("failing")?,
        passing: order("passing")?,
    })
}

fn note_findings(
    store: &mut Store,
    hunt: anyorder_store::HuntNumber,
    suite: &Suite,
    report: &HuntReport,
    known: &[(String, Known)],
) -> Result<(), StoreError> {
    for finding in &report.findings {
        let json = finding_value(suite, finding).to_string();
        let test = suite.id(finding.test);
        let found = FoundFinding { id: &finding.id.0, kind: finding.kind.name(), test, json: &json };
        store.save_finding(hunt, &found)?;
    }
    if report.stopped_early.is_none() {
        let is_gone = |id: &String| !report.findings.iter().any(|finding| finding.id.0 == *id);
        for (id, _) in known.iter().filter(|(id, _)| is_gone(id)) {
            store.not_reproduced(hunt, id)?;
        }
    }
    Ok(())
}

fn exit_of(report: &HuntReport) -> Exit {
    let has_found = report.findings.iter().any(|finding| finding.kind.is_order_dependent());
    match (has_found, report.stopped_early) {
        (true, _) => Exit::Found,
        (false, Some(_)) => Exit::Unfinished,
        (false, None) => Exit::Nothing,
    }
}

pub(crate) fn finish(
    session: &mut Session<'_>,
    trouble: Option<Trouble>,
    report: HuntReport,
    exit: Exit,
    suite_cpu_s: Option<f64>,
) -> Result<Done, Failure> {
    if let Some(trouble) = trouble {
        let failure = Failure::from(trouble);
        if report.findings.is_empty() {
            return Err(failure);
        }
        session.tell(&Event::Notice { text: failure.problem.what, hint: failure.problem.hint });
    }
    let stopped_early = report.stopped_early.map(|halted| match halted {
        Halted::Budget => "the budget is spent",
        Halted::Interrupted => "interrupted",
        Halted::Broken => "the suite could not be run any more",
    });
    let closing = move |cost: Cost| {
        let found = report.findings.into_iter().map(|finding| Event::Found(Box::new(finding)));
        let doubtful = report.unconfirmed.into_iter().map(|finding| Event::Unconfirmed(Box::new(finding)));
        let cost = Cost { suite_cpu_s, ..cost };
        let end = Event::Finished { coverage: Some(report.coverage), cost, stopped_early };
        found.chain(doubtful).chain([end]).collect()
    };
    Ok(Done { exit, closing: Box::new(closing) })
}

fn interrupted() -> Done {
    let closing = |cost| vec![Event::Finished { coverage: None, cost, stopped_early: Some("interrupted") }];
    Done { exit: Exit::Interrupted, closing: Box::new(closing) }
}

/// Seconds since 1970.
#[expect(clippy::disallowed_methods, reason = "when a hunt took place is a fact about the world")]
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

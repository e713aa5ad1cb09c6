//! `anyorder explain`: the state behind a finding, and the lines that write and read it.

use std::time::{Duration, Instant};

use anyorder_engine::{Engine, Isolation};
use anyorder_explain::{ExplainSettings, explain};
use anyorder_model::{Aim, Coverage, Event, Finding, FindingId, Oracle, Order, Plan, TestId, TestIndex};
use anyorder_report::Terminal;
use anyorder_search::{HuntReport, HuntSettings, investigate};
use anyorder_store::KnownFinding;

use super::profile::noise;
use crate::args::ExplainArgs;
use crate::exit_code::Exit;
use crate::failure::Failure;
use crate::known::{finding_in, known_as};
use crate::oracle::EngineOracle;
use crate::order_file::order_of;
use crate::project::Project;
use crate::recorded::{Outcome, Recorded};
use crate::session::{Done, Session};

pub(crate) fn run(args: &ExplainArgs, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let mut session = Session::new(terminal, &args.suite.how, false)?;
    let project = Project::open(&args.suite.how, &mut session)?;
    session.keep(&project.directory, "explain");
    let budget = args.budget.or(project.config.get("budget", str::parse)?);
    let settings = ExplainSettings::thorough(noise(&args.ignore_cells, &project)?);
    let known = known_as(&project.directory, &args.what)?;
    let choice = args.suite.choice();
    let suites = project.suites(&mut session, &args.suite)?;
    let mut unknown = None;
    let mut is_known = false;
    let exit = session.each_suite(suites, &args.suite.targets, |session, engine, took| {
        // A command may start several suites; the test belongs to one of them.
        let subject = match Subject::of(engine, &args.what, &known) {
            Ok(subject) => subject,
            Err(failure) => {
                unknown = Some(failure);
                return Ok(Done::with(Exit::Nothing));
            }
        };
        is_known = true;
        engine.can_treat()?;
        let recorded = Recorded::of_all_tests(engine, &project, &choice, budget);
        let allowance = budget.map(|budget| budget.allowance(took));
        recorded
            .carry_out(session, |oracle, _| Ok(Some(subject.explained(oracle, engine, &settings, allowance))))
    })?;
    unknown.filter(|_| !is_known).map_or(Ok(exit), Err)
}

/// What is to be explained.
pub(super) enum Subject {
    Findings(Vec<Finding>),
    /// Nothing is known about it.
    Test(TestIndex),
}

impl Subject {
    pub(super) fn of(engine: &Engine, what: &str, known: &[KnownFinding]) -> Result<Self, Failure> {
        if known.is_empty() {
            let order = order_of(engine.suite(), what.as_ref(), &[TestId(what.to_owned())])?;
            return Ok(Subject::Test(order.tests()[0]));
        }
        let findings: Result<Vec<Option<Finding>>, Failure> =
            known.iter().map(|finding| finding_in(engine.suite(), finding)).collect();
        Ok(Subject::Findings(findings?.into_iter().flatten().collect()))
    }

    /// The ids of the findings that are known.
    pub(super) fn ids(&self) -> impl Iterator<Item = FindingId> {
        let findings = match self {
            Subject::Findings(findings) => findings.as_slice(),
            Subject::Test(_) => &[],
        };
        findings.iter().map(|finding| finding.id.clone())
    }

    /// What is known of it, or what looking into it shows.
    pub(super) fn report(self, oracle: &mut EngineOracle<'_, '_>, engine: &Engine) -> HuntReport {
        match self {
            Subject::Findings(findings) => {
                let coverage = Coverage::default();
                HuntReport { findings, unconfirmed: vec![], coverage, stopped_early: None }
            }
            Subject::Test(test) => look_into(oracle, engine, test),
        }
    }

    fn explained(
        self,
        oracle: &mut EngineOracle<'_, '_>,
        engine: &Engine,
        settings: &ExplainSettings,
        allowance: Option<Duration>,
    ) -> Outcome {
        oracle.limit(Instant::now(), allowance);
        oracle.session().tell(&Event::Planned(Plan {
            strategy: "explain".to_owned(),
            orders: 0,
            seed: engine.settings().seed,
            workers: engine.settings().workers,
            isolation: engine.isolation().name(),
            aim: Aim::Causes,
        }));
        let mut report = self.report(oracle, engine);
        let halted = explain(oracle, &mut report.findings, settings);
        (HuntReport { stopped_early: report.stopped_early.or(halted), ..report }, None)
    }
}

/// A hunt for one test: alone, again, and behind all others in both directions, until something is found.
fn look_into(oracle: &mut EngineOracle<'_, '_>, engine: &Engine, test: TestIndex) -> HuntReport {
    let settings = HuntSettings {
        seed: engine.settings().seed,
        is_dear: engine.isolation() == Isolation::Process,
        ..HuntSettings::default()
    };
    let mut others: Vec<TestIndex> = oracle.suite().indices().filter(|&other| other != test).collect();
    let behind = |others: &[TestIndex]| Order([&[test], others, &[test]].concat());
    let report = investigate(oracle, &behind(&others), &settings);
    let is_enough = report.stopped_early.is_some() || !report.findings.is_empty() || others.is_empty();
    if is_enough {
        return report;
    }
    others.reverse();
    investigate(oracle, &behind(&others), &settings)
}

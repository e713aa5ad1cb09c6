//! `anyorder twice`: tests that pass, and fail when they run again.

use std::path::Path;
use std::time::Instant;

use anyorder_engine::{Engine, PlainRequest};
use anyorder_model::{
    Aim, Coverage, Event, Evidence, Finding, Halted, Kind, Mode, News, Oracle, Order, Outcome, Plan,
    Reproduce, RunRecord, Signature, TestIndex,
};
use anyorder_report::Terminal;
use anyorder_search::{HuntReport, HuntSettings, twice};

use crate::args::TwiceArgs;
use crate::exit_code::Exit;
use crate::failure::Failure;
use crate::oracle::EngineOracle;
use crate::project::Project;
use crate::recorded::Recorded;
use crate::session::{Done, Session};

/// How often a pass and a fail have to follow each other across runs.
const PAIRS: u32 = 5;

pub(crate) fn run(args: &TwiceArgs, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let mut session = Session::new(terminal, &args.suite.how, false)?;
    let project = Project::open(&args.suite.how, &mut session)?;
    session.keep(&project.directory, "twice");
    let budget = args.budget.or(project.config.get("budget", str::parse)?);
    let choice = args.suite.choice();
    let suites = project.suites(&mut session, &args.suite)?;
    session.each_suite(suites, &args.suite.targets, |session, engine, took| {
        let recorded = Recorded::of_all_tests(engine, &project, &choice, budget);
        suite(session, engine, &recorded, args.mode, budget.map(|budget| budget.allowance(took)))
    })
}

fn suite(
    session: &mut Session<'_>,
    engine: &Engine,
    recorded: &Recorded<'_>,
    mode: Mode,
    allowance: Option<std::time::Duration>,
) -> Result<Done, Failure> {
    let begun = Instant::now();
    recorded.carry_out(session, |oracle, _| {
        oracle.limit(begun, allowance);
        oracle.session().tell(&Event::Planned(Plan {
            strategy: "twice".to_owned(),
            orders: engine.suite().len() as u64,
            seed: engine.settings().seed,
            workers: engine.settings().workers,
            isolation: engine.isolation().name(),
            aim: Aim::Verdicts,
        }));
        if mode == Mode::AcrossRuns {
            return across_runs(oracle, engine).map(|report| Some((report, None)));
        }
        let settings = HuntSettings { seed: engine.settings().seed, ..HuntSettings::default() };
        Ok(Some((twice(oracle, mode, &settings), None)))
    })
}

/// Two processes one after the other on one disk: what is saved in the first shows in the second.
fn across_runs(oracle: &mut EngineOracle<'_, '_>, engine: &Engine) -> Result<HuntReport, Failure> {
    let whole = Order::original(engine.suite());
    let files = oracle.files().to_owned();
    let candidates = pass_then_fail(&two_runs(engine, &whole, &files, 1)?.0);
    let (mut findings, mut unconfirmed) = (Vec::new(), Vec::new());
    for test in candidates {
        if oracle.spent() >= 1.0 {
            unconfirmed.push(seen_once(engine, test));
            continue;
        }
        // By itself if that is enough, else with the whole suite.
        for order in [Order(vec![test]), whole.clone()] {
            if let Some(finding) = confirm(engine, test, &order, &files)? {
                oracle.tell(News::Found(Box::new(finding.clone())));
                findings.push(finding);
                break;
            }
        }
    }
    let stopped_early = (!unconfirmed.is_empty()).then_some(Halted::Budget);
    Ok(HuntReport { findings, unconfirmed, coverage: Coverage::default(), stopped_early })
}

/// A test that there was no time to look at again.
fn seen_once(engine: &Engine, test: TestIndex) -> Finding {
    Finding {
        mode: Some(Mode::AcrossRuns),
        unconfirmed: Some("the budget was spent before it ran again".to_owned()),
        ..Finding::new(Kind::NonIdempotent, test, engine.suite().id(test))
    }
}

/// `None` as soon as it is not a pass and then a fail.
fn confirm(
    engine: &Engine,
    test: TestIndex,
    order: &Order,
    files: &Path,
) -> Result<Option<Finding>, Failure> {
    let mut seen: Option<(Option<Signature>, String)> = None;
    let rung = engine.lowest_rung(order);
    for pair in 1..=PAIRS {
        let (runs, command) = two_runs(engine, order, files, pair)?;
        if !pass_then_fail(&runs).contains(&test) {
            return Ok(None);
        }
        seen = Some((step_of(&runs[1], test).and_then(|step| step.signature.clone()), command));
    }
    Ok(seen.map(|(signature, command)| Finding {
        evidence: Some(Evidence {
            passing: Some(order.clone()),
            failing: order.clone(),
            confirmed: Some(rung),
            plain_pairs: PAIRS,
        }),
        signature,
        mode: Some(Mode::AcrossRuns),
        reproduce: Some(Reproduce { fail: format!("{command}; {command}"), pass: command }),
        ..Finding::new(Kind::NonIdempotent, test, engine.suite().id(test))
    }))
}

fn two_runs(
    engine: &Engine,
    order: &Order,
    files: &Path,
    seed: u32,
) -> Result<([RunRecord; 2], String), Failure> {
    let rung = engine.lowest_rung(order);
    let request =
        PlainRequest { times: 2, files: Some(files), seed: Some(seed), ..PlainRequest::new(order).on(rung) };
    let mut run = engine.run_plain(request, |_| {})?;
    let first = run.earlier.pop().expect("there were two");
    Ok(([first, run.record], run.command))
}

fn pass_then_fail(runs: &[RunRecord; 2]) -> Vec<TestIndex> {
    let ended = |run: &RunRecord, test| step_of(run, test).map(|step| step.outcome);
    let failed = |outcome| matches!(outcome, Some(Outcome::Failed | Outcome::Error));
    let tests = runs[0].steps.iter().filter(|step| step.outcome == Outcome::Passed).map(|step| step.test);
    tests.filter(|&test| failed(ended(&runs[1], test))).collect()
}

fn step_of(run: &RunRecord, test: TestIndex) -> Option<&anyorder_model::Step> {
    run.steps.iter().find(|step| step.test == test)
}

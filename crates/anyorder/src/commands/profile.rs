//! `anyorder profile`: what each test leaves changed, looks at and runs.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyorder_model::{
    Aim, Cost, Event, Group, Halted, News, Oracle, Plan, Profiles, Station, Suite, TestIndex,
};
use anyorder_report::Terminal;
use anyorder_search::{CellPattern, Noise, ProfileReport, ProfileSettings, profile};
use anyorder_store::KnownFinding;

use crate::args::ProfileArgs;
use crate::exit_code::Exit;
use crate::failure::Failure;
use crate::known::groups;
use crate::oracle::EngineOracle;
use crate::project::Project;
use crate::recorded::{Recorded, in_words};
use crate::session::{Done, Session};

pub(crate) fn run(args: &ProfileArgs, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let mut session = Session::new(terminal, &args.suite.how, false)?;
    let project = Project::open(&args.suite.how, &mut session)?.recording();
    let budget = args.budget.or(project.config.get("budget", str::parse)?);
    let noise = if args.all { None } else { Some(noise(&args.ignore_cells, &project)?) };
    let choice = args.suite.choice();
    let suites = project.suites(&mut session, &args.suite)?;
    session.each_suite(suites, &args.suite.targets, |session, engine, took| {
        engine.can_watch()?;
        let recorded = Recorded::of_all_tests(engine, &project, &choice, budget);
        let allowance = budget.map(|budget| budget.allowance(took));
        Ok(done(profiles(session, &recorded, Aim::Profiles, allowance)?, noise.as_ref()))
    })
}

/// What is left out of reports.
pub(crate) fn noise(typed: &[CellPattern], project: &Project) -> Result<Noise, Failure> {
    let mut own: Vec<CellPattern> = project.config.get_all("ignore-cells", str::parse)?;
    own.extend(typed.iter().cloned());
    Ok(Noise::with(own))
}

/// The profiles of all tests, as thorough as can be.
pub(crate) fn profiles(
    session: &mut Session<'_>,
    recorded: &Recorded<'_>,
    aim: Aim,
    allowance: Option<Duration>,
) -> Result<ProfileReport, Failure> {
    profiles_and(session, recorded, aim, allowance, |_, report| report)
}

/// What comes of the profiles of all tests, which may ask more within the same allowance.
pub(crate) fn profiles_and<T>(
    session: &mut Session<'_>,
    recorded: &Recorded<'_>,
    aim: Aim,
    allowance: Option<Duration>,
    then: impl FnOnce(&mut EngineOracle<'_, '_>, ProfileReport) -> T,
) -> Result<T, Failure> {
    let engine = recorded.engine;
    let mut store = recorded.open(session)?;
    let setters = setters(engine.suite(), &store.history().known_findings()?);
    let mut oracle = recorded.oracle(session, &mut store)?;
    oracle.limit(Instant::now(), allowance);
    let tests: Vec<TestIndex> = engine.suite().indices().collect();
    let watches = tests.len() as u64 + 1;
    oracle.session().tell(&Event::Planned(Plan {
        strategy: "profile".to_owned(),
        orders: watches,
        seed: engine.settings().seed,
        workers: engine.settings().workers,
        isolation: engine.isolation().name(),
        aim,
    }));
    oracle.tell(News::Began(Station::Profile, Some(watches)));
    let report = profile(&mut oracle, &tests, &ProfileSettings::thorough(setters));
    let come_of_it = then(&mut oracle, report);
    oracle.trouble.take().map_or(Ok(come_of_it), |trouble| Err(trouble.into()))
}

fn done(report: ProfileReport, noise: Option<&Noise>) -> Done {
    let ProfileReport { profiles, stopped_early, .. } = report;
    let profiles = match noise {
        Some(noise) => noise.without(profiles),
        None => Profiles { profiles, hidden: 0 },
    };
    let closing = move |cost: Cost| {
        let stopped_early = stopped_early.map(in_words);
        vec![Event::Profiled(profiles), Event::Finished { coverage: None, cost, stopped_early }]
    };
    Done { exit: exit_when(stopped_early), closing: Box::new(closing) }
}

/// The exit code of a command that finds nothing to complain about.
pub(crate) fn exit_when(stopped_early: Option<Halted>) -> Exit {
    match stopped_early {
        None => Exit::Nothing,
        Some(Halted::Interrupted) => Exit::Interrupted,
        Some(Halted::Budget | Halted::Broken) => Exit::Unfinished,
    }
}

/// The setters of brittles that earlier hunts found, as far as this suite has them.
fn setters(suite: &Suite, findings: &[KnownFinding]) -> BTreeMap<TestIndex, Vec<Group>> {
    let one =
        |finding: &KnownFinding| Some((suite.index_of(&finding.test)?, groups(suite, finding, "setters")?));
    findings.iter().filter(|finding| finding.stands).filter_map(one).collect()
}

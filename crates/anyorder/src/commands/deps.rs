//! `anyorder deps`: which tests depend on which, and an order that respects it.

use std::path::Path;
use std::time::{Duration, Instant};

use anyorder_engine::Engine;
use anyorder_model::{Aim, Cost, Dependencies, Event, Order, Plan, Suite, format_order_file};
use anyorder_report::{Terminal, dot};
use anyorder_search::{DepsReport, DepsSettings, deps};

use super::profile::exit_when;
use crate::args::{DepsArgs, Reference};
use crate::exit_code::Exit;
use crate::failure::Failure;
use crate::order_file::{order_of, read_order};
use crate::project::Project;
use crate::recorded::{Recorded, in_words};
use crate::session::{Done, Session};

const TOGETHER: &str = include_str!("together.py");

pub(crate) fn run(args: &DepsArgs, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let mut session = Session::new(terminal, &args.suite.how, false)?;
    let project = Project::open(&args.suite.how, &mut session)?.recording();
    session.keep(&project.directory, "deps");
    let budget = args.budget.or(project.config.get("budget", str::parse)?);
    let choice = args.suite.choice();
    let suites = project.suites(&mut session, &args.suite)?;
    session.each_suite(suites, &args.suite.targets, |session, engine, took| {
        engine.can_watch()?;
        let recorded = Recorded::of_all_tests(engine, &project, &choice, budget);
        let references = args.reference.iter().map(|reference| order(reference, engine.suite(), &project));
        let settings = DepsSettings {
            seed: engine.settings().seed,
            references: references.collect::<Result<_, _>>()?,
            ..DepsSettings::default()
        };
        let report = find(session, &recorded, &settings, budget.map(|budget| budget.allowance(took)))?;
        write_files(args, engine.suite(), &report.dependencies)?;
        Ok(done(report))
    })
}

/// The order that a reference means.
fn order(reference: &Reference, suite: &Suite, project: &Project) -> Result<Order, Failure> {
    let original = Order::original(suite);
    match reference {
        Reference::Original => Ok(original),
        Reference::Reverse => Ok(original.tests().iter().rev().copied().collect()),
        Reference::File(file) => order_of(suite, file, &read_order(&project.directory, file)?),
    }
}

fn find(
    session: &mut Session<'_>,
    recorded: &Recorded<'_>,
    settings: &DepsSettings,
    allowance: Option<Duration>,
) -> Result<DepsReport, Failure> {
    let engine: &Engine = recorded.engine;
    let mut store = recorded.open(session)?;
    let mut oracle = recorded.oracle(session, &mut store)?;
    oracle.limit(Instant::now(), allowance);
    oracle.session().tell(&Event::Planned(Plan {
        strategy: "deps".to_owned(),
        orders: engine.suite().len() as u64,
        seed: settings.seed,
        workers: engine.settings().workers,
        isolation: engine.isolation().name(),
        aim: Aim::Dependencies,
    }));
    let report = deps(&mut oracle, settings);
    oracle.trouble.take().map_or(Ok(report), |trouble| Err(trouble.into()))
}

fn write_files(args: &DepsArgs, suite: &Suite, dependencies: &Dependencies) -> Result<(), Failure> {
    let write = |path: &Path, text: String| {
        let hint = "name a file in a directory that exists and can be written to";
        std::fs::write(path, text).map_err(|error| Failure::unwritable(path, &error, hint))
    };
    if let Some(path) = &args.dot {
        write(path, dot(suite, dependencies))?;
    }
    if let Some(path) = &args.schedule {
        write(path, format_order_file(dependencies.schedule.ids(suite)))?;
    }
    if let Some(path) = &args.together {
        write(path, together(path, suite, dependencies))?;
    }
    Ok(())
}

/// A plugin for pytest that keeps together what depends on each other.
fn together(path: &Path, suite: &Suite, dependencies: &Dependencies) -> String {
    let several = dependencies.parallel.iter().filter(|group| group.len() > 1);
    let lines = several.flat_map(|group| {
        let ids = group.iter().map(|&test| format!("        {},\n", python_string(&suite.id(test).0)));
        std::iter::once("    [\n".to_owned()).chain(ids).chain(["    ],\n".to_owned()])
    });
    let groups: String = lines.collect();
    let module = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    TOGETHER.replace("MODULE", &module).replace("GROUPS = []", &format!("GROUPS = [\n{groups}]"))
}

/// JSON's strings are Python's, too.
fn python_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn done(report: DepsReport) -> Done {
    let exit = exit_when(report.stopped_early);
    let closing = move |cost: Cost| {
        let stopped_early = report.stopped_early.map(in_words);
        let coverage = Some(report.coverage);
        let found = Event::Depending(Box::new(report.dependencies));
        vec![found, Event::Finished { coverage, cost, stopped_early }]
    };
    Done { exit, closing: Box::new(closing) }
}

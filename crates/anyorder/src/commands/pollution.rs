//! `anyorder pollution`: what tests leave changed for good, whether or not any test suffers from it; and which tests would.

use anyorder_model::{Aim, Cost, Event, Suite};
use anyorder_report::Terminal;
use anyorder_search::{Noise, ProfileReport, VictimReport, latent_polluters, latent_victims, pollution};

use super::profile::{exit_when, noise, profiles_and};
use crate::args::PollutionArgs;
use crate::exit_code::Exit;
use crate::failure::Failure;
use crate::project::Project;
use crate::recorded::{Recorded, in_words};
use crate::session::{Done, Session};

pub(crate) fn run(args: &PollutionArgs, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let mut session = Session::new(terminal, &args.suite.how, false)?;
    let project = Project::open(&args.suite.how, &mut session)?.recording();
    session.keep(&project.directory, "pollution");
    let budget = args.budget.or(project.config.get("budget", str::parse)?);
    let noise = noise(&args.ignore_cells, &project)?;
    let choice = args.suite.choice();
    let suites = project.suites(&mut session, &args.suite)?;
    session.each_suite(suites, &args.suite.targets, |session, engine, took| {
        engine.can_watch()?;
        let recorded = Recorded::of_all_tests(engine, &project, &choice, budget);
        let allowance = budget.map(|budget| budget.allowance(took));
        profiles_and(session, &recorded, Aim::Pollution, allowance, |oracle, report| {
            // Before all tests are profiled nothing is changed on purpose.
            let looks_for_victims = args.victims && report.stopped_early.is_none();
            let victims = looks_for_victims
                .then(|| latent_victims(oracle, &report.profiles, &noise, args.perturbations));
            done(engine.suite(), &report, victims, &noise)
        })
    })
}

fn done(suite: &Suite, report: &ProfileReport, victims: Option<VictimReport>, noise: &Noise) -> Done {
    let places = pollution(&report.profiles, noise);
    let mut findings = latent_polluters(suite, &report.profiles, noise);
    let stopped_early = victims.as_ref().map_or(report.stopped_early, |victims| victims.stopped_early);
    // Nothing found before it had to end is no answer.
    let answer = victims.filter(|victims| victims.stopped_early.is_none() || !victims.findings.is_empty());
    let minded = answer.map(|victims| {
        findings.extend(victims.findings);
        victims.minded
    });
    let exit = if findings.is_empty() { exit_when(stopped_early) } else { Exit::Found };
    let stopped_early = stopped_early.map(in_words);
    let closing = move |cost: Cost| {
        vec![
            Event::Polluted { places, minded, findings },
            Event::Finished { coverage: None, cost, stopped_early },
        ]
    };
    Done { exit, closing: Box::new(closing) }
}

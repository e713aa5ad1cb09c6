//! `anyorder check`: after a change, only what it can have made order-dependent.

use std::time::{Duration, Instant};

use anyorder_change::GitError;
use anyorder_engine::Engine;
use anyorder_model::{Aim, Event, Finding, Halted, Oracle, Plan, Selection};
use anyorder_report::{Terminal, github_annotations, github_summary};
use anyorder_search::{HuntReport, HuntSettings, check};

use super::hunt::Hunter;
use super::profile::noise;
use crate::args::CheckArgs;
use crate::baseline::BaselineFile;
use crate::before::{Past, tell_age, tell_age_by_history};
use crate::concern::{Concern, Wishes, concern};
use crate::concern_java::concern_of_classes;
use crate::exit_code::Exit;
use crate::failure::Failure;
use crate::fingerprint::environment;
use crate::oracle::EngineOracle;
use crate::project::Project;
use crate::recorded::{Again, Earlier, Outcome, Recorded, in_words};
use crate::session::{Done, Session};
use crate::{git, github};

pub(crate) fn run(args: &CheckArgs, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let mut session = Session::new(terminal, &args.suite.how, false)?;
    let project = Project::open(&args.suite.how, &mut session)?.recording();
    session.keep(&project.directory, "check");
    let mut checker = Checker::new(args, &project)?;
    let suites = project.suites(&mut session, &args.suite)?;
    session
        .each_suite(suites, &args.suite.targets, |session, engine, took| checker.suite(session, engine, took))
}

/// What was typed for a check.
struct Checker<'a> {
    args: &'a CheckArgs,
    project: &'a Project,
    hunter: Hunter,
    baseline: BaselineFile,
}

impl<'a> Checker<'a> {
    fn new(args: &'a CheckArgs, project: &'a Project) -> Result<Self, Failure> {
        let hunter = Hunter {
            rounds: args.rounds,
            plain_pairs: Some(args.plain_pairs),
            leaves_unexplained: args.no_explain,
            noise: noise(&[], project)?,
            budget: args.budget.or(project.config.get("budget", str::parse)?),
            choice: args.suite.choice(),
            ..Hunter::default()
        };
        let baseline = BaselineFile::read(
            &project.directory,
            args.verdict.baseline.as_deref(),
            args.verdict.write_baseline,
        )?;
        Ok(Checker { args, project, hunter, baseline })
    }

    fn suite(&mut self, session: &mut Session<'_>, engine: &Engine, took: Duration) -> Result<Done, Failure> {
        let begun = Instant::now();
        let choice = self.hunter.choice.clone();
        let recorded = Recorded {
            engine,
            project: self.project,
            choice: &choice,
            budget: self.hunter.budget_words(engine),
            tries_again: Again::All,
            replays_foreign: false,
            expects_changes: true,
        };
        if self.args.listing.dry_run {
            return self.listed(session, engine, &recorded);
        }
        recorded.carry_out(session, |oracle, earlier| {
            oracle.limit(begun, self.hunter.budget.map(|budget| budget.allowance(took)));
            self.checked(oracle, engine, earlier)
        })
    }

    /// The selection; nothing is run but what it takes to be exact.
    fn listed(
        &self,
        session: &mut Session<'_>,
        engine: &Engine,
        recorded: &Recorded<'_>,
    ) -> Result<Done, Failure> {
        let mut store = recorded.open(session)?;
        let mut oracle = recorded.oracle(session, &mut store)?;
        let concern = self.concern(&mut oracle, engine)?;
        oracle.session().tell(&concern.event(true));
        if let Some(trouble) = oracle.trouble.take() {
            return Err(trouble.into());
        }
        Ok(Done::with(if concern.stopped_early.is_some() { Exit::Unfinished } else { Exit::Nothing }))
    }

    /// The selection, the search, and what there is to say about its findings; nothing if it was interrupted.
    fn checked(
        &mut self,
        oracle: &mut EngineOracle<'_, '_>,
        engine: &Engine,
        earlier: Earlier,
    ) -> Result<Option<Outcome>, Failure> {
        oracle.session().tell(&Event::Planned(plan(engine)));
        let concern = self.concern(oracle, engine)?;
        oracle.session().tell(&concern.event(false));
        let Concern { selection, since, changes, can_go_back, green, is_lost, stopped_early } = concern;
        if stopped_early == Some(Halted::Interrupted) {
            return Ok(None);
        }
        let told_new = earlier.told_new.clone();
        let settings = HuntSettings { baseline_runs: 1, ..self.hunter.settings(engine, earlier) };
        let mut report = check(oracle, &selection, &settings);
        report.stopped_early = stopped_early.or(report.stopped_early);
        let affected = selection.affected.iter().map(|selected| selected.test).collect();
        let past = Past {
            commit: &since,
            deleted: &selection.deleted,
            affected: &affected,
            renamed: &changes.renamed,
            renamed_functions: &changes.renamed_functions,
        };
        let told = if is_lost {
            Err("the commit to compare with is lost".to_owned())
        } else if !can_go_back {
            tell_age_by_history(&settings.known, &told_new, &mut report.findings);
            Ok(())
        } else {
            tell_age(oracle, self.project, &self.args.suite, &past, &mut report.findings)
        };
        if let Err(why) = told {
            let text = format!("whether findings were there before the change is not known: {why}");
            oracle.session().tell(&Event::Notice { text, hint: None });
        }
        if self.args.verdict.write_baseline {
            let (path, number) = self.baseline.write(engine.suite(), &report.findings)?;
            let text = format!("{number} accepted in {}", path.display());
            oracle.session().say("Baseline", &text);
        }
        self.baseline.apply(&mut report.findings);
        self.note_green(oracle, &since, green.as_deref(), &report)?;
        if !can_go_back {
            let now = environment(engine);
            let is_red = report.findings.iter().any(Finding::counts);
            oracle.memory().note_replaced(is_red.then_some((since.as_str(), &now)))?;
        }
        let report = self.explained(oracle, engine, report);
        if self.args.verdict.github {
            tell_github(oracle, &report, &selection, &since);
        }
        Ok(Some((report, None)))
    }

    /// Notes the commit that the next check compares with, if nobody says otherwise: the present one only if nothing is held
    /// against it, and against what came between the last such commit and the one that was compared with.
    fn note_green(
        &self,
        oracle: &mut EngineOracle<'_, '_>,
        since: &str,
        green: Option<&str>,
        report: &HuntReport,
    ) -> Result<(), Failure> {
        let root = oracle.root().to_owned();
        let is_good = report.stopped_early.is_none() && !report.findings.iter().any(Finding::counts);
        let is_seamless =
            green.is_none_or(|green| self.args.since.is_none() || git::is_ancestor(&root, since, green));
        let commit = match git::head(&root).filter(|_| is_good && is_seamless) {
            Some(head) => head,
            None if green.is_none() && self.args.since.is_none() => since.to_owned(),
            None => return Ok(()),
        };
        Ok(oracle.memory().note_green(&commit)?)
    }

    /// With the state behind the findings that count; the others were there before.
    fn explained(
        &self,
        oracle: &mut EngineOracle<'_, '_>,
        engine: &Engine,
        report: HuntReport,
    ) -> HuntReport {
        let (counting, others): (Vec<Finding>, Vec<Finding>) =
            report.findings.into_iter().partition(Finding::counts);
        let report = HuntReport { findings: counting, ..report };
        let mut report = self.hunter.explained(oracle, engine, report);
        report.findings.extend(others);
        report.findings.sort_by_key(|finding| (finding.kind, finding.test));
        report
    }

    fn concern(&self, oracle: &mut EngineOracle<'_, '_>, engine: &Engine) -> Result<Concern, Failure> {
        match engine.suite().driver.as_str() {
            "pytest" => concern(oracle, engine, &self.wishes()),
            _ => concern_of_classes(oracle, engine, &self.wishes()),
        }
    }

    fn wishes(&self) -> Wishes<'_> {
        Wishes {
            since: self.args.since.as_deref(),
            select: self.args.select,
            rts: self.args.rts,
            third_party: self.args.third_party,
            noise: &self.hunter.noise,
            may_watch: !self.args.listing.dry_run || self.args.listing.exact,
        }
    }
}

/// Annotations, and the summary of the job. That one cannot be written is no reason to forget what was found.
fn tell_github(oracle: &mut EngineOracle<'_, '_>, report: &HuntReport, selection: &Selection, since: &str) {
    let (findings, stopped_early) = (&report.findings, report.stopped_early.map(in_words));
    let suite = oracle.suite().clone();
    let prefix = git::prefix(oracle.root());
    let annotations = github_annotations(&suite, findings, selection, &prefix);
    oracle.session().commands(&annotations);
    let text = github_summary(&suite, findings, selection, since, stopped_early);
    if let Err(text) = github::add_to_summary(&text) {
        oracle.session().tell(&Event::Notice { text, hint: None });
    }
}

fn plan(engine: &Engine) -> Plan {
    Plan {
        strategy: "check".to_owned(),
        orders: 0,
        seed: engine.settings().seed,
        workers: engine.settings().workers,
        isolation: engine.isolation().name(),
        aim: Aim::Verdicts,
    }
}

impl From<GitError> for Failure {
    fn from(error: GitError) -> Self {
        Failure::usage(error.to_string(), error.hint())
    }
}

//! `anyorder check`: after a change, only what it can have made order-dependent.

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyorder_change::{
    Affected, GitError, Imports, OldProfiles, Repository, Since, affected, changes, related,
};
use anyorder_engine::Engine;
use anyorder_model::{
    Aim, Event, Finding, Halted, News, Oracle, Plan, Selected, Selection, Station, Suite, Why,
};
use anyorder_report::{Terminal, github_annotations, github_summary};
use anyorder_search::{HuntReport, HuntSettings, Known, ProfileSettings, check, profile};

use super::hunt::Hunter;
use super::profile::noise;
use crate::args::CheckArgs;
use crate::baseline::BaselineFile;
use crate::before::{Past, tell_age};
use crate::exit_code::Exit;
use crate::failure::Failure;
use crate::fingerprint::environment;
use crate::git;
use crate::oracle::EngineOracle;
use crate::profiles::{Kept, with_profiles};
use crate::project::Project;
use crate::recorded::{Again, Outcome, Recorded};
use crate::session::{Done, Session};

pub(crate) fn run(args: &CheckArgs, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let mut session = Session::new(terminal, &args.suite.how, false)?;
    let project = Project::new(&args.suite.how, &session.cancel)?;
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

/// What a change concerns.
struct Concern {
    selection: Arc<Selection>,
    /// The commit that files were compared with.
    since: String,
    /// Files that had another name then.
    renamed: Vec<(String, String)>,
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
        let baseline = BaselineFile::read(&project.directory, args.baseline.as_deref(), args.write_baseline)?;
        Ok(Checker { args, project, hunter, baseline })
    }

    fn suite(&mut self, session: &mut Session<'_>, engine: &Engine, took: Duration) -> Result<Done, Failure> {
        let begun = Instant::now();
        if engine.suite().driver != "pytest" {
            return Err(Failure::usage(
                "`check` reads changes of Python projects only",
                "`anyorder hunt` looks at the whole suite",
            ));
        }
        let choice = self.hunter.choice.clone();
        let recorded = Recorded {
            engine,
            project: self.project,
            choice: &choice,
            budget: self.hunter.budget_words(engine),
            tries_again: Again::All,
            expects_changes: true,
        };
        if self.args.dry_run {
            let mut store = recorded.open(session)?;
            let mut oracle = recorded.oracle(session, &mut store)?;
            let Concern { selection, since, .. } = self.concern(&mut oracle, engine, Watching::No)?;
            oracle.session().tell(&Event::Selected { selection, since, is_all: true });
            return Ok(Done::with(Exit::Nothing));
        }
        recorded.carry_out(session, |oracle, known| {
            oracle.limit(begun, self.hunter.budget.map(|budget| budget.allowance(took)));
            self.checked(oracle, engine, known)
        })
    }

    /// The selection, the search, and what there is to say about its findings; nothing if it was interrupted.
    fn checked(
        &mut self,
        oracle: &mut EngineOracle<'_, '_>,
        engine: &Engine,
        known: Vec<Known>,
    ) -> Result<Option<Outcome>, Failure> {
        oracle.session().tell(&Event::Planned(plan(engine)));
        let Concern { selection, since, renamed } = self.concern(oracle, engine, Watching::Yes)?;
        let told = Event::Selected { selection: Arc::clone(&selection), since: since.clone(), is_all: false };
        oracle.session().tell(&told);
        let settings = HuntSettings { baseline_runs: 1, ..self.hunter.settings(engine, known) };
        let mut report = check(oracle, &selection, &settings);
        let past = Past { commit: &since, deleted: &selection.deleted, renamed: &renamed };
        if let Err(why) = tell_age(oracle, self.project, &self.args.suite, &past, &mut report.findings) {
            let text = format!("whether findings were there before the change is not known: {why}");
            oracle.session().tell(&Event::Notice { text, hint: None });
        }
        if self.args.write_baseline {
            let (path, number) = self.baseline.write(engine.suite(), &report.findings)?;
            let text = format!("{number} accepted in {}", path.display());
            oracle.session().say("Baseline", &text);
        }
        self.baseline.apply(&mut report.findings);
        let report = self.explained(oracle, engine, report);
        if self.args.github {
            self.tell_github(oracle, &report.findings, &selection, &since)?;
        }
        Ok(Some((report, None)))
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

    /// Which tests the change concerns. Without watching, what affected tests do is what they did before.
    fn concern(
        &self,
        oracle: &mut EngineOracle<'_, '_>,
        engine: &Engine,
        watching: Watching,
    ) -> Result<Concern, Failure> {
        let (suite, root) = (engine.suite(), oracle.root().to_owned());
        let kept = oracle.memory().profiles()?;
        let since = self.since(&root, &kept)?;
        let imports = Imports::new(&since.old, &since.new);
        let everything = kept.other_environment(&environment(engine));
        let with_profiles = with_profiles(suite, &kept.profiles);
        let old = OldProfiles::new(&root, kept.profiles);
        let changes = changes(&since.old, &since.new);
        let found = affected(suite, &changes, &old, self.args.rts, &imports);
        let found = everything.map_or(found.clone(), |what| all_affected(suite, found, &what));
        let tests: Vec<_> =
            found.tests.iter().map(|selected| selected.test).chain(found.unknown.iter().copied()).collect();
        let new = match watching {
            Watching::Yes if oracle.can_watch() && !tests.is_empty() => {
                oracle.tell(News::Began(Station::Profile, Some(tests.len() as u64)));
                let report = profile(oracle, &tests, &ProfileSettings::default());
                if report.stopped_early == Some(Halted::Interrupted) {
                    return Err(Failure::new(Exit::Interrupted, "interrupted"));
                }
                report.profiles
            }
            _ => vec![],
        };
        let (select, noise) = (self.args.select, &self.hunter.noise);
        let related = related(suite, &found, &old, &new, select, &imports, noise);
        if watching == Watching::Yes {
            let holding: Vec<_> = with_profiles.into_iter().filter(|test| !tests.contains(test)).collect();
            oracle.memory().renew_profiles(&holding)?;
        }
        let Affected { tests: affected, everything, deleted, .. } = found;
        let selection = Arc::new(Selection { everything, affected, related, deleted });
        Ok(Concern { selection, since: since.commit, renamed: changes.renamed })
    }

    /// The two trees: since what was typed, else since the last profiles were made, if that commit is still there.
    fn since(&self, root: &Path, kept: &Kept) -> Result<Since, Failure> {
        let repository = Repository::around(root)?;
        if let Some(revision) = &self.args.since {
            return Ok(repository.since(revision)?);
        }
        let last = kept.commit().map(|commit| repository.since(commit));
        Ok(last.and_then(Result::ok).map_or_else(|| repository.since("HEAD"), Ok)?)
    }

    fn tell_github(
        &self,
        oracle: &mut EngineOracle<'_, '_>,
        findings: &[Finding],
        selection: &Selection,
        since: &str,
    ) -> Result<(), Failure> {
        let suite = oracle.suite().clone();
        let prefix = git::prefix(oracle.root());
        let annotations = github_annotations(&suite, findings, selection, &prefix);
        oracle.session().data(&annotations);
        let Some(path) = std::env::var_os("GITHUB_STEP_SUMMARY") else { return Ok(()) };
        let text = github_summary(&suite, findings, selection, since);
        let file = std::fs::File::options().create(true).append(true).open(&path);
        file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(|error| {
            Failure::unwritable(path.as_ref(), &error, "`GITHUB_STEP_SUMMARY` names the file of the summary")
        })
    }
}

/// Whether tests may run to find out what the change concerns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Watching {
    Yes,
    No,
}

/// Something concerns all tests that is no file of the project.
fn all_affected(suite: &Suite, found: Affected, what: &str) -> Affected {
    let why = || vec![Why::Everything { what: what.to_owned() }];
    let tests = suite.indices().map(|test| Selected { test, why: why() }).collect();
    Affected { tests, everything: Some(what.to_owned()), unknown: vec![], ..found }
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

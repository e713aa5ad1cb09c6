//! `anyorder fix`: patches for findings, verified, shown, and applied if that is asked for.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyorder_config::Budget;
use anyorder_engine::{DiskMode, Engine};
use anyorder_model::{Aim, Cost, Event, Finding, FindingId, Plan};
use anyorder_repair::{RepairSettings, Repaired, repair};
use anyorder_report::Terminal;
use anyorder_search::HuntReport;
use anyorder_store::KnownFinding;

use super::explain::Subject;
use super::hunt::Hunter;
use super::profile::noise;
use crate::args::{FixArgs, SuiteArgs};
use crate::exit_code::Exit;
use crate::failure::Failure;
use crate::known::{all_known, finding_in, known_as};
use crate::oracle::EngineOracle;
use crate::project::{PATCHES, Project};
use crate::proposals::{Proposed, Wishes, propose};
use crate::recorded::{Again, Earlier, Outcome, Recorded};
use crate::session::{Done, Session};
use crate::standing::leave_out_gone;
use crate::workshop::{Disk, EngineWorkshop};
use crate::{fingerprint, saved};

pub(crate) fn run(args: &FixArgs, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let mut session = Session::new(terminal, &args.how, false)?;
    let project = Project::open(&args.how, &mut session)?;
    session.keep(&project.directory, "fix");
    let fixer = Fixer::new(args, &project)?;
    let suites = project.suites(&mut session, &fixer.suite)?;
    let mut ends = Ends::default();
    let exit = session.each_suite(suites, &fixer.suite.targets, |session, engine, took| {
        fixer.suite(session, engine, took, &mut ends)
    })?;
    ends.failure().map_or(Ok(exit), Err)
}

/// What is known when all suites are done.
#[derive(Default)]
struct Ends {
    /// For each name: nothing if a suite has it, else why one does not.
    names: BTreeMap<String, Option<Failure>>,
    /// Why patches were not applied.
    refused: Option<Failure>,
}

impl Ends {
    fn failure(self) -> Option<Failure> {
        self.refused.or(self.names.into_values().flatten().next())
    }

    fn note(&mut self, name: &str, failure: Option<Failure>) {
        let is_known = matches!(self.names.get(name), Some(None));
        if !is_known {
            self.names.insert(name.to_owned(), failure);
        }
    }
}

/// What was typed.
struct Fixer<'a> {
    project: &'a Project,
    suite: SuiteArgs,
    choice: Vec<String>,
    budget: Option<Budget>,
    hunter: Hunter,
    /// Findings and tests by the names that were typed, with what is known of them.
    named: Vec<(String, Vec<KnownFinding>)>,
    /// All that earlier hunts have found.
    known: Vec<KnownFinding>,
    is_declared_too: bool,
    wishes: Wishes,
}

/// Where the findings come from.
enum Start {
    Hunt,
    Known(Vec<Subject>),
}

impl<'a> Fixer<'a> {
    fn new(args: &FixArgs, project: &'a Project) -> Result<Self, Failure> {
        let suite = args.suite();
        let choice = suite.choice();
        let budget = args.budget.or(project.config.get("budget", str::parse)?);
        let rounds = project.config.get("rounds", |text| text.parse().map_err(|error| format!("{error}")))?;
        let hunter = Hunter {
            rounds,
            noise: noise(&[], project)?,
            budget,
            choice: choice.clone(),
            ..Hunter::default()
        };
        let named = args.named().map(|name| Ok((name.to_owned(), known_as(&project.directory, name)?)));
        let wishes = Wishes {
            is_joint: args.all,
            applying: args.applying,
            is_declared_too: args.declared,
            named: args.named().map(str::to_owned).collect(),
            suite: suite.typed_again(),
        };
        Ok(Fixer {
            project,
            choice,
            budget,
            hunter,
            named: named.collect::<Result<_, Failure>>()?,
            known: all_known(&project.directory)?,
            is_declared_too: args.declared,
            wishes,
            suite,
        })
    }

    fn suite(
        &self,
        session: &mut Session<'_>,
        engine: &Engine,
        took: Duration,
        ends: &mut Ends,
    ) -> Result<Done, Failure> {
        if engine.disk() == DiskMode::Shared {
            return Err(Failure::usage(
                "patches are tried out on files that only tests see, and `--disk shared` has none",
                "leave `--disk shared` out",
            ));
        }
        if engine.suite().driver != "pytest" {
            return Err(Failure::usage(
                "patches are written for suites in Python only, so far",
                "`anyorder` finds what there is to fix, and which tests are behind it",
            ));
        }
        let Some(start) = self.start(engine, ends) else { return Ok(Done::with(Exit::Nothing)) };
        let recorded = Recorded {
            engine,
            project: self.project,
            choice: &self.choice,
            budget: self.hunter.budget_words(engine),
            tries_again: match &start {
                Start::Hunt => Again::All,
                Start::Known(subjects) => Again::These(subjects.iter().flat_map(Subject::ids).collect()),
            },
            replays_foreign: false,
            expects_changes: false,
        };
        let mut proposed = None;
        let done = recorded.carry_out(session, |oracle, earlier| {
            let Some((mut report, suite_cpu_s)) = self.found(oracle, engine, start, earlier, took)? else {
                return Ok(None);
            };
            let (repaired, spent) = self.repaired(oracle, engine, &report)?;
            report.stopped_early = report.stopped_early.or(repaired.halted);
            let (suite, findings) = (engine.suite(), &report.findings);
            proposed = Some((propose(self.project, suite, findings, repaired, &self.wishes)?, spent));
            Ok(Some((report, suite_cpu_s)))
        })?;
        let Some((proposed, spent)) = proposed else { return Ok(done) };
        Ok(self.ended(done, proposed, spent, ends))
    }

    /// What there is to fix in this suite; nothing if all that was named belongs elsewhere.
    fn start(&self, engine: &Engine, ends: &mut Ends) -> Option<Start> {
        if self.named.is_empty() {
            let findings = self.known_in(engine);
            let is_known = !findings.is_empty();
            return Some(if is_known {
                Start::Known(vec![Subject::Findings(findings)])
            } else {
                Start::Hunt
            });
        }
        let mut subjects = Vec::new();
        for (name, known) in &self.named {
            let subject = Subject::of(engine, name, known);
            ends.note(name, subject.as_ref().err().cloned());
            subjects.extend(subject.ok());
        }
        (!subjects.is_empty()).then_some(Start::Known(subjects))
    }

    /// What earlier hunts have found in this suite.
    fn known_in(&self, engine: &Engine) -> Vec<Finding> {
        let in_suite = |known: &KnownFinding| finding_in(engine.suite(), known).ok().flatten();
        self.known.iter().filter_map(in_suite).collect()
    }

    /// The findings, with the state behind them; nothing if it was interrupted.
    fn found(
        &self,
        oracle: &mut EngineOracle<'_, '_>,
        engine: &Engine,
        start: Start,
        earlier: Earlier,
        took: Duration,
    ) -> Result<Option<Outcome>, Failure> {
        let begun = Instant::now();
        let subjects = match start {
            Start::Hunt => {
                let settings = self.hunter.settings(engine, earlier);
                return self.hunter.whole(oracle, engine, &settings, begun, took);
            }
            Start::Known(subjects) => subjects,
        };
        oracle.limit(begun, self.budget.map(|budget| budget.allowance(took)));
        oracle.session().tell(&Event::Planned(plan(engine)));
        let reports: Vec<HuntReport> =
            subjects.into_iter().map(|subject| subject.report(oracle, engine)).collect();
        let mut report = reports.into_iter().reduce(merged).expect("there is something to fix");
        if let Err(halted) = leave_out_gone(oracle, &mut report.findings) {
            report.stopped_early = report.stopped_early.or(Some(halted));
        }
        report.findings.sort_by_key(|finding| (finding.kind, finding.test));
        Ok(Some((self.hunter.explained(oracle, engine, report), None)))
    }

    /// Patches for what order alone decides, with what ran for them in changed copies: those that were shown last, if they are
    /// to be applied now.
    fn repaired(
        &self,
        oracle: &mut EngineOracle<'_, '_>,
        engine: &Engine,
        report: &HuntReport,
    ) -> Result<(Repaired, Cost), Failure> {
        let is_decided_by_order = |finding: &&Finding| finding.kind.is_order_dependent();
        let asked: Vec<Finding> = report.findings.iter().filter(is_decided_by_order).cloned().collect();
        let ids: Vec<FindingId> = asked.iter().map(|finding| finding.id.clone()).collect();
        let directory = self.project.state_directory(PATCHES)?;
        let written = oracle.session().report_file();
        let suite = fingerprint::of(self.project, engine, &self.choice, written.as_deref()).digest();
        let fingerprint = format!("{suite} declared {}", self.is_declared_too);
        let shown =
            self.wishes.applying.apply.then(|| saved::shown(&directory, &fingerprint, &ids)).flatten();
        if let Some(shown) = shown {
            return Ok((shown, Cost::default()));
        }
        let (repaired, spent) = self.searched(oracle, engine, &asked);
        saved::save(&directory, fingerprint, &repaired);
        Ok((repaired, spent))
    }

    fn searched(
        &self,
        oracle: &mut EngineOracle<'_, '_>,
        engine: &Engine,
        asked: &[Finding],
    ) -> (Repaired, Cost) {
        oracle.session().tell(&Event::Planned(plan(engine)));
        let root = self.project.directory.join(&engine.suite().root);
        let mut workshop = EngineWorkshop {
            as_is: oracle,
            project: self.project,
            suite: &self.suite,
            root: root.clone(),
            disk: engine.disk(),
            spent: Cost::default(),
        };
        let settings = RepairSettings {
            seed: engine.settings().seed,
            declared: self.is_declared_too,
            ..RepairSettings::default()
        };
        let others = self.others(engine, asked);
        let repaired = repair(&mut workshop, &Disk { root }, asked, &others, settings);
        (repaired, workshop.spent)
    }

    /// What else is known of this suite.
    fn others(&self, engine: &Engine, asked: &[Finding]) -> Vec<Finding> {
        let known = self.known.iter().filter(|finding| finding.stands);
        let findings = known.filter_map(|finding| finding_in(engine.suite(), finding).ok().flatten());
        let is_asked = |finding: &Finding| asked.iter().any(|other| other.id == finding.id);
        findings.filter(|finding| finding.kind.is_order_dependent() && !is_asked(finding)).collect()
    }

    fn ended(&self, done: Done, proposed: Proposed, spent: Cost, ends: &mut Ends) -> Done {
        let exit = match () {
            () if proposed.repairs.is_empty() => done.exit,
            () if proposed.is_all_done(&self.wishes) => Exit::Nothing,
            () => Exit::Found,
        };
        let Proposed { proposals, repairs, refused } = proposed;
        ends.refused = ends.refused.take().or(refused);
        let closing = move |cost: Cost| {
            let mut events = (done.closing)(cost.with_runs_of(spent));
            let end = events.pop();
            events.into_iter().chain([Event::Repaired { proposals, repairs }]).chain(end).collect()
        };
        Done { exit, closing: Box::new(closing) }
    }
}

fn merged(one: HuntReport, other: HuntReport) -> HuntReport {
    let mut report = one;
    let is_new = |finding: &Finding| report.findings.iter().all(|known| known.id != finding.id);
    let new: Vec<Finding> = other.findings.into_iter().filter(is_new).collect();
    report.findings.extend(new);
    report.unconfirmed.extend(other.unconfirmed);
    report.stopped_early = report.stopped_early.or(other.stopped_early);
    report
}

fn plan(engine: &Engine) -> Plan {
    Plan {
        strategy: "fix".to_owned(),
        orders: 0,
        seed: engine.settings().seed,
        workers: engine.settings().workers,
        isolation: engine.isolation().name(),
        aim: Aim::Repairs,
    }
}

//! `anyorder inject`: mutants of a stable suite that depend on order, as a data set.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use anyorder_engine::{DiskMode, Draws, Engine};
use anyorder_inject::{
    Class, Fate, Flaky, InjectSettings, Injection, Judge, Leavings, Mutant, Operator, Scope, Verdict, amount,
    classes, mutants, sample, unstable,
};
use anyorder_model::{Aim, Cost, Event, Halted, Order, Plan, TestIndex};
use anyorder_report::Terminal;

use crate::args::{InjectArgs, SuiteArgs};
use crate::exit_code::Exit;
use crate::failure::Failure;
use crate::fingerprint;
use crate::inject::{
    EngineBench, Journal, OUT_HINT, Scoring, Stop, WORK, cost_json, scored, summary, take, write_all,
};
use crate::known::{all_known, finding_in};
use crate::project::Project;
use crate::recorded::in_words;
use crate::session::{Done, Session};
use crate::workshop::Disk;

/// A test that has run many times by then, and hangs in a mutant, is not waited for long.
const PATIENCE: Duration = Duration::from_secs(2);

pub(crate) fn run(args: &InjectArgs, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let mut session = Session::new(terminal, &args.suite.how, false)?;
    let mut project = Project::open(&args.suite.how, &mut session)?;
    project.settings.patience = PATIENCE;
    // The same data set each time, also where a mutant draws random numbers.
    project.settings.draws = Draws::Seeded;
    Scoring::check(&args.suite, args.scored_in)?;
    let injector = Injector::new(args, &project)?;
    let suites = project.suites(&mut session, &args.suite)?;
    let mut number = 0;
    session.each_suite(suites, &args.suite.targets, |session, engine, _| {
        number += 1;
        injector.of_suite(number).suite(session, engine)
    })
}

/// What was typed.
#[derive(Clone)]
struct Injector<'a> {
    args: &'a InjectArgs,
    project: &'a Project,
    operators: Vec<Operator>,
    settings: InjectSettings,
    /// Where the data sets of all suites go.
    whole: PathBuf,
    /// Where that of this suite goes.
    out: PathBuf,
}

/// So many mutants are tried side by side: they share what comes before a change, and are noted together.
fn together(scope: Scope) -> usize {
    match scope {
        Scope::Class => 96,
        Scope::File => 32,
        Scope::Suite => 8,
    }
}

impl<'a> Injector<'a> {
    fn new(args: &'a InjectArgs, project: &'a Project) -> Result<Self, Failure> {
        let out = match &args.out {
            Some(out) => project.directory.join(out),
            None => project.state_directory("inject")?,
        };
        let settings = InjectSettings {
            scope: args.scope,
            reruns: args.reruns,
            orders: args.orders,
            seed: project.settings.seed,
            ..InjectSettings::default()
        };
        let whole = out.clone();
        Ok(Injector { args, project, operators: args.operators(), settings, whole, out })
    }

    /// The same for the suite of this number, from 1: a command may start several, and each has a data set of its own.
    fn of_suite(&self, number: usize) -> Self {
        let out = if number == 1 { self.whole.clone() } else { self.whole.join(format!("suite-{number}")) };
        Injector { out, ..self.clone() }
    }

    fn suite(&self, session: &mut Session<'_>, engine: &Engine) -> Result<Done, Failure> {
        refuse(engine)?;
        let suite = engine.suite();
        let files = Disk { root: self.project.directory.join(&suite.root) };
        let mut mutants = mutants(suite, &files, &self.operators, self.args.limit, self.settings.seed);
        mutants.iter_mut().for_each(|mutant| self.settings.scope.widen(suite, mutant));
        let mut journal = self.journal(engine)?;
        let mut bench = EngineBench::new(engine, session, self.project, &self.args.suite)?;
        let done = self.data_set(&mut bench, engine, &files, mutants, &mut journal);
        let trouble = bench.trouble.take();
        let spent = bench.spent;
        let mutants = match done {
            Ok(mutants) => mutants,
            Err(Stop::Failed(failure)) => return Err(failure),
            Err(Stop::Halted(halted)) => return trouble.map_or_else(|| Ok(stopped(halted)), Err),
        };
        let work = self.out.join(WORK).join("cost.json");
        let closing = move |cost: Cost| {
            // What it took is no part of the data set, which is the same each time.
            let _ = fs::write(work, cost_json(cost, mutants, spent));
            vec![Event::Finished { coverage: None, cost, stopped_early: None }]
        };
        Ok(Done { exit: Exit::Nothing, closing: Box::new(closing) })
    }

    /// Tries all mutants, writes what became of them, and scores detectors if that is wanted; how many mutants there were.
    fn data_set(
        &self,
        bench: &mut EngineBench<'_, '_>,
        engine: &Engine,
        files: &Disk,
        mutants: Vec<Mutant>,
        journal: &mut Journal,
    ) -> Result<usize, Stop> {
        let tried = self.judged(bench, engine, mutants, journal)?;
        let classes = classes(engine.suite(), files);
        let injection = self.injection(engine, &tried, &classes);
        self.write(&injection)?;
        bench.session().data(&summary(&injection, &self.out));
        bench.spent.told().iter().for_each(|line| bench.session().say("Cost", line));
        if !self.args.score.is_empty() {
            self.score(bench, &tried)?;
        }
        Ok(tried.mutants.len())
    }

    /// Has detectors look at the order-dependent mutants.
    fn score(&self, bench: &mut EngineBench<'_, '_>, tried: &Tried) -> Result<(), Stop> {
        let flaky =
            tried.mutants.iter().zip(&tried.verdicts).filter_map(|(mutant, verdict)| match &verdict.fate {
                Fate::OrderDependent(flaky) => Some((mutant, flaky.as_slice())),
                _ => None,
            });
        let flaky: Vec<(&Mutant, &[Flaky])> = sample(flaky.collect(), self.args.scored, self.settings.seed);
        let plan = Plan { strategy: "score".to_owned(), ..self.plan(bench.engine(), flaky.len()) };
        bench.session().tell(&Event::Planned(plan));
        let scoring = Scoring {
            project: self.project,
            typed: self.here(),
            detectors: &self.args.score,
            shown: self.args.scored_in,
            settings: self.settings,
            left_out: &tried.left_out,
            about: self.about(bench.engine()),
            work: self.out.join(WORK),
        };
        let scores = scoring.scores(bench, &flaky)?;
        bench.session().data(&scores.iter().map(scored).collect::<String>());
        Ok(())
    }

    /// The suite as it would be typed in the project's own directory, where detectors run.
    fn here(&self) -> SuiteArgs {
        let mut suite = self.args.suite.clone();
        suite.how.directory = None;
        suite.how.python = suite.how.python.map(|python| std::path::absolute(&python).unwrap_or(python));
        suite
    }

    /// The verdicts that are known already.
    fn journal(&self, engine: &Engine) -> Result<Journal, Failure> {
        let path = take(&self.out)?;
        let opened = Journal::open(&path, &self.about(engine));
        opened.map_err(|error| Failure::unwritable(&path, &error, OUT_HINT))
    }

    /// What decides the verdicts. The data set itself may be among the sources, and is none of them.
    fn about(&self, engine: &Engine) -> String {
        let fingerprint = fingerprint::of(self.project, engine, &self.args.suite.choice(), Some(&self.whole));
        let operators: Vec<&str> = self.operators.iter().map(|operator| operator.name()).collect();
        let InjectSettings { scope, reruns, orders, times, seed } = self.settings;
        let ids = engine.suite().tests().iter().map(|test| test.id.0.as_str());
        format!(
            "{} {} {} limit {:?} reruns {reruns} orders {orders} times {times} seed {seed} tests {}",
            fingerprint.digest(),
            operators.join(","),
            scope.name(),
            self.args.limit,
            ids.collect::<Vec<_>>().join("\n")
        )
    }

    fn judged(
        &self,
        bench: &mut EngineBench<'_, '_>,
        engine: &Engine,
        mutants: Vec<Mutant>,
        journal: &mut Journal,
    ) -> Result<Tried, Stop> {
        let looked_at: BTreeSet<TestIndex> =
            mutants.iter().flat_map(|mutant| mutant.judged.iter().flatten().copied()).collect();
        let left_out = self.left_out(bench, engine, &mutants, journal)?;
        let is_of_stable = |mutant: &Mutant| mutant.tests.iter().any(|test| !left_out.contains_key(test));
        let mutants: Vec<Mutant> = mutants.into_iter().filter(is_of_stable).collect();
        let is_new = |mutant: &&Mutant| !journal.verdicts.contains_key(&mutant.number);
        let (alone, shared): (Vec<&Mutant>, Vec<&Mutant>) =
            mutants.iter().filter(is_new).partition(|mutant| mutant.swap.is_none());
        let waves = shared.chunks(together(self.settings.scope)).chain(alone.chunks(1));
        bench.session().tell(&Event::Planned(self.plan(engine, mutants.len())));
        for wave in waves {
            bench.advance(journal.verdicts.len(), mutants.len());
            let verdicts = Judge::new(bench, self.settings, &left_out).judge(wave)?;
            journal.note(wave.iter().map(|mutant| mutant.number).zip(verdicts).collect())?;
        }
        let verdict = |mutant: &Mutant| journal.verdicts[&mutant.number].clone();
        let verdicts = mutants.iter().map(verdict).collect();
        Ok(Tried { mutants, verdicts, left_out, looked_at: looked_at.len() })
    }

    fn left_out(
        &self,
        bench: &mut EngineBench<'_, '_>,
        engine: &Engine,
        mutants: &[Mutant],
        journal: &mut Journal,
    ) -> Result<Leavings, Stop> {
        if let Some(known) = &journal.unstable {
            return Ok(known.clone());
        }
        bench.session().say("Stable", "looking for tests that pass alone each time and in every order");
        let classes: BTreeSet<Vec<TestIndex>> =
            mutants.iter().flat_map(|mutant| mutant.judged.iter().cloned()).collect();
        let amount = amount(&classes, self.settings);
        let plan = Plan {
            strategy: "stable".to_owned(),
            orders: amount.orders,
            aim: Aim::Profiles,
            ..self.plan(engine, 0)
        };
        bench.session().tell(&Event::Planned(plan));
        bench.count(amount);
        let left_out = unstable(bench, &classes, &self.known(engine)?, self.settings)?;
        journal.note_unstable(&left_out)?;
        Ok(left_out)
    }

    /// Tests that an earlier hunt has found to depend on order, with an order in which they failed.
    fn known(&self, engine: &Engine) -> Result<BTreeMap<TestIndex, Order>, Failure> {
        let known = all_known(&self.project.directory)?;
        let found = known.iter().filter(|finding| finding.stands);
        let found = found.filter_map(|finding| finding_in(engine.suite(), finding).ok().flatten());
        let found = found.filter(|finding| finding.kind.is_order_dependent());
        Ok(found.filter_map(|finding| Some((finding.test, finding.evidence?.failing))).collect())
    }

    fn injection<'t>(&'t self, engine: &'t Engine, tried: &'t Tried, classes: &'t [Class]) -> Injection<'t> {
        Injection {
            suite: engine.suite(),
            settings: self.settings,
            operators: &self.operators,
            mutants: &tried.mutants,
            verdicts: &tried.verdicts,
            looked_at: tried.looked_at,
            left_out: &tried.left_out,
            classes,
        }
    }

    fn write(&self, injection: &Injection<'_>) -> Result<(), Failure> {
        let written = write_all(&self.out, &injection.files());
        written.map_err(|error| Failure::unwritable(&self.out, &error, OUT_HINT))
    }

    fn plan(&self, engine: &Engine, mutants: usize) -> Plan {
        Plan {
            strategy: "inject".to_owned(),
            orders: mutants as u64,
            seed: self.settings.seed,
            workers: engine.settings().workers,
            isolation: engine.isolation().name(),
            aim: Aim::Mutants,
        }
    }
}

/// Mutants with their verdicts.
struct Tried {
    mutants: Vec<Mutant>,
    verdicts: Vec<Verdict>,
    left_out: Leavings,
    looked_at: usize,
}

fn refuse(engine: &Engine) -> Result<(), Failure> {
    if engine.suite().driver != "pytest" {
        return Err(Failure::usage(
            "mutants are made of suites in Python only, so far",
            "name a directory that has a pytest suite with `-C`",
        ));
    }
    if engine.disk() == DiskMode::Shared {
        return Err(Failure::usage(
            "mutants are tried out on files that only tests see, and `--disk shared` has none",
            "leave `--disk shared` out",
        ));
    }
    Ok(())
}

fn stopped(halted: Halted) -> Done {
    let exit = if halted == Halted::Interrupted { Exit::Interrupted } else { Exit::Unfinished };
    let closing =
        move |cost| vec![Event::Finished { coverage: None, cost, stopped_early: Some(in_words(halted)) }];
    Done { exit, closing: Box::new(closing) }
}

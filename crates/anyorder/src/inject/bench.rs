//! Tries mutants out: changed functions in forks of the suite's own process, or a changed tree that is collected anew.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyorder_engine::{Batch, Engine, EngineError, FileChange, Isolation, PlainRequest, Route, Update};
use anyorder_inject::{Amount, Ask, Bench, Fitness, Flaky, Mutant};
use anyorder_model::{Event, Halted, NotSwapped, Order, Progress, RunRecord, Step, Suite, Swap, TestIndex};
use anyorder_search::{HuntSettings, hunt};

use super::quiet::Quiet;
use super::refusal::{Refusal, may_be_the_mutant};
use super::spent::{Post, Spent};
use crate::args::SuiteArgs;
use crate::failure::Failure;
use crate::memory::Memory;
use crate::oracle::EngineOracle;
use crate::project::Project;
use crate::session::{Session, ends_its_parent};

/// So many suites on changed trees are kept; each is a process that has collected all tests.
const MOST_KEPT: usize = 2;

/// Tests that have run, and all that will.
struct Counted {
    done: u64,
    all: u64,
}

pub(crate) struct EngineBench<'a, 's> {
    engine: &'a Engine,
    session: &'a mut Session<'s>,
    project: &'a Project,
    args: &'a SuiteArgs,
    /// Where paths of files begin.
    root: PathBuf,
    /// Where files go that plain command lines mention.
    files: PathBuf,
    /// Mutants that need a changed tree, by their numbers; with the suite on it, for as long as that is kept.
    changed: BTreeMap<usize, Option<Engine>>,
    progress: Progress,
    /// How many tests there are to run, while orders are counted.
    counted: Option<Counted>,
    /// What mutants have cost.
    pub(crate) spent: Spent,
    /// Why nothing can be run any more.
    pub(crate) trouble: Option<Failure>,
}

impl<'a, 's> EngineBench<'a, 's> {
    pub(crate) fn new(
        engine: &'a Engine,
        session: &'a mut Session<'s>,
        project: &'a Project,
        args: &'a SuiteArgs,
    ) -> Result<Self, Failure> {
        Ok(EngineBench {
            engine,
            session,
            project,
            args,
            root: project.directory.join(&engine.suite().root),
            files: project.state_directory("plain")?,
            changed: BTreeMap::new(),
            progress: Progress::default(),
            counted: None,
            spent: Spent::default(),
            trouble: None,
        })
    }

    /// Does some work, and notes under this post what it was and what it took.
    fn metered<T>(
        &mut self,
        post: fn(&mut Spent) -> &mut Post,
        what: Post,
        work: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let before = self.engine.cost().cpu_s;
        let done = work(self);
        let cpu_s = self.engine.cost().cpu_s - before;
        post(&mut self.spent).add(Post { cpu_s, ..what });
        done
    }

    /// Shows how far it has come with orders, from now on.
    pub(crate) fn count(&mut self, amount: Amount) {
        self.counted = Some(Counted { done: 0, all: amount.tests.max(1) });
        self.progress = Progress { orders: amount.orders, ..Progress::default() };
    }

    fn count_one(&mut self, record: &RunRecord) {
        let Some(counted) = &mut self.counted else { return };
        counted.done += record.asked.len() as u64;
        self.progress.orders_done += 1;
        self.progress.share = counted.done as f64 / counted.all as f64;
    }

    /// Shows how far it has come with mutants.
    pub(crate) fn advance(&mut self, done: usize, all: usize) {
        self.counted = None;
        let share = done as f64 / all.max(1) as f64;
        self.progress =
            Progress { orders_done: done as u64, orders: all as u64, share, running: self.progress.running };
        self.session.tell(&Event::Progressed(self.progress.clone()));
    }

    /// The suite as it is.
    pub(crate) fn engine(&self) -> &'a Engine {
        self.engine
    }

    pub(crate) fn session(&mut self) -> &mut Session<'s> {
        self.session
    }

    fn halted(&mut self, stop: Refusal) -> Halted {
        let failure = match stop {
            Refusal::Engine(EngineError::Cancelled) => return Halted::Interrupted,
            Refusal::Engine(error) => error.into(),
            Refusal::Failure(failure) => failure,
        };
        self.trouble = Some(failure);
        Halted::Broken
    }

    fn change(&self, mutant: &Mutant) -> FileChange {
        FileChange { path: self.root.join(&mutant.file), contents: Some(mutant.after.clone()) }
    }

    /// Collects a mutant's tree; nothing, and why, if it has not the same tests.
    ///
    /// Only what is the mutant's own doing makes it invalid: a suite that does not start without it either, or a machine that
    /// has no room for it, is trouble.
    fn open(&mut self, mutant: &Mutant) -> Result<Result<Engine, String>, Refusal> {
        let engine = match self.start(vec![self.change(mutant)]) {
            Ok(Some(engine)) => engine,
            Ok(None) => return Ok(Err("there is no suite any more".to_owned())),
            Err(Refusal::Engine(error)) if may_be_the_mutant(&error) => {
                self.start(vec![])?;
                return Ok(Err(error.to_string()));
            }
            Err(refusal) => return Err(refusal),
        };
        let is_gone = |&&test: &&TestIndex| engine.suite().index_of(self.engine.suite().id(test)).is_none();
        let gone = mutant.judged.iter().flatten().find(is_gone).map(|&test| self.engine.suite().id(test));
        Ok(gone.map_or(Ok(()), |id| Err(format!("{id} is not collected"))).map(|()| engine))
    }

    /// Collects the suite with these files changed; a command may start others before it.
    fn start(&mut self, changes: Vec<FileChange>) -> Result<Option<Engine>, Refusal> {
        let mut suites = self.project.with_changes(changes).suites(self.session, self.args)?;
        let mut engine = suites.open_next()?.map(|opened| opened.engine);
        while let Some(other) = engine.take_if(|engine| engine.session() < self.engine.session()) {
            engine = other.next_suite()?.0;
        }
        Ok(engine)
    }

    /// The suite on a mutant's tree, which is kept by nobody from now on.
    fn opened(&mut self, mutant: &Mutant) -> Result<Result<Engine, String>, Refusal> {
        match self.changed.get_mut(&mutant.number).and_then(Option::take) {
            Some(engine) => Ok(Ok(engine)),
            None => self.open(mutant),
        }
    }

    /// Keeps the suite on a mutant's tree, if few are kept so far.
    fn keep(&mut self, mutant: &Mutant, engine: Engine) {
        let has_room = self.changed.values().flatten().count() < MOST_KEPT;
        self.changed.insert(mutant.number, Some(engine).filter(|_| has_room));
    }

    /// Runs batches on one engine; the records of all orders, in the order asked.
    fn carry_out(&mut self, engine: &Engine, batches: Vec<Batch>) -> Result<Vec<RunRecord>, EngineError> {
        let many = batches.iter().map(|batch| batch.0.len()).sum();
        let mut records: Vec<Option<RunRecord>> = vec![None; many];
        engine.run(batches.into_iter(), |update| {
            match update {
                Update::Ran { number, record } => {
                    let at = usize::try_from(number - 1).expect("orders fit into memory");
                    self.count_one(&record);
                    records[at] = Some(record);
                }
                Update::EndsItsParent { test } => self.session.tell(&ends_its_parent(engine, test)),
                Update::Tick { running, .. } => {
                    self.progress.running = running;
                    self.session.tell(&Event::Progressed(self.progress.clone()));
                }
            }
            ControlFlow::Continue(())
        })?;
        let all: Option<Vec<RunRecord>> = records.into_iter().collect();
        all.ok_or(EngineError::Cancelled)
    }

    /// Runs orders on a mutant's own suite; tests have the same ids there, but maybe other places.
    fn on_changed_tree(&mut self, mutant: &Mutant, orders: &[Order]) -> Result<Vec<RunRecord>, Refusal> {
        let engine = self.opened(mutant)?.map_err(EngineError::Agent)?;
        let batch = Batch::from(moved(orders, self.engine.suite(), engine.suite())?);
        let records = self.carry_out(&engine, vec![batch]);
        self.keep(mutant, engine);
        let back = |(record, asked): (RunRecord, &Order)| {
            let steps = record.steps.into_iter().zip(asked.tests());
            let steps = steps.map(|(step, &test)| Step { test, ..step }).collect();
            RunRecord { asked: asked.clone(), steps }
        };
        Ok(records?.into_iter().zip(orders).map(back).collect())
    }

    fn hunted(&mut self, mutant: &Mutant) -> Result<Vec<Flaky>, Halted> {
        let opened = self.opened(mutant).map_err(|refusal| self.halted(refusal))?;
        let Ok(engine) = opened else { return Ok(vec![]) };
        let memory = Memory::forgetful(engine.suite(), engine.session());
        let mut oracle =
            EngineOracle::new(&engine, self.session, memory, self.files.clone(), self.root.clone());
        let settings = HuntSettings {
            seed: engine.settings().seed,
            is_dear: engine.isolation() == Isolation::Process,
            ..HuntSettings::default()
        };
        let report = hunt(&mut Quiet(&mut oracle), &settings);
        if let Some(halted) = report.stopped_early {
            return Err(halted);
        }
        let place = |test: TestIndex| self.engine.suite().index_of(engine.suite().id(test));
        Ok(report.findings.iter().filter_map(|finding| Flaky::of(finding, place)).collect())
    }

    fn plain(&self, mutant: &Mutant, orders: &[Order]) -> Result<Vec<RunRecord>, EngineError> {
        let changes = [self.change(mutant)];
        let (engine, next) = (self.engine, AtomicUsize::new(0));
        let mut results: Vec<(usize, Result<RunRecord, EngineError>)> = thread::scope(|scope| {
            let workers = (0..engine.settings().workers.min(orders.len())).map(|worker| {
                let (next, changes) = (&next, &changes);
                scope.spawn(move || {
                    let mut ran = Vec::new();
                    while let Some((at, order)) = next_of(orders, next) {
                        let seed = u32::try_from(at).ok().map(|at| at + 1);
                        let request = PlainRequest { changes, seed, worker, ..PlainRequest::new(order) };
                        ran.push((at, engine.run_plain(request, |_| {}).map(|run| run.record)));
                    }
                    ran
                })
            });
            let workers: Vec<_> = workers.collect();
            workers.into_iter().flat_map(|worker| worker.join().expect("no worker panics")).collect()
        });
        results.sort_by_key(|(at, _)| *at);
        results.into_iter().map(|(_, result)| result).collect()
    }
}

impl Bench for EngineBench<'_, '_> {
    fn suite(&self) -> &Suite {
        self.engine.suite()
    }

    fn fitness(&mut self, mutants: &[&Mutant]) -> Result<Vec<Fitness>, Halted> {
        self.changed.clear();
        let swaps: Vec<&Swap> = mutants.iter().filter_map(|mutant| mutant.swap.as_deref()).collect();
        let engine = self.engine;
        let tried =
            self.metered(|spent| &mut spent.swapped, Post::of(swaps.len()), |_| engine.try_swaps(&swaps));
        let mut tried = tried.map_err(|error| self.halted(error.into()))?.into_iter();
        let mut fitness = Vec::with_capacity(mutants.len());
        for mutant in mutants {
            let swapped = mutant.swap.as_ref().and_then(|_| tried.next());
            fitness.push(match swapped {
                Some(Ok(())) => Fitness::Swapped,
                Some(Err(NotSwapped::Invalid(why))) => Fitness::Invalid(why),
                Some(Err(NotSwapped::Refused(_))) | None => {
                    let opened =
                        self.metered(|spent| &mut spent.collected, Post::of(1), |bench| bench.open(mutant));
                    match opened.map_err(|refusal| self.halted(refusal))? {
                        Err(why) => Fitness::Invalid(why),
                        Ok(engine) => {
                            self.keep(mutant, engine);
                            Fitness::Changed
                        }
                    }
                }
            });
        }
        Ok(fitness)
    }

    fn run(&mut self, asked: &[Ask<'_>]) -> Result<Vec<Vec<RunRecord>>, Halted> {
        let is_changed =
            |ask: &&Ask<'_>| ask.mutant.is_some_and(|mutant| self.changed.contains_key(&mutant.number));
        let changed: Vec<bool> = asked.iter().map(|ask| is_changed(&ask)).collect();
        let swapped = asked.iter().zip(&changed).filter(|(_, is_changed)| !**is_changed);
        let swapped: Vec<&Ask<'_>> = swapped.map(|(ask, _)| ask).collect();
        let post = Post::of_orders(swapped.iter().flat_map(|ask| &ask.orders));
        let of_mutants = swapped.iter().any(|ask| ask.mutant.is_some());
        let batches = batches(swapped.into_iter());
        let engine = self.engine;
        let records = self.metered(
            if of_mutants { |spent| &mut spent.swapped } else { |spent| &mut spent.as_is },
            post,
            |bench| bench.carry_out(engine, batches),
        );
        let mut records = records.map_err(|error| self.halted(error.into()))?.into_iter();
        let mut answers = Vec::with_capacity(asked.len());
        for (ask, is_changed) in asked.iter().zip(changed) {
            let many = if is_changed { 0 } else { ask.orders.len() };
            let swapped: Vec<RunRecord> = records.by_ref().take(many).collect();
            // What a test has done may keep a function from being changed behind it: then it is changed in its file.
            let is_refused = swapped.iter().any(|record| record.refused_swap().is_some());
            let on_tree = ask.mutant.filter(|_| (is_changed || is_refused) && !ask.orders.is_empty());
            answers.push(match on_tree {
                Some(mutant) => {
                    self.changed.entry(mutant.number).or_default();
                    let ran = self.metered(
                        |spent| &mut spent.collected,
                        Post::of_orders(&ask.orders),
                        |bench| bench.on_changed_tree(mutant, &ask.orders),
                    );
                    ran.map_err(|refusal| self.halted(refusal))?
                }
                None => swapped,
            });
        }
        Ok(answers)
    }

    fn hunt(&mut self, mutant: &Mutant) -> Result<Vec<Flaky>, Halted> {
        self.metered(|spent| &mut spent.hunted, Post::of(1), |bench| bench.hunted(mutant))
    }

    fn run_plain(&mut self, asked: &[Ask<'_>]) -> Result<Vec<Vec<RunRecord>>, Halted> {
        let orders = || asked.iter().flat_map(|ask| &ask.orders);
        let what = Post { many: orders().count() as u64, ..Post::of_orders(orders()) };
        let answers = self.metered(
            |spent| &mut spent.plain,
            what,
            |bench| {
                let plain =
                    |ask: &Ask<'_>| ask.mutant.map_or(Ok(vec![]), |mutant| bench.plain(mutant, &ask.orders));
                asked.iter().map(plain).collect::<Result<Vec<_>, EngineError>>()
            },
        );
        answers.map_err(|error| self.halted(error.into()))
    }
}

/// Orders of neighbours that concern the same file share what they begin with, unless they are to be apart.
fn batches<'m>(asked: impl Iterator<Item = &'m Ask<'m>>) -> Vec<Batch> {
    let mut batches: Vec<(Option<&str>, Batch)> = Vec::new();
    for ask in asked.filter(|ask| !ask.orders.is_empty()) {
        let file = ask.mutant.filter(|_| !ask.is_apart).map(|mutant| mutant.file.as_str());
        let swap = ask.swap();
        let route =
            |order: &Order| Route { order: order.clone(), swap: ask.place_in(order).zip(swap.clone()) };
        let routes = ask.orders.iter().map(route);
        match batches.last_mut().filter(|(last, _)| file.is_some() && *last == file) {
            Some((_, batch)) => batch.0.extend(routes),
            None => batches.push((file, Batch(routes.collect()))),
        }
    }
    batches.into_iter().map(|(_, batch)| batch).collect()
}

fn next_of<'o>(orders: &'o [Order], next: &AtomicUsize) -> Option<(usize, &'o Order)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    orders.get(at).map(|order| (at, order))
}

/// The same orders in the suite of a mutant, which has all tests that may notice it.
fn moved(orders: &[Order], from: &Suite, to: &Suite) -> Result<Vec<Order>, EngineError> {
    let place = |&test: &TestIndex| {
        let id = from.id(test);
        to.index_of(id).ok_or_else(|| EngineError::Agent(format!("{id} is not collected any more")))
    };
    orders.iter().map(|order| order.tests().iter().map(place).collect()).collect()
}

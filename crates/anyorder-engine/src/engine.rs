//! The engine: a suite that is ready to run in any order.

use std::collections::{BTreeSet, HashMap};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use anyorder_model::{Cost, Order, Step, Suite, Test, TestIndex};

use crate::cost::Meter;
use crate::disk::{Disk, DiskMode, DiskState, Site};
use crate::driver::Driver;
use crate::error::EngineError;
use crate::gate::{Arrival, Gate};
use crate::guard::{Cancel, Guard, Halt, TimeLimits, default_memory_limit, memory_info, resident_bytes};
use crate::launch::Launched;
use crate::lock::Locked;
use crate::node::Node;
use crate::plain::{self, PlainRequest, PlainRun};
use crate::pool::{self, Update};
use crate::scratch::Scratch;
use crate::suspects::Suspects;
use crate::ward::{Unstarted, Ward};
use crate::wire::{Gained, Hello, Message, Ready, Request};

/// How fresh states come about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// Forks of a process that has collected the tests and run none.
    Fork,
    /// A new process of the framework each time.
    Process,
}

impl Isolation {
    /// Both, with what they mean.
    pub const ALL: [(Isolation, &'static str); 2] = [
        (Isolation::Fork, "a fork of a process that has collected the tests"),
        (Isolation::Process, "a new process of the framework"),
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Isolation::Fork => "fork",
            Isolation::Process => "process",
        }
    }
}

/// What the user may choose.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How many processes run tests at the same time.
    pub workers: usize,
    /// How long a test may take that has not run yet; also the limit for collecting, which always has 10 s.
    pub timeout: Duration,
    /// How many bytes a test process may occupy beyond what the collected suite does.
    pub memory: u64,
    /// `None`: forks where they are possible.
    pub isolation: Option<Isolation>,
    /// `None`: layers where they are possible, else copies.
    pub disk: Option<DiskMode>,
    /// A program that calls [`keep`](crate::keep) first of all: the one that is running, usually.
    pub keeper: PathBuf,
    /// The seed of everything random.
    pub seed: u64,
    /// Whether to keep what tests print.
    pub output: bool,
    /// Ends everything when it is set.
    pub cancel: Cancel,
}

impl Default for Settings {
    fn default() -> Self {
        let workers = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Settings {
            workers,
            timeout: Duration::from_mins(10),
            memory: default_memory_limit(workers),
            isolation: None,
            disk: None,
            keeper: std::env::current_exe().unwrap_or_default(),
            seed: 0,
            output: false,
            cancel: Cancel::default(),
        }
    }
}

impl Settings {
    pub(crate) fn hash_seed(&self) -> u32 {
        // Zero would switch Python's hash randomisation off.
        u32::try_from(self.seed % 4_000_000_000).expect("it fits") + 1
    }
}

/// More kept states than this are not worth their memory.
const MOST_KEPT_STATES: usize = 64;

/// Below this share of free memory no more states are kept.
const SCARCE: u64 = 10;

/// What all workers share.
pub(crate) struct Lab {
    pub(crate) settings: Settings,
    pub(crate) halt: Halt,
    pub(crate) driver: Arc<dyn Driver>,
    pub(crate) gate: Gate,
    pub(crate) meter: Meter,
    pub(crate) disk: Disk,
    /// Tests whose outcome in a fork is not what it is in a process of its own.
    distrusted: Mutex<BTreeSet<TestIndex>>,
    pub(crate) suspects: Suspects,
    pub(crate) kept_states: AtomicUsize,
    pub(crate) running: AtomicU32,
    /// Bytes that the fresh state occupies.
    pub(crate) fresh_size: AtomicU64,
    /// When the first process was started, and how long it took to collect the tests.
    opened: Instant,
    collected: OnceLock<Duration>,
    nodes: AtomicU64,
    session: AtomicUsize,
    isolation: Mutex<Isolation>,
    suite: Mutex<Arc<Suite>>,
    /// One for each desk, where the disk has several.
    zygotes: Vec<Mutex<Option<Arc<Node>>>>,
    durations: Mutex<Vec<Option<Duration>>>,
    /// Last, because everything above may still write to it when it is dropped.
    pub(crate) scratch: Scratch,
}

impl Lab {
    pub(crate) fn next_node(&self) -> u64 {
        self.nodes.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn limits(&self) -> TimeLimits {
        TimeLimits { first: self.settings.timeout }
    }

    pub(crate) fn limit_for(&self, test: TestIndex) -> Duration {
        let durations = self.durations.locked();
        self.limits().for_test(durations[test.at()])
    }

    /// How long all of an order may take.
    pub(crate) fn limit_for_all(&self, order: &Order) -> Duration {
        let durations = self.durations.locked();
        self.limits().for_all(order.tests().iter().map(|test| durations[test.at()]))
    }

    /// How many bytes a process of the suite may occupy.
    pub(crate) fn largest(&self) -> u64 {
        self.settings.memory.saturating_add(self.fresh_size.load(Ordering::Relaxed))
    }

    /// How long starting the framework and collecting the tests took.
    pub(crate) fn collecting_took(&self) -> Duration {
        self.collected.get().copied().unwrap_or_default()
    }

    pub(crate) fn note_duration(&self, step: &Step) {
        self.durations.locked()[step.test.at()].get_or_insert(step.duration);
    }

    /// Whether a state may be kept for several orders to continue from.
    pub(crate) fn may_keep(&self, gained: Option<Gained>) -> bool {
        gained.is_some_and(Gained::is_nothing)
            && self.kept_states.load(Ordering::Relaxed) < MOST_KEPT_STATES
            && memory_info("MemAvailable")
                .zip(memory_info("MemTotal"))
                .is_none_or(|(free, all)| free > all / SCARCE)
    }

    pub(crate) fn tick(&self) -> Update {
        let running = self.running.load(Ordering::Relaxed);
        Update::Tick {
            running: (running != u32::MAX).then_some(TestIndex(running)),
            test_runs: self.meter.test_runs.load(Ordering::Relaxed),
        }
    }

    /// How an order has to be run.
    pub(crate) fn isolation_of(&self, order: &Order) -> Isolation {
        let distrusted = self.distrusted.locked();
        let is_safe = distrusted.is_empty() || !order.tests().iter().any(|test| distrusted.contains(test));
        if is_safe { *self.isolation.locked() } else { Isolation::Process }
    }

    /// Starts a command of the driver's; with `may_nest` it may make layers of disk for what it forks.
    pub(crate) fn start(&self, command: &Command, may_nest: bool, log: &Path) -> Result<Ward, EngineError> {
        Meter::count(&self.meter.processes, 1);
        Ward::start(&self.settings.keeper, command, self.disk.layers(), may_nest, log).map_err(|unstarted| {
            match unstarted {
                Unstarted::Command(source) => EngineError::Start {
                    command: command.get_program().to_string_lossy().into_owned(),
                    source,
                },
                Unstarted::Disk(source) => EngineError::Disk { mode: self.disk.mode(), source },
            }
        })
    }

    /// Makes the disk at a desk what it was.
    pub(crate) fn bring_back(&self, desk: usize, state: DiskState<'_>) -> Result<(), EngineError> {
        let mode = self.disk.mode();
        self.disk.bring_back(desk, state).map_err(|source| EngineError::Disk { mode, source })
    }

    /// A process in the fresh state, at a desk.
    pub(crate) fn fresh(&self, isolation: Isolation, desk: usize) -> Result<Node, EngineError> {
        const TRIES: u32 = 3;
        if isolation == Isolation::Process {
            return self.launch_again(desk);
        }
        for _ in 0..TRIES {
            let zygote = self.zygote(desk)?;
            self.bring_back(desk, DiskState::Fresh)?;
            match zygote.fork(self) {
                Ok(node) => return Ok(node),
                Err(_) if self.halt.is_called() => return Err(EngineError::Cancelled),
                Err(_) => self.forget_zygote(&zygote, desk),
            }
        }
        Err(EngineError::ZygoteLost(TRIES))
    }

    fn zygote(&self, desk: usize) -> Result<Arc<Node>, EngineError> {
        let mut zygote = self.zygotes[desk].locked();
        if let Some(zygote) = &*zygote {
            return Ok(Arc::clone(zygote));
        }
        let new = Arc::new(self.launch_again(desk)?);
        *zygote = Some(Arc::clone(&new));
        Ok(new)
    }

    /// The next to ask gets a new one, unless somebody has replaced it already.
    fn forget_zygote(&self, lost: &Arc<Node>, desk: usize) {
        let mut zygote = self.zygotes[desk].locked();
        if zygote.as_ref().is_some_and(|zygote| Arc::ptr_eq(zygote, lost)) {
            *zygote = None;
        }
    }

    fn forget_zygotes(&self) {
        self.zygotes.iter().for_each(|zygote| *zygote.locked() = None);
    }

    fn is_fresh_now(&self, desk: usize) -> Result<(), EngineError> {
        let mode = self.disk.mode();
        self.disk.is_fresh_now(desk).map_err(|source| EngineError::Disk { mode, source })
    }

    /// A new process of the framework that has collected the same suite again.
    fn launch_again(&self, desk: usize) -> Result<Node, EngineError> {
        let number = self.next_node();
        let mut launched = Launched::start(self, number, desk)?;
        let mut session = launched.next_session(self)?;
        for _ in 0..self.session.load(Ordering::Relaxed) {
            let mut passed_by = session.ok_or_else(|| launched.silent(self))?;
            let _ = passed_by.link.send(&Request::Exit { reap: vec![] });
            session = launched.next_session(self)?;
        }
        let mut arrival = session.ok_or_else(|| launched.silent(self))?;
        launched.ready(self, &mut arrival)?;
        let tests = collect(self, &mut arrival)?;
        let suite = self.suite.locked().clone();
        let place_of = places_in(&suite, &tests)?;
        let scratch = self.scratch.nodes().join(number.to_string());
        self.is_fresh_now(desk)?;
        Ok(Node::launched(Arc::new(Mutex::new(launched)), arrival.hello.pid, arrival.link, place_of, scratch))
    }
}

/// A suite that has been collected and can be run in any order.
pub struct Engine {
    suite: Arc<Suite>,
    hello: Hello,
    ready: Ready,
    /// Dropped before the lab, whose directory it writes to.
    command: Arc<Mutex<Launched>>,
    lab: Arc<Lab>,
}

impl Engine {
    /// Starts the framework, and has it collect its tests.
    pub fn open(driver: Arc<dyn Driver>, settings: Settings, scratch: Scratch) -> Result<Self, EngineError> {
        let wants_layers = settings.disk.is_none() && settings.isolation != Some(Isolation::Process);
        let engine = Engine::start(driver, settings, scratch)?;
        if wants_layers
            && engine.disk() == DiskMode::Overlay
            && engine.ready.can_fork
            && !engine.ready.can_layer
        {
            return engine.with_copies();
        }
        Ok(engine)
    }

    /// The same suite again, for an agent whose children cannot get layers.
    fn with_copies(self) -> Result<Self, EngineError> {
        let (lab, command) = (Arc::clone(&self.lab), Arc::clone(&self.command));
        drop(self);
        drop(command);
        let lab = Arc::into_inner(lab).expect("nothing has run yet");
        let settings = Settings { disk: Some(DiskMode::Copy), ..lab.settings };
        Engine::start(lab.driver, settings, lab.scratch)
    }

    fn start(driver: Arc<dyn Driver>, settings: Settings, scratch: Scratch) -> Result<Self, EngineError> {
        let gate = Gate::open(scratch.path()).map_err(EngineError::Scratch)?;
        let disk = choose_disk(&*driver, &settings, &scratch)?;
        let lab = Arc::new(Lab {
            zygotes: (0..=disk.desk_of(settings.workers - 1)).map(|_| Mutex::default()).collect(),
            disk,
            distrusted: Mutex::default(),
            suspects: Suspects::default(),
            isolation: Mutex::new(settings.isolation.unwrap_or(Isolation::Fork)),
            halt: Halt::new(settings.cancel.clone()),
            settings,
            suite: Mutex::new(Arc::new(Suite::new(driver.name(), vec![]))),
            driver,
            scratch,
            gate,
            meter: Meter::start(),
            kept_states: AtomicUsize::new(0),
            running: AtomicU32::new(u32::MAX),
            fresh_size: AtomicU64::new(0),
            opened: Instant::now(),
            collected: OnceLock::new(),
            nodes: AtomicU64::new(0),
            session: AtomicUsize::new(0),
            durations: Mutex::default(),
        });
        let mut launched = Launched::start(&lab, lab.next_node(), 0)?;
        let arrival = launched.next_session(&lab)?.ok_or_else(|| launched.silent(&lab))?;
        Engine::with_session(lab, Arc::new(Mutex::new(launched)), arrival)
    }

    fn with_session(
        lab: Arc<Lab>,
        command: Arc<Mutex<Launched>>,
        mut arrival: Arrival,
    ) -> Result<Self, EngineError> {
        let ready = command.locked().ready(&lab, &mut arrival)?;
        let tests = collect(&lab, &mut arrival)?;
        let _ = lab.collected.set(lab.opened.elapsed());
        lab.disk.unseat(0, &mut arrival.hello);
        let (suite, place_of) = suite_of(&lab, &arrival.hello, &ready, tests);
        let suite = Arc::new(suite);
        let Arrival { hello, link } = arrival;
        let scratch = lab.scratch.nodes().join(hello.node.to_string());
        lab.fresh_size.store(resident_bytes(hello.pid).unwrap_or(0), Ordering::Relaxed);
        let zygote = Node::launched(Arc::clone(&command), hello.pid, link, place_of, scratch);
        *lab.suite.locked() = Arc::clone(&suite);
        *lab.durations.locked() = vec![None; suite.len()];
        lab.is_fresh_now(0)?;
        *lab.zygotes[0].locked() = Some(Arc::new(zygote));
        let can_fork = ready.can_fork && (ready.can_layer || lab.disk.mode() != DiskMode::Overlay);
        let isolation =
            lab.settings.isolation.unwrap_or(if can_fork { Isolation::Fork } else { Isolation::Process });
        *lab.isolation.locked() = isolation;
        Ok(Engine { suite, hello, ready, command, lab })
    }

    /// The tests.
    pub fn suite(&self) -> &Arc<Suite> {
        &self.suite
    }

    /// What the agent said of itself.
    pub fn hello(&self) -> &Hello {
        &self.hello
    }

    /// What the agent said of the state after collection.
    pub fn ready(&self) -> &Ready {
        &self.ready
    }

    /// How fresh states come about.
    pub fn isolation(&self) -> Isolation {
        *self.lab.isolation.locked()
    }

    /// How orders are kept apart on disk.
    pub fn disk(&self) -> DiskMode {
        self.lab.disk.mode()
    }

    /// From now on orders with these tests run in processes of their own.
    pub fn distrust(&self, tests: impl IntoIterator<Item = TestIndex>) {
        self.lab.distrusted.locked().extend(tests);
    }

    /// Whether no test had to leave the forks.
    pub fn trusts_all(&self) -> bool {
        self.lab.distrusted.locked().is_empty()
    }

    /// Which of the suites that its command starts this is, from 0.
    pub fn session(&self) -> usize {
        self.lab.session.load(Ordering::Relaxed)
    }

    /// What the user chose.
    pub fn settings(&self) -> &Settings {
        &self.lab.settings
    }

    /// Runs all orders of all batches, each from the fresh state, and tells `hear` of each as it ends.
    ///
    /// Orders of one batch that begin with the same tests share the execution of those; orders of different batches
    /// share nothing. `Break` cancels everything that is going on.
    pub fn run(
        &self,
        batches: impl Iterator<Item = Vec<Order>> + Send,
        hear: impl FnMut(Update) -> ControlFlow<()>,
    ) -> Result<(), EngineError> {
        pool::run(&self.lab, batches, hear)
    }

    /// Runs an order in the user's own runner, in a new process without the agent; `tick` hears of time passing. Not while
    /// [`Engine::run`] is going on.
    pub fn run_plain(
        &self,
        ask: PlainRequest<'_>,
        tick: impl FnMut(Duration),
    ) -> Result<PlainRun, EngineError> {
        plain::run(&self.lab, &self.suite, &self.hello, ask, tick)
    }

    /// What has been spent so far. CPU counts for processes that have ended, so ask after [`Engine::next_suite`].
    pub fn cost(&self) -> Cost {
        self.lab.meter.read()
    }

    /// Ends the process that fresh states come from, so that its command goes on; gives the suite of the next session
    /// that the command starts, and what was spent.
    pub fn next_suite(self) -> Result<(Option<Engine>, Cost), EngineError> {
        self.lab.forget_zygotes();
        let (lab, command) = (Arc::clone(&self.lab), Arc::clone(&self.command));
        drop(self);
        let next = command.locked().next_session(&lab).unwrap_or(None);
        if next.is_none() {
            command.locked().end();
        }
        let cost = lab.meter.read();
        lab.session.fetch_add(1, Ordering::Relaxed);
        let next = next.map(|arrival| Engine::with_session(lab, command, arrival)).transpose()?;
        Ok((next, cost))
    }
}

impl Drop for Engine {
    /// The zygote has to be told to leave before its command is waited for.
    fn drop(&mut self) {
        self.lab.forget_zygotes();
    }
}

/// The disk that the user asked for, or the best that can be had.
fn choose_disk(driver: &dyn Driver, settings: &Settings, scratch: &Scratch) -> Result<Disk, EngineError> {
    let site = Site {
        keeper: &settings.keeper,
        project: driver.directory(),
        scratch: scratch.path(),
        workers: settings.workers,
        size: settings.memory,
    };
    let made = |mode| Disk::new(mode, site).map_err(|source| EngineError::Disk { mode, source });
    match settings.disk {
        Some(mode) => made(mode),
        None => made(DiskMode::Overlay).or_else(|_| made(DiskMode::Copy)),
    }
}

fn collect(lab: &Lab, arrival: &mut Arrival) -> Result<Vec<Test>, EngineError> {
    let guard = Guard::new(&lab.halt, arrival.hello.pid, u64::MAX, lab.limits().for_collecting());
    match arrival.link.send(&Request::Collect).and_then(|()| arrival.link.receive(&guard)) {
        Ok(Message::Collected { tests }) => Ok(tests),
        Err(_) if lab.halt.is_called() => Err(EngineError::Cancelled),
        other => {
            let said: String = format!("{other:?}").chars().take(2000).collect();
            Err(EngineError::Agent(format!("asked for the tests, it said {said}")))
        }
    }
}

/// The suite, and for each of its tests the place in the agent's list: the agent may list an id twice.
fn suite_of(lab: &Lab, hello: &Hello, ready: &Ready, listed: Vec<Test>) -> (Suite, Arc<[u32]>) {
    let mut tests: Vec<Test> = Vec::with_capacity(listed.len());
    let mut place_of = Vec::with_capacity(listed.len());
    let mut duplicates = Vec::new();
    let mut known = std::collections::HashSet::new();
    for (place, test) in (0..).zip(listed) {
        if known.insert(test.id.clone()) {
            tests.push(test);
            place_of.push(place);
        } else {
            duplicates.push(test.id);
        }
    }
    let mut suite = Suite::new(lab.driver.name(), tests);
    suite.framework.clone_from(&hello.framework);
    suite.language.clone_from(&hello.language);
    suite.root.clone_from(&hello.root);
    suite.errors.clone_from(&ready.errors);
    suite.duplicates = duplicates;
    (suite, place_of.into())
}

/// Where each test of `suite` stands in what another process has collected.
///
/// An id may hold the time of day or an address. Such a test is known by its place, if everything else about it agrees.
fn places_in(suite: &Suite, listed: &[Test]) -> Result<Arc<[u32]>, EngineError> {
    let mut places = HashMap::new();
    for (place, test) in (0_u32..).zip(listed) {
        places.entry(&test.id).or_insert(place);
    }
    let same_but_for_id = |place: u32, test: &Test| {
        let other = listed.get(place as usize)?;
        (other.group == test.group && other.line == test.line && suite.index_of(&other.id).is_none())
            .then_some(place)
    };
    let found = (0_u32..).zip(suite.tests()).map(|(place, test)| {
        places.get(&test.id).copied().or_else(|| same_but_for_id(place, test)).ok_or_else(|| test.id.clone())
    });
    let (found, missing): (Vec<_>, Vec<_>) = found.partition(Result::is_ok);
    let only_first: Vec<_> = missing.into_iter().filter_map(Result::err).collect();
    if only_first.is_empty() {
        Ok(found.into_iter().flatten().collect())
    } else {
        Err(EngineError::CollectedDifferently { only_first })
    }
}

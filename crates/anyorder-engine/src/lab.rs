//! What all workers share: limits, the zygotes, and how a process in the fresh state comes about.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use anyorder_model::{Order, Step, Suite, TestIndex};

use crate::before::LastState;
use crate::cost::Meter;
use crate::disk::{Disk, DiskMode, DiskState, Shown};
use crate::driver::Driver;
use crate::engine::{collect, places_in};
use crate::error::EngineError;
use crate::gate::Gate;
use crate::guard::{Halt, TimeLimits, memory_info};
use crate::launch::Launched;
use crate::lock::Locked;
use crate::node::Node;
use crate::pool::Update;
use crate::post::Post;
use crate::scratch::Scratch;
use crate::settings::{Isolation, Settings};
use crate::suspects::Suspects;
use crate::ward::Ward;
use crate::wire::{Gained, Request};

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
    pub(crate) distrusted: Mutex<BTreeSet<TestIndex>>,
    pub(crate) suspects: Suspects,
    pub(crate) kept_states: AtomicUsize,
    /// How many objects the last mark remembers.
    pub(crate) objects: AtomicU64,
    pub(crate) running: AtomicU32,
    /// Bytes that the fresh state occupies.
    pub(crate) fresh_size: AtomicU64,
    /// When the first process was started, and how long it took to collect the tests.
    pub(crate) opened: Instant,
    pub(crate) collected: OnceLock<Duration>,
    nodes: AtomicU64,
    pub(crate) session: AtomicUsize,
    pub(crate) isolation: Mutex<Isolation>,
    pub(crate) suite: Mutex<Arc<Suite>>,
    /// One for each desk, where the disk has several.
    pub(crate) zygotes: Vec<Post>,
    /// Forks of zygotes that remember the fresh state; one for each desk, once something is watched.
    pub(crate) marked: Vec<Post>,
    /// The last state that questions were about; one for each desk.
    pub(crate) before: Vec<LastState>,
    /// Processes that were started ahead of their use.
    spares: Mutex<Vec<Launched>>,
    pub(crate) durations: Mutex<Vec<Option<Duration>>>,
    /// Last, because everything above may still write to it when it is dropped.
    pub(crate) scratch: Scratch,
}

impl Lab {
    /// Nothing has been started yet.
    pub(crate) fn new(
        driver: Arc<dyn Driver>,
        settings: Settings,
        scratch: Scratch,
    ) -> Result<Self, EngineError> {
        let gate = Gate::open(scratch.path()).map_err(EngineError::Scratch)?;
        let disk = Disk::choose(driver.directory(), &settings, &scratch, &[])?;
        let desks = 0..=disk.desk_of(settings.workers - 1);
        let posts = || desks.clone().map(|_| Post::default()).collect();
        Ok(Lab {
            zygotes: posts(),
            marked: posts(),
            before: desks.clone().map(|_| LastState::default()).collect(),
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
            objects: AtomicU64::new(0),
            running: AtomicU32::new(u32::MAX),
            fresh_size: AtomicU64::new(0),
            opened: Instant::now(),
            collected: OnceLock::new(),
            nodes: AtomicU64::new(0),
            session: AtomicUsize::new(0),
            spares: Mutex::default(),
            durations: Mutex::default(),
        })
    }

    pub(crate) fn next_node(&self) -> u64 {
        self.nodes.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn limits(&self) -> TimeLimits {
        TimeLimits { first: self.settings.timeout, least: self.settings.patience }
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

    pub(crate) fn tick<R>(&self) -> Update<R> {
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
        self.start_on(&Shown::default(), command, may_nest, log)
    }

    /// The same, where some files are seen otherwise.
    pub(crate) fn start_on(
        &self,
        shown: &Shown,
        command: &Command,
        may_nest: bool,
        log: &Path,
    ) -> Result<Ward, EngineError> {
        Meter::count(&self.meter.processes, 1);
        self.disk.start(&self.settings.keeper, shown, command, may_nest, log)
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
            let zygote = self.zygotes[desk].holder(|| self.launch_again(desk).map(Arc::new))?;
            self.bring_back(desk, DiskState::Fresh)?;
            match zygote.fork(self) {
                Ok(node) => return Ok(node),
                Err(_) if self.halt.is_called() => return Err(EngineError::Cancelled),
                // It is well, but its children are not.
                Err(_) if zygote.answers() => return self.launch_again(desk),
                Err(_) => self.zygotes[desk].vacate(&zygote),
            }
        }
        Err(EngineError::ZygoteLost(TRIES))
    }

    pub(crate) fn forget_zygotes(&self) {
        self.spares.locked().clear();
        self.before.iter().for_each(LastState::clear);
        self.marked.iter().chain(&self.zygotes).for_each(Post::clear);
    }

    pub(crate) fn is_fresh_now(&self, desk: usize) -> Result<(), EngineError> {
        let mode = self.disk.mode();
        self.disk.is_fresh_now(desk).map_err(|source| EngineError::Disk { mode, source })
    }

    /// A new process of the framework that has collected the same suite again; one that was started ahead, if it is well.
    pub(crate) fn launch_again(&self, desk: usize) -> Result<Node, EngineError> {
        let spare = self.spares.locked().pop();
        let node = spare.and_then(|spare| self.collected_by(spare).ok());
        let node = match node {
            Some(node) => node,
            None => self.collected_by(Launched::start(self, self.next_node(), desk)?)?,
        };
        self.start_ahead(desk)?;
        Ok(node)
    }

    /// Starts a process for the next to ask, where orders run in new ones and each has a disk of its own.
    fn start_ahead(&self, desk: usize) -> Result<(), EngineError> {
        let is_wanted = *self.isolation.locked() == Isolation::Process
            && self.disk.mode() == DiskMode::Overlay
            && self.driver.can_wait();
        if is_wanted && self.spares.locked().len() < self.settings.workers {
            let spare = Launched::start(self, self.next_node(), desk)?;
            self.spares.locked().push(spare);
        }
        Ok(())
    }

    fn collected_by(&self, mut launched: Launched) -> Result<Node, EngineError> {
        let (number, desk) = (launched.node(), launched.desk());
        let mut session = launched.next_session(self)?;
        for _ in 0..self.session.load(Ordering::Relaxed) {
            let mut passed_by = session.ok_or_else(|| launched.silent(self))?;
            let _ = passed_by.link.send(&Request::Exit { reap: vec![] });
            session = launched.next_session(self)?;
        }
        let mut arrival = session.ok_or_else(|| launched.silent(self))?;
        launched.ready(self, &mut arrival)?;
        let (tests, _) = collect(self, &mut arrival)?;
        let suite = self.suite.locked().clone();
        let place_of = places_in(&suite, &tests)?;
        let scratch = self.scratch.nodes().join(number.to_string());
        self.is_fresh_now(desk)?;
        Ok(Node::launched(Arc::new(Mutex::new(launched)), arrival.hello.pid, arrival.link, place_of, scratch))
    }
}

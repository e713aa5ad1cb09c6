//! The engine: a suite that is ready to run in any order.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyorder_model::{
    Collection, Cost, NotSwapped, Order, Suite, Swap, Test, TestIndex, Treatment, TreatmentRecord, Watch,
    WatchRecord,
};

use crate::disk::DiskMode;
use crate::driver::{Driver, Rung};
use crate::error::EngineError;
use crate::gate::Arrival;
use crate::guard::{Guard, resident_bytes};
use crate::lab::Lab;
use crate::launch::Launched;
use crate::lock::Locked;
use crate::node::Node;
use crate::plain::{self, PlainRequest, PlainRun};
use crate::pool::{self, Batch, Update};
use crate::scratch::Scratch;
use crate::settings::{Isolation, Settings};
use crate::treat;
use crate::watch;
use crate::wire::{Hello, Message, Ready, Request};

/// A suite that has been collected and can be run in any order.
pub struct Engine {
    suite: Arc<Suite>,
    collection: Option<Collection>,
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
        let lab = Arc::new(Lab::new(driver, settings, scratch)?);
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
        if !lab.settings.changes.is_empty() && !ready.strays.is_empty() {
            return Err(EngineError::NotFromTheCopy { modules: ready.strays });
        }
        let (tests, collection) = collect(&lab, &mut arrival)?;
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
        lab.zygotes[0].take(Arc::new(zygote));
        let can_fork = ready.can_fork && (ready.can_layer || lab.disk.mode() != DiskMode::Overlay);
        let isolation =
            lab.settings.isolation.unwrap_or(if can_fork { Isolation::Fork } else { Isolation::Process });
        *lab.isolation.locked() = isolation;
        Ok(Engine { suite, collection, hello, ready, command, lab })
    }

    /// The tests.
    pub fn suite(&self) -> &Arc<Suite> {
        &self.suite
    }

    /// What collecting took of the project, if that was recorded.
    pub fn collection(&self) -> Option<&Collection> {
        self.collection.as_ref()
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

    /// Which of the suites that are opened one after the other this is, from 0.
    pub fn session(&self) -> usize {
        self.lab.settings.first_suite + self.lab.session.load(Ordering::Relaxed)
    }

    /// What knows the framework.
    pub fn driver(&self) -> &dyn Driver {
        &*self.lab.driver
    }

    /// How the runner can be told this order, if it keeps it.
    pub fn lowest_rung(&self, order: &Order) -> Rung {
        let fits = self.lab.driver.fits_on_command_line(&self.suite, order);
        if fits { Rung::Plain } else { Rung::PlainOrdered }
    }

    /// What the user chose.
    pub fn settings(&self) -> &Settings {
        &self.lab.settings
    }

    /// Runs all orders of all batches, each from the fresh state, and tells `hear` of each as it ends.
    ///
    /// Orders of one batch that begin with the same tests share the execution of those; orders of different batches
    /// share nothing. An order whose change is refused goes no further, and its
    /// record says so ([`anyorder_model::RunRecord::refused_swap`]). `Break` cancels everything that is going on.
    pub fn run(
        &self,
        batches: impl Iterator<Item = impl Into<Batch>> + Send,
        hear: impl FnMut(Update) -> ControlFlow<()>,
    ) -> Result<(), EngineError> {
        pool::run(&self.lab, batches.map(Into::into), hear)
    }

    /// Carries out all watches, each from the fresh state, and tells `hear` of each as it ends; numbers count from 1.
    ///
    /// `Break` cancels everything that is going on. Not while [`Engine::run`] is going on.
    pub fn watch(
        &self,
        watches: &[Watch],
        hear: impl FnMut(Update<WatchRecord>) -> ControlFlow<()>,
    ) -> Result<(), EngineError> {
        self.can_watch()?;
        watch::run(&self.lab, watches, hear)
    }

    /// Carries out all treatments, each from the fresh state, and tells `hear` of each as it ends; numbers count from 1.
    ///
    /// `Break` cancels everything that is going on. Not while [`Engine::run`] is going on.
    pub fn treat(
        &self,
        treatments: &[Treatment],
        hear: impl FnMut(Update<TreatmentRecord>) -> ControlFlow<()>,
    ) -> Result<(), EngineError> {
        self.can_treat()?;
        treat::run(&self.lab, treatments, hear)
    }

    /// Tries to change functions, one after the other in a process of its own: what would hinder it, for each.
    pub fn try_swaps(&self, swaps: &[&Swap]) -> Result<Vec<Result<(), NotSwapped>>, EngineError> {
        self.can_treat()?;
        let node = self.lab.fresh(self.isolation(), 0)?;
        let lost = |_| EngineError::Agent("it was lost while functions were changed in it".to_owned());
        swaps.iter().map(|swap| node.swap(&self.lab, swap).map_err(lost)).collect()
    }

    /// Whether [`Engine::treat`] has answers; if not, why.
    pub fn can_treat(&self) -> Result<(), EngineError> {
        if self.ready.can_watch {
            return Ok(());
        }
        Err(EngineError::CannotWatch { framework: self.hello.framework.clone() })
    }

    /// Whether [`Engine::watch`] has answers; if not, why.
    pub fn can_watch(&self) -> Result<(), EngineError> {
        self.can_treat()?;
        if self.isolation() == Isolation::Fork { Ok(()) } else { Err(EngineError::WatchNeedsForks) }
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

    /// What has been spent so far, by this suite; its CPU is that of all that this process has started.
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

/// The tests, and what collecting them took.
pub(crate) fn collect(
    lab: &Lab,
    arrival: &mut Arrival,
) -> Result<(Vec<Test>, Option<Collection>), EngineError> {
    let guard = Guard::new(&lab.halt, arrival.hello.pid, u64::MAX, lab.limits().for_collecting());
    match arrival.link.send(&Request::Collect).and_then(|()| arrival.link.receive(&guard)) {
        Ok(Message::Collected { tests, collection }) => Ok((tests, collection.map(|boxed| *boxed))),
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
pub(crate) fn places_in(suite: &Suite, listed: &[Test]) -> Result<Arc<[u32]>, EngineError> {
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

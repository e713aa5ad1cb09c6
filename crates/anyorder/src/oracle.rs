//! Answers the search's questions: from memory, or else by running what is asked.
//!
//! Knows the engine, the memory and the clock. Does not know why anything is asked.

mod fans;
mod looks;
mod plain;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyorder_engine::{Engine, EngineError};
use anyorder_model::{
    Event, Fan, FanRecord, FindingId, Halted, News, Oracle, PlainAsk, PlainSeen, Profile, Progress, Suite,
    TestIndex, Treatment, TreatmentRecord, Watch, WatchRecord,
};
use anyorder_store::StoreError;

use crate::memory::Memory;
use crate::session::Session;

pub(crate) struct EngineOracle<'a, 's> {
    engine: &'a Engine,
    session: &'a mut Session<'s>,
    memory: Memory<'a>,
    /// Where files go that printed command lines mention.
    files: PathBuf,
    /// Where paths in profiles begin.
    root: PathBuf,
    /// Findings of earlier hunts that were tried again.
    pub(crate) replayed: BTreeSet<FindingId>,
    begun: Instant,
    allowance: Option<Duration>,
    progress: Progress,
    /// Orders that the runner does not keep when it is only told ids.
    regrouped: BTreeSet<Vec<TestIndex>>,
    /// Why nothing can be run any more.
    pub(crate) trouble: Option<Trouble>,
}

/// Why nothing can be answered any more.
#[derive(Debug)]
pub(crate) enum Trouble {
    Engine(EngineError),
    Store(StoreError),
}

impl From<EngineError> for Trouble {
    fn from(error: EngineError) -> Self {
        Trouble::Engine(error)
    }
}

impl From<StoreError> for Trouble {
    fn from(error: StoreError) -> Self {
        Trouble::Store(error)
    }
}

impl<'a, 's> EngineOracle<'a, 's> {
    pub(crate) fn new(
        engine: &'a Engine,
        session: &'a mut Session<'s>,
        memory: Memory<'a>,
        files: PathBuf,
        root: PathBuf,
    ) -> Self {
        EngineOracle {
            engine,
            session,
            memory,
            files,
            root,
            replayed: BTreeSet::new(),
            begun: Instant::now(),
            allowance: None,
            progress: Progress::default(),
            regrouped: BTreeSet::new(),
            trouble: None,
        }
    }

    /// From now on nothing is run when this much time has passed since `begun`.
    pub(crate) fn limit(&mut self, begun: Instant, allowance: Option<Duration>) {
        (self.begun, self.allowance) = (begun, allowance);
    }

    /// Since when time counts, and how much there is.
    pub(crate) fn limits(&self) -> (Instant, Option<Duration>) {
        (self.begun, self.allowance)
    }

    pub(crate) fn session(&mut self) -> &mut Session<'s> {
        self.session
    }

    /// Where files go that printed command lines mention.
    pub(crate) fn files(&self) -> &Path {
        &self.files
    }

    /// Where paths in profiles begin.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// What was asked before.
    pub(crate) fn memory(&mut self) -> &mut Memory<'a> {
        &mut self.memory
    }

    fn is_out_of_time(&self) -> bool {
        self.allowance.is_some_and(|allowance| self.begun.elapsed() > allowance)
    }

    /// Why an answer cannot be given, before it is asked for.
    pub(crate) fn halted(&self) -> Result<(), Halted> {
        if self.session.cancel.is_cancelled() {
            return Err(Halted::Interrupted);
        }
        if self.is_out_of_time() { Err(Halted::Budget) } else { Ok(()) }
    }

    /// Turns what went wrong into an end of the search.
    fn broken(&mut self, trouble: Trouble) -> Halted {
        match trouble {
            Trouble::Engine(EngineError::Cancelled) if self.is_out_of_time() => Halted::Budget,
            Trouble::Engine(EngineError::Cancelled) => Halted::Interrupted,
            trouble => {
                self.trouble = Some(trouble);
                Halted::Broken
            }
        }
    }

    /// Shows what is running now.
    fn tick(&mut self, running: Option<TestIndex>) {
        self.progress.running = running;
        self.session.tell(&Event::Progressed(self.progress.clone()));
    }

    /// Writes the answers that are still waiting; `failed` is what went wrong with those before.
    fn written(&mut self, failed: Option<StoreError>, is_complete: bool) -> Result<(), Trouble> {
        self.memory.write()?;
        match failed {
            Some(error) => Err(error.into()),
            None if is_complete => Ok(()),
            None => Err(EngineError::Cancelled.into()),
        }
    }

    fn advance(&mut self, orders: usize) {
        self.progress.orders_done += orders as u64;
        let planned = self.progress.orders.max(1) as f64;
        self.progress.share = (self.progress.orders_done as f64 / planned).min(1.0);
    }
}

impl Oracle for EngineOracle<'_, '_> {
    fn suite(&self) -> &Suite {
        self.engine.suite()
    }

    fn run(&mut self, fans: Vec<Fan>) -> Result<Vec<FanRecord>, Halted> {
        self.run_fans(&fans)
    }

    fn run_plain(&mut self, asked: Vec<PlainAsk>) -> Result<Vec<PlainSeen>, Halted> {
        self.run_asked_plainly(&asked)
    }

    fn can_watch(&self) -> bool {
        self.engine.can_watch().is_ok()
    }

    fn watch(&mut self, watches: Vec<Watch>) -> Result<Vec<WatchRecord>, Halted> {
        self.look_all(&watches)
    }

    fn can_treat(&self) -> bool {
        self.engine.can_treat().is_ok()
    }

    fn treat(&mut self, treatments: Vec<Treatment>) -> Result<Vec<TreatmentRecord>, Halted> {
        self.look_all(&treatments)
    }

    fn profiled(&mut self, profiles: &[Profile]) {
        if let Err(error) = self.memory.note_profiles(&self.root, profiles, self.engine.collection()) {
            self.trouble.get_or_insert(error.into());
        }
    }

    fn spent(&self) -> f64 {
        self.allowance
            .map_or(0.0, |allowance| (self.begun.elapsed().as_secs_f64() / allowance.as_secs_f64()).min(1.0))
    }

    fn tell(&mut self, news: News) {
        if let News::Began(_, orders) = &news {
            self.progress = Progress { orders: orders.unwrap_or(0), ..Progress::default() };
        }
        if let News::Replayed { test, kind, .. } = &news {
            self.replayed.insert(FindingId::new(*kind, self.engine.suite().id(*test)));
        }
        self.session.tell(&Event::News(news));
    }
}

//! Suites that are opened one after the other: those of one command, and those of several modules.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyorder_engine::{Driver, Engine, EngineError, Scratch, Settings};

/// Makes a driver whose files are in the scratch directory.
type Start = Box<dyn FnOnce(&Scratch) -> io::Result<Arc<dyn Driver>>>;

/// A suite that can be opened.
pub(crate) struct Closed {
    /// What it is called, where there are several.
    pub(crate) name: Option<String>,
    start: Start,
}

impl Closed {
    pub(crate) fn new<D: Driver + 'static>(
        name: Option<String>,
        start: impl FnOnce(&Scratch) -> io::Result<D> + 'static,
    ) -> Self {
        Closed { name, start: Box::new(|scratch| Ok(Arc::new(start(scratch)?))) }
    }
}

/// The suites of one command line.
pub(crate) struct Suites {
    settings: Settings,
    closed: VecDeque<Closed>,
    opened: usize,
}

/// A suite that is ready, and the time that this took.
pub(crate) struct Opened {
    pub(crate) name: Option<String>,
    pub(crate) engine: Engine,
    pub(crate) took: Duration,
}

impl Suites {
    pub(crate) fn new(settings: Settings, closed: impl IntoIterator<Item = Closed>) -> Self {
        Suites { settings, closed: closed.into_iter().collect(), opened: 0 }
    }

    /// Opens the next one, if there is one.
    pub(crate) fn open_next(&mut self) -> Result<Option<Opened>, EngineError> {
        let Some(Closed { name, start }) = self.closed.pop_front() else { return Ok(None) };
        let begun = Instant::now();
        let scratch = Scratch::new().map_err(EngineError::Scratch)?;
        let driver = start(&scratch).map_err(EngineError::Scratch)?;
        let settings = Settings { first_suite: self.opened, ..self.settings.clone() };
        let engine = Engine::open(driver, settings, scratch)?;
        self.opened += 1;
        Ok(Some(Opened { name, engine, took: begun.elapsed() }))
    }
}

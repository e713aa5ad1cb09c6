//! An engine on any pytest suite, and its records in the sequence of their orders.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use anyorder_engine::{Engine, EngineError, Scratch, Settings, Update};
use anyorder_model::{Order, RunRecord};
use anyorder_pytest::{PytestDriver, Runner};

use crate::binary::{Profile, anyorder};

/// Starts pytest in `directory`.
pub fn open(python: &Path, directory: &Path, arguments: &[&str], settings: Settings) -> Engine {
    try_open(python, directory, arguments, settings)
        .unwrap_or_else(|error| panic!("{}: {error}: {:?}", directory.display(), error.evidence_and_hint()))
}

/// The same, where that may be refused.
pub fn try_open(
    python: &Path,
    directory: &Path,
    arguments: &[&str],
    settings: Settings,
) -> Result<Engine, EngineError> {
    let scratch = Scratch::new().expect("a temporary directory can be made");
    let targets = arguments.iter().map(|&argument| argument.to_owned()).collect();
    let runner = Runner::Direct { python: python.to_owned(), targets };
    let driver = PytestDriver::new(runner, directory, &scratch).expect("the agent can be unpacked");
    let settings = Settings { keeper: keeper().to_owned(), ..settings };
    Engine::open(Arc::new(driver), settings, scratch)
}

/// The binary, which can be a keeper; made if it is not there.
fn keeper() -> &'static Path {
    static KEEPER: OnceLock<PathBuf> = OnceLock::new();
    KEEPER.get_or_init(|| anyorder(Profile::Debug))
}

/// Runs everything; the records are in the sequence of the orders.
pub fn run(engine: &Engine, batches: Vec<Vec<Order>>) -> Vec<RunRecord> {
    let mut records = Vec::new();
    let hear = |update| {
        if let Update::Ran { number, record } = update {
            records.push((number, record));
        }
        ControlFlow::Continue(())
    };
    engine.run(batches.into_iter(), hear).expect("the suite runs");
    records.sort_by_key(|(number, _)| *number);
    records.into_iter().map(|(_, record)| record).collect()
}

//! What was typed, together with what the project has written down, becomes an open engine.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyorder_config::{Config, parse_duration, parse_size};
use anyorder_engine::{Cancel, Engine, Scratch, Settings, default_memory_limit};
use anyorder_pytest::{PytestDriver, Runner, find_interpreter};

use crate::args::{HowArgs, SuiteArgs, parse_disk, parse_isolation};
use crate::failure::Failure;

/// A project directory with its settings.
pub(crate) struct Project {
    pub(crate) directory: PathBuf,
    pub(crate) config: Config,
    pub(crate) settings: Settings,
    python: Option<PathBuf>,
}

impl Project {
    pub(crate) fn new(how: &HowArgs, cancel: &Cancel) -> Result<Self, Failure> {
        let directory = working_directory(how.directory.as_deref())?;
        let config = Config::read(&directory)?;
        let defaults = Settings::default();
        let number = |text: &str| text.parse::<usize>().map_err(|error| error.to_string());
        let workers = how.workers.or(config.get("workers", number)?).unwrap_or(defaults.workers);
        if workers == 0 {
            return Err(Failure::usage(
                "there has to be at least one worker",
                "leave `--workers` out for one per core",
            ));
        }
        let seed = |text: &str| text.parse::<u64>().map_err(|error| error.to_string());
        let settings = Settings {
            workers,
            timeout: how.timeout.or(config.get("timeout", parse_duration)?).unwrap_or(defaults.timeout),
            memory: how
                .memory
                .or(config.get("memory", parse_size)?)
                .unwrap_or_else(|| default_memory_limit(workers)),
            isolation: how.isolation.or(config.get("isolation", parse_isolation)?),
            disk: how.disk.or(config.get("disk", parse_disk)?),
            keeper: defaults.keeper,
            seed: how.seed.or(config.get("seed", seed)?).unwrap_or(defaults.seed),
            output: false,
            cancel: cancel.clone(),
        };
        let python = how.python.clone().or(config.get("python", |text| Ok(PathBuf::from(text)))?);
        Ok(Project { directory, config, settings, python })
    }

    /// Starts the suite; gives the time that this took, too.
    pub(crate) fn open(&self, suite: &SuiteArgs) -> Result<(Engine, Duration), Failure> {
        let begun = Instant::now();
        let runner = if suite.command.is_empty() {
            let python = find_interpreter(self.python.as_deref(), &self.directory)?.python;
            Runner::Direct { python, targets: suite.targets.clone() }
        } else if suite.targets.is_empty() {
            Runner::Command(suite.command.clone())
        } else {
            return Err(Failure::usage(
                "targets and a command of your own do not go together",
                "name the targets inside the command, after `--`",
            ));
        };
        let scratch = Scratch::new().map_err(anyorder_engine::EngineError::Scratch)?;
        let driver = PytestDriver::new(runner, &self.directory, &scratch)
            .map_err(anyorder_engine::EngineError::Scratch)?;
        let engine = Engine::open(Arc::new(driver), self.settings.clone(), scratch)?;
        Ok((engine, begun.elapsed()))
    }

    pub(crate) fn python(&self) -> Option<&Path> {
        self.python.as_deref()
    }

    /// A directory for one kind of our files; git does not see it.
    pub(crate) fn state_directory(&self, part: &str) -> Result<PathBuf, Failure> {
        Ok(anyorder_store::state_directory(&self.directory, part)?)
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "here the directory enters the program; everybody else is given it"
)]
fn working_directory(named: Option<&Path>) -> Result<PathBuf, Failure> {
    let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
    let directory = named.map_or_else(|| here.clone(), |named| here.join(named));
    directory
        .canonicalize()
        .ok()
        .filter(|path| path.is_dir())
        .ok_or_else(|| Failure::no_directory(&directory))
}

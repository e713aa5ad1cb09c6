//! What was typed, together with what the project has written down, becomes an open engine.

use std::path::{Path, PathBuf};

use anyorder_config::{Config, parse_duration, parse_size};
use anyorder_engine::{Cancel, FileChange, Settings, default_memory_limit};
use anyorder_junit::{JunitDriver, Module};
use anyorder_model::Event;
use anyorder_pytest::{PytestDriver, Runner, find_interpreter};
use anyorder_store::where_is;

use crate::apply::{self, Unfinished};
use crate::args::{HowArgs, SuiteArgs, parse_disk, parse_isolation};
use crate::build;
use crate::failure::Failure;
use crate::framework::{self, Framework};
use crate::opened::{Closed, Suites};
use crate::session::Session;

/// A project directory with its settings.
#[derive(Clone)]
pub(crate) struct Project {
    pub(crate) directory: PathBuf,
    pub(crate) config: Config,
    pub(crate) settings: Settings,
    python: Option<PathBuf>,
}

/// Where diffs are, and the journal of files that are being changed.
pub(crate) const PATCHES: &str = "patches";

impl Project {
    /// The project as it was typed. What an interrupted command has begun to change in it is completed first.
    pub(crate) fn open(how: &HowArgs, session: &mut Session<'_>) -> Result<Self, Failure> {
        let project = Project::new(how, &session.cancel)?;
        let unfinished = apply::finish_earlier(&where_is(&project.directory, PATCHES))?;
        unfinished.iter().for_each(|unfinished| session.tell(&told(unfinished)));
        Ok(project)
    }

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
        let is_true = |text: &str| text.parse::<bool>().map_err(|_| "it is `true` or `false`".to_owned());
        let seed = |text: &str| text.parse::<u64>().map_err(|error| error.to_string());
        let settings = Settings {
            workers,
            timeout: how.timeout.or(config.get("timeout", parse_duration)?).unwrap_or(defaults.timeout),
            patience: defaults.patience,
            draws: defaults.draws,
            memory: how
                .memory
                .or(config.get("memory", parse_size)?)
                .unwrap_or_else(|| default_memory_limit(workers)),
            isolation: how.isolation.or(config.get("isolation", parse_isolation)?),
            disk: how.disk.or(config.get("disk", parse_disk)?),
            changes: vec![],
            trusts_forks: how.trust_forks || config.get("trust-forks", is_true)?.unwrap_or(false),
            records: false,
            keeper: defaults.keeper,
            first_suite: 0,
            seed: how.seed.or(config.get("seed", seed)?).unwrap_or(defaults.seed),
            output: false,
            cancel: cancel.clone(),
        };
        let python = how.python.clone().or(config.get("python", |text| Ok(PathBuf::from(text)))?);
        Ok(Project { directory, config, settings, python })
    }

    /// The same project; what collecting its suite takes is recorded for those who come after a change.
    pub(crate) fn recording(self) -> Self {
        let settings = Settings { records: true, ..self.settings };
        Project { settings, ..self }
    }

    /// The same project, shown with these files changed.
    pub(crate) fn with_changes(&self, changes: Vec<FileChange>) -> Self {
        let settings = Settings { changes, ..self.settings.clone() };
        Project { settings, ..self.clone() }
    }

    /// The same settings for another directory.
    pub(crate) fn at(&self, directory: &Path) -> Self {
        Project { directory: directory.to_owned(), ..self.clone() }
    }

    /// The suites that are meant; builds what has to be built.
    pub(crate) fn suites(&self, session: &mut Session<'_>, suite: &SuiteArgs) -> Result<Suites, Failure> {
        if !suite.command.is_empty() && !suite.targets.is_empty() {
            return Err(Failure::usage(
                "targets and a command of your own do not go together",
                "name the targets inside the command, after `--`",
            ));
        }
        let choice = framework::choose(&self.directory, suite);
        if choice.is_ambiguous {
            session.tell(&Event::Notice {
                text: "this directory holds a Python project and a Java build; pytest is used".to_owned(),
                hint: Some("for the JUnit tests, name a module: `--module .`".to_owned()),
            });
        }
        let closed = match choice.framework {
            Framework::Pytest => vec![self.pytest(suite)?],
            Framework::Junit => {
                let modules = build::modules(self, session, suite)?;
                let is_one = modules.len() == 1;
                let name = |module: &Module| Some(module.name.clone()).filter(|_| !is_one);
                let closed = |module: Module| {
                    Closed::new(name(&module), move |scratch| JunitDriver::new(module, scratch))
                };
                modules.into_iter().map(closed).collect()
            }
        };
        Ok(Suites::new(self.settings.clone(), closed))
    }

    fn pytest(&self, suite: &SuiteArgs) -> Result<Closed, Failure> {
        let runner = if suite.command.is_empty() {
            let python = find_interpreter(self.python.as_deref(), &self.directory)?.python;
            Runner::Direct { python, targets: suite.targets.clone() }
        } else {
            Runner::Command(suite.command.clone())
        };
        let directory = self.directory.clone();
        Ok(Closed::new(None, move |scratch| PytestDriver::new(runner, &directory, scratch)))
    }

    pub(crate) fn python(&self) -> Option<&Path> {
        self.python.as_deref()
    }

    /// A directory for one kind of our files; git does not see it.
    pub(crate) fn state_directory(&self, part: &str) -> Result<PathBuf, Failure> {
        Ok(anyorder_store::state_directory(&self.directory, part)?)
    }
}

/// What became of a patch whose command was killed.
fn told(unfinished: &Unfinished) -> Event {
    let text = match unfinished {
        Unfinished::Completed(paths) => {
            format!("an earlier `fix --apply` was interrupted; it is completed now: {}", paths.join(", "))
        }
        Unfinished::Undone(path) => {
            format!("an earlier `fix --apply` was interrupted; it is undone now, since `{path}` was edited")
        }
    };
    Event::Notice { text, hint: None }
}

#[expect(
    clippy::disallowed_methods,
    reason = "here the directory enters the program; everybody else is given it"
)]
pub(crate) fn working_directory(named: Option<&Path>) -> Result<PathBuf, Failure> {
    let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
    let directory = named.map_or_else(|| here.clone(), |named| here.join(named));
    directory
        .canonicalize()
        .ok()
        .filter(|path| path.is_dir())
        .ok_or_else(|| Failure::no_directory(&directory))
}

//! Why the engine cannot go on. What a test does is never one of these.

use std::io;
use std::path::PathBuf;

use anyorder_model::TestId;
use thiserror::Error;

use crate::disk::DiskMode;
use crate::driver::Silence;

/// Why the engine cannot go on.
#[derive(Debug, Error)]
pub enum EngineError {
    /// The private directory or the socket in it could not be made.
    #[error("cannot make a private directory for temporary files: {0}")]
    Scratch(io::Error),
    /// The tests cannot be kept away from the user's files.
    #[error("cannot keep what tests write apart (`--disk {mode}`): {source}", mode = .mode.name())]
    Disk {
        /// How that was to be done.
        mode: DiskMode,
        /// What the system said.
        source: io::Error,
    },
    /// A file cannot be shown to tests otherwise than the user has it.
    #[error("cannot show the tests a changed `{path}`: {why}", path = .path.display())]
    NotChanged {
        /// The file.
        path: PathBuf,
        /// What is in the way.
        why: String,
    },
    /// Files are to be changed, and the tests have the user's own.
    #[error("cannot show the tests changed files with `--disk shared`: they would be your own")]
    ChangesAreApart,
    /// Files are changed in a copy that the tests do not use.
    #[error("cannot show the tests changed files: they import the project itself, not the copy of it")]
    NotFromTheCopy {
        /// Modules of the project itself.
        modules: Vec<String>,
    },
    /// The framework could not be started.
    #[error("cannot start `{command}`: {source}")]
    Start {
        /// The program.
        command: String,
        /// What the system said.
        source: io::Error,
    },
    /// The framework was started and no agent spoke up.
    #[error("the agent inside `{command}` did not report")]
    Silent {
        /// The program.
        command: String,
        /// What was seen and what to try.
        silence: Silence,
    },
    /// The framework ended, or took too long, before it had collected the tests.
    #[error("`{command}` did not get as far as running tests")]
    NotCollected {
        /// The program.
        command: String,
        /// What was seen and what to try.
        silence: Silence,
    },
    /// The agent speaks another version of the wire.
    #[error("the agent speaks version {0} of the wire, the engine {version}", version = crate::wire::VERSION)]
    Version(u32),
    /// The agent's own code failed.
    #[error("the agent failed: {0}")]
    Agent(String),
    /// A new process collected other tests.
    #[error("two identical starts collected different tests")]
    CollectedDifferently {
        /// Tests that only the first start has.
        only_first: Vec<TestId>,
    },
    /// The process that all fresh states come from died again and again.
    #[error("the process that fresh states are forked from died {0} times")]
    ZygoteLost(u32),
    /// The agent does not know the verbs that it takes.
    #[error("what a test leaves changed cannot be seen in a suite of {framework}")]
    CannotWatch {
        /// Framework and version.
        framework: String,
    },
    /// Fresh states are new processes here.
    #[error("what a test leaves changed can be seen in forks only, and here each order has a new process")]
    WatchNeedsForks,
    /// Nobody wants to know any more.
    #[error("interrupted")]
    Cancelled,
}

impl EngineError {
    /// Lines of evidence, and one thing to try.
    pub fn evidence_and_hint(&self) -> (String, Option<String>) {
        match self {
            EngineError::Silent { silence, .. } | EngineError::NotCollected { silence, .. } => {
                (silence.evidence.clone(), Some(silence.hint.clone()))
            }
            EngineError::CollectedDifferently { only_first } => (
                only_first
                    .iter()
                    .take(3)
                    .map(|id| format!("only in the first: {id}"))
                    .collect::<Vec<_>>()
                    .join("\n"),
                Some("parameters of tests may be unordered (a set): sort them, or give them ids".to_owned()),
            ),
            EngineError::ZygoteLost(_) => (
                "a test probably kills its parent process".to_owned(),
                Some("run each order in a process of its own: `--isolation process`".to_owned()),
            ),
            EngineError::Disk { mode, .. } => {
                let hint = match mode {
                    DiskMode::Overlay => "give each worker a copy of the project: `--disk copy`",
                    _ => "let tests write to your own files, as in an ordinary run: `--disk shared`",
                };
                (String::new(), Some(hint.to_owned()))
            }
            EngineError::ChangesAreApart => (String::new(), Some("leave `--disk shared` out".to_owned())),
            EngineError::NotFromTheCopy { modules } => (
                modules
                    .iter()
                    .take(3)
                    .map(|module| format!("not from the copy: `{module}`"))
                    .collect::<Vec<_>>()
                    .join("\n"),
                Some("it is installed in a way that fixes its path; where layers can be had, `--disk overlay` does not mind".to_owned()),
            ),
            EngineError::CannotWatch { .. } => (
                String::new(),
                Some("`anyorder hunt` finds order-dependent tests without seeing state".to_owned()),
            ),
            EngineError::WatchNeedsForks => {
                (String::new(), Some("leave `--isolation process` out".to_owned()))
            }
            EngineError::Scratch(_) => (
                String::new(),
                Some("name a writable directory in the environment variable `TMPDIR`".to_owned()),
            ),
            _ => (String::new(), None),
        }
    }
}

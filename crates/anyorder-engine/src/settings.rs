//! What the user may choose.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use crate::disk::{DiskMode, FileChange};
use crate::guard::{Cancel, default_memory_limit};

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

/// Random numbers that nobody has seeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Draws {
    /// Others in every session, as in a plain run.
    Others,
    /// Those of the seed.
    Seeded,
}

/// What the user may choose.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How many processes run tests at the same time.
    pub workers: usize,
    /// How long a test may take that has not run yet; also the limit for collecting, which always has 10 s.
    pub timeout: Duration,
    /// How long a test may take at least that has run before.
    pub patience: Duration,
    /// How many bytes a test process may occupy beyond what the collected suite does.
    pub memory: u64,
    /// `None`: forks where they are possible.
    pub isolation: Option<Isolation>,
    /// `None`: layers where they are possible, else copies.
    pub disk: Option<DiskMode>,
    /// Files that tests see otherwise than the user has them, each once; not with [`DiskMode::Shared`].
    pub changes: Vec<FileChange>,
    /// Whether forks need not be compared with plain runs.
    pub trusts_forks: bool,
    /// Whether to record what collecting the suite takes of the project, for those who come after a change.
    pub records: bool,
    /// A program that calls [`keep`](crate::keep) first of all: the one that is running, usually.
    pub keeper: PathBuf,
    /// The number of the first suite that is opened, from 0.
    pub first_suite: usize,
    /// The seed of everything random.
    pub seed: u64,
    /// What random numbers tests draw that do not seed them.
    pub draws: Draws,
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
            patience: Duration::from_secs(10),
            memory: default_memory_limit(workers),
            isolation: None,
            disk: None,
            changes: vec![],
            trusts_forks: false,
            records: false,
            keeper: std::env::current_exe().unwrap_or_default(),
            first_suite: 0,
            seed: 0,
            draws: Draws::Others,
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

//! What the engine asks of a framework's driver.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::{fs, io};

pub use anyorder_model::Rung;
use anyorder_model::{ForeignRun, Order, Outcome, Step, Suite, TestId};

use crate::settings::Draws;
use crate::wire::Hello;

/// What an agent has to know when it starts.
#[derive(Debug)]
pub struct AgentCall<'a> {
    /// The socket to connect to.
    pub socket: &'a Path,
    /// The number to introduce itself with.
    pub node: u64,
    /// A directory for temporary files of the tests; node `n` may use `n` and names that begin with `n-`.
    pub nodes: &'a Path,
    /// The seed for the language's own randomness, such as that of hash tables.
    pub seed: u32,
    /// Whether random numbers that tests draw come from that seed, too, as long as they have no other.
    pub draws: Draws,
    /// Where the project is, and the copy of it that is used instead; null if none is.
    pub moved: serde_json::Value,
    /// What a forked child has to know to get a disk of its own; null if it does not.
    pub layers: serde_json::Value,
    /// Whether to record what collecting takes of the project.
    pub records: bool,
}

/// What a plain run has to know.
#[derive(Debug)]
pub struct PlainCall<'a> {
    /// The suite.
    pub suite: &'a Suite,
    /// What to run.
    pub order: &'a Order,
    /// How to tell the runner.
    pub rung: Rung,
    /// What the agent said of the runner's set-up.
    pub hello: &'a Hello,
    /// Files to collect instead of what the runner collects by itself; only with [`Rung::PlainOrdered`].
    pub collected: Option<&'a [String]>,
    /// The seed for the language's own randomness; else what the user has set.
    pub seed: Option<u32>,
    /// A directory for files that the command line mentions.
    pub files: &'a Path,
    /// Where the runner has to write its results.
    pub results: &'a Path,
    /// Whether what tests print belongs to the results.
    pub output: bool,
    /// Where the project is, and the copy of it that is used instead, if one is. The command starts in the copy; what is shown
    /// is for the project itself.
    pub moved: Option<(PathBuf, PathBuf)>,
}

impl PlainCall<'_> {
    /// Writes a file that a command line mentions. Several runs may write the same one at the same time, and none may see
    /// half of it.
    pub fn write(path: &Path, text: &[u8]) -> io::Result<()> {
        if fs::read(path).is_ok_and(|old| old == text) {
            return Ok(());
        }
        let mut file = tempfile::NamedTempFile::new_in(path.parent().unwrap_or(Path::new(".")))?;
        io::Write::write_all(&mut file, text)?;
        file.persist(path)?;
        Ok(())
    }
}

/// A run of the user's own runner, with no agent inside.
#[derive(Debug)]
pub struct PlainCommand {
    /// What to start.
    pub command: Command,
    /// The same for a person to read and to paste, without what only serves to read the results.
    pub shown: String,
}

/// Why no agent connected, as far as can be seen.
#[derive(Debug)]
pub struct Silence {
    /// What was seen.
    pub evidence: String,
    /// One thing to try.
    pub hint: String,
    /// Whether the user has asked for something that does not exist.
    pub is_usage: bool,
}

/// What to tell a user of this framework.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    /// What the framework is called.
    pub framework: &'static str,
    /// What to try when there are no tests.
    pub no_tests: &'static str,
    /// What to try when none of the files with tests can be read.
    pub unreadable: &'static str,
    /// What keeps its processes from being forked, where they cannot be.
    pub no_forks: &'static str,
}

/// A framework, as the engine sees it.
pub trait Driver: Send + Sync {
    /// Its name in reports.
    fn name(&self) -> &'static str;

    /// Its words.
    fn words(&self) -> Words;

    /// The project's directory, where its commands start.
    fn directory(&self) -> &Path;

    /// A command that starts the framework with an agent inside.
    fn agent_command(&self, call: &AgentCall<'_>) -> io::Result<Command>;

    /// Explains why `agent_command` ended, or went on, with no agent connecting, or before the tests were collected.
    fn explain_silence(&self, status: Option<ExitStatus>, log: &str) -> Silence;

    /// Whether the runner can be told this order by naming the tests.
    fn fits_on_command_line(&self, suite: &Suite, order: &Order) -> bool;

    /// A command that runs an order in the user's own runner.
    fn plain_command(&self, call: &PlainCall<'_>) -> io::Result<PlainCommand>;

    /// Whether a plain run that ended like this has refused to run its tests.
    fn has_refused(&self, status: ExitStatus) -> bool;

    /// The tests that a plain run has run, in the order that ran; `None` if it has left no results.
    fn read_plain_results(&self, suite: &Suite, order: &Order, results: &Path) -> Option<Vec<Step>>;

    /// The tests that a run of another machine has run, by the text of its results; `None` if that is no such text.
    fn read_foreign_results(&self, suite: &Suite, text: &str) -> Option<ForeignRun>;

    /// Whether one run writes several files of results, each a part of it.
    fn has_results_in_parts(&self) -> bool {
        false
    }

    /// Names and versions of what the tests use and the project's sources do not hold.
    fn packages(&self, hello: &Hello) -> String;

    /// Changes with every change of the agent that may change an outcome.
    fn agent_version(&self) -> String;

    /// Whether a process that waits for its first test has run no code of the project, so that it may wait beside others.
    fn can_wait(&self) -> bool {
        false
    }

    /// What a person may want to know about how the tests are run, one sentence each.
    fn facts(&self) -> Vec<String> {
        vec![]
    }

    /// Where classes are looked for, in a language that has them in files.
    fn class_path(&self) -> Vec<PathBuf> {
        vec![]
    }

    /// What became of tests when the user's own runner ran them all, if the driver has seen that.
    fn known_outcomes(&self) -> &[(TestId, Outcome)] {
        &[]
    }
}

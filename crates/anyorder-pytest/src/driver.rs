//! pytest, as the engine sees it.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use anyorder_engine::wire::Hello;
use anyorder_engine::{AgentCall, Driver, PlainCall, PlainCommand, Scratch, Silence, Words};
use anyorder_model::{ForeignRun, Order, Step, Suite};

use crate::{agent, junit_xml, plain, silence};

/// What starts pytest.
#[derive(Clone, Debug)]
pub enum Runner {
    /// `PYTHON -m pytest TARGETS`.
    Direct {
        /// The interpreter.
        python: PathBuf,
        /// What to run, in pytest's own words.
        targets: Vec<String>,
    },
    /// The project's own test command.
    Command(Vec<OsString>),
}

/// pytest in one directory.
#[derive(Debug)]
pub struct PytestDriver {
    runner: Runner,
    directory: PathBuf,
    agent: PathBuf,
}

impl PytestDriver {
    /// Unpacks the agent into `scratch`.
    pub fn new(runner: Runner, directory: &Path, scratch: &Scratch) -> io::Result<Self> {
        let agent = scratch.path().join("agent");
        agent::unpack(&agent)?;
        Ok(PytestDriver { runner, directory: directory.to_owned(), agent })
    }
}

/// Exit codes with which pytest leaves before it has run a test.
const INTERNAL_ERROR: i32 = 3;
const USAGE_ERROR: i32 = 4;
const NO_TESTS: i32 = 5;

impl Driver for PytestDriver {
    fn name(&self) -> &'static str {
        "pytest"
    }

    fn words(&self) -> Words {
        Words {
            framework: "pytest",
            no_tests: "name the directory or file that holds them, as you would for pytest: `anyorder collect tests`",
            no_forks: "forks need Linux with /proc",
            unreadable: "name the interpreter that has the project installed, for example `--python .venv/bin/python`",
        }
    }

    fn directory(&self) -> &Path {
        &self.directory
    }

    fn agent_command(&self, call: &AgentCall<'_>) -> io::Result<Command> {
        let mut command = match &self.runner {
            Runner::Direct { python, targets } => {
                let mut command = Command::new(python);
                command.args(["-m", "pytest"]).args(targets);
                command
            }
            Runner::Command(words) => {
                let mut command = Command::new(&words[0]);
                command.args(&words[1..]);
                command
            }
        };
        command.current_dir(&self.directory);
        agent::inject(&mut command, &self.agent, call)?;
        Ok(command)
    }

    fn explain_silence(&self, status: Option<ExitStatus>, log: &str) -> Silence {
        silence::explain(&self.runner, status, log)
    }

    fn fits_on_command_line(&self, suite: &Suite, order: &Order) -> bool {
        plain::fits_on_command_line(suite, order)
    }

    fn plain_command(&self, call: &PlainCall<'_>) -> io::Result<PlainCommand> {
        plain::command(call)
    }

    fn has_refused(&self, status: ExitStatus) -> bool {
        matches!(status.code(), Some(INTERNAL_ERROR | USAGE_ERROR | NO_TESTS))
    }

    fn read_plain_results(&self, suite: &Suite, order: &Order, results: &Path) -> Option<Vec<Step>> {
        junit_xml::read(suite, order, &std::fs::read_to_string(results).ok()?)
    }

    fn read_foreign_results(&self, suite: &Suite, text: &str) -> Option<ForeignRun> {
        junit_xml::read_foreign(suite, text)
    }

    fn packages(&self, hello: &Hello) -> String {
        distributions(&hello.search_path).join(" ")
    }

    fn agent_version(&self) -> String {
        agent::VERSION.to_string()
    }
}

/// The names of installed distributions, which hold their versions.
fn distributions(search_path: &[String]) -> Vec<String> {
    let entries =
        search_path.iter().flat_map(|place| std::fs::read_dir(Path::new(place)).into_iter().flatten());
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let is_distribution = |name: &String| name.ends_with(".dist-info") || name.ends_with(".egg-info");
    let mut names: Vec<String> = names.filter(is_distribution).collect();
    names.sort();
    names.dedup();
    names
}

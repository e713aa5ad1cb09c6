//! JUnit in one module, as the engine sees it.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::{fs, io};

use anyorder_engine::wire::Hello;
use anyorder_engine::{AgentCall, Driver, PlainCall, PlainCommand, Scratch, Silence, Words};
use anyorder_model::{ForeignRun, Order, Outcome, Step, Suite, TestId};
use serde_json::json;

use crate::java::main_command;
use crate::module::Module;
use crate::{agent, library, plain, results, silence};

/// JUnit in one module.
#[derive(Debug)]
pub struct JunitDriver {
    module: Module,
    files: PathBuf,
}

impl JunitDriver {
    /// Writes what its JVMs read into `scratch`.
    pub fn new(module: Module, scratch: &Scratch) -> io::Result<Self> {
        let files = scratch.path().join("agent");
        fs::create_dir_all(&files)?;
        fs::write(files.join("tests.json"), serde_json::to_vec(&module.listing)?)?;
        Ok(JunitDriver { module, files })
    }
}

/// How `java` ends when it cannot start the runner, which itself leaves results behind.
const NOT_STARTED: i32 = 1;

impl Driver for JunitDriver {
    fn name(&self) -> &'static str {
        "junit"
    }

    fn words(&self) -> Words {
        Words {
            framework: "JUnit",
            no_tests: "name classes, packages or test ids that the build runs: `anyorder collect com.acme.FooTest`",
            no_forks: "only a JVM on x86-64 Linux with glibc forks, and none that collects garbage with ZGC",
            unreadable: "see whether the build's own test run works; `anyorder doctor` looks at it",
        }
    }

    fn directory(&self) -> &Path {
        &self.module.home
    }

    fn class_path(&self) -> Vec<PathBuf> {
        let capture = &self.module.capture;
        capture.class_path.iter().chain(&capture.module_path).cloned().collect()
    }

    fn agent_command(&self, call: &AgentCall<'_>) -> io::Result<Command> {
        let Module { base, capture, environment, jar, targets, .. } = &self.module;
        let moved: Option<(PathBuf, PathBuf)> = serde_json::from_value(call.moved.clone())?;
        let here = match &moved {
            Some((original, copy)) => capture.clone().moved(original, copy),
            None => capture.clone(),
        };
        let orders = self.files.join(format!("{}.json", call.node));
        let said = json!({
            "mode": "serve", "socket": call.socket, "node": call.node, "tests": self.files.join("tests.json"),
            "properties": here.set_properties(), "removed_properties": here.removed_properties,
            "library": library::file()?, "layers": call.layers,
            "hello": {
                "directory": capture.directory, "root": base, "options": capture.options(), "targets": targets,
            },
        });
        fs::write(&orders, said.to_string())?;
        let mut command = main_command(
            &here,
            environment,
            jar,
            &orders,
            &self.files.join(format!("{}.arguments", call.node)),
        )?;
        // The engine itself puts the command where the copy is.
        command.current_dir(&capture.directory);
        Ok(command)
    }

    fn explain_silence(&self, status: Option<ExitStatus>, log: &str) -> Silence {
        silence::explain(status, log)
    }

    fn fits_on_command_line(&self, _: &Suite, _: &Order) -> bool {
        false
    }

    fn plain_command(&self, call: &PlainCall<'_>) -> io::Result<PlainCommand> {
        plain::command(&self.module, call)
    }

    fn has_refused(&self, status: ExitStatus) -> bool {
        status.code() == Some(NOT_STARTED)
    }

    fn read_plain_results(&self, suite: &Suite, order: &Order, results: &Path) -> Option<Vec<Step>> {
        plain::read_results(suite, order, &fs::read_to_string(results).ok()?)
    }

    fn read_foreign_results(&self, suite: &Suite, text: &str) -> Option<ForeignRun> {
        results::read_foreign(suite, text)
    }

    fn has_results_in_parts(&self) -> bool {
        true
    }

    fn packages(&self, _: &Hello) -> String {
        let capture = &self.module.capture;
        let stamp = |path: &PathBuf| {
            let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file);
            let size = metadata.map_or(0, |metadata| metadata.len());
            format!("{} {size}", path.display())
        };
        capture.class_path.iter().chain(&capture.module_path).map(stamp).collect::<Vec<_>>().join(" ")
    }

    fn agent_version(&self) -> String {
        format!("{} {}", agent::version(), library::version())
    }

    fn can_wait(&self) -> bool {
        true
    }

    fn facts(&self) -> Vec<String> {
        self.module.facts()
    }

    fn known_outcomes(&self) -> &[(TestId, Outcome)] {
        &self.module.outcomes
    }
}

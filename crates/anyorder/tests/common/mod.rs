//! Runs the binary as a user would, in a copy of a suite, and keeps what it said.
//!
//! After every command the copy has to be what it was before, and no process of the command may be left.

#![allow(dead_code, reason = "each test binary uses a part of this")]

pub(crate) mod change;
pub(crate) mod dataset;
pub(crate) mod expected;
pub(crate) mod history;
pub(crate) mod hostile;
pub(crate) mod page;
pub(crate) mod patches;
mod watch;

use std::cell::RefCell;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyorder_testkit::environment::{NEWEST, Recipe, python};
use anyorder_testkit::mark::{self, Mark};
use anyorder_testkit::repository;
use anyorder_testkit::schema::Schema;
use anyorder_testkit::thorough::usually_or_in_trials;
use tempfile::TempDir;
use watch::Watch;

/// A suite written down in a test: files with their texts, in a directory that vanishes.
pub(crate) fn suite(files: &[(&str, &str)]) -> TempDir {
    let directory = TempDir::with_prefix("suite ").expect("a temporary directory can be made");
    for (name, text) in [("pytest.ini", "[pytest]\n")].iter().chain(files) {
        fs::write(directory.path().join(name), text).expect("it can be written");
    }
    directory
}

/// What every report follows.
pub(crate) fn schema() -> Schema {
    let path = repository().join("docs/report.schema.json");
    Schema::parse(&fs::read_to_string(path).expect("there is a schema"))
}

/// The binary, about to be started in a directory.
pub(crate) struct Anyorder {
    directory: PathBuf,
    python: Option<PathBuf>,
    variables: Vec<(OsString, OsString)>,
    input: String,
    /// What starts the binary, if it is not started directly.
    through: Vec<String>,
    /// Whether forks are compared with plain runs first, which costs as much as most tests.
    is_calibrated: bool,
    mark: Mark,
    /// The command that was prepared last, until its end is known.
    watch: RefCell<Option<Watch>>,
}

/// What one run of the binary said.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    directory: PathBuf,
    python: PathBuf,
}

impl Anyorder {
    /// With the newest pytest.
    pub(crate) fn at(directory: &Path) -> Self {
        Anyorder::with(NEWEST, directory)
    }

    pub(crate) fn with(recipe: Recipe, directory: &Path) -> Self {
        Anyorder::by(&python(recipe), directory)
    }

    /// With the pytest of this interpreter.
    pub(crate) fn by(python: &Path, directory: &Path) -> Self {
        Anyorder { python: Some(python.to_owned()), ..Anyorder::without_python(directory) }
    }

    /// For a Java build.
    pub(crate) fn built(directory: &Path) -> Self {
        Anyorder::without_python(directory)
    }

    /// `--python` is left to the test.
    pub(crate) fn without_python(directory: &Path) -> Self {
        let directory = directory.canonicalize().expect("it exists");
        let mark = Mark::new();
        Anyorder {
            directory,
            python: None,
            variables: vec![],
            input: String::new(),
            through: vec![],
            is_calibrated: false,
            mark,
            watch: RefCell::default(),
        }
    }

    pub(crate) fn variable(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.variables.push((name.into(), value.as_ref().to_owned()));
        self
    }

    /// As users have it who say nothing of it: forks are compared with plain runs first.
    pub(crate) fn calibrated(mut self) -> Self {
        self.is_calibrated = true;
        self
    }

    pub(crate) fn input(mut self, text: &str) -> Self {
        text.clone_into(&mut self.input);
        self
    }

    /// The binary is started by another program, which is told these words and the binary's path.
    pub(crate) fn through(mut self, words: &[&str]) -> Self {
        self.through = words.iter().map(|&word| word.to_owned()).collect();
        self
    }

    /// Runs `words`, the first of which is the subcommand, and waits, but not for ever.
    #[track_caller]
    pub(crate) fn run<S: AsRef<OsStr>>(&self, words: &[S]) -> Ran {
        let mut command = Command::new("timeout");
        // Trials run beside other work.
        let seconds = usually_or_in_trials("400", "2000");
        command.args(["--kill-after=5", seconds]).args(&self.through).arg(BINARY);
        self.prepare(&mut command, words);
        let input = self.directory.with_file_name(format!("stdin of {}", file_name(&self.directory)));
        fs::write(&input, &self.input).expect("the directory above can be written");
        command.stdin(fs::File::open(&input).expect("it was just written"));
        let output = command.output().expect("`timeout` is part of every Linux");
        let _ = fs::remove_file(input);
        let code = output.status.code().expect("`timeout` gives a code");
        assert!(code != 124 && code != 137, "no end: {output:?}");
        self.ran(code, &output)
    }

    /// The command itself, for tests that send it signals. `ran` or `has_ended` looks at what it has left.
    pub(crate) fn command<S: AsRef<OsStr>>(&self, words: &[S]) -> Command {
        let mut command = Command::new(BINARY);
        self.prepare(&mut command, words);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn prepare<S: AsRef<OsStr>>(&self, command: &mut Command, words: &[S]) {
        if let Some((subcommand, rest)) = words.split_first() {
            command.arg(subcommand);
            let would_compare = ["sweep", "hunt", "fix"].map(OsStr::new).contains(&subcommand.as_ref());
            if would_compare && !self.is_calibrated {
                command.arg("--trust-forks");
            }
            // A command line that anyorder itself has suggested names its interpreter.
            let is_complete = rest.iter().any(|word| word.as_ref() == "--python");
            if let Some(python) = &self.python {
                command.arg("--no-times");
                command.args(["--python".as_ref(), python.as_os_str()].iter().filter(|_| !is_complete));
            }
            command.args(rest);
        }
        command.current_dir(&self.directory);
        clean(command);
        command.env(mark::VARIABLE, self.mark.value());
        drop(self.watch.take());
        self.watch.replace(Some(Watch::begin(&self.directory, words, &self.mark)));
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
    }

    /// Looks at what the command that was prepared last has left behind, now that it has ended.
    #[track_caller]
    pub(crate) fn has_ended(&self, said: &str) {
        if let Some(watch) = self.watch.take() {
            watch.check(said);
        }
    }

    /// What the command that was prepared last has said, now that it has ended.
    #[track_caller]
    pub(crate) fn ran(&self, code: i32, output: &Output) -> Ran {
        let ran = Ran {
            code,
            stdout: String::from_utf8(output.stdout.clone()).expect("it prints UTF-8"),
            stderr: String::from_utf8(output.stderr.clone()).expect("it prints UTF-8"),
            directory: self.directory.clone(),
            python: self.python.clone().unwrap_or_else(|| PathBuf::from("no interpreter was named")),
        };
        self.has_ended(&ran.shown());
        ran
    }
}

const BINARY: &str = env!("CARGO_BIN_EXE_anyorder");

/// Takes away what the developer's own shell may have set.
pub(crate) fn clean(command: &mut Command) {
    const OTHERS: [&str; 8] = [
        "NO_COLOR",
        "CLICOLOR_FORCE",
        "CLICOLOR",
        "PYTHONPATH",
        "PYTHONHASHSEED",
        "VIRTUAL_ENV",
        "CONDA_PREFIX",
        "COLUMNS",
    ];
    let ours = std::env::vars_os().map(|(name, _)| name).filter(|name| {
        let name = name.to_string_lossy();
        name.starts_with("ANYORDER_") || name.starts_with("PYTEST_") || OTHERS.contains(&name.as_ref())
    });
    for name in ours {
        command.env_remove(name);
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

impl Ran {
    /// The run, after a look at its exit code.
    #[track_caller]
    pub(crate) fn with_code(self, code: i32) -> Self {
        assert_eq!(self.code, code, "\n{}", self.shown());
        self
    }

    /// Everything, with paths and versions hidden.
    pub(crate) fn shown(&self) -> String {
        format!(
            "exit code {}\n--- stdout\n{}--- stderr\n{}",
            self.code,
            self.redact(&self.stdout),
            self.redact(&self.stderr)
        )
    }

    /// What was printed on standard error, with paths and versions hidden.
    pub(crate) fn errors(&self) -> String {
        self.redact(&self.stderr)
    }

    /// What was printed on standard output, with paths and versions hidden.
    pub(crate) fn told(&self) -> String {
        self.redact(&self.stdout)
    }

    /// The lines of standard output.
    pub(crate) fn lines(&self) -> Vec<&str> {
        self.stdout.lines().collect()
    }

    /// The ids of the tests that a sweep lists, in order.
    pub(crate) fn differing(&self) -> Vec<&str> {
        self.stdout.lines().filter_map(|line| line.strip_prefix("   Differs  ")).collect()
    }

    /// The same without the directory and the suite's one file: `test_a` instead of `test_x.py::test_a`.
    pub(crate) fn differing_names(&self) -> Vec<&str> {
        self.differing().iter().map(|id| id.rsplit("::").next().unwrap_or(id)).collect()
    }

    /// The report, which has to follow the schema whatever it says.
    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        let report =
            serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}\n{}", self.shown()));
        assert_eq!(schema().faults(&report), [""; 0], "{}", self.shown());
        report
    }

    fn redact(&self, text: &str) -> String {
        let text = text.replace(&*self.python.to_string_lossy(), "[python]");
        let text = text.replace(&*self.directory.to_string_lossy(), "[dir]");
        without_versions(&without_versions(&text, "pytest "), "python ")
    }
}

fn without_versions(text: &str, before: &str) -> String {
    let mut parts = text.split(before);
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        shown += before;
        if part.starts_with(|c: char| c.is_ascii_digit()) {
            shown += "[version]";
            shown += rest;
        } else {
            shown += part;
        }
    }
    shown
}

/// What plain pytest lists, in its order.
pub(crate) fn listed_by_pytest(recipe: Recipe, directory: &Path) -> Vec<String> {
    let mut command = Command::new(python(recipe));
    command.args(["-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]).current_dir(directory);
    clean(&mut command);
    let output = command.output().expect("the environment works");
    let text = String::from_utf8(output.stdout).expect("pytest prints UTF-8");
    text.lines().take_while(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// Writes an order file into the suite.
pub(crate) fn write_order(directory: &Path, name: &str, ids: &[&str]) {
    let mut file = fs::File::create(directory.join(name)).expect("the suite can be written");
    for id in ids {
        writeln!(file, "{id}").expect("the suite can be written");
    }
}

/// Every `anyorder replay …` that a run suggests, as words.
pub(crate) fn suggested_replays(ran: &Ran) -> Vec<Vec<String>> {
    let suggestions =
        ran.stdout.lines().filter_map(|line| line.split_once(": anyorder ")).map(|(_, words)| words);
    suggestions.map(words_of).collect()
}

/// The words of a command line, as a shell sees them.
pub(crate) fn words_of(line: &str) -> Vec<String> {
    let output = Command::new("sh")
        .arg("-c")
        .arg(format!("printf '%s\\n' {line}"))
        .output()
        .expect("there is a shell");
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

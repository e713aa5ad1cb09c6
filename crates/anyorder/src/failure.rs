//! Foreseen errors: each knows how it is told and which exit code it has.

use std::path::{Path, PathBuf};

use anyorder_config::ConfigError;
use anyorder_engine::{EngineError, Words};
use anyorder_junit::SurveyError;
use anyorder_model::{OrderFileError, TestId};
use anyorder_pytest::InterpreterError;
use anyorder_report::Problem;
use anyorder_store::StoreError;

use crate::exit_code::Exit;
use crate::oracle::Trouble;

/// Why a command could not do its work.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    pub(crate) problem: Problem,
}

impl Failure {
    pub(crate) fn new(exit: Exit, what: impl Into<String>) -> Self {
        Failure { exit, problem: Problem { what: what.into(), ..Problem::default() } }
    }

    pub(crate) fn evidence(mut self, evidence: impl Into<String>) -> Self {
        self.problem.evidence = evidence.into();
        self
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.problem.hint = Some(hint.into());
        self
    }

    pub(crate) fn usage(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Failure::new(Exit::Usage, what).hint(hint)
    }

    pub(crate) fn no_tests(words: Words, targets: &[String]) -> Self {
        let place =
            if targets.is_empty() { "this directory".to_owned() } else { format!("`{}`", targets.join(" ")) };
        Failure::new(Exit::NoTests, format!("{} collected no tests in {place}", words.framework))
            .hint(words.no_tests)
    }

    pub(crate) fn all_unreadable(words: Words, errors: &[anyorder_model::CollectionError]) -> Self {
        let shown: Vec<String> =
            errors.iter().take(5).map(|error| format!("{}: {}", error.at, error.message)).collect();
        Failure::new(
            Exit::Unusable,
            format!("{} could read none of the files that hold tests", words.framework),
        )
        .evidence(shown.join("\n"))
        .hint(words.unreadable)
    }

    pub(crate) fn unknown_tests(file: &Path, unknown: &[TestId], suggestion: Option<&TestId>) -> Self {
        let shown: Vec<String> = unknown.iter().take(5).map(|id| format!("not collected: {id}")).collect();
        let what = match unknown.len() {
            1 => format!("`{}` names a test that the suite does not have", file.display()),
            number => format!("`{}` names {number} tests that the suite does not have", file.display()),
        };
        Failure::new(Exit::Usage, what).evidence(shown.join("\n")).hint(match suggestion {
            Some(id) => format!("did you mean `{id}`? `anyorder collect` lists every test"),
            None => "`anyorder collect` lists every test".to_owned(),
        })
    }

    pub(crate) fn unknown_finding(id: &str) -> Self {
        Failure::usage(
            format!("no finding `{id}` is known here"),
            "`anyorder hunt` finds, and lists what it found",
        )
    }

    pub(crate) fn nothing_recorded(directory: &Path) -> Self {
        Failure::usage(
            format!("nothing was recorded yet in `{}`", directory.display()),
            "`anyorder hunt` finds what there is to report; `-C DIR` names another project",
        )
    }

    pub(crate) fn not_junit_xml(file: &Path) -> Self {
        Failure::usage(
            format!("`{}` is not JUnit XML", file.display()),
            "name a file of `pytest --junitxml`, or a report of Surefire or Gradle",
        )
    }

    pub(crate) fn no_case_is_known(files: &[PathBuf]) -> Self {
        let names: Vec<String> = files.iter().take(5).map(|file| file.display().to_string()).collect();
        Failure::new(Exit::Usage, "the files name no test of this suite").evidence(names.join("\n")).hint(
            "run CI and `anyorder` from the same directory; `anyorder collect` lists every test of this suite",
        )
    }

    pub(crate) fn order_file(file: &Path, error: &OrderFileError) -> Self {
        Failure::new(Exit::Usage, format!("`{}` is not an order file: {error}", file.display()))
            .hint("write one test id per line, as `anyorder collect` prints them")
    }

    pub(crate) fn unreadable(file: &Path, error: &std::io::Error) -> Self {
        Failure::new(Exit::Usage, format!("cannot read `{}`: {error}", file.display()))
            .hint("name an existing file, or `-` for standard input")
    }

    pub(crate) fn unwritable(path: &Path, error: &std::io::Error, hint: &str) -> Self {
        Failure::new(Exit::Usage, format!("cannot write `{}`: {error}", path.display())).hint(hint)
    }

    pub(crate) fn no_plain_results(command: &str, log: &str) -> Self {
        Failure::new(Exit::Unusable, "the plain runner ended without results")
            .evidence(format!("{command}\n{log}"))
            .hint("run the command above by hand; a test probably ends the process")
    }

    pub(crate) fn demo(what: impl Into<String>, evidence: String) -> Self {
        Failure::new(Exit::Unusable, what).evidence(evidence).hint(
            "name an interpreter that has pytest with `--python`, or install Python's `venv` and `pip` \
             (Debian: `apt-get install python3-venv`)",
        )
    }

    pub(crate) fn no_directory(path: &Path) -> Self {
        Failure::usage(
            format!("`{}` is not a directory", path.display()),
            "name the directory that holds the project",
        )
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Failure::usage(error.to_string(), error.hint())
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        let exit = match error {
            EngineError::Cancelled => Exit::Interrupted,
            EngineError::Version(_) | EngineError::Agent(_) => Exit::Bug,
            EngineError::Scratch(_) | EngineError::WatchNeedsForks | EngineError::ChangesAreApart => {
                Exit::Usage
            }
            EngineError::Silent { ref silence, .. } | EngineError::NotCollected { ref silence, .. }
                if silence.is_usage =>
            {
                Exit::Usage
            }
            _ => Exit::Unusable,
        };
        let (evidence, hint) = error.evidence_and_hint();
        let failure = Failure::new(exit, error.to_string()).evidence(evidence);
        Failure { problem: Problem { hint, ..failure.problem }, ..failure }
    }
}

impl From<SurveyError> for Failure {
    fn from(error: SurveyError) -> Self {
        let error = match error {
            SurveyError::Engine(error) => return error.into(),
            error => error,
        };
        let exit = if matches!(error, SurveyError::NoModule { .. }) { Exit::Usage } else { Exit::Unusable };
        let (evidence, hint) = error.evidence_and_hint();
        let failure = Failure::new(exit, error.to_string()).evidence(evidence);
        Failure { problem: Problem { hint, ..failure.problem }, ..failure }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Failure::usage(error.to_string(), error.hint())
    }
}

impl From<Trouble> for Failure {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Engine(error) => error.into(),
            Trouble::Store(error) => error.into(),
        }
    }
}

impl From<InterpreterError> for Failure {
    fn from(error: InterpreterError) -> Self {
        let what = error.to_string();
        match error {
            InterpreterError::NotPython(_) => {
                Failure::usage(what, "name a Python program or a virtual environment: `--python .venv`")
            }
            InterpreterError::None => Failure::new(Exit::Unusable, what)
                .hint("install Python 3.8 or later, or name an interpreter with `--python`"),
            InterpreterError::NoPytest(tried) => {
                let shown: Vec<String> = tried
                    .iter()
                    .map(|found| format!("{} ({})", found.python.display(), found.origin))
                    .collect();
                let install: &PathBuf = &tried[0].python;
                Failure::new(Exit::Unusable, what).evidence(shown.join("\n")).hint(format!(
                    "name the one that has it with `--python`, or install it: `{} -m pip install pytest`",
                    install.display()
                ))
            }
        }
    }
}

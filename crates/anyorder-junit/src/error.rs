//! Why a Java build could not be asked for its tests.

use std::io;
use std::path::PathBuf;

use anyorder_engine::EngineError;
use thiserror::Error;

/// Why a Java build could not be asked for its tests.
#[derive(Debug, Error)]
pub enum SurveyError {
    /// What the engine could not do.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// Files of ours.
    #[error("cannot prepare the JUnit agent: {0}")]
    Files(#[from] io::Error),
    /// No compiler.
    #[error("no `javac` found")]
    NoCompiler,
    /// The compiler refuses our sources.
    #[error("`{compiler}` cannot compile the JUnit agent")]
    NotCompiled {
        /// Which compiler.
        compiler: PathBuf,
        /// What it said.
        log: String,
    },
    /// The user's own build fails before it runs tests.
    #[error("`{command}` failed")]
    NotBuilt {
        /// What was run.
        command: String,
        /// Its last words.
        log: String,
    },
    /// The build ran no test JVM.
    #[error("`{command}` ran no tests in a JVM of their own")]
    NoWorker {
        /// What was run.
        command: String,
        /// Its last words.
        log: String,
        /// Whether it wrote reports all the same: then tests ran inside the build's own JVM.
        has_reports: bool,
    },
    /// The JVM that the tests run on is too old.
    #[error("the tests of `{module}` run on Java {version}, which has no Unix sockets")]
    TooOld {
        /// Which module.
        module: String,
        /// Its version.
        version: String,
    },
    /// The build compiles only when it tests.
    #[error("`{0}` is on the class path of the tests, and is not there")]
    NotThere(PathBuf),
    /// The tests could not be listed.
    #[error("the tests of `{module}` could not be listed")]
    NotListed {
        /// Which module.
        module: String,
        /// What was said.
        log: String,
    },
    /// No such module.
    #[error("the build has no tests in a module `{named}`")]
    NoModule {
        /// What was typed.
        named: String,
        /// Those that there are.
        known: Vec<String>,
    },
}

impl SurveyError {
    /// Lines of evidence, and one thing to try.
    pub fn evidence_and_hint(&self) -> (String, Option<String>) {
        let (evidence, hint) = match self {
            SurveyError::Engine(error) => return error.evidence_and_hint(),
            SurveyError::Files(_) => (String::new(), "make sure that your cache directory can be written to"),
            SurveyError::NoCompiler => {
                (String::new(), "install a JDK (16 or later), or name one in `JAVA_HOME`")
            }
            SurveyError::NotCompiled { log, .. } => (last_lines(log), "name another JDK in `JAVA_HOME`"),
            SurveyError::NotBuilt { log, .. } => (
                last_lines(log),
                "make that work first; options for the build go behind `--`, as in `anyorder -- mvn -Dmaven.compiler.source=8 test`",
            ),
            SurveyError::NoWorker { has_reports: true, .. } => (
                "it has written reports, so it ran tests inside its own JVM: `forkCount` is 0, or `forkMode` is `never`, in the pom".to_owned(),
                "take that out of the pom, or give it a profile that forks: `anyorder -- mvn -P PROFILE test`",
            ),
            SurveyError::NoWorker { log, .. } => {
                (last_lines(log), "see whether that command runs tests at all; are they skipped?")
            }
            SurveyError::TooOld { .. } => {
                (String::new(), "run the build on Java 16 or later (`JAVA_HOME`); the sources may be older")
            }
            SurveyError::NotThere(_) => {
                (String::new(), "compile first: run your test command once, then anyorder again")
            }
            SurveyError::NotListed { log, .. } => (last_lines(log), "`anyorder doctor` looks at the build"),
            SurveyError::NoModule { known, .. } => {
                (format!("modules with tests: {}", known.join(", ")), "name one of them, or leave `--module` out")
            }
        };
        (evidence, Some(hint.to_owned()))
    }
}

/// Lines of a log that are shown.
const LINES: usize = 15;

/// The end of a log; what a build says of errors rather than of its progress, if it says such a thing.
pub(crate) fn last_lines(log: &str) -> String {
    let lines: Vec<&str> = log.lines().filter(|line| !line.trim().is_empty()).collect();
    let errors: Vec<&str> = lines.iter().copied().filter(|line| line.starts_with("[ERROR]")).collect();
    if errors.is_empty() {
        lines[lines.len().saturating_sub(LINES)..].join("\n")
    } else {
        errors[..errors.len().min(LINES)].join("\n")
    }
}

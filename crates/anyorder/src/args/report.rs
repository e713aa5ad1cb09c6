//! `report`: where the project is, and what is written where. `import`: what others have seen.

use std::path::PathBuf;

use clap::Args;

use super::suite::{HowArgs, SuiteArgs};

#[derive(Debug, Args)]
#[command(after_help = "\
All formats hold the same findings: those that earlier commands have found in this project and that
stand. Nothing is run, and no interpreter is needed; it works while a hunt is going on, too. Without
a format the findings are printed, with the times at which they were seen.

Examples:
  anyorder report                              what is known, in the terminal
  anyorder report --html report.html           a page to look at, and to attach
  anyorder report --sarif out.sarif --junit-xml out.xml
                                               two files for CI
  anyorder report --json - | jq .findings      for other programs
  anyorder report --dot - | dot -Tsvg          who pollutes whom, as a picture")]
pub(crate) struct ReportArgs {
    /// The project's directory [default: where you are]
    #[arg(long, short = 'C', value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) formats: FormatArgs,
}

/// Files to write; `-` is standard output.
#[derive(Debug, Args)]
#[command(next_help_heading = "Formats (`-` is standard output)")]
pub(crate) struct FormatArgs {
    /// One page with everything to look at, for any browser; it needs no network
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Everything that is known, as docs/json.md says
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// A failing case for each finding
    #[arg(long, value_name = "FILE")]
    pub(crate) junit_xml: Option<PathBuf>,
    /// SARIF 2.1.0: a result for each finding, at the line that pollutes
    #[arg(long, value_name = "FILE")]
    pub(crate) sarif: Option<PathBuf>,
    /// Rows of `IDoFT`, the data set of flaky tests
    #[arg(long, value_name = "FILE")]
    pub(crate) idoft: Option<PathBuf>,
    /// A graph of polluters, victims, cleaners and setters in the DOT language
    #[arg(long, value_name = "FILE")]
    pub(crate) dot: Option<PathBuf>,
    /// Annotations for GitHub on standard output, and a summary to `$GITHUB_STEP_SUMMARY`
    #[arg(long)]
    pub(crate) github: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
The files are those of `pytest --junitxml`, or the reports of Maven's Surefire or of Gradle. Their tests
are taken to have run in the order in which they are named there, in one process: the file of a
run with several workers (pytest-xdist) tells no order. Each file of pytest is a run; all files of a
Java build are one, so name them in the order in which the classes ran.

The next hunt runs the order up to its last failure before everything else. A test that fails there
and passes alone is looked into: which of the tests before it are needed?

Examples:
  anyorder import ci/junit.xml && anyorder hunt
  anyorder import $(ls -tr target/surefire-reports/TEST-*.xml)")]
pub(crate) struct ImportArgs {
    /// Results of runs, as JUnit XML
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// The project's own test command; whatever pytest or JUnit it starts is used
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<std::ffi::OsString>,
    #[command(flatten)]
    pub(crate) how: HowArgs,
}

impl ImportArgs {
    /// All tests that there are.
    pub(crate) fn suite(&self) -> SuiteArgs {
        SuiteArgs { targets: vec![], command: self.command.clone(), how: self.how.clone() }
    }
}

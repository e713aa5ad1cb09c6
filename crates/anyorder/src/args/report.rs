//! `report`: where the project is, and what is written where.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = "\
All formats hold the same findings: those that earlier commands have found in this project and that
stand. Nothing is run, and no interpreter is needed; it works while a hunt is going on, too. Without
a format the findings are printed, with the times at which they were seen.

Examples:
  anyorder report                              what is known, in the terminal
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

//! Commands that look at a suite once, and find nothing: `collect`, `replay`, `doctor`, `demo`.

use std::path::PathBuf;

use clap::Args;

use super::suite::{HowArgs, SuiteArgs};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  anyorder collect
  anyorder collect tests/unit --json tests.json
  anyorder collect -- make test")]
pub(crate) struct CollectArgs {
    #[command(flatten)]
    pub(crate) suite: SuiteArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Exit code 1 means that a test of the order failed.

Examples:
  anyorder collect > order.txt && anyorder replay order.txt
  anyorder replay order.txt --plain
  anyorder replay order.txt --output -- make test")]
pub(crate) struct ReplayArgs {
    /// One test id per line, or a JSON list of ids; `-` is standard input; or the id of a finding, such as `v-3f2a9c`
    #[arg(value_name = "ORDER-FILE|FINDING")]
    pub(crate) order: PathBuf,
    /// Use the plain runner in a new process, without the agent; print its command line
    #[arg(long)]
    pub(crate) plain: bool,
    /// Show what the tests printed and how they failed
    #[arg(long)]
    pub(crate) output: bool,
    #[command(flatten)]
    pub(crate) suite: SuiteArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  anyorder doctor
  anyorder doctor --python .venv
  anyorder doctor -- tox -e py312")]
pub(crate) struct DoctorArgs {
    #[command(flatten)]
    pub(crate) suite: SuiteArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  anyorder demo
  anyorder demo --into shop      keep the suite in a directory of that name
  anyorder demo --seed 7")]
pub(crate) struct DemoArgs {
    #[command(flatten)]
    pub(crate) how: HowArgs,
    /// A new directory for the suite [default: a temporary one]
    #[arg(long, help_heading = "Running", value_name = "DIR")]
    pub(crate) into: Option<PathBuf>,
}

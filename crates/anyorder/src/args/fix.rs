//! `fix`: which findings, and what is done with their patches.

use std::ffi::OsString;

use anyorder_config::Budget;
use clap::Args;

use super::suite::{HowArgs, SuiteArgs};
use crate::order_file::is_finding_id;

#[derive(Debug, Args)]
#[command(after_help = "\
Without a test or a finding, everything that earlier hunts found is to be fixed; if nothing is known yet, there is a
hunt first. A patch counts only if the orders that failed pass with it, those that passed still do, random orders of
the whole suite show nothing new, and the plain runner agrees. Until you say `--apply`, no file of yours is changed:
diffs, and texts for pull requests, are in `.anyorder/patches`.

A patch is `safe` if it touches only how tests set up and clean up, `unsafe` if it relies on more than that, and
`show` if somebody who knows the code has to decide; such a one is never applied.

Exit code 0 means that everything you asked for has a patch (with `--apply`: is patched), 1 that something is left.

Examples:
  anyorder fix                           a patch for each finding
  anyorder fix v-3f2a9c                  a patch for one
  anyorder fix --apply v-3f2a9c          and change the files
  anyorder fix --all --json fixed.json   everything in one diff")]
pub(crate) struct FixArgs {
    /// Tests, ids of findings such as `v-3f2a9c`, or paths to hunt in [default: everything that is known]
    #[arg(value_name = "TEST|FINDING|TARGET")]
    what: Vec<String>,
    /// The project's own test command; whatever pytest it starts is used
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
    /// Put all patches into one diff
    #[arg(long, help_heading = "Patches")]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) applying: ApplyArgs,
    /// Look for patches of tests whose author fixed the order, too
    #[arg(long, help_heading = "Patches")]
    pub(crate) declared: bool,
    /// Look no further after a time (`5m`), or after some suite times (`20x`); patches that were found are still verified
    /// [default: when all is done]
    #[arg(long, help_heading = "Orders", value_name = "TIME", env = "ANYORDER_BUDGET")]
    pub(crate) budget: Option<Budget>,
    #[command(flatten)]
    pub(crate) how: HowArgs,
}

/// Whether files are changed, and which.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Patches")]
pub(crate) struct ApplyArgs {
    /// Change the files: all of them or none
    #[arg(long)]
    pub(crate) apply: bool,
    /// Apply patches that are `unsafe`, too
    #[arg(long = "unsafe", requires = "apply")]
    pub(crate) accepts_unsafe: bool,
    /// Change files that have uncommitted changes, too
    #[arg(long, requires = "apply")]
    pub(crate) allow_dirty: bool,
}

impl FixArgs {
    /// The findings and tests that were named.
    pub(crate) fn named(&self) -> impl Iterator<Item = &str> {
        self.what.iter().map(String::as_str).filter(|word| is_name(word))
    }

    /// The suite that is meant: what names no test chooses among the tests.
    pub(crate) fn suite(&self) -> SuiteArgs {
        let targets = self.what.iter().filter(|word| !is_name(word)).cloned().collect();
        SuiteArgs { targets, command: self.command.clone(), how: self.how.clone() }
    }
}

/// Whether a word is the id of a finding or of a test.
fn is_name(word: &str) -> bool {
    is_finding_id(word) || word.contains("::") || word.contains('#')
}

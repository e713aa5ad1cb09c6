//! `check`: which change, how much of the suite, and where the verdict goes.

use std::path::PathBuf;

use anyorder_change::{Rts, Select};
use anyorder_config::Budget;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::suite::{SuiteArgs, by_name};

#[derive(Debug, Args)]
#[command(after_help = "\
The files as they are now, committed or not, are compared with those of REV. Tests that may
behave otherwise are affected; they run twice. Tests that share state with those are related;
they run before and after affected ones. What is found and was not there at REV is new, and
exit code 1 says that something is.

What tests do is kept in `.anyorder`, so that the next check knows more and runs less. Findings
in `anyorder-baseline.json` are accepted, with a reason and perhaps until a day.

Examples:
  anyorder check                                 since the last check that was green
  anyorder check --since origin/main --dry-run   which tests a branch concerns, and why
  anyorder check --since origin/main --github    in a pull request
  anyorder check --write-baseline                accept what is found now")]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) suite: SuiteArgs,
    /// The commit to compare with [default: the last green one, else that of the last profiles, else HEAD]
    #[arg(long, help_heading = "Change", value_name = "REV")]
    pub(crate) since: Option<String>,
    /// Which tests are looked at besides affected ones
    #[arg(long, help_heading = "Change", value_name = "HOW", default_value = "cells", value_parser = select_parser())]
    pub(crate) select: Select,
    /// How affected tests are told
    #[arg(long, help_heading = "Change", value_name = "HOW", default_value = "dynamic", value_parser = rts_parser())]
    pub(crate) rts: Rts,
    /// Static fields of classes in jars relate tests of JUnit, too
    #[arg(long, help_heading = "Change")]
    pub(crate) third_party: bool,
    #[command(flatten)]
    pub(crate) listing: ListingArgs,
    #[command(flatten)]
    pub(crate) verdict: VerdictArgs,
    /// Leave out the search for the state behind each finding
    #[arg(long, help_heading = "State")]
    pub(crate) no_explain: bool,
    /// How many orders of the tests that are looked at run [default: by their number, 3 to 20]
    #[arg(long, help_heading = "Orders", value_name = "N", env = "ANYORDER_ROUNDS")]
    pub(crate) rounds: Option<u64>,
    /// Pairs of plain runs, one red and one green, before a difference is reported; fewer are quicker and less sure
    #[arg(long, help_heading = "Orders", value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) plain_pairs: u32,
    /// Stop after a time (`5m`), or after some suite times (`20x`) [default: when all is done]
    #[arg(long, help_heading = "Orders", value_name = "TIME", env = "ANYORDER_BUDGET")]
    pub(crate) budget: Option<Budget>,
}

/// Whether to tell the selection, and nothing else.
#[derive(Debug, Args)]
#[command(next_help_heading = "Change")]
pub(crate) struct ListingArgs {
    /// List the tests that would be looked at, with the reasons; run none
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// With `--dry-run`: profile affected tests first, as a check does, so that the list is the one that it would take
    #[arg(long, requires = "dry_run")]
    pub(crate) exact: bool,
}

/// What becomes of findings.
#[derive(Debug, Args)]
#[command(next_help_heading = "Verdict")]
pub(crate) struct VerdictArgs {
    /// Findings that are accepted [default: anyorder-baseline.json, if it is there]
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Accept what is found, too, and write the baseline
    #[arg(long, conflicts_with = "dry_run")]
    pub(crate) write_baseline: bool,
    /// Write annotations for GitHub, and a summary to `$GITHUB_STEP_SUMMARY`
    #[arg(long)]
    pub(crate) github: bool,
}

const SELECT: [(&str, Select, &str); 4] = [
    ("affected", Select::Affected, "None: affected tests only"),
    ("class", Select::Class, "Those that reach a module with state which an affected test reaches, too"),
    ("cells", Select::Cells, "Those that write what an affected test reads, or read what it writes"),
    ("all", Select::All, "All tests"),
];

const RTS: [(&str, Rts, &str); 2] = [
    ("dynamic", Rts::Dynamic, "By the code that each test ran when it was profiled"),
    ("static", Rts::Static, "By what its file imports"),
];

fn select_parser() -> impl TypedValueParser<Value = Select> {
    let names = SELECT.map(|(name, _, about)| PossibleValue::new(name).help(about));
    PossibleValuesParser::new(names)
        .try_map(|name| by_name(&name, SELECT.map(|(name, select, _)| (name, select))))
}

fn rts_parser() -> impl TypedValueParser<Value = Rts> {
    let names = RTS.map(|(name, _, about)| PossibleValue::new(name).help(about));
    PossibleValuesParser::new(names).try_map(|name| by_name(&name, RTS.map(|(name, rts, _)| (name, rts))))
}

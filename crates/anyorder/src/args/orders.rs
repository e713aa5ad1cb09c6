//! Commands that run the suite in other orders: `hunt`, `sweep`, `twice`.

use std::path::PathBuf;

use anyorder_config::Budget;
use anyorder_model::Mode;
use anyorder_search::{Strategy, Sweep};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::suite::{SuiteArgs, by_name};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  anyorder                       hunt in this directory
  anyorder hunt tests/unit       some tests only
  anyorder hunt --budget 5m --json report.json
  anyorder hunt -- make test     through the project's own command")]
pub(crate) struct HuntArgs {
    #[command(flatten)]
    pub(crate) suite: SuiteArgs,
    /// Look into one order only: what its last test depends on; a file as for `replay`
    #[arg(long, help_heading = "Orders", value_name = "ORDER-FILE")]
    pub(crate) order: Option<PathBuf>,
    /// One group of partners for each finding is enough: no others, and no cleaners
    #[arg(long, help_heading = "Orders")]
    pub(crate) quick: bool,
    /// Leave out the search for the state behind each finding
    #[arg(long, help_heading = "State")]
    pub(crate) no_explain: bool,
    /// What one round is
    #[arg(long, help_heading = "Orders", value_name = "HOW", default_value = "whole", value_parser = sweep_parser())]
    pub(crate) sweep: Sweep,
    /// How many other orders are tried before verdicts [default: by the number of tests, 3 to 20]
    #[arg(long, help_heading = "Orders", value_name = "N", env = "ANYORDER_ROUNDS")]
    pub(crate) rounds: Option<u64>,
    /// Pairs of plain runs, one red and one green, before a difference is reported; fewer are quicker and less sure
    #[arg(long, help_heading = "Orders", value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) plain_pairs: u32,
    /// Stop after a time (`5m`), or after some suite times (`20x`); half of it is for verdicts [default: when all is done]
    #[arg(long, help_heading = "Orders", value_name = "TIME", env = "ANYORDER_BUDGET")]
    pub(crate) budget: Option<Budget>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  anyorder sweep                                   20 random orders
  anyorder sweep --strategy reverse tests/unit
  anyorder sweep --strategy pairs --budget 5m      as many ordered pairs as fit
  anyorder sweep --rounds 100 --seed 7 -- make test")]
pub(crate) struct SweepArgs {
    #[command(flatten)]
    pub(crate) suite: SuiteArgs,
    /// How orders are chosen [default: random]
    #[arg(long, help_heading = "Orders", value_name = "NAME", env = "ANYORDER_STRATEGY", value_parser = strategy_parser())]
    pub(crate) strategy: Option<Strategy>,
    /// How many rounds of that strategy [default: 20 for random ones, else 1]
    #[arg(long, help_heading = "Orders", value_name = "N", env = "ANYORDER_ROUNDS")]
    pub(crate) rounds: Option<u64>,
    /// Stop after a time (`5m`), or after some suite times (`20x`) [default: when all rounds are done]
    #[arg(long, help_heading = "Orders", value_name = "TIME", env = "ANYORDER_BUDGET")]
    pub(crate) budget: Option<Budget>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Fixtures of a class, a module or the session stand from the first time to the second, as in one run; only
`across-runs` starts anew.

Examples:
  anyorder twice
  anyorder twice --mode suite tests/unit
  anyorder twice --mode across-runs")]
pub(crate) struct TwiceArgs {
    #[command(flatten)]
    pub(crate) suite: SuiteArgs,
    /// What runs twice, and where
    #[arg(long, help_heading = "Orders", value_name = "NAME", default_value = "isolated-test", value_parser = mode_parser())]
    pub(crate) mode: Mode,
    /// Stop after a time (`5m`), or after some suite times (`20x`) [default: when all is done]
    #[arg(long, help_heading = "Orders", value_name = "TIME", env = "ANYORDER_BUDGET")]
    pub(crate) budget: Option<Budget>,
}

fn mode_parser() -> impl TypedValueParser<Value = Mode> {
    let names = Mode::ALL.map(|(mode, about)| PossibleValue::new(mode.name()).help(about));
    PossibleValuesParser::new(names)
        .try_map(|name| by_name(&name, Mode::ALL.map(|(mode, _)| (mode.name(), mode))))
}

fn sweep_parser() -> impl TypedValueParser<Value = Sweep> {
    let names = Sweep::ALL.map(|(sweep, about)| PossibleValue::new(sweep.name()).help(about));
    PossibleValuesParser::new(names)
        .try_map(|name| by_name(&name, Sweep::ALL.map(|(sweep, _)| (sweep.name(), sweep))))
}

fn strategy_parser() -> impl TypedValueParser<Value = Strategy> {
    let names = Strategy::ALL.map(|(strategy, about)| PossibleValue::new(strategy.name()).help(about));
    PossibleValuesParser::new(names).try_map(|name| parse_strategy(&name))
}

/// The name of a strategy.
pub(crate) fn parse_strategy(name: &str) -> Result<Strategy, String> {
    by_name(name, Strategy::ALL.map(|(strategy, _)| (strategy.name(), strategy)))
}

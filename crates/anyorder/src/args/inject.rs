//! `inject`: which mutants, how they are tried, and where the data set goes.

use std::path::PathBuf;

use anyorder_inject::{Operator, Scope};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::suite::SuiteArgs;
use crate::inject::Shown;

#[derive(Debug, Args)]
#[command(after_help = "\
Each mutant of your suite has one change that may make a test depend on order: a helper statement is gone, a clean-up, a
copy. Only stable tests are changed, and only what order alone decides counts. Your files are not touched: mutants live
in forks, or on files that only tests see.

The data set has a diff for each mutant, tables as CSV and JSON, the metrics of the FLAKER paper, and a README. The same
seed gives the same bytes. A command that was interrupted goes on where it was.

Examples:
  anyorder inject                                 as in the paper: statements of tests, 20 orders of each class
  anyorder inject --operators all --limit 500     500 mutants of all sorts, chosen by the seed
  anyorder inject --out data tests/test_cart.py   those of one file, into `data`
  anyorder inject --score                         and how many of them a hunt finds
  anyorder inject --score hunt --score random --scored 60 --scored-in file
                                                  60 of them, beside 20 random orders, each in its file")]
pub(crate) struct InjectArgs {
    #[command(flatten)]
    pub(crate) suite: SuiteArgs,
    /// What is changed: `paper` (`del_statement`), `all`, or some of them, with commas between
    #[arg(
        long,
        help_heading = "Mutants",
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "paper",
        value_parser = operators_parser()
    )]
    operators: Vec<Chosen>,
    /// Try at most so many mutants, chosen by the seed [default: all]
    #[arg(long, help_heading = "Mutants", value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// In which orders mutants are tried
    #[arg(long, help_heading = "Orders", default_value = "class", value_name = "SCOPE", value_parser = scope_parser())]
    pub(crate) scope: Scope,
    /// How many random orders of a class or file each mutant is tried in
    #[arg(long, help_heading = "Orders", value_name = "N", default_value_t = 20)]
    pub(crate) orders: u32,
    /// How often a test has to pass alone before it is changed; the paper has 100
    #[arg(long, help_heading = "Orders", value_name = "N", default_value_t = 20)]
    pub(crate) reruns: u32,
    /// Then have a detector look at each order-dependent mutant, and say how many of the tests it names; may be repeated:
    /// `hunt`, `random` (20 random orders), or a command that prints our JSON [default: hunt]
    #[arg(long, help_heading = "Score", value_name = "DETECTOR", num_args = 0..=1, default_missing_value = "hunt")]
    pub(crate) score: Vec<String>,
    /// Score at most so many mutants, chosen by the seed [default: all]
    #[arg(long, help_heading = "Score", value_name = "N", requires = "score")]
    pub(crate) scored: Option<usize>,
    /// What detectors look at, and pairs that tell what there is to find are made of
    #[arg(long, help_heading = "Score", value_name = "WHAT", default_value = "suite", value_parser = shown_parser())]
    pub(crate) scored_in: Shown,
    /// Where the data set goes [default: .anyorder/inject]
    #[arg(long, help_heading = "Output", value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

/// A word for some operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Chosen {
    Paper,
    All,
    One(Operator),
}

impl InjectArgs {
    /// The operators that are meant, each once.
    pub(crate) fn operators(&self) -> Vec<Operator> {
        let is_chosen = |operator: &Operator| {
            self.operators.iter().any(|chosen| match chosen {
                Chosen::Paper => Operator::PAPER.contains(operator),
                Chosen::All => true,
                Chosen::One(one) => one == operator,
            })
        };
        Operator::ALL.into_iter().filter(is_chosen).collect()
    }
}

fn scope_parser() -> impl TypedValueParser<Value = Scope> {
    let values = Scope::ALL.map(|scope| PossibleValue::new(scope.name()).help(scope.about()));
    PossibleValuesParser::new(values).map(|name| Scope::named(&name).unwrap_or_default())
}

fn shown_parser() -> impl TypedValueParser<Value = Shown> {
    let values = [("file", "the files with the changed tests"), ("suite", "the whole suite; dear")];
    let values = values.map(|(name, about)| PossibleValue::new(name).help(about));
    PossibleValuesParser::new(values).map(|name| if name == "file" { Shown::Files } else { Shown::Suite })
}

fn operators_parser() -> impl TypedValueParser<Value = Chosen> {
    let several = [("paper", "what the FLAKER paper does"), ("all", "all of these")];
    let several = several.map(|(name, about)| PossibleValue::new(name).help(about));
    let single = Operator::ALL.map(|operator| PossibleValue::new(operator.name()).help(operator.about()));
    PossibleValuesParser::new(several.into_iter().chain(single)).map(|name| match name.as_str() {
        "paper" => Chosen::Paper,
        name => Operator::named(name).map_or(Chosen::All, Chosen::One),
    })
}

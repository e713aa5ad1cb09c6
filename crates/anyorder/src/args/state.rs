//! Commands that look at shared state: `explain`, `profile`, `deps`, `pollution`.

use std::path::PathBuf;

use anyorder_config::Budget;
use anyorder_search::CellPattern;
use clap::Args;

use super::suite::SuiteArgs;

#[derive(Debug, Args)]
#[command(after_help = "\
A test that no hunt has found runs alone, again, and behind all others in both directions first; if it ends the
same each time, there is nothing to explain, and `anyorder hunt` tries more orders.

Cells are put back as they were right before the test, and the test runs. A cause is proved if it still fails when
nothing is put back, passes when the cause is, and fails when everything else is; three times each.

Exit code 1 means that the test depends on order.

Examples:
  anyorder explain v-3f2a9c
  anyorder explain tests/test_cart.py::test_total --json why.json")]
pub(crate) struct ExplainArgs {
    /// The id of a finding, such as `v-3f2a9c`, or of a test
    #[arg(value_name = "TEST|FINDING")]
    pub(crate) what: String,
    #[command(flatten)]
    pub(crate) suite: SuiteArgs,
    /// Cells that nobody can observe, so that they are tried last, with `*` for anything; may be repeated
    #[arg(long, help_heading = "State", value_name = "PATTERN")]
    pub(crate) ignore_cells: Vec<CellPattern>,
    /// Stop after a time (`5m`), or after some suite times (`20x`) [default: when all is done]
    #[arg(long, help_heading = "Orders", value_name = "TIME", env = "ANYORDER_BUDGET")]
    pub(crate) budget: Option<Budget>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
What differs in the end is shown, not every write: a cell that a test sets to what it held already, or puts
back, is not seen.

Examples:
  anyorder profile
  anyorder profile tests/test_cart.py::test_total     one test in full
  anyorder profile --ignore-cells 'shop.*._cache*' --json profiles.json")]
pub(crate) struct ProfileArgs {
    #[command(flatten)]
    pub(crate) suite: SuiteArgs,
    /// Cells to leave out of the report, with `*` for anything; may be repeated
    #[arg(long, help_heading = "State", value_name = "PATTERN")]
    pub(crate) ignore_cells: Vec<CellPattern>,
    /// Show all cells, also those that nobody can observe
    #[arg(long, help_heading = "State", conflicts_with = "ignore_cells")]
    pub(crate) all: bool,
    /// Stop after a time (`5m`), or after some suite times (`20x`) [default: when all is done]
    #[arg(long, help_heading = "Orders", value_name = "TIME", env = "ANYORDER_BUDGET")]
    pub(crate) budget: Option<Budget>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Without a reference, each test runs alone and after others, likely ones first. With one, its data dependencies are
turned round one at a time, and those that change an outcome are manifest.

Examples:
  anyorder deps
  anyorder deps --dot deps.dot --schedule order.txt
  anyorder deps --together together.py    # then: PYTHONPATH=. pytest -p together
  anyorder deps --reference original --reference reverse --json deps.json")]
pub(crate) struct DepsArgs {
    #[command(flatten)]
    pub(crate) suite: SuiteArgs,
    /// An order whose outcomes are right: `original`, `reverse`, or a file as for `replay`; may be repeated
    #[arg(long, help_heading = "Orders", value_name = "ORDER")]
    pub(crate) reference: Vec<Reference>,
    /// Write the graph to a file, in the DOT language
    #[arg(long, help_heading = "Output", value_name = "FILE")]
    pub(crate) dot: Option<PathBuf>,
    /// Write an order that respects the dependencies to a file, one test id per line
    #[arg(long, help_heading = "Output", value_name = "FILE")]
    pub(crate) schedule: Option<PathBuf>,
    /// Write a pytest plugin that keeps tests together that depend on each other, also for `pytest -n` of pytest-xdist
    #[arg(long, help_heading = "Output", value_name = "FILE.py")]
    pub(crate) together: Option<PathBuf>,
    /// Stop after a time (`5m`), or after some suite times (`20x`) [default: when all is done]
    #[arg(long, help_heading = "Orders", value_name = "TIME", env = "ANYORDER_BUDGET")]
    pub(crate) budget: Option<Budget>,
}

/// An order to compare with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reference {
    /// As collected.
    Original,
    /// Backwards.
    Reverse,
    /// What a file says.
    File(PathBuf),
}

impl From<String> for Reference {
    fn from(text: String) -> Self {
        match text.as_str() {
            "original" => Reference::Original,
            "reverse" => Reference::Reverse,
            _ => Reference::File(text.into()),
        }
    }
}

#[derive(Debug, Args)]
#[command(after_help = "\
Exit code 1 means that a test leaves something changed for good, or is a latent victim.

Examples:
  anyorder pollution
  anyorder pollution --victims --budget 5m
  anyorder pollution tests/unit --ignore-cells 'shop.*._cache*'")]
pub(crate) struct PollutionArgs {
    #[command(flatten)]
    pub(crate) suite: SuiteArgs,
    /// Also find tests that would suffer: they fail when a cell that they look at is changed on purpose
    #[arg(long, help_heading = "State")]
    pub(crate) victims: bool,
    /// How many changes are tried for each test, likely ones first
    #[arg(long, help_heading = "State", value_name = "COUNT", default_value_t = 12, requires = "victims")]
    pub(crate) perturbations: usize,
    /// Cells to leave out of the report, with `*` for anything; may be repeated
    #[arg(long, help_heading = "State", value_name = "PATTERN")]
    pub(crate) ignore_cells: Vec<CellPattern>,
    /// Stop after a time (`5m`), or after some suite times (`20x`) [default: when all is done]
    #[arg(long, help_heading = "Orders", value_name = "TIME", env = "ANYORDER_BUDGET")]
    pub(crate) budget: Option<Budget>,
}

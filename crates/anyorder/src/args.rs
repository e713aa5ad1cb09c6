//! What was typed. What it means is found out in `project.rs` and in the commands.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use anyorder_config::{Budget, parse_duration, parse_size};
use anyorder_engine::{DiskMode, Isolation};
use anyorder_model::Mode;
use anyorder_report::{Color, TerminalOptions};
use anyorder_search::{CellPattern, Strategy, Sweep};
use clap::builder::{FalseyValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};

const AFTER_HELP: &str = "\
Examples:
  anyorder                       hunt in this directory
  anyorder doctor                see whether everything is in place
  anyorder sweep                 20 random orders of the suite in this directory
  anyorder sweep -- make test    through the project's own command

Exit codes: 0 nothing found, 1 something found, 2 usage, 3 the suite cannot be run, 4 no tests,
5 stopped before a verdict, 70 a bug of anyorder, 130 interrupted.";

/// Makes a test suite pass in any order.
#[derive(Debug, Parser)]
#[command(version, about, after_help = AFTER_HELP, max_term_width = 100, disable_help_subcommand = false)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) global: Global,
}

impl Cli {
    /// What was typed; without a command it is `hunt`.
    pub(crate) fn parse_or_hunt() -> Self {
        let words: Vec<OsString> = std::env::args_os().collect();
        let hunt = || {
            let (program, rest) = words.split_at(1.min(words.len()));
            Cli::parse_from([program, &[OsString::from("hunt")], rest].concat())
        };
        match Cli::try_parse_from(&words) {
            Ok(cli) if cli.command.is_some() => cli,
            Ok(_) => hunt(),
            Err(error) if is_hunt(&words[1..], &error) => hunt(),
            Err(error) => error.exit(),
        }
    }
}

/// Whether words that are no command of their own are options or targets of a hunt.
fn is_hunt(words: &[OsString], error: &clap::Error) -> bool {
    let typed = || words.iter().take_while(|word| *word != "--");
    let is_command =
        |word: &OsString| Cli::command().get_subcommands().any(|command| *word == *command.get_name());
    match error.kind() {
        ErrorKind::UnknownArgument => !typed().any(is_command),
        // A word that is misspelt is no target; a test or a path is.
        ErrorKind::InvalidSubcommand => typed().any(|word| {
            let text = word.to_string_lossy();
            text.contains("::") || text.contains('#') || PathBuf::from(word).exists()
        }),
        _ => false,
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Find the tests whose outcome depends on what ran before them, and say what that was (the default)
    Hunt(HuntArgs),
    /// List the tests, as the runner sees them
    Collect(CollectArgs),
    /// Run the suite in other orders, and list the tests whose outcome changes
    Sweep(SweepArgs),
    /// Run every test twice, and list those that pass and then fail
    Twice(TwiceArgs),
    /// Show what each test leaves changed, looks at and runs
    Profile(ProfileArgs),
    /// Show which tests depend on which, and an order that respects it
    Deps(DepsArgs),
    /// List what tests leave changed for good, though no test may suffer from it yet
    Pollution(PollutionArgs),
    /// Say which state makes a test fail, who writes it and who reads it, and prove it
    Explain(ExplainArgs),
    /// Run one order again, through the agent or with the plain runner
    Replay(ReplayArgs),
    /// Say what would hinder a hunt here, and what to do
    Doctor(DoctorArgs),
    /// Try it on a bundled suite that has every kind of order dependence
    Demo(DemoArgs),
}

/// Options that every command has.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct Global {
    /// When to use colour
    #[arg(long, global = true, value_enum, default_value_t = When::Auto, value_name = "WHEN")]
    pub(crate) color: When,
    /// Print findings and data only
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Leave out durations, so that equal results print equal bytes
    #[arg(long, global = true)]
    pub(crate) no_times: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    Auto,
    Always,
    Never,
}

impl Global {
    pub(crate) fn terminal_options(&self) -> TerminalOptions {
        let color = match self.color {
            When::Auto => Color::Auto,
            When::Always => Color::Always,
            When::Never => Color::Never,
        };
        TerminalOptions { color, quiet: self.quiet, no_times: self.no_times }
    }
}

/// Which suite, and how it is run.
#[derive(Debug, Default, Args)]
pub(crate) struct SuiteArgs {
    /// Paths or test ids, as pytest takes them; classes or test ids of JUnit [default: what the runner finds by itself]
    #[arg(value_name = "TARGETS")]
    pub(crate) targets: Vec<String>,
    /// The project's own test command; whatever pytest or JUnit it starts is used
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
    #[command(flatten)]
    pub(crate) how: HowArgs,
}

impl SuiteArgs {
    /// What has to be typed again, behind another command, to mean the same suite.
    pub(crate) fn typed_again(&self) -> Vec<String> {
        let option = |name: &str, path: &Option<PathBuf>| {
            path.as_ref().map(|path| [name.to_owned(), path.display().to_string()])
        };
        let mut words: Vec<String> =
            option("--directory", &self.how.directory).into_iter().flatten().collect();
        words.extend(option("--python", &self.how.python).into_iter().flatten());
        words.extend(self.how.seed.into_iter().flat_map(|seed| ["--seed".to_owned(), seed.to_string()]));
        let isolation = self.how.isolation.map(Isolation::name);
        words.extend(isolation.into_iter().flat_map(|name| ["--isolation".to_owned(), name.to_owned()]));
        let disk = self.how.disk.map(DiskMode::name);
        words.extend(disk.into_iter().flat_map(|name| ["--disk".to_owned(), name.to_owned()]));
        words.extend(self.choice());
        words
    }

    /// What decides which tests there are.
    pub(crate) fn choice(&self) -> Vec<String> {
        let mut words: Vec<String> =
            self.how.module.iter().flat_map(|name| ["--module".to_owned(), name.clone()]).collect();
        words.extend(self.targets.iter().cloned());
        if !self.command.is_empty() {
            words.push("--".to_owned());
            words.extend(self.command.iter().map(|word| word.to_string_lossy().into_owned()));
        }
        words
    }
}

/// How the suite is run.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Running")]
pub(crate) struct HowArgs {
    /// The project's directory [default: where you are]
    #[arg(long, short = 'C', value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
    /// Interpreter or virtual environment to run pytest with [default: the project's own, else python3]
    #[arg(long, value_name = "PATH", env = "ANYORDER_PYTHON")]
    pub(crate) python: Option<PathBuf>,
    /// Module of a Maven or Gradle build, by its directory or name; may be repeated [default: all]
    #[arg(long, value_name = "NAME")]
    pub(crate) module: Vec<String>,
    /// How many processes run tests at the same time [default: one per core]
    #[arg(long, value_name = "N", env = "ANYORDER_WORKERS")]
    pub(crate) workers: Option<usize>,
    /// Limit for a test that has not run yet, and for collecting; later a test may take 20 times what it took first, and
    /// at least 10 s [default: 10m]
    #[arg(long, value_name = "TIME", value_parser = parse_duration, env = "ANYORDER_TIMEOUT")]
    pub(crate) timeout: Option<Duration>,
    /// How much memory a test process may take beyond what the collected suite does [default: half of the machine's,
    /// shared by the workers, at least 1GiB]
    #[arg(long, value_name = "SIZE", value_parser = parse_size, env = "ANYORDER_MEMORY")]
    pub(crate) memory: Option<u64>,
    /// How fresh states are made: forks, or a new process each time [default: fork where possible]
    #[arg(long, value_name = "HOW", env = "ANYORDER_ISOLATION", value_parser = isolation_parser())]
    pub(crate) isolation: Option<Isolation>,
    /// How what tests write is kept apart, and away from your files [default: overlay where possible, else copy]
    #[arg(long, value_name = "HOW", env = "ANYORDER_DISK", value_parser = disk_parser())]
    pub(crate) disk: Option<DiskMode>,
    /// Do not compare forks with plain runs first, which takes a run of the suite; findings are confirmed all the same
    #[arg(long, env = "ANYORDER_TRUST_FORKS", value_parser = FalseyValueParser::new())]
    pub(crate) trust_forks: bool,
    /// Seed of everything random [default: 0]
    #[arg(long, value_name = "N", env = "ANYORDER_SEED")]
    pub(crate) seed: Option<u64>,
    /// Also write a report as JSON; `-` is standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}

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
  anyorder collect
  anyorder collect tests/unit --json tests.json
  anyorder collect -- make test")]
pub(crate) struct CollectArgs {
    #[command(flatten)]
    pub(crate) suite: SuiteArgs,
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
  anyorder demo --seed 7")]
pub(crate) struct DemoArgs {
    #[command(flatten)]
    pub(crate) how: HowArgs,
}

fn isolation_parser() -> impl TypedValueParser<Value = Isolation> {
    let names = Isolation::ALL.map(|(isolation, about)| PossibleValue::new(isolation.name()).help(about));
    PossibleValuesParser::new(names).try_map(|name| parse_isolation(&name))
}

fn disk_parser() -> impl TypedValueParser<Value = DiskMode> {
    let names = DiskMode::ALL.map(|(mode, about)| PossibleValue::new(mode.name()).help(about));
    PossibleValuesParser::new(names).try_map(|name| parse_disk(&name))
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

/// `fork` or `process`.
pub(crate) fn parse_isolation(name: &str) -> Result<Isolation, String> {
    by_name(name, Isolation::ALL.map(|(isolation, _)| (isolation.name(), isolation)))
}

/// `overlay`, `copy` or `shared`.
pub(crate) fn parse_disk(name: &str) -> Result<DiskMode, String> {
    by_name(name, DiskMode::ALL.map(|(mode, _)| (mode.name(), mode)))
}

/// The name of a strategy.
pub(crate) fn parse_strategy(name: &str) -> Result<Strategy, String> {
    by_name(name, Strategy::ALL.map(|(strategy, _)| (strategy.name(), strategy)))
}

fn by_name<T: Copy, const N: usize>(name: &str, values: [(&'static str, T); N]) -> Result<T, String> {
    let found = values.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
    found.ok_or_else(|| format!("it can be {}", values.map(|(known, _)| known).join(", ")))
}

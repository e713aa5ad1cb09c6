//! What was typed. What it means is found out in `project.rs` and in the commands.

mod check;
mod fix;
mod inject;
mod orders;
mod report;
mod setup;
mod single;
mod state;
mod suite;

use std::ffi::OsString;
use std::path::PathBuf;

use anyorder_report::{Color, TerminalOptions};
use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};

pub(crate) use check::CheckArgs;
pub(crate) use fix::{ApplyArgs, FixArgs};
pub(crate) use inject::InjectArgs;
pub(crate) use orders::{HuntArgs, SweepArgs, TwiceArgs, parse_strategy};
pub(crate) use report::{ImportArgs, ReportArgs};
pub(crate) use setup::{CompletionsArgs, ManArgs};
pub(crate) use single::{CollectArgs, DemoArgs, DoctorArgs, ReplayArgs};
pub(crate) use state::{DepsArgs, ExplainArgs, PollutionArgs, ProfileArgs, Reference};
pub(crate) use suite::{HowArgs, SuiteArgs, parse_disk, parse_isolation};

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
    /// Look only where a change can matter: is a test order-dependent that was not?
    Check(CheckArgs),
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
    /// Write patches that let tests pass in any order, verified; and apply them if you like
    Fix(FixArgs),
    /// Tell what is known, in the terminal or as JSON, JUnit XML, SARIF and others; runs nothing
    Report(ReportArgs),
    /// Take runs of CI that failed, as JUnit XML; the next hunt replays their orders first
    Import(ImportArgs),
    /// Make tests depend on order on purpose: a data set of mutants with known answers
    Inject(InjectArgs),
    /// Run one order again, through the agent or with the plain runner
    Replay(ReplayArgs),
    /// Say what would hinder a hunt here, and what to do
    Doctor(DoctorArgs),
    /// Try it on a bundled suite that has every kind of order dependence
    Demo(DemoArgs),
    /// Print what lets a shell complete the command line
    Completions(CompletionsArgs),
    /// Print the manual page, or write the pages of all commands
    Man(ManArgs),
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

//! Which suite is meant, and how it is run: the same for every command.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use anyorder_config::{parse_duration, parse_size};
use anyorder_engine::{DiskMode, Isolation};
use clap::Args;
use clap::builder::{FalseyValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};

/// Which suite, and how it is run.
#[derive(Clone, Debug, Default, Args)]
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
#[derive(Clone, Debug, Default, Args)]
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

fn isolation_parser() -> impl TypedValueParser<Value = Isolation> {
    let names = Isolation::ALL.map(|(isolation, about)| PossibleValue::new(isolation.name()).help(about));
    PossibleValuesParser::new(names).try_map(|name| parse_isolation(&name))
}

fn disk_parser() -> impl TypedValueParser<Value = DiskMode> {
    let names = DiskMode::ALL.map(|(mode, about)| PossibleValue::new(mode.name()).help(about));
    PossibleValuesParser::new(names).try_map(|name| parse_disk(&name))
}

/// `fork` or `process`.
pub(crate) fn parse_isolation(name: &str) -> Result<Isolation, String> {
    by_name(name, Isolation::ALL.map(|(isolation, _)| (isolation.name(), isolation)))
}

/// `overlay`, `copy` or `shared`.
pub(crate) fn parse_disk(name: &str) -> Result<DiskMode, String> {
    by_name(name, DiskMode::ALL.map(|(mode, _)| (mode.name(), mode)))
}

/// The value of this name.
pub(super) fn by_name<T: Copy, const N: usize>(
    name: &str,
    values: [(&'static str, T); N],
) -> Result<T, String> {
    let found = values.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
    found.ok_or_else(|| format!("it can be {}", values.map(|(known, _)| known).join(", ")))
}

//! Runs an order the plain way: the user's own runner in a new process, no agent inside.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyorder_model::{Order, Outcome, RunRecord, Step, Suite};

use crate::cost::Meter;
use crate::disk::DiskState;
use crate::driver::{PlainCall, PlainCommand, Rung};
use crate::engine::Lab;
use crate::error::EngineError;
use crate::launch::tail;
use crate::ward::Ward;
use crate::wire::Hello;

/// What a plain run is asked for.
#[derive(Clone, Copy, Debug)]
pub struct PlainRequest<'a> {
    /// What to run.
    pub order: &'a Order,
    /// How the runner is told; `None` is the lowest rung that keeps the order.
    pub rung: Option<Rung>,
    /// Where files that the command line mentions are written, if they have to stay.
    pub files: Option<&'a Path>,
    /// Files to collect, instead of all; only with [`Rung::PlainOrdered`].
    pub collected: Option<&'a [String]>,
    /// The seed for the language's own randomness; else what the user has set.
    pub seed: Option<u32>,
    /// How often the runner is started, one process after the other on one disk; once, usually.
    pub times: usize,
    /// Which worker asks, from 0: no two that ask at the same time may be the same.
    pub worker: usize,
}

impl<'a> PlainRequest<'a> {
    /// The order, on the lowest rung that keeps it.
    pub fn new(order: &'a Order) -> Self {
        PlainRequest { order, rung: None, files: None, collected: None, seed: None, times: 1, worker: 0 }
    }

    /// The same, on a given rung. A runner that is only told ids may collect less, and may run them in another order.
    #[must_use]
    pub fn on(self, rung: Rung) -> Self {
        PlainRequest { rung: Some(rung), ..self }
    }
}

/// What a plain run has given.
#[derive(Debug)]
pub struct PlainRun {
    /// What happened, in the order that ran; the last time, if there were several.
    pub record: RunRecord,
    /// What happened the other times.
    pub earlier: Vec<RunRecord>,
    /// The command line that was run.
    pub command: String,
    /// How it was told its order.
    pub rung: Rung,
    /// The end of what the runner printed.
    pub log: String,
}

impl PlainRun {
    /// Whether every test ran, in the order asked for.
    pub fn is_faithful(&self) -> bool {
        self.record.is_as_asked() && self.record.order_that_ran().len() == self.record.asked.len()
    }
}

/// How long a runner may take besides its tests: so many times what collecting took, and at least so long.
const START_FACTOR: u32 = 5;
const START_PATIENCE: Duration = Duration::from_secs(10);

/// Runners drop repeats and regroup, so the order that ran is checked unless the rung was chosen.
pub(crate) fn run(
    lab: &Lab,
    suite: &Suite,
    hello: &Hello,
    ask: PlainRequest<'_>,
    mut tick: impl FnMut(Duration),
) -> Result<PlainRun, EngineError> {
    let mut on = |rung| run_on(lab, suite, hello, ask, rung, &mut tick);
    if let Some(rung) = ask.rung {
        return on(rung);
    }
    if lab.driver.fits_on_command_line(suite, ask.order) {
        let plain = on(Rung::Plain)?;
        if plain.is_faithful() {
            return Ok(plain);
        }
    }
    on(Rung::PlainOrdered)
}

fn run_on(
    lab: &Lab,
    suite: &Suite,
    hello: &Hello,
    ask: PlainRequest<'_>,
    rung: Rung,
    tick: &mut impl FnMut(Duration),
) -> Result<PlainRun, EngineError> {
    let directory = lab.scratch.path().join(format!("plain-{}", lab.next_node()));
    fs::create_dir(&directory).map_err(EngineError::Scratch)?;
    let results: Vec<PathBuf> =
        (0..ask.times).map(|time| directory.join(format!("results-{time}.xml"))).collect();
    let PlainRequest { order, files, collected, seed, .. } = ask;
    let files = files.unwrap_or(&directory);
    let output = lab.settings.output;
    let commands = results.iter().map(|results| {
        let call = PlainCall { suite, order, rung, hello, collected, seed, files, results, output };
        lab.driver.plain_command(&call).map_err(EngineError::Scratch)
    });
    let (mut command, shown) = in_a_row(commands.collect::<Result<Vec<_>, _>>()?);
    let log = directory.join("log");
    let desk = lab.disk.desk_of(ask.worker);
    lab.bring_back(desk, DiskState::Pristine)?;
    lab.disk.seat(desk, &mut command);
    let mut ward = lab.start(&command, false, &log)?;
    let start = lab.collecting_took().saturating_mul(START_FACTOR).max(START_PATIENCE);
    let limit = start + order.tests().iter().map(|&test| lab.limit_for(test)).sum::<Duration>();
    let limit = limit * u32::try_from(ask.times).unwrap_or(u32::MAX);
    let timed_out = wait(lab, &mut ward, limit, tick)?;
    let record = |results: &PathBuf| {
        let steps = lab.driver.read_plain_results(suite, order, results);
        Meter::count(&lab.meter.test_runs, steps.as_ref().map_or(0, Vec::len));
        RunRecord { asked: order.clone(), steps: with_unreached(order, steps, timed_out) }
    };
    let mut earlier: Vec<RunRecord> = results.iter().map(record).collect();
    let record = earlier.pop().expect("it was started at least once");
    let log = tail(&read(&log));
    let _ = fs::remove_dir_all(directory);
    Ok(PlainRun { record, earlier, command: shown, rung, log })
}

/// One command that does what these do one after the other, whatever becomes of each; and how the first is shown.
fn in_a_row(mut commands: Vec<PlainCommand>) -> (Command, String) {
    let words = |plain: &PlainCommand| {
        let words = std::iter::once(plain.command.get_program()).chain(plain.command.get_args());
        let quoted = words.map(|word| format!("'{}'", word.to_string_lossy().replace('\'', r"'\''")));
        quoted.collect::<Vec<_>>().join(" ")
    };
    let script = commands.iter().map(words).collect::<Vec<_>>().join("\n");
    let PlainCommand { command: first, shown } = commands.swap_remove(0);
    if commands.is_empty() {
        return (first, shown);
    }
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).current_dir(first.get_current_dir().unwrap_or(Path::new(".")));
    shell.envs(first.get_envs().filter_map(|(name, value)| Some((name, value?))));
    (shell, shown)
}

fn read(log: &PathBuf) -> Vec<u8> {
    fs::read(log).unwrap_or_default()
}

/// Whether the time was up before the runner ended.
fn wait(
    lab: &Lab,
    ward: &mut Ward,
    limit: Duration,
    tick: &mut impl FnMut(Duration),
) -> Result<bool, EngineError> {
    const LOOK: Duration = Duration::from_millis(50);
    let begun = Instant::now();
    let timed_out = loop {
        if ward.wait_a_while(LOOK).is_some() {
            break false;
        }
        if lab.halt.is_called() || begun.elapsed() > limit {
            break true;
        }
        tick(begun.elapsed());
    };
    ward.end();
    if lab.halt.is_called() { Err(EngineError::Cancelled) } else { Ok(timed_out) }
}

/// Adds the tests that the runner's results do not mention. The first of them was running when the runner ended,
/// unless there are no results at all.
fn with_unreached(order: &Order, results: Option<Vec<Step>>, timed_out: bool) -> Vec<Step> {
    let mut steps = results.unwrap_or_default();
    let has_begun = timed_out || !steps.is_empty();
    let mut missing = order.tests().to_vec();
    for step in &steps {
        if let Some(at) = missing.iter().position(|&test| test == step.test) {
            missing.remove(at);
        }
    }
    let in_flight = match (timed_out, has_begun) {
        (true, _) => Outcome::TimedOut,
        (false, true) => Outcome::Crashed,
        (false, false) => Outcome::NotReached,
    };
    let outcomes = std::iter::once(in_flight).chain(std::iter::repeat(Outcome::NotReached));
    steps.extend(missing.into_iter().zip(outcomes).map(|(test, outcome)| Step::bare(test, outcome)));
    steps
}

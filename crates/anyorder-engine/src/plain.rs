//! Runs an order the plain way: the user's own runner in a new process, no agent inside.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyorder_model::{Order, Outcome, RunRecord, Step, Suite};

use crate::cost::Meter;
use crate::disk::DiskState;
use crate::driver::{PlainCall, Rung};
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
    /// Which worker asks, from 0: no two that ask at the same time may be the same.
    pub worker: usize,
}

impl<'a> PlainRequest<'a> {
    /// The order, on the lowest rung that keeps it.
    pub fn new(order: &'a Order) -> Self {
        PlainRequest { order, rung: None, files: None, collected: None, seed: None, worker: 0 }
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
    /// What happened, in the order that ran.
    pub record: RunRecord,
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
    let results = directory.join("results.xml");
    let PlainRequest { order, files, collected, seed, .. } = ask;
    let files = files.unwrap_or(&directory);
    let output = lab.settings.output;
    let call = PlainCall { suite, order, rung, hello, collected, seed, files, results: &results, output };
    let plain = lab.driver.plain_command(&call).map_err(EngineError::Scratch)?;
    let mut command = plain.command;
    let log = directory.join("log");
    let desk = lab.disk.desk_of(ask.worker);
    lab.bring_back(desk, DiskState::Pristine)?;
    lab.disk.seat(desk, &mut command);
    let mut ward = lab.start(&command, false, &log)?;
    let start = lab.collecting_took().saturating_mul(START_FACTOR).max(START_PATIENCE);
    let limit = start + order.tests().iter().map(|&test| lab.limit_for(test)).sum::<Duration>();
    let timed_out = wait(lab, &mut ward, limit, tick)?;
    let steps = lab.driver.read_plain_results(suite, order, &results);
    Meter::count(&lab.meter.test_runs, steps.as_ref().map_or(0, Vec::len));
    let record = RunRecord { asked: order.clone(), steps: with_unreached(order, steps, timed_out) };
    let log = tail(&read(&log));
    let _ = fs::remove_dir_all(directory);
    Ok(PlainRun { record, command: plain.shown, rung, log })
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

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
    fn is_faithful(&self) -> bool {
        self.record.is_as_asked() && self.record.order_that_ran().len() == self.record.asked.len()
    }
}

/// Where plain runs take place; nothing else runs meanwhile.
const DESK: usize = 0;

/// How long a runner may take besides its tests.
const START_PATIENCE: Duration = Duration::from_mins(1);

/// Runs `order` on the lowest rung that keeps it: runners drop repeats and regroup, so the order that ran is checked.
pub(crate) fn run_in_order(
    lab: &Lab,
    suite: &Suite,
    hello: &Hello,
    order: &Order,
    files: &Path,
) -> Result<PlainRun, EngineError> {
    if lab.driver.fits_on_command_line(suite, order) {
        let plain = run(lab, suite, hello, order, Rung::Plain, files)?;
        if plain.is_faithful() {
            return Ok(plain);
        }
    }
    run(lab, suite, hello, order, Rung::PlainOrdered, files)
}

pub(crate) fn run(
    lab: &Lab,
    suite: &Suite,
    hello: &Hello,
    order: &Order,
    rung: Rung,
    files: &Path,
) -> Result<PlainRun, EngineError> {
    let directory = lab.scratch.path().join(format!("plain-{}", lab.next_node()));
    fs::create_dir(&directory).map_err(EngineError::Scratch)?;
    let results = directory.join("results.xml");
    let call = PlainCall { suite, order, rung, hello, files, results: &results, output: lab.settings.output };
    let plain = lab.driver.plain_command(&call).map_err(EngineError::Scratch)?;
    let mut command = plain.command;
    let log = directory.join("log");
    lab.bring_back(DESK, DiskState::Pristine)?;
    lab.disk.seat(DESK, &mut command);
    let mut ward = lab.start(&command, &log)?;
    let limit = START_PATIENCE + order.tests().iter().map(|&test| lab.limit_for(test)).sum::<Duration>();
    let timed_out = wait(lab, &mut ward, limit)?;
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
fn wait(lab: &Lab, ward: &mut Ward, limit: Duration) -> Result<bool, EngineError> {
    const LOOK: Duration = Duration::from_millis(20);
    let deadline = Instant::now() + limit;
    let timed_out = loop {
        if ward.wait_a_while(LOOK).is_some() {
            break false;
        }
        if lab.halt.is_called() || Instant::now() > deadline {
            break true;
        }
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

//! Runs an order the plain way: the user's own runner in a new process, no agent inside.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyorder_model::{Order, Outcome, RunRecord, Step, Suite, TestIndex};

use crate::cost::Meter;
use crate::disk::{DiskState, FileChange};
use crate::driver::{PlainCall, PlainCommand, Rung};
use crate::error::EngineError;
use crate::guard::Stop;
use crate::lab::Lab;
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
    /// Files that the runner sees otherwise than the user has them; not with [`DiskMode::Shared`](crate::DiskMode::Shared).
    pub changes: &'a [FileChange],
    /// Which worker asks, from 0: no two that ask at the same time may be the same.
    pub worker: usize,
}

impl<'a> PlainRequest<'a> {
    /// The order, on the lowest rung that keeps it.
    pub fn new(order: &'a Order) -> Self {
        PlainRequest {
            order,
            rung: None,
            files: None,
            collected: None,
            seed: None,
            times: 1,
            changes: &[],
            worker: 0,
        }
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
    /// It ended in the midst of its tests and left no results.
    is_mute: bool,
}

impl PlainRun {
    /// Whether every test ran, in the order asked for.
    pub fn is_faithful(&self) -> bool {
        self.record.is_faithful()
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
    let mut on = |rung| {
        let mut plain = run_on(lab, suite, hello, ask, rung, &mut tick)?;
        if plain.is_mute {
            let blamed = blame(ask.order, |before| {
                let ask = PlainRequest { order: before, ..ask };
                run_on(lab, suite, hello, ask, rung, &mut tick).map(|run| run.record)
            });
            plain.record.steps = blamed?.unwrap_or(plain.record.steps);
        }
        Ok(plain)
    };
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
    // Drivers name files after what is in them, so all runs can share them.
    let shared = lab.scratch.path().join("plain");
    let files = files.unwrap_or(&shared);
    let output = lab.settings.output;
    let desk = lab.disk.desk_of(ask.worker);
    let commands = results.iter().map(|results| {
        let moved = lab.disk.moved(desk);
        let call = PlainCall { suite, order, rung, hello, collected, seed, files, results, output, moved };
        lab.driver.plain_command(&call).map_err(EngineError::Scratch)
    });
    let (mut command, shown) = in_a_row(commands.collect::<Result<Vec<_>, _>>()?);
    let log = directory.join("log");
    lab.bring_back(desk, DiskState::Pristine)?;
    lab.disk.seat(desk, &mut command);
    let mut ward = lab.start_on(&lab.disk.showing(desk, ask.changes, &directory)?, &command, false, &log)?;
    let start = lab.collecting_took().saturating_mul(START_FACTOR).max(START_PATIENCE);
    let limit = start.saturating_add(lab.limit_for_all(order));
    let limit = limit.saturating_mul(u32::try_from(ask.times).unwrap_or(u32::MAX));
    let read = |results: &PathBuf| {
        results.exists().then(|| lab.driver.read_plain_results(suite, order, results)).flatten()
    };
    let is_over = || results.last().is_some_and(|last| read(last).is_some());
    let stop = wait(lab, &mut ward, limit, is_over, tick)?;
    let has_died = stop.is_none() && ward.try_wait().is_some_and(|status| !lab.driver.has_refused(status));
    let is_mute = has_died && ask.times == 1 && read(&results[0]).is_none();
    let record = |results: &PathBuf| {
        let steps = read(results);
        Meter::count(&lab.meter.test_runs, steps.as_ref().map_or(0, Vec::len));
        RunRecord { asked: order.clone(), steps: with_unreached(order, steps, stop) }
    };
    let mut earlier: Vec<RunRecord> = results.iter().map(record).collect();
    let record = earlier.pop().expect("it was started at least once");
    let log = tail(&fs::read(&log).unwrap_or_default());
    let _ = fs::remove_dir_all(directory);
    Ok(PlainRun { record, earlier, command: shown, rung, log, is_mute })
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

/// How long a runner that has written its results may take to leave: threads that tests have left running keep it.
const FAREWELL: Duration = Duration::from_secs(5);

/// How long a runner that was interrupted may take to write its results.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Waits until the runner has ended, or has to; gives the reason in that case.
fn wait(
    lab: &Lab,
    ward: &mut Ward,
    limit: Duration,
    has_results: impl Fn() -> bool,
    tick: &mut impl FnMut(Duration),
) -> Result<Option<Stop>, EngineError> {
    const LOOK: Duration = Duration::from_millis(100);
    let begun = Instant::now();
    let mut told: Option<Instant> = None;
    let stop = loop {
        if ward.wait_a_while(LOOK).is_some() || told.is_some_and(|told| told.elapsed() > FAREWELL) {
            break None;
        }
        let size = ward.largest();
        if lab.halt.is_called() {
            break Some(Stop::Cancelled);
        } else if begun.elapsed() > limit {
            break Some(Stop::TimedOut(limit));
        } else if size > lab.largest() {
            break Some(Stop::TooLarge(size));
        }
        if told.is_none() && has_results() {
            told = Some(Instant::now());
        }
        tick(begun.elapsed());
    };
    if matches!(stop, Some(Stop::TimedOut(_) | Stop::TooLarge(_))) {
        // A runner that is interrupted still writes the results of the tests before.
        ward.interrupt();
        ward.wait_a_while(LAST_WORDS);
    }
    ward.end();
    if lab.halt.is_called() { Err(EngineError::Cancelled) } else { Ok(stop) }
}

/// The steps of a runner that has died and left no results, if the last test of `order` is to blame: without it the
/// runner comes through.
fn blame<E>(order: &Order, run: impl FnOnce(&Order) -> Result<RunRecord, E>) -> Result<Option<Vec<Step>>, E> {
    let Some((&last, before)) = order.tests().split_last() else { return Ok(None) };
    let crashed = Step::bare(last, Outcome::Crashed);
    if before.is_empty() {
        return Ok(Some(vec![crashed]));
    }
    let before = run(&before.iter().copied().collect())?;
    Ok(before.is_faithful().then(|| before.steps.into_iter().chain([crashed]).collect()))
}

/// Adds the tests that the runner's results do not mention. The first of them was running when the runner ended;
/// without results that is only known of an order of one test.
fn with_unreached(order: &Order, results: Option<Vec<Step>>, stop: Option<Stop>) -> Vec<Step> {
    let has_results = results.is_some();
    let mut steps = results.unwrap_or_default();
    let mut ran: HashMap<TestIndex, u32> = HashMap::new();
    steps.iter().for_each(|step| *ran.entry(step.test).or_default() += 1);
    let is_missing = |test: &TestIndex| match ran.get_mut(test) {
        Some(times @ 1..) => {
            *times -= 1;
            false
        }
        _ => true,
    };
    let missing: Vec<TestIndex> = order.tests().iter().copied().filter(is_missing).collect();
    let verdict = stop.and_then(Stop::verdict);
    let is_known = !steps.is_empty() || (verdict.is_some() && (has_results || order.len() == 1));
    let mut rest: Vec<Step> = missing.into_iter().map(|test| Step::bare(test, Outcome::NotReached)).collect();
    if let Some(in_flight) = rest.first_mut().filter(|_| is_known) {
        let (outcome, signature) = verdict.map_or((Outcome::Crashed, None), |(o, s)| (o, Some(s)));
        *in_flight = Step { signature, ..Step::bare(in_flight.test, outcome) };
    }
    steps.extend(rest);
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcomes(tests: u32, results: Option<&[u32]>, stop: Option<Stop>) -> Vec<Outcome> {
        let order = (0..tests).map(TestIndex).collect();
        let passed = |&test: &u32| Step::bare(TestIndex(test), Outcome::Passed);
        let results = results.map(|tests| tests.iter().map(passed).collect());
        with_unreached(&order, results, stop).into_iter().map(|step| step.outcome).collect()
    }

    #[test]
    fn the_first_test_without_a_result_was_running_when_the_runner_ended() {
        use Outcome::{Crashed, NotReached, Passed, TimedOut};
        let late = Some(Stop::TimedOut(FAREWELL));
        assert_eq!(outcomes(3, Some(&[0]), None), [Passed, Crashed, NotReached]);
        assert_eq!(outcomes(3, Some(&[0]), late), [Passed, TimedOut, NotReached]);
        assert_eq!(outcomes(2, Some(&[]), late), [TimedOut, NotReached]);
        assert_eq!(outcomes(3, Some(&[0, 2, 1]), None), [Passed; 3]);
    }

    #[test]
    fn a_runner_that_dies_is_the_fault_of_the_last_test_if_it_comes_through_without_it() {
        use Outcome::{Crashed, NotReached, Passed};
        let blamed = |tests: u32, before: Outcome| {
            let order = (0..tests).map(TestIndex).collect();
            let run = |asked: &Order| {
                let steps = asked.tests().iter().map(|&test| Step::bare(test, before)).collect();
                Ok::<_, ()>(RunRecord { asked: asked.clone(), steps })
            };
            let steps = blame(&order, run).unwrap();
            steps.map(|steps| steps.into_iter().map(|step| step.outcome).collect::<Vec<_>>())
        };
        assert_eq!(blamed(3, Passed), Some(vec![Passed, Passed, Crashed]));
        assert_eq!(blamed(3, NotReached), None);
        assert_eq!(blamed(1, NotReached), Some(vec![Crashed]));
    }

    #[test]
    fn without_results_nobody_is_blamed_but_a_test_that_ran_alone() {
        use Outcome::{Crashed, NotReached};
        assert_eq!(outcomes(2, None, Some(Stop::TooLarge(1))), [NotReached, NotReached]);
        assert_eq!(outcomes(1, None, Some(Stop::TooLarge(1))), [Crashed]);
        assert_eq!(outcomes(1, None, None), [NotReached]);
    }
}

//! A stretch of tests that one process ran, as far as it came.

use std::collections::BTreeSet;
use std::time::Duration;

use anyorder_model::{Code, Outcome, Phase, Read, Signature, Step, TestIndex, Written};

use crate::cost::Meter;
use crate::lab::Lab;
use crate::wire::{Gained, TestOutcome};

/// A stretch of tests that one process ran.
#[derive(Debug)]
pub(crate) struct Leg {
    /// The test before this stretch failed in its put-off tear-down.
    pub(crate) late: Option<Signature>,
    /// The tests that were reached.
    pub(crate) steps: Vec<Step>,
    /// The code of the last test, if that was traced.
    pub(crate) trace: Trace,
    /// The last change of each cell that is followed.
    pub(crate) written: Vec<Written>,
    /// Where the last test loaded the names that are looked for.
    pub(crate) read: Vec<Read>,
    /// Whether everything was torn down, and no test could notice.
    pub(crate) is_bare: bool,
    pub(crate) end: LegEnd,
}

/// The code that a test ran.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    /// Numbers of code that is known to the state that the test ran from.
    pub(crate) ran: Vec<u32>,
    /// The names that it may look at.
    pub(crate) reads: BTreeSet<String>,
    pub(crate) code: Vec<Code>,
    /// The files that it opened.
    pub(crate) opened: Option<BTreeSet<String>>,
}

#[derive(Debug)]
pub(crate) enum LegEnd {
    /// All tests ran.
    Ran(Option<Gained>),
    /// The process is gone, or the framework would not go on.
    Lost,
    /// Nobody wants to know any more.
    Cancelled,
}

impl Leg {
    /// Nothing has run yet; it is lost unless it comes to an end.
    pub(crate) fn with_room_for(tests: usize) -> Self {
        let steps = Vec::with_capacity(tests);
        Leg {
            late: None,
            steps,
            trace: Trace::default(),
            written: vec![],
            read: vec![],
            is_bare: false,
            end: LegEnd::Lost,
        }
    }

    /// A test has ended by itself.
    pub(crate) fn add_outcome(&mut self, lab: &Lab, test: TestIndex, outcome: TestOutcome) {
        let TestOutcome {
            outcome,
            phase,
            signature,
            seconds,
            output,
            ran,
            reads,
            code,
            opened,
            written,
            read,
            ..
        } = outcome;
        let duration = Duration::try_from_secs_f64(seconds).unwrap_or_default();
        self.trace = Trace { ran, reads, code, opened };
        self.written.retain(|old| written.iter().all(|new| new.path != old.path));
        self.written.extend(written);
        self.read = read;
        self.add(lab, Step { test, outcome, phase, signature, duration, is_late: false, output });
    }

    /// The first sight of a test decides how long it may take later; one that ran out of time gets the shortest limit.
    pub(crate) fn add(&mut self, lab: &Lab, step: Step) {
        lab.note_duration(&step);
        Meter::count(&lab.meter.test_runs, 1);
        self.steps.push(step);
    }
}

/// A tear-down error that came late belongs to the test that ran last, as the framework would have it.
pub(crate) fn charge_late(last: &mut Step, signature: Signature) {
    if !last.outcome.is_red() {
        last.outcome = Outcome::Error;
        last.is_late = true;
        last.phase = Some(Phase::Teardown);
        last.signature = Some(signature);
    }
}

//! A stretch of tests that one process ran, as far as it came.

use std::time::Duration;

use anyorder_model::{Signature, Step, TestIndex};

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
    pub(crate) end: LegEnd,
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
    /// The first sight of a test decides how long it may take later; one that ran out of time gets the shortest limit.
    pub(crate) fn add(&mut self, lab: &Lab, step: Step) {
        lab.note_duration(&step);
        Meter::count(&lab.meter.test_runs, 1);
        self.steps.push(step);
    }
}

pub(crate) fn step_from(test: TestIndex, outcome: TestOutcome) -> Step {
    let TestOutcome { outcome, phase, signature, seconds, output, .. } = outcome;
    let duration = Duration::try_from_secs_f64(seconds).unwrap_or_default();
    Step { test, outcome, phase, signature, duration, is_late: false, output }
}

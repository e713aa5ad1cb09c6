//! The record of one order that was carried out.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{Order, Outcome, Phase, Signature, TestIndex};

/// One execution of one test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Which test.
    pub test: TestIndex,
    /// What became of it.
    pub outcome: Outcome,
    /// Where that was decided, unless it passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<Phase>,
    /// How it failed, or why it was skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<Signature>,
    /// Set-up, body and tear-down together.
    pub duration: Duration,
    /// Whether the outcome is that of a tear-down which had to wait until the next test was known.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_late: bool,
    /// What the test printed and the full failure text, if that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
}

impl Step {
    /// A step of which nothing but the outcome is known.
    pub fn bare(test: TestIndex, outcome: Outcome) -> Self {
        Step {
            test,
            outcome,
            phase: None,
            signature: None,
            duration: Duration::ZERO,
            is_late: false,
            output: None,
        }
    }
}

/// A run of another machine, as a file of results tells it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ForeignRun {
    /// The tests that this suite has, in the order in which the file names them.
    pub steps: Vec<Step>,
    /// Cases that are no test of this suite.
    pub unknown: Vec<String>,
    /// Cases that may be several tests of this suite.
    pub ambiguous: Vec<String>,
}

/// What happened when an order was run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRecord {
    /// The order that was asked for.
    pub asked: Order,
    /// Every test that was reached, in the order that ran, then the ones that were not.
    pub steps: Vec<Step>,
}

impl RunRecord {
    /// The order that ran: frameworks may regroup, and a crash ends an order early.
    pub fn order_that_ran(&self) -> Order {
        self.steps.iter().filter(|step| step.outcome != Outcome::NotReached).map(|step| step.test).collect()
    }

    /// Whether the tests ran in the order asked for, as far as they ran.
    pub fn is_as_asked(&self) -> bool {
        self.asked.tests().starts_with(self.order_that_ran().tests())
    }

    /// Whether every test ran, in the order asked for.
    pub fn is_faithful(&self) -> bool {
        self.asked.tests() == self.order_that_ran().tests()
    }

    /// Why a function could not be changed in the middle of the order, if that was its end.
    pub fn refused_swap(&self) -> Option<&str> {
        let missed = self.steps.iter().find(|step| step.outcome == Outcome::NotReached)?;
        missed.signature.as_ref().filter(|why| why.kind == Self::REFUSED_SWAP).map(|why| why.message.as_str())
    }

    /// The kind of the signature that the first missed test has where a function could not be changed before it.
    pub const REFUSED_SWAP: &str = "swap refused";

    /// How many steps ended in each outcome.
    pub fn tally(&self) -> Tally {
        Tally::of(self.steps.iter().map(|step| step.outcome))
    }
}

/// Counts of outcomes, in the order of [`Outcome::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally([usize; Outcome::ALL.len()]);

impl Tally {
    /// Counts `outcomes`.
    pub fn of(outcomes: impl IntoIterator<Item = Outcome>) -> Self {
        let mut tally = Tally::default();
        outcomes.into_iter().for_each(|outcome| tally.0[outcome as usize] += 1);
        tally
    }

    /// How many there are of one kind.
    pub fn count(&self, outcome: Outcome) -> usize {
        self.0[outcome as usize]
    }

    /// Whether any of them makes a build red.
    pub fn is_red(&self) -> bool {
        Outcome::ALL.into_iter().any(|outcome| outcome.is_red() && self.count(outcome) > 0)
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = Outcome::ALL
            .into_iter()
            .filter(|&outcome| self.count(outcome) > 0)
            .map(|outcome| format!("{} {outcome}", self.count(outcome)))
            .collect();
        formatter.write_str(if parts.is_empty() { "nothing ran" } else { "" })?;
        formatter.write_str(&parts.join(", "))
    }
}

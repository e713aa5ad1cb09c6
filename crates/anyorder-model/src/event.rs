//! The one stream of events that feeds the terminal and the JSON report alike.

use std::sync::Arc;
use std::time::Duration;

use crate::{
    Cost, Coverage, Dependencies, Finding, Minded, News, Order, Outcome, Pollution, Profiles, Proposal,
    Repair, RunRecord, Selection, Signature, Suite, Tally, TestIndex,
};

/// Something that a user may want to know, as it happens.
#[derive(Clone, Debug)]
pub enum Event {
    /// The framework has collected the suite.
    Collected {
        /// What it collected.
        suite: Arc<Suite>,
        /// How long that took, start of the process included.
        took: Duration,
    },
    /// Something to know that does not stop the command.
    Notice {
        /// What was seen.
        text: String,
        /// One thing to try.
        hint: Option<String>,
    },
    /// The suite has run in its original order; other orders are compared with this.
    Original {
        /// How it went.
        tally: Tally,
        /// Sum of the tests' durations.
        took: Duration,
    },
    /// Which tests a change concerns.
    Selected {
        /// The tests.
        selection: Arc<Selection>,
        /// The commit that the files were compared with.
        since: String,
        /// Whether that is all that was asked for.
        is_all: bool,
    },
    /// Orders are about to run.
    Planned(Plan),
    /// Orders are running.
    Progressed(Progress),
    /// One order was replayed.
    Replayed {
        /// What happened.
        record: RunRecord,
        /// The command line of the plain runner, if that ran it.
        command: Option<String>,
    },
    /// Something that a search tells as it goes.
    News(News),
    /// A verdict.
    Found(Box<Finding>),
    /// A difference that the plain runner did not confirm.
    Unconfirmed(Box<Finding>),
    /// A test whose outcome is not that of the original order.
    Differs(Differs),
    /// What each test does by itself.
    Profiled(Profiles),
    /// Which tests depend on which.
    Depending(Box<Dependencies>),
    /// What tests leave changed for good.
    Polluted {
        /// Place by place.
        places: Vec<Pollution>,
        /// What tests mind, place by place; nothing if that was not looked for.
        minded: Option<Vec<Minded>>,
        /// Test by test.
        findings: Vec<Finding>,
    },
    /// What can be done about findings that were told before.
    Repaired {
        /// Patches that were verified, in the order that `repairs` counts them in.
        proposals: Vec<Proposal>,
        /// Finding by finding.
        repairs: Vec<Repair>,
    },
    /// One thing that `doctor` has looked at.
    Checked {
        /// Whether it hinders.
        grade: Grade,
        /// What was seen.
        text: String,
        /// One thing to try.
        hint: Option<String>,
    },
    /// The command is at its end.
    Finished {
        /// What was tried.
        coverage: Option<Coverage>,
        /// What was spent.
        cost: Cost,
        /// Whether it was ended early, by the user or by the budget.
        stopped_early: Option<&'static str>,
    },
}

/// How much something hinders a hunt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade {
    /// Not at all.
    Good,
    /// Somewhat.
    Warning,
}

/// What is going to run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Name of the strategy.
    pub strategy: String,
    /// How many orders.
    pub orders: u64,
    /// The seed of everything random.
    pub seed: u64,
    /// How many processes run tests at the same time.
    pub workers: usize,
    /// How fresh states come about: `fork` or `process`.
    pub isolation: &'static str,
    /// What will come of it.
    pub aim: Aim,
}

/// What comes of running orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    /// Findings.
    Verdicts,
    /// Tests whose outcome is not that of the original order.
    Differences,
    /// What each test does.
    Profiles,
    /// Which tests depend on which.
    Dependencies,
    /// What tests leave changed.
    Pollution,
    /// The state behind findings.
    Causes,
    /// Patches for findings.
    Repairs,
    /// Mutants, which are counted instead of orders.
    Mutants,
}

/// How far it has come.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// Orders that have run.
    pub orders_done: u64,
    /// Orders there will be.
    pub orders: u64,
    /// Share of the work that is done, between 0 and 1.
    pub share: f64,
    /// A test that is running.
    pub running: Option<TestIndex>,
}

/// A test whose outcome differs between the original order and others.
#[derive(Clone, Debug)]
pub struct Differs {
    /// Which test.
    pub test: TestIndex,
    /// Its outcome in the original order.
    pub original: Outcome,
    /// How often it ended in each outcome, over all orders that reached it.
    pub tally: Tally,
    /// Orders that reached it.
    pub reached: u64,
    /// The first different sight of it; or the first that came again, once that was tried.
    pub first: Sighting,
    /// Some that came later.
    pub later: Vec<Sighting>,
    /// Whether it was the same when that order ran again with nothing beside it; `None` if that was not tried.
    pub repeats: Option<bool>,
}

/// One execution that was unlike the original.
#[derive(Clone, Debug)]
pub struct Sighting {
    /// Number of the order, from 1.
    pub number: u64,
    /// What it ended in.
    pub outcome: Outcome,
    /// How.
    pub signature: Option<Signature>,
    /// The order up to and including the test.
    pub order: Order,
    /// The file that holds this order, if it was saved.
    pub saved: Option<String>,
    /// The command line that runs it again.
    pub replay: Option<String>,
}

//! The world as the search sees it: questions, answers, and the one trait that answers them.
//!
//! Knows what can be asked. Does not know who answers: the engine over real processes, a store that remembers, or a
//! simulated suite. An oracle that gives the same answers is asked the same questions in the same sequence, so a hunt
//! that was killed is resumed by running it again over remembered answers.

use serde::{Deserialize, Serialize};

use crate::{
    Finding, Kind, Order, Outcome, Profile, Signature, Step, Suite, TestIndex, Treatment, TreatmentRecord,
    Watch, WatchRecord,
};

/// Answers questions about a suite.
pub trait Oracle {
    /// The suite that the questions are about.
    fn suite(&self) -> &Suite;

    /// Carries out all `fans`, in parallel as far as that is possible; answers in the order asked.
    fn run(&mut self, fans: Vec<Fan>) -> Result<Vec<FanRecord>, Halted>;

    /// Carries out orders with the user's own runner, each in a new process; answers in the order asked.
    fn run_plain(&mut self, asked: Vec<PlainAsk>) -> Result<Vec<PlainSeen>, Halted>;

    /// Whether [`Oracle::watch`] has answers.
    fn can_watch(&self) -> bool {
        false
    }

    /// Runs tests and tells what each leaves changed; in parallel as far as that is possible, answers in the order asked.
    fn watch(&mut self, _watches: Vec<Watch>) -> Result<Vec<WatchRecord>, Halted> {
        Err(Halted::Broken)
    }

    /// Whether [`Oracle::treat`] has answers.
    fn can_treat(&self) -> bool {
        false
    }

    /// Runs tests with cells put back or changed before them; in parallel as far as that is possible, answers in the order asked.
    fn treat(&mut self, _treatments: Vec<Treatment>) -> Result<Vec<TreatmentRecord>, Halted> {
        Err(Halted::Broken)
    }

    /// Hears what tests do by themselves, once that is known.
    fn profiled(&mut self, _profiles: &[Profile]) {}

    /// The share of the time budget that is used, from 0 to 1; 0 when there is none.
    fn spent(&self) -> f64;

    /// Hears what happens, as it happens.
    fn tell(&mut self, news: News);
}

/// Run `prefix` once from the fresh state, then each tail from the state that it leaves, in a process of its own.
///
/// With an empty prefix the tails are independent orders.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fan {
    /// Why this is asked.
    pub purpose: Purpose,
    /// Tells identical questions apart: the same purpose, repetition and order is asked once.
    pub repetition: u32,
    /// What all tails share; may be empty.
    pub prefix: Order,
    /// None of them is empty.
    pub tails: Vec<Order>,
}

/// What became of a [`Fan`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FanRecord {
    /// The steps of the prefix, once for all tails.
    pub prefix: Vec<Step>,
    /// One for each tail, in the order asked.
    pub tails: Vec<TailRecord>,
}

/// What became of one tail.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TailRecord {
    /// The error in the part of the prefix's last tear-down that had to wait until this tail was known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late: Option<Signature>,
    /// The steps of the tail; `not reached` if the prefix did not get through.
    pub steps: Vec<Step>,
}

/// Why an order is run: a part of the key under which its record is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Purpose {
    /// What an earlier hunt found.
    Known,
    /// The original order.
    Baseline,
    /// One test by itself.
    Alone,
    /// A test, and the same test again.
    Twice,
    /// One test right after another, from the fresh state.
    Pairs,
    /// Whether a data dependency matters.
    Refine,
    /// Whole orders and halves, to find what differs.
    Sweep,
    /// An order that showed a difference, and one that did not, again.
    Confirm,
    /// Which tests make the difference.
    Minimise,
    /// Which tests undo it.
    Clean,
    /// Whether an error belongs to a fixture.
    Charge,
    /// Which state makes the difference.
    Explain,
    /// Whether a patch helps, and harms nobody.
    Repair,
    /// The user's own runner.
    Plain,
}

impl Purpose {
    /// Its name in the store.
    pub fn name(self) -> &'static str {
        match self {
            Purpose::Known => "known",
            Purpose::Baseline => "baseline",
            Purpose::Alone => "alone",
            Purpose::Twice => "twice",
            Purpose::Pairs => "pairs",
            Purpose::Refine => "refine",
            Purpose::Sweep => "sweep",
            Purpose::Confirm => "confirm",
            Purpose::Minimise => "minimise",
            Purpose::Clean => "clean",
            Purpose::Charge => "charge",
            Purpose::Explain => "explain",
            Purpose::Repair => "repair",
            Purpose::Plain => "plain",
        }
    }
}

/// An order for the user's own runner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlainAsk {
    /// What to run.
    pub order: Order,
    /// Tells identical questions apart.
    pub repetition: u32,
    /// The seed of the language's hash tables.
    pub hash_seed: u32,
    /// How the runner is told; `None` is the lowest rung that keeps the order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rung: Option<Rung>,
}

/// What a plain run showed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlainSeen {
    /// In the order that ran.
    pub steps: Vec<Step>,
    /// How the runner was told its order.
    pub rung: Rung,
    /// Whether the order that ran is the one asked for.
    pub is_as_asked: bool,
    /// The command line, for a person to paste.
    pub command: String,
}

/// How a plain run is told its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rung {
    /// Test ids on the command line of the user's own runner.
    Plain,
    /// Everything collected, then put in order by a plugin of a few lines.
    PlainOrdered,
}

/// No further question will be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Halted {
    /// The budget is used up.
    Budget,
    /// The user asked to stop.
    Interrupted,
    /// The suite can no longer be run; the oracle itself knows more.
    Broken,
}

/// What a search tells as it goes.
#[derive(Clone, Debug, PartialEq)]
pub enum News {
    /// A station begins, with about this many orders to run; nothing if that is not known.
    Began(Station, Option<u64>),
    /// The original order has run this many times.
    Baseline {
        /// How often.
        runs: u32,
        /// Tests whose outcome was not the same each time.
        differing: Vec<TestIndex>,
    },
    /// A test ended otherwise than by itself; not yet confirmed.
    Suspect {
        /// Which.
        test: TestIndex,
        /// Its outcome by itself.
        alone: Outcome,
        /// Its outcome now.
        seen: Outcome,
        /// The order that showed it, up to and including the test.
        order: Order,
    },
    /// Fewer tests than before are known to make the difference for `test`.
    Shrunk {
        /// Which.
        test: TestIndex,
        /// How many tests there are still before it.
        left: usize,
    },
    /// A finding that an earlier hunt made was tried again.
    Replayed {
        /// Which test.
        test: TestIndex,
        /// What was found then.
        kind: Kind,
        /// Whether it was so again.
        holds: bool,
    },
    /// A verdict.
    Found(Box<Finding>),
    /// A difference that the plain runner did not confirm.
    Unconfirmed(Box<Finding>),
}

/// A part of the way through a hunt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Station {
    /// Earlier findings are tried again.
    Replay,
    /// The original order, several times.
    Baseline,
    /// Each test by itself, and once more.
    Twice,
    /// What each test leaves changed and looks at.
    Profile,
    /// One test right after another.
    Pairs,
    /// Data dependencies, against their direction.
    Refine,
    /// Other orders.
    Sweep,
    /// What belongs to each difference.
    Minimise,
    /// Both orders of each finding, again and in the user's own runner.
    Confirm,
    /// Which state makes the difference.
    Explain,
    /// Tests with cells that are changed on purpose.
    Perturb,
    /// Candidates for patches, and whether they help.
    Repair,
}

impl Station {
    /// Its name in output.
    pub fn name(self) -> &'static str {
        match self {
            Station::Replay => "replay",
            Station::Baseline => "baseline",
            Station::Twice => "twice",
            Station::Profile => "profile",
            Station::Pairs => "pairs",
            Station::Refine => "refine",
            Station::Sweep => "sweep",
            Station::Minimise => "minimise",
            Station::Confirm => "confirm",
            Station::Explain => "explain",
            Station::Perturb => "perturb",
            Station::Repair => "repair",
        }
    }
}

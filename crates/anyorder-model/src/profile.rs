//! What one test does by itself.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{Cell, Order, Outcome, Step, TestIndex};

/// Run `prefix` from the fresh state, then watch each of `tests`: what it leaves changed, and the code that it runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Watch {
    /// Tells identical questions apart.
    pub repetition: u32,
    /// What runs unwatched; may be empty.
    pub prefix: Order,
    /// What is watched, test by test.
    pub tests: Order,
    /// What runs unwatched behind them, when all is torn down.
    #[serde(default, skip_serializing_if = "Order::is_empty")]
    pub then: Order,
    /// Whether that runs only if the record is to be bare.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only_bare: bool,
    /// Whether to tell the code that runs, too.
    pub traces: bool,
}

impl Watch {
    /// These tests behind `prefix`, with the code that they run.
    pub fn new(prefix: Order, tests: Order) -> Self {
        Watch { repetition: 0, prefix, tests, then: Order::default(), only_bare: false, traces: true }
    }

    /// All that runs.
    pub fn order(&self) -> Order {
        [&self.prefix, &self.tests, &self.then].into_iter().flat_map(Order::tests).copied().collect()
    }
}

/// What became of a [`Watch`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WatchRecord {
    /// One for each watched test that ran.
    pub watched: Vec<Watched>,
    /// Whether nothing was torn down that a test could notice: then what runs behind the watched tests runs as right after them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_bare: bool,
    /// What differs from before the last watched test when everything is torn down; nothing if it did not come to that.
    pub in_the_end: Option<Vec<Cell>>,
    /// What ran unwatched behind them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub then: Vec<Step>,
}

/// One test that was watched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Watched {
    /// Its outcome.
    pub step: Step,
    /// What it left changed, while fixtures around it still stood.
    pub writes: Vec<Cell>,
    /// The names that the code it ran may look at.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub reads: BTreeSet<String>,
    /// The code that it ran.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub code: Vec<Code>,
    /// Files of the project that it opened, and directories, with a slash behind them, that it listed; nothing if that is not
    /// known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opened: Option<BTreeSet<String>>,
}

/// A function that ran.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Code {
    /// Its file, relative to the suite's root where it is below that.
    pub file: String,
    /// Its qualified name.
    pub function: String,
    /// Its first line, from 1.
    pub line: u32,
}

/// What one test does by itself, from the fresh state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// Which test.
    pub test: TestIndex,
    /// Its outcome by itself.
    pub alone: Step,
    /// Its outcome when it runs once more in the same process, after everything was torn down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again: Option<Outcome>,
    /// What it leaves changed, by itself or elsewhere.
    pub writes: Vec<Write>,
    /// The names that its code may look at.
    pub reads: BTreeSet<String>,
    /// The code that it ran.
    pub code: Vec<Code>,
    /// Files of the project that it opened, and directories, with a slash behind them, that it listed; nothing if that is not
    /// known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opened: Option<BTreeSet<String>>,
}

/// A cell that a test leaves changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Write {
    /// The cell, with its contents.
    pub cell: Cell,
    /// Whether it is changed back when the fixtures around the test are torn down.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_torn_down: bool,
    /// Whether two identical runs left it otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_unstable: bool,
    /// Whether it was seen only behind other tests: behind setters, or in the original order.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_elsewhere: bool,
}

/// Profiles as they are reported.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profiles {
    /// In the order of the suite.
    pub profiles: Vec<Profile>,
    /// How many writes are left out of them, because nobody can observe the cell.
    pub hidden: usize,
}

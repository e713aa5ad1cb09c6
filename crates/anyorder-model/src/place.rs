//! Cells that are changed on purpose, to see who minds.

use serde::{Deserialize, Serialize};

use crate::{CellKind, TestIndex};

/// A cell of the project that something could change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Its path.
    pub path: String,
    /// What sort of place.
    pub kind: CellKind,
    /// What is there, cut short.
    pub before: String,
    /// The names by which code mentions it.
    pub names: Vec<String>,
    /// How it can be changed.
    pub ways: Vec<Way>,
}

/// How a cell is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    /// It has another value of the same type.
    Other,
    /// Nothing is left in it.
    Emptied,
    /// It has one entry more.
    Extra,
}

/// A change of one cell.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Perturbation {
    /// The path of the cell.
    pub cell: String,
    /// How it is changed.
    pub way: Way,
}

/// A place that tests mind: they fail when something else is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Minded {
    /// Its path.
    pub place: String,
    /// What sort of place.
    pub kind: CellKind,
    /// What is there, cut short.
    pub before: String,
    /// What was there when tests failed, each once, cut short.
    pub after: Vec<String>,
    /// The tests that failed.
    pub victims: Vec<TestIndex>,
    /// How many tests may look at it.
    pub readers: usize,
}

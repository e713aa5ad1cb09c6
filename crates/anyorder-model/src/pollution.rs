//! Shared state that tests leave changed for good, whether or not anybody suffers.

use serde::{Deserialize, Serialize};

use crate::{Cell, TestIndex};

/// A place that tests leave changed: a cell, or a container of cells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pollution {
    /// Its name; that of the outermost container for items.
    pub place: String,
    /// One of the changes.
    pub example: Cell,
    /// How many different cells of it are changed.
    pub cells: usize,
    /// The tests that change it.
    pub writers: Vec<TestIndex>,
    /// How many tests may look at it.
    pub readers: usize,
    /// Whether all that is left there differs between identical runs.
    pub is_unstable: bool,
}

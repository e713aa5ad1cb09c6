//! Why a test ends otherwise: the cells that carry it, and how that was proved.

use serde::{Deserialize, Serialize};

use crate::{Cell, CellKind, Group, NotRestored};

/// What was learnt about the state that one group of tests leaves for a test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cause {
    /// The place of the group in the list of polluters or setters; 0 for a test that is run twice.
    pub group: usize,
    /// Every cell of `cures`.
    pub state: Vec<State>,
    /// Minimal sets of cells that decide the outcome, by their paths. Each set does by itself; the cells of a set only do
    /// together.
    pub cures: Vec<Vec<String>>,
    /// Why no cause was proved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// Where no cause was proved: what differs and may carry it, likely ones first, with what is known against it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<NotRestored>,
    /// Tests in between that change cells of the cause back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resets: Vec<Reset>,
    /// How much was looked at.
    pub effort: Effort,
}

impl Cause {
    /// Whether placebo, cure and converse agreed each time.
    pub fn is_proved(&self) -> bool {
        self.reason.is_none() && !self.cures.is_empty()
    }
}

/// A cell that a finding is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// Its path.
    pub cell: String,
    /// What sort of place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<CellKind>,
    /// What was there, cut short.
    pub before: String,
    /// What is there now, cut short.
    pub after: String,
    /// Whether restoring it was proved to decide the outcome; nothing if nobody tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proved: Option<bool>,
    /// `file:line` of its last change by the group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<String>,
    /// Who called there, innermost first: `file:line in function`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stack: Vec<String>,
    /// `file:line` where the test looks at it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<String>,
}

impl From<&Cell> for State {
    fn from(cell: &Cell) -> Self {
        State {
            cell: cell.path.clone(),
            kind: Some(cell.kind),
            before: cell.before.clone(),
            after: cell.after.clone(),
            ..State::default()
        }
    }
}

/// A cleaner that changes a cell of the cause back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reset {
    /// Which cleaner.
    pub cleaner: Group,
    /// The path of the cell.
    pub cell: String,
    /// `file:line`, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<String>,
}

/// How much was looked at for one cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Effort {
    /// Objects whose contents are known.
    pub cells_seen: u64,
    /// Cells that differ right before the test.
    pub cells_differing: usize,
    /// Of these, how many were put back by themselves, or kept by themselves.
    pub cells_tried: usize,
    /// How long it took.
    pub seconds: f64,
}

/// Why no cause was proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// Time, memory or questions ran out.
    OutOfResources,
    /// Putting everything back does not help, and some of it cannot be put back.
    NotRestorable,
    /// Putting everything back does not help: files without layers, other processes, services, state of C code, threads.
    OutsideTheProcess,
    /// The outcome was not the same each time.
    NotReproduced,
}

impl Reason {
    /// All of them.
    pub const ALL: [Reason; 4] =
        [Reason::OutOfResources, Reason::NotRestorable, Reason::OutsideTheProcess, Reason::NotReproduced];

    /// Its name in output.
    pub fn name(self) -> &'static str {
        match self {
            Reason::OutOfResources => "out-of-resources",
            Reason::NotRestorable => "not-restorable",
            Reason::OutsideTheProcess => "outside-the-process",
            Reason::NotReproduced => "not-reproduced",
        }
    }
}

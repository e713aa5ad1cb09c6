//! A change that may help, before anybody has tried it.

use std::rc::Rc;

use anyorder_model::{PatchSource, Placement, Strength, TestIndex};

use crate::workshop::Tree;

/// How files are changed: it can be done again on a tree that other candidates have changed.
pub(crate) trait Recipe {
    /// Changes files of the tree.
    fn apply(&self, tree: &mut Tree<'_>) -> Result<(), CannotApply>;
}

/// A file cannot be edited like that: it is not there, cannot be read, or does not have the place any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CannotApply;

/// A change that may help.
#[derive(Clone)]
pub(crate) struct Candidate {
    pub(crate) recipe: Rc<dyn Recipe>,
    pub(crate) source: PatchSource,
    pub(crate) placement: Placement,
    pub(crate) strength: Strength,
    /// What it does, in one sentence without a full stop.
    pub(crate) summary: String,
    /// Tests whose own code is changed.
    pub(crate) edited: Vec<TestIndex>,
    /// What these may leave.
    pub(crate) leaves: Leaves,
}

/// What a test may leave that was edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Leaves {
    /// No more than before.
    NoMore,
    /// Anything but these cells.
    Without(Vec<String>),
    /// Anything: a call may make anew what it puts right, and who sets something up may leave it.
    Anything,
}

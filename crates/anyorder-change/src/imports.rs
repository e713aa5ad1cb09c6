//! Which file of a project imports which, and what a test file reaches.

use crate::Tree;

/// Who imports whom, in the old tree and in the new one.
#[derive(Clone, Debug, Default)]
pub struct Imports {}

impl Imports {
    /// Reads the imports of both trees.
    pub fn new(_old: &Tree, _new: &Tree) -> Self {
        Imports {}
    }
}

//! Which of the cells that differ are looked at first.

use std::collections::BTreeSet;

use anyorder_model::{Cell, CellKind, Suspect};
use anyorder_search::Noise;

/// What helps to tell likely cells from others.
#[derive(Clone, Debug, Default)]
pub(crate) struct Likely {
    pub(crate) noise: Noise,
    /// Cells that were the cause behind another group.
    pub(crate) known: BTreeSet<String>,
}

impl Likely {
    /// Sorts suspects, likely ones first; equally likely ones stay in their order. `reads` are the names that the test may
    /// look at.
    pub(crate) fn sort(&self, suspects: &mut [Suspect], reads: &BTreeSet<String>) {
        suspects.sort_by_key(|suspect| self.rank(&suspect.cell, reads));
    }

    fn rank(&self, cell: &Cell, reads: &BTreeSet<String>) -> u8 {
        let is_read = || cell.names.iter().any(|name| reads.contains(name));
        match cell.kind {
            _ if self.known.contains(&cell.path) => 0,
            _ if self.noise.has(cell) => 5,
            CellKind::Cache => 4,
            _ if is_read() => 1,
            _ if cell.names.is_empty() => 2,
            _ => 3,
        }
    }
}

//! Shared state: a process remembers it, and tells what has changed since.

use anyorder_model::Cell;

use crate::lab::Lab;
use crate::link::Lost;
use crate::lock::Locked;
use crate::wire::{Message, Request};

use super::Node;

impl Node {
    /// Remembers the shared state, for itself and the forks to come.
    pub(crate) fn mark(&self, lab: &Lab) -> Result<(), Lost> {
        match self.ask(lab, &Request::Mark)? {
            Message::Marked { seconds, .. } => {
                lab.meter.looked(seconds);
                Ok(())
            }
            other => Err(Lost::Garbage(format!("{other:?}"))),
        }
    }

    /// What has changed since the mark; with `advance` the mark moves to now.
    pub(crate) fn diff(&self, lab: &Lab, advance: bool) -> Result<Vec<Cell>, Lost> {
        match self.ask(lab, &Request::Diff { advance })? {
            Message::Differs { cells, seconds } => {
                lab.meter.looked(seconds);
                Ok(cells)
            }
            other => Err(Lost::Garbage(format!("{other:?}"))),
        }
    }

    /// From now on outcomes tell the code that ran.
    pub(crate) fn trace(&self) -> Result<(), Lost> {
        self.link.locked().send(&Request::Trace)
    }
}

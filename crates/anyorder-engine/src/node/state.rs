//! Shared state: a process remembers it, tells what has changed since, and puts it back.

use std::sync::atomic::Ordering;

use anyorder_model::{Cell, NotRestored, Remedy, Signature, TestIndex};

use crate::lab::Lab;
use crate::link::Lost;
use crate::lock::Locked;
use crate::wire::{Message, Request};

use super::Node;

impl Node {
    /// Remembers the shared state, for itself and the forks to come.
    pub(crate) fn mark(&self, lab: &Lab) -> Result<(), Lost> {
        match self.ask(lab, &Request::Mark)? {
            Message::Marked { objects, seconds } => {
                lab.meter.looked(seconds);
                lab.objects.store(objects, Ordering::Relaxed);
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

    /// Tears down what `test` does not share, as before it runs; the error in that, if there was one.
    pub(crate) fn approach(&self, lab: &Lab, test: TestIndex) -> Result<Option<Signature>, Lost> {
        let mut late = None;
        let mut answer = self.ask(lab, &Request::Approach { test: self.place_of[test.at()] })?;
        if let Message::Late { signature } = answer {
            late = Some(signature);
            answer = self.hear(lab)?;
        }
        match answer {
            Message::Approached => Ok(late),
            other => Err(Lost::Garbage(format!("{other:?}"))),
        }
    }

    /// Puts cells back; those that cannot be.
    pub(crate) fn restore(&self, lab: &Lab, remedy: &Remedy) -> Result<Vec<NotRestored>, Lost> {
        let (cells, others) = match remedy {
            Remedy::Only(cells) if cells.is_empty() => return Ok(vec![]),
            Remedy::Only(cells) => (cells, false),
            Remedy::AllBut(cells) => (cells, true),
        };
        match self.ask(lab, &Request::Restore { cells, others })? {
            Message::Restored { failed, seconds } => {
                lab.meter.looked(seconds);
                Ok(failed)
            }
            other => Err(Lost::Garbage(format!("{other:?}"))),
        }
    }

    /// From now on outcomes tell where these cells were written.
    pub(crate) fn follow_cells(&self, cells: &[String]) -> Result<(), Lost> {
        self.link.locked().send(&Request::Follow { cells })
    }

    /// From now on outcomes tell where these names were loaded.
    pub(crate) fn sight(&self, names: &[String]) -> Result<(), Lost> {
        self.link.locked().send(&Request::Sight { names })
    }
}

//! Shared state: a process remembers it, tells what has changed since, puts it back, and changes it on purpose.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyorder_model::{
    About, Cell, NotRestored, NotSwapped, Perturbation, Place, Signature, Snippet, Swap, TestIndex,
};

use crate::lab::Lab;
use crate::leg::Trace;
use crate::link::Lost;
use crate::lock::Locked;
use crate::studies::Studies;
use crate::wire::{Message, Request};

use super::Node;

impl Node {
    /// Remembers the shared state, for itself and the forks to come.
    pub(crate) fn mark(&self, lab: &Lab) -> Result<(), Lost> {
        match self.ask(lab, &Request::Mark)? {
            Message::Marked { objects, seconds } => {
                lab.meter.looked(seconds);
                lab.objects.store(objects, Ordering::Relaxed);
                self.studies.get_or_init(Arc::default);
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

    /// Says what the numbers in a trace mean.
    pub(crate) fn study(&self, lab: &Lab, trace: &mut Trace) -> Result<(), Lost> {
        let Some(studies) = self.studies.get() else { return Ok(()) };
        let unknown = studies.unknown(&trace.ran);
        let learnt = if unknown.is_empty() { Ok(()) } else { self.learn(lab, studies, &unknown) };
        studies.add(&trace.ran, &mut trace.reads, &mut trace.code);
        learnt
    }

    fn learn(&self, lab: &Lab, studies: &Studies, numbers: &[u32]) -> Result<(), Lost> {
        match self.ask(lab, &Request::Study { code: numbers })? {
            Message::Studied { code } if code.len() == numbers.len() => studies.learn(numbers, code),
            other => return Err(Lost::Garbage(format!("{other:?}"))),
        }
        Ok(())
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

    /// Puts these cells back, or with `others` all but these; those that cannot be.
    pub(crate) fn restore(
        &self,
        lab: &Lab,
        cells: &[String],
        others: bool,
    ) -> Result<Vec<NotRestored>, Lost> {
        match self.ask(lab, &Request::Restore { cells, others })? {
            Message::Restored { failed, seconds } => {
                lab.meter.looked(seconds);
                Ok(failed)
            }
            other => Err(Lost::Garbage(format!("{other:?}"))),
        }
    }

    /// The cells that something could change.
    pub(crate) fn places(&self, lab: &Lab) -> Result<Vec<Place>, Lost> {
        match self.ask(lab, &Request::Places)? {
            Message::Places { places, seconds } => {
                lab.meter.looked(seconds);
                Ok(places)
            }
            other => Err(Lost::Garbage(format!("{other:?}"))),
        }
    }

    /// Changes a cell; what it holds now.
    pub(crate) fn perturb(&self, lab: &Lab, asked: &Perturbation) -> Result<String, Lost> {
        match self.ask(lab, &Request::Perturb { cell: &asked.cell, way: asked.way })? {
            Message::Perturbed { after } => Ok(after),
            other => Err(Lost::Garbage(format!("{other:?}"))),
        }
    }

    /// What there is to know about these cells.
    pub(crate) fn about(&self, lab: &Lab, cells: &[String]) -> Result<Vec<About>, Lost> {
        match self.ask(lab, &Request::About { cells })? {
            Message::About { cells, seconds } => {
                lab.meter.looked(seconds);
                Ok(cells)
            }
            other => Err(Lost::Garbage(format!("{other:?}"))),
        }
    }

    /// Runs code, for as long as `limit`; why it failed, if it did.
    pub(crate) fn attempt(
        &self,
        lab: &Lab,
        snippet: &Snippet,
        limit: Duration,
    ) -> Result<Option<String>, Lost> {
        let beside = self.place_of[snippet.beside.at()];
        match self.ask_within(lab, &Request::Try { text: &snippet.text, beside }, limit)? {
            Message::Tried { failed } => Ok(failed),
            other => Err(Lost::Garbage(format!("{other:?}"))),
        }
    }

    /// Changes a function, for itself and the forks to come.
    pub(crate) fn swap(&self, lab: &Lab, swap: &Swap) -> Result<Result<(), NotSwapped>, Lost> {
        let Swap { file, names, text, draw } = swap;
        match self.ask(lab, &Request::Swap { file, names, text, draw: *draw })? {
            Message::Swapped { invalid: Some(why), .. } => Ok(Err(NotSwapped::Invalid(why))),
            Message::Swapped { refused: Some(why), .. } => Ok(Err(NotSwapped::Refused(why))),
            Message::Swapped { .. } => Ok(Ok(())),
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

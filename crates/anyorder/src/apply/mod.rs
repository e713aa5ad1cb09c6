//! Changes of the project's own files: all of them or none, whatever happens in between.
//!
//! Knows files, a journal and git. Refuses to know what a change is for.
//!
//! What is written beside each file first takes the space that is needed, and a journal says what is going on. From the
//! moment that the journal is complete, the changes count as made: whoever finds it finishes them. Before that, nothing
//! has happened, and whoever finds it clears up. A file that somebody has edited in between is never overwritten; then the
//! others are put back. The changes themselves are made by a process that nobody interrupts; should it die all the same,
//! the next command of any kind finds the journal.

mod error;
mod finisher;
mod git;
mod journal;
mod target;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io;
use std::path::Path;

use anyorder_model::Change;

pub(crate) use error::ApplyError;
pub(crate) use finisher::finish;
use journal::{Journal, Settled, Step};
use target::Target;

/// What was found of an earlier command that was killed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unfinished {
    /// Its changes are made now.
    Completed(Vec<String>),
    /// Its changes are undone: this file has been edited since.
    Undone(String),
}

/// Makes all changes below `root`, or none. `notes` is a directory of ours for the journal.
pub(crate) fn apply(
    root: &Path,
    notes: &Path,
    changes: &[Change],
    allow_dirty: bool,
) -> Result<(), ApplyError> {
    let begun = begin(root, notes, changes, allow_dirty, &mut || Ok(()))?;
    if finisher::send(notes) {
        return Ok(());
    }
    finish_earlier(notes)?;
    begun.missing().map_or(Ok(()), |path| Err(ApplyError::Outdated { path }))
}

/// Completes what an earlier command has begun and could not end.
pub(crate) fn finish_earlier(notes: &Path) -> Result<Option<Unfinished>, ApplyError> {
    if !Journal::is_in(notes) {
        return Ok(None);
    }
    let _turn = turn(notes).map_err(ApplyError::not_written)?;
    let Some(journal) = Journal::found(notes).map_err(ApplyError::unfinished)? else { return Ok(None) };
    let paths = journal.targets().iter().map(|target| target.path.clone()).collect();
    let settled = journal.settle(&mut || Ok(())).map_err(ApplyError::unfinished)?;
    Ok(Some(match settled {
        Settled::Made => Unfinished::Completed(paths),
        Settled::Undone(path) => Unfinished::Undone(path),
    }))
}

/// Prepares everything, until the changes count as made.
fn begin(
    root: &Path,
    notes: &Path,
    changes: &[Change],
    allow_dirty: bool,
    step: Step<'_>,
) -> Result<Journal, ApplyError> {
    let _turn = turn(notes).map_err(ApplyError::not_written)?;
    let targets = Target::all(root, changes)?;
    if !allow_dirty {
        git::check_committed(&targets)?;
    }
    Journal::begin(root, notes, targets, step).map_err(ApplyError::not_written)
}

/// One command at a time; the others wait.
fn turn(notes: &Path) -> io::Result<File> {
    let file = File::create(notes.join("apply.lock"))?;
    file.lock()?;
    Ok(file)
}

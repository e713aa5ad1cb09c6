//! Puts replaced parts into a text.

use std::ops::Range;

use super::CannotEdit;
use crate::{Source, Unreadable};

/// A part of the text and what stands there instead.
#[derive(Clone, Debug)]
pub(super) struct Splice {
    pub(super) range: Range<usize>,
    pub(super) text: String,
    pub(super) rank: Rank,
}

/// Which goes first of two that are put at the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    /// Belongs to what is before.
    Behind,
    /// A line is broken here.
    Break,
    /// Belongs to what is behind.
    Before,
    /// Surrounds what is behind, but not what is put before it.
    Around,
    /// Takes the place of something.
    Instead,
    /// Belongs to the end of the file.
    Last,
}

/// The changed file, read again.
pub(super) fn apply(source: &Source, mut splices: Vec<Splice>) -> Result<Vec<u8>, CannotEdit> {
    splices.sort_by_key(|splice| (splice.range.start, splice.rank));
    let text = source.text();
    let mut changed = String::with_capacity(text.len() + 256);
    let mut done = 0;
    for splice in splices {
        if splice.range.start < done {
            return Err(CannotEdit::Overlap { line: source.inner.lines.number(splice.range.start) });
        }
        changed += &text[done..splice.range.start];
        changed += &splice.text;
        done = splice.range.end;
    }
    changed += &text[done..];
    let bytes = source.inner.encoding.encode(&changed).ok_or(CannotEdit::Encoding)?;
    match Source::parse(bytes) {
        Ok(source) => Ok(source.bytes().to_vec()),
        Err(Unreadable::Syntax { line, message }) => Err(CannotEdit::Result { line, message }),
        Err(fault) => Err(CannotEdit::Result { line: 1, message: fault.to_string() }),
    }
}

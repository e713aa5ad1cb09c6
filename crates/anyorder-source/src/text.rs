//! Slices of a file's text that are cheap to clone, and where its lines begin.

use std::borrow::Borrow;
use std::fmt::{self, Debug, Display};
use std::hash::{Hash, Hasher};
use std::ops::{Deref, Range};
use std::sync::Arc;

/// A part of a file's text. Reads like a `str`; all parts of a file share its memory.
#[derive(Clone)]
pub struct Text {
    whole: Arc<str>,
    start: u32,
    end: u32,
}

impl Text {
    /// A text of its own, part of no file.
    pub fn new(text: &str) -> Self {
        Text::of(&Arc::from(text), 0..text.len())
    }

    pub(crate) fn of(whole: &Arc<str>, range: Range<usize>) -> Self {
        let [start, end] =
            [range.start, range.end].map(|at| u32::try_from(at).expect("files are below 4 GiB"));
        Text { whole: Arc::clone(whole), start, end }
    }

    /// All from the beginning of this to the end of another part of the same file.
    pub(crate) fn joined(&self, other: &Text) -> Self {
        Text { whole: Arc::clone(&self.whole), start: self.start, end: other.end }
    }

    /// A part of it.
    pub(crate) fn part(&self, range: Range<usize>) -> Self {
        Text::of(&self.whole, self.start as usize + range.start..self.start as usize + range.end)
    }

    /// Where it is in the text that it is a part of, in bytes.
    pub fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// It as a `str`.
    pub fn as_str(&self) -> &str {
        &self.whole[self.start as usize..self.end as usize]
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl Borrow<str> for Text {
    fn borrow(&self) -> &str {
        self
    }
}

impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        self
    }
}

impl Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Debug::fmt(self.as_str(), f)
    }
}

impl Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Text) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Text {}

impl PartialOrd for Text {
    fn partial_cmp(&self, other: &Text) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Text {
    fn cmp(&self, other: &Text) -> std::cmp::Ordering {
        self.as_str().cmp(other)
    }
}

impl Hash for Text {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

/// The byte order mark.
pub(crate) const MARK: char = '\u{feff}';

/// Where each line begins, the first behind the byte order mark. Lines end as Python has it: with `\n`, `\r\n` or a
/// lone `\r`.
#[derive(Debug)]
pub(crate) struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    pub(crate) fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let ends_line =
            |at: &usize| bytes[*at] == b'\n' || bytes[*at] == b'\r' && bytes.get(at + 1) != Some(&b'\n');
        let first = if text.starts_with(MARK) { MARK.len_utf8() } else { 0 };
        Lines {
            starts: std::iter::once(first)
                .chain((0..bytes.len()).filter(ends_line).map(|at| at + 1))
                .collect(),
        }
    }

    /// The number of the line, from 1, that holds the byte.
    pub(crate) fn number(&self, at: usize) -> usize {
        self.starts.partition_point(|&start| start <= at).max(1)
    }

    /// Where the line begins that holds the byte.
    pub(crate) fn start(&self, at: usize) -> usize {
        self.starts[self.number(at) - 1]
    }

    /// Where the line begins that is above the one that begins here.
    pub(crate) fn above(&self, start: usize) -> Option<usize> {
        (start > self.starts[0]).then(|| self.start(start - 1))
    }

    /// Where the next line begins; the end of the text on the last one.
    pub(crate) fn next(&self, at: usize, text: &str) -> usize {
        self.starts.get(self.number(at)).copied().unwrap_or(text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_with_any_of_the_three_line_ends() {
        let lines = Lines::new("a\nb\r\nc\rd");
        assert_eq!([0, 2, 5, 7].map(|at| lines.number(at)), [1, 2, 3, 4]);
        assert_eq!(lines.start(4), 2);
        assert_eq!(lines.next(2, "a\nb\r\nc\rd"), 5);
    }

    #[test]
    fn a_part_of_a_text_is_equal_to_the_same_words_elsewhere() {
        let whole: Arc<str> = Arc::from("one two");
        assert_eq!(Text::of(&whole, 4..7), Text::new("two"));
        assert_eq!(Text::of(&whole, 0..3), "one");
    }
}

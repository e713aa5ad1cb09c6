//! Where things are in the text: lines, comments and blank lines around statements.

use std::ops::Range;

use crate::syntax::{Kind, Token};
use crate::text::MARK;
use crate::{Body, Source};

impl Source {
    /// The block in which the statement of this range stands, and which one of it it is.
    pub(crate) fn home(&self, range: &Range<usize>) -> Option<(&Body, usize)> {
        let mut body = self.top_level();
        loop {
            let index = body.partition_point(|statement| statement.range.end < range.end);
            let statement = body.get(index)?;
            if statement.range == *range {
                return Some((body, index));
            }
            body = statement.blocks.iter().find(|block| holds(block, range))?;
        }
    }

    /// All tokens that begin at or behind a place.
    pub(crate) fn tokens_from(&self, at: usize) -> &[Token] {
        let tokens = &self.inner.tree.tokens;
        &tokens[tokens.partition_point(|token| token.range.start < at)..]
    }

    /// Whether a string goes on here that began before.
    pub(crate) fn is_in_string(&self, at: usize) -> bool {
        let tokens = &self.inner.tree.tokens;
        let behind = tokens.partition_point(|token| token.range.start < at);
        tokens[..behind].last().is_some_and(|token| token.kind == Kind::String && at < token.range.end)
    }

    /// Where the line of a statement begins, or that of the first comment directly above it.
    pub(crate) fn start_with_comments(&self, start: usize, indentation: &str) -> usize {
        let lines = &self.inner.lines;
        let mut at = lines.start(start);
        while let Some(above) = lines.above(at) {
            let line = self.text()[above..at].trim_start_matches('\x0c');
            let is_comment = line.strip_prefix(indentation).is_some_and(|words| words.starts_with('#'));
            if !is_comment || self.is_in_string(above) || self.is_about_the_file(above) {
                break;
            }
            at = above;
        }
        at
    }

    /// Where the next line begins behind the line of code that ends here.
    pub(crate) fn end_of_line(&self, end: usize) -> usize {
        let newline = self.tokens_from(end).iter().find(|token| token.kind == Kind::Newline);
        newline.map_or(self.text().len(), |token| token.range.end)
    }

    /// Where the next line begins behind a statement that ends here, and behind the comments that stand deeper than it.
    pub(crate) fn end_with_comments(&self, end: usize, indentation: &str) -> usize {
        let (text, lines) = (self.text(), &self.inner.lines);
        let mut end = self.end_of_line(end);
        let mut at = end;
        while at < text.len() {
            let next = lines.next(at, text);
            let words = text[at..next].trim_start_matches([' ', '\t', '\x0c']);
            let is_deeper = words.starts_with('#') && next - at - words.len() > indentation.len();
            if !is_deeper && !words.trim().is_empty() {
                break;
            }
            at = next;
            end = if is_deeper { next } else { end };
        }
        end
    }

    /// How many blank lines are directly above the line that begins here.
    pub(crate) fn blank_lines_above(&self, at: usize) -> usize {
        let lines = &self.inner.lines;
        let starts = std::iter::successors(Some(at), |at| lines.above(*at));
        let pairs = starts.clone().zip(starts.skip(1));
        pairs.take_while(|(end, start)| self.text()[*start..*end].trim().is_empty()).count()
    }

    /// How many blank lines begin here.
    pub(crate) fn blank_lines_below(&self, at: usize) -> usize {
        let (text, lines) = (self.text(), &self.inner.lines);
        let below = |at: &usize| (*at < text.len()).then(|| lines.next(*at, text));
        let starts = std::iter::successors(Some(at), below);
        let pairs = starts.clone().zip(starts.skip(1));
        pairs.take_while(|(start, end)| text[*start..*end].trim().is_empty()).count()
    }

    /// Whether nothing is written before this place.
    pub(crate) fn is_blank_before(&self, at: usize) -> bool {
        self.text()[..at].trim_start_matches(MARK).trim().is_empty()
    }

    /// Behind the comments that begin the file and have a blank line below; they are not about a statement.
    pub(crate) fn end_of_head(&self) -> usize {
        let (text, lines) = (self.text(), &self.inner.lines);
        let mut end = if text.starts_with(MARK) { MARK.len_utf8() } else { 0 };
        let mut at = end;
        while at < text.len() {
            let next = lines.next(at, text);
            let is_comment = text[at..next].starts_with('#');
            if !is_comment && !text[at..next].trim().is_empty() {
                break;
            }
            let is_last = next == text.len() || self.blank_lines_below(next) > 0;
            if is_comment && (is_last || self.is_about_the_file(at)) {
                end = next;
            }
            at = next;
        }
        end
    }

    /// Whether the line that begins here tells the system how to read the file.
    fn is_about_the_file(&self, at: usize) -> bool {
        let (text, lines) = (self.text(), &self.inner.lines);
        let line = &text[at..lines.next(at, text)];
        lines.number(at) <= 2 && (line.starts_with("#!") || line.starts_with('#') && line.contains("coding"))
    }
}

fn holds(block: &Body, range: &Range<usize>) -> bool {
    let (Some(first), Some(last)) = (block.first(), block.last()) else { return false };
    first.range.start <= range.start && range.end <= last.range.end
}

//! Puts a `try` and a `finally` around the rest of a block.

use super::Editor;
use super::block::{Block, unit};
use super::splice::Rank;
use crate::Body;

impl Editor {
    /// Everything from a statement to the end of its block goes into the `try`.
    pub(super) fn put_around(&mut self, body: &Body, index: usize, block: &Block) {
        let source = self.source.clone();
        let indentation = &body.place.indentation;
        let unit = unit(indentation, &source.style().indentation);
        let deeper = format!("{indentation}{unit}");
        let newline = self.newline();
        let start = body[index].range.start;
        let last = body.len() - 1;
        self.break_colon(body);
        let is_broken = self.break_semicolon(body, index) || (index == 0 && body.place.inline.is_some());
        let first_line = if is_broken {
            self.splice(start..start, format!("try:{newline}{deeper}"), Rank::Around);
            source.inner.lines.next(start, source.text())
        } else {
            let at = self.source.start_with_comments(start, indentation);
            self.splice(at..at, format!("{indentation}try:{newline}"), Rank::Around);
            at
        };
        self.indent(first_line, body[last].range.end, indentation, unit);
        let lines = block.render(&deeper, &source);
        self.put_text_behind(body, last, &format!("{indentation}finally:{newline}{lines}"));
    }

    /// Moves all lines that begin from here to there one level to the right, but for blank ones and insides of strings.
    fn indent(&mut self, from: usize, to: usize, indentation: &str, unit: &str) {
        let source = self.source.clone();
        let text = source.text();
        let mut at = from;
        while at < to {
            let next = source.inner.lines.next(at, text);
            let feeds = text[at..next].len() - text[at..next].trim_start_matches('\x0c').len();
            let line = &text[at + feeds..next];
            if !line.trim().is_empty() && !source.is_in_string(at) {
                let behind = if line.starts_with(indentation) { indentation.len() } else { 0 };
                let at = at + feeds + behind;
                self.splice(at..at, unit.to_owned(), Rank::Around);
            }
            at = next;
        }
    }
}

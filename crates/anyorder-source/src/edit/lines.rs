//! Where lines are put, and what must be broken for them.

use std::ops::Range;

use super::Editor;
use super::block::Block;
use super::splice::Rank;
use crate::syntax::{Kind, Token};
use crate::{Body, Shape, Source, Statement};

impl Source {
    /// The block in which the statement of this range stands, and which one of it it is.
    pub(super) fn home(&self, range: &Range<usize>) -> Option<(&Body, usize)> {
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

    /// The first token that begins at or behind a place.
    fn token_at(&self, at: usize) -> usize {
        self.inner.tree.tokens.partition_point(|token| token.range.start < at)
    }

    pub(super) fn tokens_from(&self, at: usize) -> &[Token] {
        &self.inner.tree.tokens[self.token_at(at)..]
    }
}

fn holds(block: &Body, range: &Range<usize>) -> bool {
    let (Some(first), Some(last)) = (block.first(), block.last()) else { return false };
    first.range.start <= range.start && range.end <= last.range.end
}

impl Editor {
    pub(super) fn put_before(&mut self, body: &Body, index: usize, block: &Block) {
        let text = block.render(&body.place.indentation, &self.source);
        self.put_text_before(body, index, &text);
    }

    /// Puts finished lines, without a line end behind them, above a statement and the comments that belong to it.
    fn put_text_before(&mut self, body: &Body, index: usize, text: &str) {
        let indentation = &body.place.indentation;
        let start = body[index].range.start;
        self.break_colon(body);
        if self.break_semicolon(body, index) || (index == 0 && body.place.inline.is_some()) {
            let text = format!("{}{}{indentation}", &text[indentation.len()..], self.newline());
            self.splice(start..start, text, Rank::Before);
        } else {
            let at = self.start_with_comments(start, indentation);
            let text = format!("{text}{}", self.newline());
            self.splice(at..at, text, Rank::Before);
        }
    }

    pub(super) fn put_behind(&mut self, body: &Body, index: usize, block: &Block) {
        let text = block.render(&body.place.indentation, &self.source);
        self.put_text_behind(body, index, &text);
    }

    /// Puts finished lines, without a line end behind them, below a statement.
    pub(super) fn put_text_behind(&mut self, body: &Body, index: usize, text: &str) {
        self.break_colon(body);
        if self.break_semicolon(body, index + 1) {
            let end = body[index].range.end;
            let text = format!("{}{text}", self.newline());
            self.splice(end..end, text, Rank::Behind);
            return;
        }
        let at = self.end_of_line(body[index].range.end);
        let is_open = at > 0 && !self.source.text()[..at].ends_with(['\n', '\r']);
        let newline = self.newline();
        let text = if is_open { format!("{newline}{text}") } else { format!("{text}{newline}") };
        self.splice(at..at, text, Rank::Behind);
    }

    pub(super) fn put_in_place(&mut self, body: &Body, index: usize, block: &Block) {
        let indentation = &body.place.indentation;
        let text = block.render(indentation, &self.source);
        if !block.is_simple_line() {
            self.break_colon(body);
            self.break_semicolon(body, index);
            self.break_semicolon(body, index + 1);
        }
        let text = text[indentation.len()..].to_owned();
        self.splice(body[index].range.clone(), text, Rank::Instead);
    }

    /// A definition and the blank lines around it.
    pub(super) fn put_definition_before(&mut self, body: &Body, index: usize, block: &Block) {
        let indentation = &body.place.indentation;
        let wanted = if indentation.is_empty() { 2 } else { 1 };
        let newline = self.newline();
        let start = body[index].range.start;
        let text = block.render(indentation, &self.source);
        if body.place.inline.is_some() || body.place.is_behind_semicolon[index] {
            return self.put_text_before(body, index, &(text + newline));
        }
        let at = self.start_with_comments(start, indentation);
        let is_first = index == 0 && (!indentation.is_empty() || self.is_blank_before(at));
        let above = if is_first { 0 } else { wanted - self.blank_lines_above(at).min(wanted) };
        let text = format!("{}{text}{}", newline.repeat(above), newline.repeat(wanted + 1));
        self.splice(at..at, text, Rank::Before);
    }

    /// Has the statements of `if x: y` stand on lines of their own.
    fn break_colon(&mut self, body: &Body) {
        if let Some(range) = &body.place.inline {
            let text = format!("{}{}", self.newline(), body.place.indentation);
            self.breaks.insert(range.start, (range.clone(), text));
        }
    }

    /// Has a statement stand on a line of its own that is behind a semicolon. Whether it was.
    fn break_semicolon(&mut self, body: &Body, index: usize) -> bool {
        if !body.place.is_behind_semicolon.get(index).is_some_and(|is_behind| *is_behind) {
            return false;
        }
        let range = body[index - 1].range.end..body[index].range.start;
        let text = format!("{}{}", self.newline(), body.place.indentation);
        self.breaks.insert(range.start, (range, text));
        true
    }

    /// Where the line of a statement begins, or that of the first comment directly above it.
    pub(super) fn start_with_comments(&self, start: usize, indentation: &str) -> usize {
        let (text, lines) = (self.source.text(), &self.source.inner.lines);
        let mut at = lines.start(start);
        while at > 0 {
            let above = lines.start(at - 1);
            let line = text[above..at].trim_start_matches('\x0c');
            let is_comment = line.strip_prefix(indentation).is_some_and(|words| words.starts_with('#'));
            if !is_comment || !self.is_comment_line(above) || self.is_about_the_file(&text[above..at], above)
            {
                break;
            }
            at = above;
        }
        at
    }

    /// Whether the line holds a comment and nothing else, and is no part of a string.
    fn is_comment_line(&self, start: usize) -> bool {
        self.source
            .tokens_from(start)
            .iter()
            .find(|token| !matches!(token.kind, Kind::Indent | Kind::Dedent))
            .is_some_and(|token| {
                token.kind == Kind::Comment && self.source.inner.lines.start(token.range.start) == start
            })
    }

    /// Whether a comment tells the system how to read the file.
    fn is_about_the_file(&self, line: &str, start: usize) -> bool {
        self.source.inner.lines.number(start) <= 2 && (line.starts_with("#!") || line.contains("coding"))
    }

    /// Where the next line begins behind the line of code that ends here.
    pub(super) fn end_of_line(&self, end: usize) -> usize {
        let newline = self.source.tokens_from(end).iter().find(|token| token.kind == Kind::Newline);
        newline.map_or(self.source.text().len(), |token| token.range.end)
    }

    /// How many blank lines are directly above the line that begins here.
    pub(super) fn blank_lines_above(&self, at: usize) -> usize {
        let (text, lines) = (self.source.text(), &self.source.inner.lines);
        let mut at = at;
        let mut count = 0;
        while at > 0 {
            let above = lines.start(at - 1);
            if !text[above..at].trim().is_empty() {
                break;
            }
            count += 1;
            at = above;
        }
        count
    }

    fn is_blank_before(&self, at: usize) -> bool {
        self.source.text()[..at].trim_start_matches('\u{feff}').trim().is_empty()
    }
}

/// Whether a statement is a definition.
pub(super) fn is_definition(statement: &Statement) -> bool {
    matches!(statement.shape, Shape::FunctionDef { .. } | Shape::ClassDef { .. })
}

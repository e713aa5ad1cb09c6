//! Where lines are put, and what must be broken for them.

use super::Editor;
use super::block::Block;
use super::splice::Rank;
use crate::{Body, Shape, Statement};

impl Editor {
    pub(super) fn put_before(&mut self, body: &Body, index: usize, block: &Block) {
        let mut text = block.render(&body.place.indentation, &self.source);
        if is_definition(&body[index]) {
            text += self.newline();
        }
        self.put_text_before(body, index, &text);
    }

    /// Puts finished lines, without a line end behind them, above a statement and the comments that belong to it.
    pub(super) fn put_text_before(&mut self, body: &Body, index: usize, text: &str) {
        let indentation = &body.place.indentation;
        let start = body[index].range.start;
        self.break_colon(body);
        if self.break_semicolon(body, index) || (index == 0 && body.place.inline.is_some()) {
            let text = format!("{}{}{indentation}", &text[indentation.len()..], self.newline());
            self.splice(start..start, text, Rank::Before);
        } else {
            let at = self.source.start_with_comments(start, indentation);
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
        let at = self.source.end_with_comments(body[index].range.end, &body.place.indentation);
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
        let at = self.source.start_with_comments(start, indentation);
        let is_first = index == 0 && (!indentation.is_empty() || self.source.is_blank_before(at));
        let above = if is_first { 0 } else { wanted - self.source.blank_lines_above(at).min(wanted) };
        let text = format!("{}{text}{}", newline.repeat(above), newline.repeat(wanted + 1));
        self.splice(at..at, text, Rank::Before);
    }

    /// A definition and the blank lines around it.
    pub(super) fn put_definition_behind(&mut self, body: &Body, index: usize, block: &Block) {
        if index + 1 < body.len() {
            return self.put_definition_before(body, index + 1, block);
        }
        let indentation = &body.place.indentation;
        let blank = self.newline().repeat(if indentation.is_empty() { 2 } else { 1 });
        let text = block.render(indentation, &self.source);
        self.put_text_behind(body, index, &format!("{blank}{text}"));
    }

    /// Has the statements of `if x: y` stand on lines of their own.
    pub(super) fn break_colon(&mut self, body: &Body) {
        if let Some(range) = &body.place.inline {
            let text = format!("{}{}", self.newline(), body.place.indentation);
            self.breaks.insert(range.start, (range.clone(), text));
        }
    }

    /// Has a statement stand on a line of its own that is behind a semicolon. Whether it was.
    pub(super) fn break_semicolon(&mut self, body: &Body, index: usize) -> bool {
        if !body.place.is_behind_semicolon.get(index).is_some_and(|is_behind| *is_behind) {
            return false;
        }
        let range = body[index - 1].range.end..body[index].range.start;
        let text = format!("{}{}", self.newline(), body.place.indentation);
        self.breaks.insert(range.start, (range, text));
        true
    }
}

/// Whether a statement is a definition.
pub(super) fn is_definition(statement: &Statement) -> bool {
    matches!(statement.shape, Shape::FunctionDef { .. } | Shape::ClassDef { .. })
}

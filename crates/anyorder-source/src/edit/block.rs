//! Blocks that are given to an editor, and how they look in a file.

use std::sync::Arc;

use super::CannotEdit;
use crate::syntax::{self, Kind, Token};
use crate::text::Lines;
use crate::{Body, Shape, Source};

/// Given lines: four spaces, `\n` and double quotes.
#[derive(Clone, Debug)]
pub(super) struct Block {
    text: Arc<str>,
    tokens: Vec<Token>,
    pub(super) body: Body,
}

impl Block {
    pub(super) fn read(text: &str) -> Result<Self, CannotEdit> {
        let text: Arc<str> = Arc::from(text.trim_matches('\n').trim_end());
        if text.is_empty() {
            return Err(CannotEdit::Block { message: "nothing is given".to_owned() });
        }
        let lines = Lines::new(&text);
        let tree = syntax::read(&text, &lines, |_| "    ".to_owned())
            .map_err(|fault| CannotEdit::Block { message: fault.message })?;
        Ok(Block { text, tokens: tree.tokens, body: tree.body })
    }

    /// Whether it can stand between others on one line.
    pub(super) fn is_simple_line(&self) -> bool {
        let is_simple = |shape: &Shape| {
            !matches!(
                shape,
                Shape::Compound { .. }
                    | Shape::With { .. }
                    | Shape::FunctionDef { .. }
                    | Shape::ClassDef { .. }
            )
        };
        !self.text.contains('\n')
            && self.tokens.iter().all(|token| token.kind != Kind::Comment)
            && self.body.iter().all(|statement| is_simple(&statement.shape))
    }

    /// How it is written in the file, every line with this indentation; no line end behind it.
    pub(super) fn render(&self, indentation: &str, source: &Source) -> String {
        let style = source.style();
        let unit = unit(indentation, &style.indentation);
        let text = self.with_quotes(style.quote);
        let mut rendered = Vec::new();
        let mut at = 0;
        for line in text.split('\n') {
            rendered.push(self.line(line, at, indentation, unit));
            at += line.len() + 1;
        }
        rendered.join(style.newline)
    }

    fn line(&self, line: &str, at: usize, indentation: &str, unit: &str) -> String {
        if self.is_in_string(at) {
            return line.to_owned();
        }
        let words = line.trim_start_matches(' ');
        if words.is_empty() {
            return String::new();
        }
        let spaces = line.len() - words.len();
        format!("{indentation}{}{}{words}", unit.repeat(spaces / 4), " ".repeat(spaces % 4))
    }

    fn is_in_string(&self, at: usize) -> bool {
        let strings = self.tokens.iter().filter(|token| token.kind == Kind::String);
        strings.into_iter().any(|token| token.range.start < at && at < token.range.end)
    }

    /// The text with other quotes around strings that have neither quotes nor backslashes in them.
    fn with_quotes(&self, quote: char) -> String {
        let mut text = self.text.to_string();
        for token in self.tokens.iter().filter(|token| token.kind == Kind::String && quote != '"') {
            let words = &self.text[token.range.clone()];
            let Some(open) = words.find('"') else { continue };
            let inner = words[open + 1..].strip_suffix('"').unwrap_or("\"");
            let is_plain = !inner.contains(['"', '\'', '\\', '{']);
            if is_plain && !words.starts_with('\'') {
                text.replace_range(token.range.start + open..=token.range.start + open, "'");
                text.replace_range(token.range.end - 1..token.range.end, "'");
            }
        }
        text
    }
}

/// What one more level adds below this indentation: tabs below tabs, spaces below spaces.
pub(super) fn unit<'a>(indentation: &'a str, usual: &'a str) -> &'a str {
    match (indentation.contains('\t'), usual.contains('\t')) {
        (true, false) => "\t",
        (false, true) if !indentation.is_empty() => "    ",
        _ => usual,
    }
}

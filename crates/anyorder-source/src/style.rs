//! How a file is written: line ends, indentation, quotes.

use std::collections::BTreeMap;

use crate::syntax::{Kind, Token};

/// How a file is written, so that what is added looks like the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Style {
    /// The line end that most lines have.
    pub newline: &'static str,
    /// What one more level of indentation adds.
    pub indentation: String,
    /// The quote around most short strings.
    pub quote: char,
}

impl Default for Style {
    fn default() -> Self {
        Style { newline: "\n", indentation: "    ".to_owned(), quote: '"' }
    }
}

impl Style {
    pub(crate) fn of(text: &str, tokens: &[Token]) -> Self {
        Style { newline: newline(text), indentation: indentation(text, tokens), quote: quote(text, tokens) }
    }
}

fn newline(text: &str) -> &'static str {
    let both = text.matches("\r\n").count();
    let feeds = text.matches('\n').count() - both;
    let returns = text.matches('\r').count() - both;
    match () {
        () if both > feeds && both >= returns => "\r\n",
        () if returns > feeds => "\r",
        () => "\n",
    }
}

/// What most indents add to the indentation around them.
pub(crate) fn indentation(text: &str, tokens: &[Token]) -> String {
    let mut around: Vec<&str> = vec![""];
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for token in tokens {
        match token.kind {
            Kind::Indent => {
                let all = text[token.range.clone()].trim_start_matches('\x0c');
                if let Some(added) = all.strip_prefix(around.last().copied().unwrap_or_default()) {
                    *counts.entry(added).or_default() += 1;
                }
                around.push(all);
            }
            Kind::Dedent => {
                around.pop();
            }
            _ => {}
        }
    }
    let usual = counts.into_iter().max_by_key(|(_, count)| *count);
    usual.map_or_else(|| Style::default().indentation, |(unit, _)| unit.to_owned())
}

fn quote(text: &str, tokens: &[Token]) -> char {
    let mut single = 0usize;
    let mut double = 0usize;
    for token in tokens.iter().filter(|token| token.kind == Kind::String) {
        let string =
            text[token.range.clone()].trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
        let is_short = !string.starts_with("\"\"\"") && !string.starts_with("'''");
        single += usize::from(is_short && string.starts_with('\''));
        double += usize::from(is_short && string.starts_with('"'));
    }
    if single > double { '\'' } else { '"' }
}

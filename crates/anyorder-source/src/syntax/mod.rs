//! The one place that knows the parser: turns a text into our own statements, definitions and tokens.
//!
//! Knows how Python is written. Does not know bytes, encodings or edits; no type of the parser leaves it.

mod binding;
mod definitions;
mod facts;
mod inert;
mod mentions;
mod parts;
mod print;
mod shapes;
mod statements;
mod token;

use std::ops::Range;
use std::sync::Arc;

use ruff_python_ast::ModModule;
use ruff_python_ast::token::Tokens;
use ruff_python_parser::Parsed;
use ruff_text_size::Ranged;

pub(crate) use self::token::{Kind, Token};
use crate::part::Parts;
use crate::text::Lines;
use crate::{Body, Class, Function, Import, Literal, Text};

/// All that is read from a text.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) body: Body,
    pub(crate) functions: Vec<Function>,
    pub(crate) classes: Vec<Class>,
    pub(crate) imports: Vec<Import>,
    pub(crate) literals: Vec<Literal>,
    pub(crate) tokens: Vec<Token>,
}

/// Why a text is not Python, and where.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) message: String,
    pub(crate) line: usize,
}

/// Reads the text; `unit` makes up the indentation of statements that stand behind a colon.
pub(crate) fn read(
    text: &Arc<str>,
    lines: &Lines,
    unit: impl FnOnce(&[Token]) -> String,
) -> Result<Tree, Fault> {
    let parsed = parsed(text, lines)?;
    let tokens = token::ours(parsed.tokens());
    let unit = unit(&tokens);
    let context = Context { text, lines, tokens: parsed.tokens(), unit: &unit };
    let mut reader = statements::Reader::new(&context);
    let body = reader.module(parsed.suite());
    let mut tree = reader.tree(body, tokens);
    tree.functions.sort_by_key(|function| function.range.start);
    tree.classes.sort_by_key(|class| class.range.start);
    Ok(tree)
}

/// Reads the text in its parts.
pub(crate) fn parts(text: &Arc<str>, lines: &Lines) -> Result<Parts, Fault> {
    let parsed = parsed(text, lines)?;
    let context = Context { text, lines, tokens: parsed.tokens(), unit: "" };
    Ok(parts::Partition::of(&context, parsed.suite()))
}

fn parsed(text: &str, lines: &Lines) -> Result<Parsed<ModModule>, Fault> {
    ruff_python_parser::parse_module(text).map_err(|error| Fault {
        line: lines.number(usize::from(error.location.start())),
        message: error.error.to_string(),
    })
}

/// What is needed to say where something stands and how it is written.
struct Context<'a> {
    text: &'a Arc<str>,
    lines: &'a Lines,
    tokens: &'a Tokens,
    unit: &'a str,
}

impl Context<'_> {
    fn text(&self, what: &impl Ranged) -> Text {
        Text::of(self.text, range(what))
    }

    fn line(&self, what: &impl Ranged) -> usize {
        self.lines.number(usize::from(what.start()))
    }

    fn end_line(&self, what: &impl Ranged) -> usize {
        self.lines.number(usize::from(what.end()).saturating_sub(1))
    }
}

fn range(what: &impl Ranged) -> Range<usize> {
    usize::from(what.start())..usize::from(what.end())
}

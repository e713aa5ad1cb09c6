//! What a statement is, binds and needs, as plain data.

use std::fmt::{self, Debug};
use std::ops::{Deref, Range};
use std::sync::Arc;

use crate::{Import, Text};

/// A statement, with all statements in it.
#[derive(Clone, Debug)]
pub struct Statement {
    /// Where it is in the file's text, in bytes; decorators are part of a definition, comments of nothing.
    ///
    /// The text is the file decoded, with its byte order mark.
    pub range: Range<usize>,
    /// The line of its first token, from 1; of its first decorator if it has any.
    pub line: usize,
    /// The line of its last token.
    pub end_line: usize,
    /// It as written. The first line has no indentation, the others have all of theirs.
    pub text: Text,
    /// What kind of statement it is.
    pub shape: Shape,
    /// Names that it needs from outside: loaded in it, or in a statement in it, before it has surely bound them itself.
    pub loads: Vec<Text>,
    /// Names that it, or a statement in it, binds in the scope in which it stands.
    pub stores: Vec<Text>,
    /// Calls in its own expressions, in the order in which they are written; not those of statements in it.
    pub calls: Vec<Call>,
    /// The statements in it: of an `if` first its body, then those of `elif` and `else`; and so on.
    pub blocks: Vec<Body>,
    /// Whether the last of these is what a `finally` does.
    pub has_finally: bool,
}

impl Statement {
    /// It and all statements in it, in the order in which they are written.
    pub fn walk(&self) -> Vec<&Statement> {
        let mut all = vec![self];
        all.extend(self.blocks.iter().flat_map(|block| block.iter()).flat_map(Statement::walk));
        all
    }
}

/// Statements of one block. Reads like a slice.
#[derive(Clone)]
pub struct Body {
    pub(crate) statements: Arc<[Statement]>,
    pub(crate) place: Arc<Place>,
}

impl Deref for Body {
    type Target = [Statement];

    fn deref(&self) -> &[Statement] {
        &self.statements
    }
}

impl Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.statements.fmt(f)
    }
}

/// How the statements of a block stand in the text.
#[derive(Debug, Default)]
pub(crate) struct Place {
    /// What stands before each of them on its line, or would if the block had lines of its own.
    pub(crate) indentation: String,
    /// From the colon to the first statement, if both are on one line.
    pub(crate) inline: Option<Range<usize>>,
    /// For each statement, whether a semicolon and not a new line is before it.
    pub(crate) is_behind_semicolon: Vec<bool>,
}

/// What kind of statement it is.
#[derive(Clone, Debug)]
pub enum Shape {
    /// `a = b = value`, also with an annotation.
    Assign {
        /// What is assigned to.
        targets: Vec<Target>,
        /// The expression on the right.
        value: Text,
    },
    /// `target += value`.
    AugAssign {
        /// What is changed.
        target: Target,
        /// The operator without `=`.
        operator: &'static str,
        /// The expression on the right.
        value: Text,
    },
    /// `del a, b`.
    Delete {
        /// What is deleted.
        targets: Vec<Target>,
    },
    /// A call whose result is not used.
    Call {
        /// The outermost call.
        call: Call,
        /// Whether it is awaited.
        is_awaited: bool,
    },
    /// `assert`.
    Assert,
    /// `import` or `from ... import`: one for each name.
    Import(Vec<Import>),
    /// `with`.
    With {
        /// The context managers.
        items: Vec<WithItem>,
    },
    /// `return`.
    Return,
    /// `raise`.
    Raise,
    /// `pass`.
    Pass,
    /// The string that documents the module, class or function.
    Docstring,
    /// `def` or `async def`.
    FunctionDef {
        /// Its own name.
        name: Text,
    },
    /// `class`.
    ClassDef {
        /// Its own name.
        name: Text,
    },
    /// `global` or `nonlocal`.
    Global {
        /// The names.
        names: Vec<Text>,
    },
    /// `if`, `for`, `while`, `try` or `match`.
    Compound {
        /// The word with which it begins.
        keyword: &'static str,
    },
    /// Anything else.
    Other,
}

/// What an assignment or deletion is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// `name`.
    Name(Text),
    /// `object.name`.
    Attribute {
        /// The expression before the dot.
        object: Text,
        /// The name behind it.
        name: Text,
    },
    /// `object[key]`.
    Item {
        /// The expression before the bracket.
        object: Text,
        /// The expression in the brackets.
        key: Text,
    },
    /// A tuple or the like.
    Other(Text),
}

/// One context manager of a `with`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WithItem {
    /// The expression.
    pub context: Text,
    /// What stands behind `as`.
    pub target: Option<Text>,
}

/// A call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// What is called, as written.
    pub function: Text,
    /// Positional arguments, as written; `*rest` with its star.
    pub arguments: Vec<Text>,
    /// Keyword arguments: name and value as written; no name for `**rest`.
    pub keywords: Vec<(Option<Text>, Text)>,
    /// The line where it begins.
    pub line: usize,
    /// Where it is in the file's text, in bytes.
    pub range: Range<usize>,
}

impl Call {
    /// For a method call, the expression before the last dot and the name behind it.
    pub fn receiver(&self) -> Option<(Text, Text)> {
        let name = self.function.rfind(|letter: char| !letter.is_alphanumeric() && letter != '_')?;
        let dot = self.function[..=name].trim_end().strip_suffix('.')?.trim_end().len();
        let method = self.function.part(name + 1..self.function.len());
        (!method.is_empty()).then(|| (self.function.part(0..dot), method))
    }
}

impl Body {
    /// The docstring as written.
    pub(crate) fn docstring(&self) -> Option<&Text> {
        self.first().filter(|first| matches!(first.shape, Shape::Docstring)).map(|first| &first.text)
    }

    /// The statements without the docstring.
    pub(crate) fn behind_docstring(&self) -> &[Statement] {
        &self[usize::from(self.docstring().is_some())..]
    }
}

//! Functions and classes of a file, as plain data.

use std::ops::Range;

use crate::{Body, Text};

/// A function or method, with `def` or `async def`.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name behind those of the classes and functions around it: `["TestCart", "test_total"]`.
    pub names: Vec<String>,
    /// The line of its name.
    pub line: usize,
    /// The line of its last token.
    pub end_line: usize,
    /// Where it is in the file's text, in bytes; with its decorators.
    pub range: Range<usize>,
    /// Whether it is an `async def`.
    pub is_async: bool,
    /// Whether it yields.
    pub is_generator: bool,
    /// Its parameters in the order in which they are written.
    pub parameters: Vec<Parameter>,
    /// Its decorators, the outermost first.
    pub decorators: Vec<Expression>,
    /// Its statements; the first is a [`crate::Shape::Docstring`] if it has one.
    pub body: Body,
    /// The names of the class whose method it is.
    pub class: Option<Vec<String>>,
    /// Names that it declares `global`.
    pub globals: Vec<Text>,
    /// What it changes beyond its own local names, as far as can be read.
    pub writes: Vec<Write>,
    /// The parameters with their parentheses.
    pub(crate) parentheses: Range<usize>,
}

impl Function {
    /// Its own name.
    pub fn name(&self) -> &str {
        self.names.last().expect("a function has a name")
    }

    /// The string that documents it, as written.
    pub fn docstring(&self) -> Option<&Text> {
        self.body.docstring()
    }

    /// Its statements without the docstring.
    pub fn statements(&self) -> &[crate::Statement] {
        self.body.behind_docstring()
    }
}

/// A class.
#[derive(Clone, Debug)]
pub struct Class {
    /// Its name behind those of the classes and functions around it.
    pub names: Vec<String>,
    /// The line of its name.
    pub line: usize,
    /// The line of its last token.
    pub end_line: usize,
    /// Where it is in the file's text, in bytes; with its decorators.
    pub range: Range<usize>,
    /// Its base classes as written; without keywords.
    pub bases: Vec<Text>,
    /// Its decorators, the outermost first.
    pub decorators: Vec<Expression>,
    /// Its statements; the first is a [`crate::Shape::Docstring`] if it has one.
    pub body: Body,
}

impl Class {
    /// Its own name.
    pub fn name(&self) -> &str {
        self.names.last().expect("a class has a name")
    }
}

/// One parameter of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name, without stars.
    pub name: Text,
    /// Whether it may be left out.
    pub has_default: bool,
    /// How it is passed.
    pub kind: ParameterKind,
    pub(crate) range: Range<usize>,
}

/// How a parameter is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// Before a `/`.
    PositionalOnly,
    /// By position or by name.
    Plain,
    /// `*rest`.
    Rest,
    /// Behind a `*`.
    KeywordOnly,
    /// `**rest`.
    KeywordRest,
}

/// An expression as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    /// The words; of a decorator without `@`.
    pub text: Text,
    /// The line where it begins.
    pub line: usize,
    pub(crate) range: Range<usize>,
}

/// Something that a function changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// What is changed, as written: `self.jobs`, `_cache`, `settings.CURRENCY`.
    pub target: Text,
    /// How.
    pub how: How,
    /// The line where the statement begins.
    pub line: usize,
}

/// How something is changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum How {
    /// It is assigned, or changed by an operator such as `+=`.
    Assign,
    /// One of its items is assigned: `target[key] = value`.
    AssignItem,
    /// It is deleted.
    Delete,
    /// One of its items is deleted.
    DeleteItem,
    /// This method is called on it; whether that changes it is for the caller to judge.
    Call(Text),
}

/// A function or class, where it does not matter which.
pub trait Definition {
    /// Where it is in the file's text, in bytes; with its decorators.
    fn range(&self) -> Range<usize>;
}

impl Definition for Function {
    fn range(&self) -> Range<usize> {
        self.range.clone()
    }
}

impl Definition for Class {
    fn range(&self) -> Range<usize> {
        self.range.clone()
    }
}

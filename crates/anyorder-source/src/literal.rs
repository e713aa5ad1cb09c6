//! Literals of a file: arguments that code which resets state may want.

use crate::Text;

/// A literal, or a class handed over as an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Literal {
    /// It as written.
    pub text: Text,
    /// What it is.
    pub kind: LiteralKind,
    /// The names of the function in which it stands.
    pub function: Option<Vec<String>>,
    /// The line where it begins.
    pub line: usize,
}

/// What a literal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LiteralKind {
    /// A string; docstrings and f-strings are left out.
    String,
    /// Bytes.
    Bytes,
    /// A number, with its minus.
    Number,
    /// `True` or `False`.
    Bool,
    /// `None`.
    None,
    /// A name that looks like that of a class and is an argument of a call.
    Class,
}

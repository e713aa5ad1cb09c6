//! Reads and edits source files of a suite: statements, literals, imports, differences.
//!
//! Knows the syntax of languages. Does not know why something is edited, nor files on disk.

mod alone;
mod definition;
mod diff;
mod edit;
mod encoding;
mod import;
mod lift;
mod literal;
mod part;
mod place;
mod source;
mod statement;
mod style;
mod syntax;
mod text;

pub use self::definition::{Class, Definition, Expression, Function, How, Parameter, ParameterKind, Write};
pub use self::diff::diff;
pub use self::edit::{CannotEdit, Editor};
pub use self::import::Import;
pub use self::literal::{Literal, LiteralKind};
pub use self::part::{Digest, Part, Parts, Step, is_hook};
pub use self::source::{Source, Unreadable};
pub use self::statement::{Body, Call, Shape, Statement, Target, WithItem};
pub use self::style::Style;
pub use self::text::Text;

//! A Python file: its bytes, and all that is read from them.

use std::sync::Arc;

use crate::encoding::Encoding;
use crate::syntax::{self, Tree};
use crate::text::Lines;
use crate::{Body, Call, Class, Editor, Function, Import, Literal, Statement, Style, Text, import, style};

/// A Python file. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Source {
    pub(crate) inner: Arc<Inner>,
}

#[derive(Debug)]
pub(crate) struct Inner {
    bytes: Vec<u8>,
    pub(crate) text: Arc<str>,
    pub(crate) encoding: Encoding,
    pub(crate) lines: Lines,
    pub(crate) style: Style,
    pub(crate) tree: Tree,
}

/// Why a file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// It says that it is in an encoding that we do not read.
    #[error("the file is in the encoding `{name}`, which is not read")]
    Encoding {
        /// As the file names it.
        name: String,
    },
    /// Some of its bytes have no meaning in its encoding.
    #[error("the file has bytes that are not {encoding}")]
    Bytes {
        /// The encoding that the file has or says it has.
        encoding: String,
    },
    /// It is not Python as of 3.8 to 3.14.
    #[error("line {line} is not Python 3: {message}")]
    Syntax {
        /// The line where it was noticed.
        line: usize,
        /// What was noticed.
        message: String,
    },
}

impl Source {
    /// Reads a file; keeps its bytes as they are.
    pub fn parse(bytes: impl Into<Vec<u8>>) -> Result<Self, Unreadable> {
        let bytes = bytes.into();
        let encoding = Encoding::of(&bytes)?;
        let text: Arc<str> = encoding.decode(&bytes)?.into();
        let lines = Lines::new(&text);
        let tree = syntax::read(&text, &lines, |tokens| style::indentation(&text, tokens))
            .map_err(|fault| Unreadable::Syntax { line: fault.line, message: fault.message })?;
        let style = Style::of(&text, &tree.tokens);
        Ok(Source { inner: Arc::new(Inner { bytes, text, encoding, lines, style, tree }) })
    }

    /// The file, byte for byte.
    pub fn bytes(&self) -> &[u8] {
        &self.inner.bytes
    }

    /// The file decoded, with its byte order mark; all ranges are about this.
    pub fn text(&self) -> &str {
        &self.inner.text
    }

    /// How it is written.
    pub fn style(&self) -> &Style {
        &self.inner.style
    }

    /// The statements of the module itself.
    pub fn top_level(&self) -> &Body {
        &self.inner.tree.body
    }

    /// Whether the module gives a meaning to a name, at its top.
    pub fn binds(&self, name: &str) -> bool {
        let stores = |statement: &Statement| statement.stores.iter().any(|stored| stored.as_str() == name);
        self.top_level().iter().any(stores)
    }

    /// All functions, methods and functions in functions, in the order in which they are written.
    pub fn functions(&self) -> &[Function] {
        &self.inner.tree.functions
    }

    /// The function of this name: `["TestCart", "test_total"]`. The last one counts if there are several.
    pub fn function<N: AsRef<str>>(&self, names: &[N]) -> Option<&Function> {
        self.functions().iter().rev().find(|function| is_named(&function.names, names))
    }

    /// The innermost function that the line is part of, decorators included.
    pub fn function_at(&self, line: usize) -> Option<&Function> {
        let lines = &self.inner.lines;
        self.functions()
            .iter()
            .rev()
            .find(|function| lines.number(function.range.start) <= line && line <= function.end_line)
    }

    /// All classes, in the order in which they are written.
    pub fn classes(&self) -> &[Class] {
        &self.inner.tree.classes
    }

    /// The class of this name. The last one counts if there are several.
    pub fn class<N: AsRef<str>>(&self, names: &[N]) -> Option<&Class> {
        self.classes().iter().rev().find(|class| is_named(&class.names, names))
    }

    /// All imports, wherever they stand.
    pub fn imports(&self) -> &[Import] {
        &self.inner.tree.imports
    }

    /// By which expression a dotted path such as `os.environ` is reachable with the imports of the module.
    ///
    /// `None` if no import leads there, or if its name is bound to something else, too. Whether the path exists
    /// is not known here; a value imported by name is as it was at the import.
    pub fn name_of(&self, path: &str) -> Option<String> {
        let globals: Vec<Text> =
            self.functions().iter().flat_map(|function| function.globals.clone()).collect();
        import::name_of(path, self.imports(), self.top_level(), &globals)
    }

    /// Literals in the order in which they are written.
    pub fn literals(&self) -> &[Literal] {
        &self.inner.tree.literals
    }

    /// All calls.
    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.top_level().iter().flat_map(Statement::walk).flat_map(|statement| &statement.calls)
    }

    /// Changes to a copy of it.
    pub fn edit(&self) -> Editor {
        Editor::new(self)
    }
}

fn is_named<N: AsRef<str>>(ours: &[String], names: &[N]) -> bool {
    ours.len() == names.len() && ours.iter().zip(names).all(|(ours, name)| ours == name.as_ref())
}

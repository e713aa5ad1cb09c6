//! Changes to a file that read as if a person had made them.
//!
//! Knows how the file is written and translates what is given: blocks with four spaces, `\n` and double quotes.
//! Does not know why. Everything is put together in [`Editor::finish`], where the result is read again.

mod block;
mod groups;
mod imports;
mod lines;
mod origin;
mod parameters;
mod removal;
mod splice;
mod wrap;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use self::block::Block;
use self::splice::{Rank, Splice};
use crate::{Body, Definition, Expression, Function, Source, Statement};

/// Changes to a copy of a file. Nothing is changed in the file that was read.
#[derive(Clone, Debug)]
pub struct Editor {
    source: Source,
    splices: Vec<Splice>,
    /// Where a line must be broken, by where it begins: wanted once, however many changes need it.
    breaks: BTreeMap<usize, (Range<usize>, String)>,
    parameters: BTreeMap<usize, (Function, Vec<String>)>,
    imports: Vec<String>,
    /// First names of modules that are the project's own.
    own: BTreeSet<String>,
    /// Statements that go, by where they begin and end.
    removed: BTreeSet<(usize, usize)>,
    /// Blocks that get statements, by where they begin.
    filled: BTreeSet<usize>,
    fault: Option<CannotEdit>,
}

/// Why the changes cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CannotEdit {
    /// What should be changed is not in this file.
    #[error("line {line} has no such statement")]
    NotHere {
        /// Where it should be.
        line: usize,
    },
    /// Two changes concern the same words.
    #[error("two changes concern the same part of line {line}")]
    Overlap {
        /// Where they meet.
        line: usize,
    },
    /// What should be added is not Python.
    #[error("what should be added is not Python: {message}")]
    Block {
        /// What was noticed.
        message: String,
    },
    /// What should be added has characters that the file's encoding does not have.
    #[error("what should be added cannot be written in the encoding of the file")]
    Encoding,
    /// The changed file would not be Python.
    #[error("with the change, line {line} would not be Python: {message}")]
    Result {
        /// The line in the changed file.
        line: usize,
        /// What was noticed.
        message: String,
    },
}

impl Editor {
    pub(crate) fn new(source: &Source) -> Self {
        Editor {
            source: source.clone(),
            splices: Vec::new(),
            breaks: BTreeMap::new(),
            parameters: BTreeMap::new(),
            imports: Vec::new(),
            own: BTreeSet::new(),
            removed: BTreeSet::new(),
            filled: BTreeSet::new(),
            fault: None,
        }
    }

    /// Adds lines at the beginning of a function, behind its docstring.
    pub fn insert_first(&mut self, function: &Function, lines: &str) -> &mut Self {
        match function.statements().first() {
            Some(first) => self.insert_before(first, lines),
            None => self.insert_last(function, lines),
        }
    }

    /// Adds lines at the end of a function.
    pub fn insert_last(&mut self, function: &Function, lines: &str) -> &mut Self {
        let last = function.body.last().expect("a function has statements");
        self.insert_behind(last, lines)
    }

    /// Adds lines above a statement, and above comments that belong to it.
    pub fn insert_before(&mut self, statement: &Statement, lines: &str) -> &mut Self {
        self.at(statement, lines, Editor::put_before)
    }

    /// Adds lines below a statement.
    pub fn insert_behind(&mut self, statement: &Statement, lines: &str) -> &mut Self {
        self.at(statement, lines, Editor::put_behind)
    }

    /// Puts lines in the place of a statement; a comment behind it stays.
    pub fn replace(&mut self, statement: &Statement, lines: &str) -> &mut Self {
        self.at(statement, lines, Editor::put_in_place)
    }

    /// Takes a statement out, with the comment behind it; comments above it stay. An emptied block gets a `pass`.
    pub fn remove(&mut self, statement: &Statement) -> &mut Self {
        self.with(&statement.range, |editor, _, _| {
            editor.removed.insert((statement.range.start, statement.range.end));
            Ok(())
        })
    }

    /// Has the statements of a function run in a `try`, and these lines in its `finally`.
    ///
    /// The docstring stays where it is; so do lines that are added at the beginning of the function as well.
    pub fn wrap_in_finally(&mut self, function: &Function, lines: &str) -> &mut Self {
        match function.statements().first() {
            None => self.insert_last(function, lines),
            Some(first) => self.at(first, lines, Editor::put_around),
        }
    }

    /// Adds a plain parameter where one may stand; nothing if there is one of this name.
    pub fn add_parameter(&mut self, function: &Function, name: &str) -> &mut Self {
        self.with(&function.range, |editor, _, _| {
            let wanted = editor.parameters.entry(function.parentheses.start);
            let (_, names) = wanted.or_insert_with(|| (function.clone(), Vec::new()));
            let is_there = function.parameters.iter().any(|parameter| parameter.name == *name);
            if !is_there && !names.iter().any(|other| other == name) {
                names.push(name.to_owned());
            }
            Ok(())
        })
    }

    /// Adds a decorator above all others; `text` with or without its `@`.
    pub fn add_decorator(&mut self, definition: &impl Definition, text: &str) -> &mut Self {
        let whole = format!("@{}\ndef f(): pass", text.trim().trim_start_matches('@'));
        let range = definition.range();
        self.with(&range, |editor, body, _| {
            let text = Block::read(&whole)?.render(&body.place.indentation, &editor.source);
            let end = text.rfind(editor.newline()).unwrap_or_default() + editor.newline().len();
            let at = editor.source.inner.lines.start(range.start);
            editor.splice(at..at, text[..end].to_owned(), Rank::Around);
            Ok(())
        })
    }

    /// Puts another decorator in the place of one; `text` without its `@`.
    pub fn replace_decorator(&mut self, decorator: &Expression, text: &str) -> &mut Self {
        self.splice(decorator.range.clone(), text.to_owned(), Rank::Instead);
        self
    }

    /// Puts other words in the place of some; `range` is where they are in the file's text, in bytes.
    pub fn replace_words(&mut self, range: Range<usize>, words: &str) -> &mut Self {
        self.splice(range, words.to_owned(), Rank::Instead);
        self
    }

    /// Says which modules are the project's own, by their first names: imports of these stand apart from others, below them.
    pub fn know_own(&mut self, roots: impl IntoIterator<Item = String>) -> &mut Self {
        self.own.extend(roots);
        self
    }

    /// Adds an import to those at the head of the file, before the first definition; nothing if it is there.
    pub fn add_import(&mut self, text: &str) -> &mut Self {
        self.imports.push(text.trim().to_owned());
        self
    }

    /// Adds a definition above another one, above its decorators and the comments that belong to it.
    pub fn insert_definition_before(&mut self, definition: &impl Definition, block: &str) -> &mut Self {
        self.within(&definition.range(), block, |editor, body, index, block| {
            editor.put_definition_before(body, index, block);
        })
    }

    /// Adds a definition below another one.
    pub fn insert_definition_behind(&mut self, definition: &impl Definition, block: &str) -> &mut Self {
        self.within(&definition.range(), block, |editor, body, index, block| {
            editor.put_definition_behind(body, index, block);
        })
    }

    /// Adds a definition at the end of the file.
    pub fn append(&mut self, block: &str) -> &mut Self {
        let block = match Block::read(block) {
            Ok(block) => block,
            Err(fault) => return self.fail(fault),
        };
        let newline = self.newline();
        let text = self.source.text();
        let body = text.trim_start_matches('\u{feff}');
        let mut added = String::new();
        if !body.trim().is_empty() {
            added += &newline.repeat(usize::from(!text.ends_with(['\n', '\r'])));
            added += &newline.repeat(2usize.saturating_sub(self.source.blank_lines_above(text.len())));
        }
        added += &(block.render("", &self.source) + newline);
        let end = text.len();
        self.splice(end..end, added, Rank::Last);
        self
    }

    /// The changed file. Fails if changes are in each other's way or the result is not Python.
    pub fn finish(&self) -> Result<Vec<u8>, CannotEdit> {
        let mut editor = self.clone();
        editor.settle_parameters();
        editor.settle_imports();
        editor.settle_removals();
        if let Some(fault) = editor.fault {
            return Err(fault);
        }
        let breaks = editor.breaks.into_values();
        let breaks = breaks.map(|(range, text)| Splice { range, text, rank: Rank::Break });
        let splices = editor.splices.into_iter().chain(breaks).collect();
        splice::apply(&self.source, splices)
    }
}

/// What all changes are made of.
impl Editor {
    fn at(
        &mut self,
        statement: &Statement,
        lines: &str,
        change: impl FnOnce(&mut Editor, &Body, usize, &Block),
    ) -> &mut Self {
        if self.source.text().get(statement.range.clone()) != Some(&statement.text) {
            return self.fail(CannotEdit::NotHere { line: statement.line });
        }
        self.within(&statement.range, lines, change)
    }

    /// Adds lines to the block in which a statement stands.
    fn within(
        &mut self,
        range: &Range<usize>,
        lines: &str,
        change: impl FnOnce(&mut Editor, &Body, usize, &Block),
    ) -> &mut Self {
        self.with(range, |editor, body, index| {
            let block = Block::read(lines)?;
            change(editor, body, index, &block);
            if !block.body.is_empty() {
                editor.filled.insert(body[0].range.start);
            }
            Ok(())
        })
    }

    /// Does something with a statement, found again where it stands.
    fn with(
        &mut self,
        range: &Range<usize>,
        change: impl FnOnce(&mut Editor, &Body, usize) -> Result<(), CannotEdit>,
    ) -> &mut Self {
        let source = self.source.clone();
        let line = source.inner.lines.number(range.start);
        let found = source.home(range).ok_or(CannotEdit::NotHere { line });
        match found.and_then(|(body, index)| change(self, body, index)) {
            Ok(()) => self,
            Err(fault) => self.fail(fault),
        }
    }

    fn fail(&mut self, fault: CannotEdit) -> &mut Self {
        self.fault.get_or_insert(fault);
        self
    }

    fn splice(&mut self, range: Range<usize>, text: String, rank: Rank) {
        self.splices.push(Splice { range, text, rank });
    }

    fn newline(&self) -> &'static str {
        self.source.style().newline
    }
}

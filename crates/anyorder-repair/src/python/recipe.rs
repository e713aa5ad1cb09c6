//! Edits of Python files by names, not by places: they can be done again on files that others have edited.

use std::collections::{BTreeMap, BTreeSet};

use anyorder_source::{Body, Editor, Function, Shape, Source, Statement};

use super::names::unused;
use super::paths::{Way, way};
use super::site::is_own;
use super::text::{Called, as_defined, as_file, module, resolve};
use crate::candidate::{CannotApply, Recipe};
use crate::workshop::Tree;

/// Edits of several files.
#[derive(Clone, Debug, Default)]
pub(super) struct Steps {
    pub(super) steps: Vec<Step>,
    /// Modules of the project, by their files.
    pub(super) own: BTreeMap<String, String>,
}

/// One edit of one file. Texts may name modules, and are written with four spaces and double quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) file: String,
    pub(super) edit: Edit,
}

/// An edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Edit {
    /// Lines go first into a function.
    First { function: Vec<String>, lines: Vec<String> },
    /// Lines go first into a function, and others are done behind all that it does, whatever happens there.
    Finally { function: Vec<String>, first: Vec<String>, lines: Vec<String> },
    /// Lines go behind a statement of a function.
    Behind { function: Vec<String>, statement: String, lines: Vec<String> },
    /// A statement of a function becomes another.
    Replace { function: Vec<String>, statement: String, by: String },
    /// A function gets a parameter, unless it has it.
    Parameter { function: Vec<String>, name: String },
    /// A function gets a decorator.
    Decorate { function: Vec<String>, decorator: String },
    /// A function is defined before another one, or before the class around that; before all others if there is none.
    Define { before: Option<Vec<String>>, lines: Vec<String> },
    /// Lines go into the function that tears down what another one sets up, with this heading if it is new.
    TearDown { setup: Vec<String>, name: String, heading: Vec<String>, lines: Vec<String>, among: Among },
    /// Lines go where a fixture cleans up; it gets a `yield` if it has none.
    BehindYield { fixture: Vec<String>, lines: Vec<String>, among: Among },
    /// A decorator of a function becomes another.
    Redecorate { function: Vec<String>, from: String, to: String },
    /// A name is imported by this statement.
    Import { statement: String, name: String },
}

/// Where lines go among clean-ups that are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Among {
    /// Before those that may raise: else they would be skipped then.
    First,
    Last,
}

impl Edit {
    /// The statement that becomes another.
    pub(super) fn replaces(&self) -> Option<&str> {
        if let Edit::Replace { statement, .. } = self { Some(statement) } else { None }
    }
}

impl Recipe for Steps {
    fn apply(&self, tree: &mut Tree<'_>) -> Result<(), CannotApply> {
        let files: BTreeSet<&String> = self.steps.iter().map(|step| &step.file).collect();
        for file in files {
            let edits = self.steps.iter().filter(|step| step.file == *file).map(|step| &step.edit);
            let bytes = tree.read(file).unwrap_or_default();
            let source = Source::parse(bytes).map_err(|_| CannotApply)?;
            let own = self.own.get(file).map(String::as_str);
            let edited = Edited::new(tree, &source, file, own).all(edits)?;
            tree.write(file, edited);
        }
        Ok(())
    }
}

/// A file that is being edited.
struct Edited<'a> {
    tree: &'a Tree<'a>,
    source: &'a Source,
    editor: Editor,
    /// Where it is.
    file: &'a str,
    /// The module that the file is.
    own: Option<&'a str>,
    /// What modules are called from now on.
    names: BTreeMap<String, String>,
}

impl<'a> Edited<'a> {
    fn new(tree: &'a Tree<'a>, source: &'a Source, file: &'a str, own: Option<&'a str>) -> Self {
        let mut edited = Edited { tree, source, editor: source.edit(), file, own, names: BTreeMap::new() };
        edited.know_own(source);
        edited
    }

    /// Says which of the modules that a text imports are the project's own.
    fn know_own(&mut self, text: &Source) {
        let own = text.imports().iter().filter(|import| is_own(self.tree, self.file, import));
        let roots: Vec<String> =
            own.filter_map(|import| import.module.split('.').next().map(str::to_owned)).collect();
        self.editor.know_own(roots);
    }

    fn add_import(&mut self, statement: &str) {
        if let Ok(import) = Source::parse(statement) {
            self.know_own(&import);
        }
        self.editor.add_import(statement);
    }

    fn all<'e>(mut self, edits: impl Iterator<Item = &'e Edit>) -> Result<Vec<u8>, CannotApply> {
        for edit in edits {
            self.one(edit)?;
        }
        self.editor.finish().map_err(|_| CannotApply)
    }

    fn one(&mut self, edit: &Edit) -> Result<(), CannotApply> {
        match edit {
            Edit::First { function, lines } => {
                let (function, text) = (self.function(function)?, self.lines(lines));
                self.editor.insert_first(function, &text);
            }
            Edit::Finally { function, first, lines } => {
                let (function, text) = (self.function(function)?, self.lines(lines));
                self.editor.wrap_in_finally(function, &text);
                if !first.is_empty() {
                    let first = self.lines(first);
                    self.editor.insert_first(function, &first);
                }
            }
            Edit::Behind { function, statement, lines } => {
                let statement = self.statement(function, statement)?;
                let text = self.lines(lines);
                self.editor.insert_behind(&statement, &text);
            }
            Edit::Replace { function, statement, by } => {
                let statement = self.statement(function, statement)?;
                let by = self.text(by);
                self.editor.replace(&statement, &by);
            }
            Edit::Parameter { function, name } => {
                let function = self.function(function)?;
                self.editor.add_parameter(function, name);
            }
            Edit::Decorate { function, decorator } => {
                let (function, text) = (self.function(function)?, self.text(decorator));
                self.editor.add_decorator(function, &text);
            }
            Edit::Define { before, lines } => self.define(before.as_deref(), lines)?,
            Edit::TearDown { setup, name, heading, lines, among } => {
                self.tear_down(setup, name, heading, lines, *among)?;
            }
            Edit::BehindYield { fixture, lines, among } => self.behind_yield(fixture, lines, *among)?,
            Edit::Redecorate { function, from, to } => {
                let function = self.function(function)?;
                let to = self.text(to);
                let decorator = function.decorators.iter().find(|decorator| decorator.text.as_str() == from);
                let decorator = decorator.ok_or(CannotApply)?;
                self.editor.replace_decorator(decorator, &to);
            }
            Edit::Import { statement, name } => {
                let is_there = self
                    .source
                    .imports()
                    .iter()
                    .any(|import| import.is_top_level && import.bound_name() == name);
                if !is_there && self.source.binds(name) {
                    return Err(CannotApply);
                }
                if !is_there {
                    self.add_import(statement);
                }
            }
        }
        Ok(())
    }

    fn define(&mut self, before: Option<&[String]>, lines: &[String]) -> Result<(), CannotApply> {
        let text = self.lines(lines);
        let place = match before {
            Some(names) => Some(self.function(names)?),
            None => self.source.functions().iter().min_by_key(|function| function.range.start),
        };
        // A fixture stands before the class of its test, not in it.
        let class = place.filter(|function| function.names.len() > 1);
        match (class.and_then(|function| self.source.class(&function.names[..1])), place) {
            (Some(class), _) => self.editor.insert_definition_before(class, &text),
            (None, Some(function)) => self.editor.insert_definition_before(function, &text),
            (None, None) => self.editor.append(&text),
        };
        Ok(())
    }

    fn tear_down(
        &mut self,
        setup: &[String],
        name: &str,
        heading: &[String],
        lines: &[String],
        among: Among,
    ) -> Result<(), CannotApply> {
        let setup = self.function(setup)?;
        let around = &setup.names[..setup.names.len() - 1];
        let known = self.source.function(&[around, &[name.to_owned()]].concat());
        if among == Among::First {
            let known = known.filter(|known| may_raise(known.statements())).ok_or(CannotApply)?;
            let text = self.lines(lines);
            self.editor.insert_first(known, &text);
        } else if let Some(known) = known {
            let text = self.lines(lines);
            self.editor.insert_last(known, &text);
        } else {
            let lines = lines.iter().map(|line| format!("    {line}"));
            let text = self.lines(&heading.iter().cloned().chain(lines).collect::<Vec<_>>());
            self.editor.insert_definition_behind(setup, &text);
        }
        Ok(())
    }

    fn behind_yield(
        &mut self,
        fixture: &[String],
        lines: &[String],
        among: Among,
    ) -> Result<(), CannotApply> {
        let (fixture, text) = (self.function(fixture)?, self.lines(lines));
        if among == Among::First {
            let at = fixture.body.iter().position(|statement| statement.text.starts_with("yield"));
            let at = at.filter(|at| may_raise(&fixture.body[at + 1..])).ok_or(CannotApply)?;
            self.editor.insert_behind(&fixture.body[at], &text);
            return Ok(());
        }
        if fixture.is_generator {
            self.editor.insert_last(fixture, &text);
            return Ok(());
        }
        match (&returns(&fixture.body)[..], fixture.body.last()) {
            ([], _) => self.editor.insert_last(fixture, &format!("yield\n{text}")),
            ([one], Some(last)) if one.range == last.range => {
                let value = self.source.block(std::slice::from_ref(*one)).replacen("return", "yield", 1);
                self.editor.replace(one, &format!("{value}{text}"))
            }
            // What it returns on one way out it would have to yield on all.
            _ => return Err(CannotApply),
        };
        Ok(())
    }

    fn function(&self, names: &[String]) -> Result<&'a Function, CannotApply> {
        self.source.function(names).ok_or(CannotApply)
    }

    fn statement(&self, function: &[String], text: &str) -> Result<Statement, CannotApply> {
        let function = self.function(function)?;
        let mut all = function.body.iter().flat_map(Statement::walk);
        let found = all.find(|statement| statement.text.as_str() == text);
        found.cloned().ok_or(CannotApply)
    }

    fn lines(&mut self, lines: &[String]) -> String {
        self.text(&lines.join("\n"))
    }

    fn text(&mut self, text: &str) -> String {
        resolve(text, |module, attribute| self.name(module, attribute))
    }

    /// What a module is called in this file; it is imported if it is not yet.
    fn name(&mut self, module: &str, attribute: Option<&str>) -> Called {
        if let Some(path) = as_file(module) {
            return Called::Module(self.path(path));
        }
        if let Some(name) = as_defined(module) {
            return Called::Module(unused(self.source, name));
        }
        if self.own == Some(module) || attribute.is_some_and(|attribute| self.has(module, attribute)) {
            return Called::Nothing;
        }
        let known = || self.source.name_of(module).filter(|_| self.imports(module));
        if let Some(name) = self.names.get(module).cloned().or_else(known) {
            return Called::Module(name);
        }
        let (parent, last) =
            module.rsplit_once('.').map_or((None, module), |(head, last)| (Some(head), last));
        let (statement, name) = match parent {
            Some(parent) if !self.source.binds(last) => (format!("from {parent} import {last}"), last),
            _ => (format!("import {module}"), module),
        };
        self.add_import(&statement);
        self.names.insert(module.to_owned(), name.to_owned());
        Called::Module(name.to_owned())
    }

    /// What another file is called in this one.
    fn path(&mut self, path: &str) -> String {
        let text = match way(self.tree, self.source, self.file, path) {
            Way::Named(name) => return name,
            Way::FromHere(behind) => format!("{}.Path(__file__){behind}", module("pathlib")),
            Way::Temporary(name) => {
                format!("{}.Path({}.gettempdir(), \"{name}\")", module("pathlib"), module("tempfile"))
            }
            Way::Absolute(path) => format!("{}.Path(\"{path}\")", module("pathlib")),
        };
        self.text(&text)
    }

    /// Whether the file imports this name of the module: from there, or from the package around it.
    fn has(&self, module: &str, attribute: &str) -> bool {
        self.source.imports().iter().any(|import| {
            let from = import.module == module || module.starts_with(&format!("{}.", import.module));
            let plain = import.is_top_level && import.level == 0 && import.alias.is_none();
            plain && from && import.name.as_deref() == Some(attribute)
        })
    }

    /// Whether a module that need not be loaded is imported: `import unittest` is not enough for `unittest.mock`.
    fn imports(&self, module: &str) -> bool {
        let Some((parent, last)) = module.split_once('.').filter(|(parent, _)| *parent == "unittest") else {
            return true;
        };
        self.source.imports().iter().any(|import| {
            let is_from = import.module == parent && import.name.as_deref() == Some(last);
            import.is_top_level && (import.module == module || is_from)
        })
    }
}

/// Whether these clean-ups call something.
fn may_raise(statements: &[Statement]) -> bool {
    statements.iter().flat_map(Statement::walk).any(|statement| !statement.calls.is_empty())
}

/// All `return` statements of a function's own.
fn returns(body: &Body) -> Vec<&Statement> {
    let own = body
        .iter()
        .filter(|statement| !matches!(statement.shape, Shape::FunctionDef { .. } | Shape::ClassDef { .. }));
    own.flat_map(|statement| match statement.shape {
        Shape::Return => vec![statement],
        _ => statement.blocks.iter().flat_map(returns).collect(),
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workshop::Files;

    struct Named(&'static [&'static str]);

    impl Files for Named {
        fn read(&self, path: &str) -> Option<Vec<u8>> {
            self.0.contains(&path).then(Vec::new)
        }

        fn temporary(&self) -> String {
            "/tmp".to_owned()
        }
    }

    #[test]
    fn imports_of_the_project_stand_apart_from_what_is_installed() {
        let files = Named(&["src/shop/cart.py", "tests/helpers.py"]);
        let with_pytest = |text: &str| {
            let (tree, source) = (Tree::new(&files), Source::parse(text).unwrap());
            let mut edited = Edited::new(&tree, &source, "tests/test_a.py", None);
            edited.add_import("import pytest");
            String::from_utf8(edited.editor.finish().unwrap()).unwrap()
        };
        for own in ["from shop import cart\n", "from shop.cart import Cart\n", "import helpers\n"] {
            assert_eq!(with_pytest(own), format!("import pytest\n\n{own}"));
        }
        assert_eq!(with_pytest("from shopping import cart\n"), "import pytest\nfrom shopping import cart\n");
    }

    #[test]
    fn what_is_put_back_comes_before_clean_ups_that_may_raise() {
        let files = Named(&[]);
        let tree = Tree::new(&files);
        let with_line = |text: &str, among: Among| {
            let source = Source::parse(text).unwrap();
            let (fixture, lines) = (vec!["f".to_owned()], vec!["a.b = saved".to_owned()]);
            let edit = Edit::BehindYield { fixture, lines, among };
            let edited = Edited::new(&tree, &source, "test_a.py", None).all([&edit].into_iter());
            edited.map(|bytes| String::from_utf8(bytes).unwrap())
        };
        let closes = "def f():\n    yield 1\n    a.close()\n";
        let first = with_line(closes, Among::First).unwrap();
        assert_eq!(first, "def f():\n    yield 1\n    a.b = saved\n    a.close()\n");
        let last = with_line(closes, Among::Last).unwrap();
        assert_eq!(last, "def f():\n    yield 1\n    a.close()\n    a.b = saved\n");
        assert_eq!(with_line("def f():\n    yield 1\n    a.c = 1\n", Among::First), Err(CannotApply));
    }
}

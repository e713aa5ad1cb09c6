//! Statements, block by block, with the names that each needs and binds.

use std::sync::Arc;

use ruff_python_ast::token::TokenKind;
use ruff_python_ast::visitor::source_order::SourceOrderVisitor;
use ruff_python_ast::{self as ast, Expr, Stmt};
use ruff_text_size::{Ranged, TextSize};

use super::facts::{Facts, add};
use super::{Context, Token, Tree, definitions, range, shapes};
use crate::statement::Place;
use crate::{Body, Class, Function, Import, Literal, Shape, Statement, Text, Write};

/// Goes through a module once.
pub(super) struct Reader<'c> {
    pub(super) context: &'c Context<'c>,
    pub(super) scopes: Vec<Scope>,
    pub(super) functions: Vec<Function>,
    pub(super) classes: Vec<Class>,
    imports: Vec<Import>,
    literals: Vec<Literal>,
    /// How deep in `if`, `for` and the like of the present scope.
    depth: usize,
}

/// A function or class around the present statement.
pub(super) struct Scope {
    pub(super) name: String,
    pub(super) is_function: bool,
    pub(super) yields: bool,
    pub(super) globals: Vec<Text>,
    pub(super) nonlocals: Vec<Text>,
    pub(super) writes: Vec<Write>,
}

impl<'c> Reader<'c> {
    pub(super) fn new(context: &'c Context<'c>) -> Self {
        Reader {
            context,
            scopes: Vec::new(),
            functions: Vec::new(),
            classes: Vec::new(),
            imports: Vec::new(),
            literals: Vec::new(),
            depth: 0,
        }
    }

    pub(super) fn tree(self, body: Body, tokens: Vec<Token>) -> Tree {
        let Reader { functions, classes, imports, literals, .. } = self;
        Tree { body, functions, classes, imports, literals, tokens }
    }

    pub(super) fn module(&mut self, suite: &[Stmt]) -> Body {
        self.body(suite, true)
    }

    /// The statements of a block.
    pub(super) fn body(&mut self, suite: &[Stmt], has_docstring: bool) -> Body {
        let place = Arc::new(self.place(suite));
        let statements = suite.iter().enumerate().map(|(at, statement)| {
            let is_docstring = has_docstring && at == 0 && is_string(statement);
            self.statement(statement, is_docstring)
        });
        Body { statements: statements.collect(), place }
    }

    fn place(&self, suite: &[Stmt]) -> Place {
        let before = |statement: &Stmt| {
            let tokens = self.context.tokens.before(statement.start());
            tokens.iter().rev().find(|token| !token.kind().is_trivia()).copied()
        };
        let is_behind_semicolon =
            |statement: &Stmt| before(statement).is_some_and(|token| token.kind() == TokenKind::Semi);
        let mut place = Place {
            is_behind_semicolon: suite.iter().map(is_behind_semicolon).collect(),
            ..Place::default()
        };
        let Some(first) = suite.first() else { return place };
        match before(first).filter(|token| token.kind() == TokenKind::Colon) {
            Some(colon) => {
                place.inline = Some(usize::from(colon.end())..usize::from(first.start()));
                let around = self.indentation(self.start_of_code_line(colon.start()));
                place.indentation = format!("{around}{}", self.context.unit);
            }
            None => self.indentation(usize::from(first.start())).clone_into(&mut place.indentation),
        }
        place
    }

    /// Where the line of code begins that goes on here.
    fn start_of_code_line(&self, at: TextSize) -> usize {
        let is_end =
            |kind: TokenKind| matches!(kind, TokenKind::Newline | TokenKind::Indent | TokenKind::Dedent);
        let code = self.context.tokens.before(at).iter().rev().filter(|token| !token.kind().is_trivia());
        let first = code.take_while(|token| !is_end(token.kind())).last();
        usize::from(first.map_or(at, Ranged::start))
    }

    /// What stands before a statement on its line. A form feed starts the count anew.
    fn indentation(&self, start: usize) -> &'c str {
        let before = &self.context.text[self.context.lines.start(start)..start];
        before.rfind('\x0c').map_or(before, |at| &before[at + 1..])
    }

    fn statement(&mut self, statement: &Stmt, is_docstring: bool) -> Statement {
        let mut facts = Facts::new(self.context);
        if !is_docstring {
            header(statement, &mut facts);
        }
        facts.settle();
        let shape = if is_docstring { Shape::Docstring } else { shapes::shape(self.context, statement) };
        self.note(&shape, &facts, statement);
        let Facts { mut loads, mut stores, calls, .. } = facts;
        let blocks = match statement {
            Stmt::FunctionDef(function) => vec![self.function(function, &mut loads)],
            Stmt::ClassDef(class) => vec![self.class(class, &mut loads)],
            _ => self.blocks(statement, &mut loads, &mut stores),
        };
        Statement {
            range: range(statement),
            line: self.context.line(statement),
            end_line: self.context.end_line(statement),
            text: self.context.text(statement),
            shape,
            loads,
            stores,
            calls,
            blocks,
            has_finally: matches!(statement, Stmt::Try(it) if !it.finalbody.is_empty()),
        }
    }

    /// Keeps what is wanted of the file as a whole and of the function around.
    fn note(&mut self, shape: &Shape, facts: &Facts, statement: &Stmt) {
        if let Shape::Import(imports) = shape {
            let is_top_level = self.scopes.is_empty() && self.depth == 0;
            self.imports.extend(imports.iter().map(|import| Import { is_top_level, ..import.clone() }));
        }
        if !facts.literals.is_empty() {
            let function = self.function_around();
            let mined = facts.literals.iter().cloned();
            self.literals.extend(mined.map(|(text, kind, line)| Literal {
                text,
                kind,
                line,
                function: function.clone(),
            }));
        }
        let Some(scope) = self.scopes.last_mut().filter(|scope| scope.is_function) else { return };
        scope.yields |= facts.yields;
        match statement {
            Stmt::Global(global) => {
                scope.globals.extend(global.names.iter().map(|name| self.context.text(name)));
            }
            Stmt::Nonlocal(outer) => {
                scope.nonlocals.extend(outer.names.iter().map(|name| self.context.text(name)));
            }
            _ => {}
        }
        let outer: Vec<Text> = scope.globals.iter().chain(&scope.nonlocals).cloned().collect();
        scope.writes.extend(shapes::writes(shape, &facts.calls, &outer, self.context.line(statement)));
    }

    /// The names of the innermost function.
    fn function_around(&self) -> Option<Vec<String>> {
        let innermost = self.scopes.iter().rposition(|scope| scope.is_function)?;
        Some(self.scopes[..=innermost].iter().map(|scope| scope.name.clone()).collect())
    }

    /// The blocks of a statement that opens no scope; their names are its own.
    fn blocks(&mut self, statement: &Stmt, loads: &mut Vec<Text>, stores: &mut Vec<Text>) -> Vec<Body> {
        let own = stores.clone();
        let suites = suites(statement);
        self.depth += 1;
        let mut blocks = Vec::with_capacity(suites.len());
        for suite in suites {
            let body = self.body(suite, false);
            needs(&body).into_iter().filter(|name| !own.contains(name)).for_each(|name| add(loads, name));
            for name in body.iter().flat_map(|statement| &statement.stores) {
                add(stores, name.clone());
            }
            blocks.push(body);
        }
        self.depth -= 1;
        blocks
    }
}

/// Names that a block needs from outside: not surely bound by an earlier statement of it.
fn needs(body: &[Statement]) -> Vec<Text> {
    let mut bound: Vec<Text> = Vec::new();
    let mut needed = Vec::new();
    for statement in body {
        let open = statement.loads.iter().filter(|name| !bound.contains(name));
        open.cloned().for_each(|name| add(&mut needed, name));
        // A branch may be left out; both ways of a `try` usually bind the same.
        if !matches!(statement.shape, Shape::Compound { keyword } if keyword != "try") {
            bound.extend(statement.stores.iter().cloned());
        }
    }
    needed
}

fn is_string(statement: &Stmt) -> bool {
    matches!(statement, Stmt::Expr(expression) if expression.value.is_string_literal_expr())
}

/// Looks at the expressions that belong to the statement itself.
fn header(statement: &Stmt, facts: &mut Facts) {
    match statement {
        Stmt::FunctionDef(function) => definitions::function_header(function, facts),
        Stmt::ClassDef(class) => definitions::class_header(class, facts),
        Stmt::For(it) => {
            facts.visit_expr(&it.iter);
            facts.visit_expr(&it.target);
        }
        Stmt::While(it) => facts.visit_expr(&it.test),
        Stmt::If(it) => {
            facts.visit_expr(&it.test);
            it.elif_else_clauses
                .iter()
                .filter_map(|clause| clause.test.as_ref())
                .for_each(|test| facts.visit_expr(test));
        }
        Stmt::With(it) => it.items.iter().for_each(|item| facts.visit_with_item(item)),
        Stmt::Match(it) => {
            facts.visit_expr(&it.subject);
            for case in &it.cases {
                facts.visit_pattern(&case.pattern);
                let bound = facts.stores.clone();
                facts.look_with(bound, |inner| case.guard.iter().for_each(|guard| inner.visit_expr(guard)));
            }
        }
        Stmt::Try(it) => {
            for ast::ExceptHandler::ExceptHandler(handler) in &it.handlers {
                handler.type_.iter().for_each(|kind| facts.visit_expr(kind));
                handler.name.iter().for_each(|name| facts.store(name));
            }
        }
        Stmt::Import(it) => it.names.iter().for_each(|alias| imported(alias, facts)),
        Stmt::ImportFrom(it) => it.names.iter().for_each(|alias| imported(alias, facts)),
        Stmt::AugAssign(it) => {
            if let Expr::Name(name) = &*it.target {
                facts.load(name);
            }
            facts.visit_stmt(statement);
        }
        Stmt::Global(_) | Stmt::Nonlocal(_) => {}
        simple => facts.visit_stmt(simple),
    }
}

fn imported(alias: &ast::Alias, facts: &mut Facts) {
    match &alias.asname {
        Some(name) => facts.store(name),
        None if alias.name.as_str() == "*" => {}
        None => {
            let first = alias.name.as_str().find(['.', ' ']).unwrap_or(alias.name.as_str().len());
            let start = usize::from(alias.name.start());
            facts.store_part(start..start + first);
        }
    }
}

/// The blocks of a statement that opens no scope.
pub(super) fn suites(statement: &Stmt) -> Vec<&[Stmt]> {
    let mut suites: Vec<&[Stmt]> = Vec::new();
    match statement {
        Stmt::For(it) => suites.extend([&*it.body, &*it.orelse]),
        Stmt::While(it) => suites.extend([&*it.body, &*it.orelse]),
        Stmt::If(it) => {
            suites.push(&it.body);
            suites.extend(it.elif_else_clauses.iter().map(|clause| &*clause.body));
        }
        Stmt::With(it) => suites.push(&it.body),
        Stmt::Match(it) => suites.extend(it.cases.iter().map(|case| &*case.body)),
        Stmt::Try(it) => {
            suites.push(&it.body);
            let handlers = it.handlers.iter();
            suites.extend(handlers.map(|ast::ExceptHandler::ExceptHandler(handler)| &*handler.body));
            suites.extend([&*it.orelse, &*it.finalbody]);
        }
        _ => {}
    }
    suites.retain(|suite| !suite.is_empty());
    suites
}

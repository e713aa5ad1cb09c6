//! Parts of a module: what each says, and when it runs.

use std::collections::{BTreeMap, BTreeSet};

use ruff_python_ast::visitor::transformer::{Transformer, walk_stmt};
use ruff_python_ast::{self as ast, Expr, Stmt, StmtClassDef, StmtFunctionDef};
use ruff_text_size::Ranged;

use super::inert::{constant, is_inert_header, is_run_unasked};
use super::mentions::{Mentions, dotted};
use super::print::{Print, print_of};
use super::{Context, shapes, statements};
use crate::part::{Digest, Part, Parts, Step};

/// Goes through a module once.
pub(super) struct Partition<'c> {
    context: &'c Context<'c>,
    /// Names around the present statement; `<locals>` behind those of functions.
    scope: Vec<String>,
    parts: Parts,
    /// Where the part of each name is.
    known: BTreeMap<String, usize>,
}

impl<'c> Partition<'c> {
    pub(super) fn of(context: &'c Context<'c>, suite: &[Stmt]) -> Parts {
        let mut partition =
            Partition { context, scope: Vec::new(), parts: Parts::default(), known: BTreeMap::new() };
        partition.at_import(suite);
        let mut all = Mentions::default();
        all.look_at(suite);
        partition.parts.names = all.names;
        partition.parts.strings = all.strings;
        partition.parts
    }

    /// The statements of the module or of a class body.
    fn at_import(&mut self, suite: &[Stmt]) {
        for statement in suite {
            match statement {
                Stmt::FunctionDef(function) => self.definition(function),
                Stmt::ClassDef(class) => self.class(class),
                Stmt::If(it) if is_for_type_checkers(&it.test) => {
                    let elsewhere = it.elif_else_clauses.iter();
                    elsewhere.for_each(|clause| self.at_import(&clause.body));
                }
                Stmt::Import(_) | Stmt::ImportFrom(_) if self.scope.is_empty() => {
                    self.note_imports(statement, true);
                    if is_special_import(statement) {
                        self.step(statement);
                    }
                }
                _ => {
                    self.step(statement);
                    self.inside(statement);
                }
            }
        }
    }

    fn step(&mut self, statement: &Stmt) {
        self.note_globals(statement);
        let stripped = without_functions(statement);
        let constant = constant(statement).filter(|_| self.scope.is_empty());
        self.push_step(print_of(&[stripped]), statement, constant);
        self.parts.calls.extend(Mentions::of(std::slice::from_ref(&without_functions(statement))).calls);
    }

    fn note_globals(&mut self, statement: &Stmt) {
        let assigned = match statement {
            Stmt::Assign(it) => it.targets.iter().collect(),
            Stmt::AnnAssign(it) if it.value.is_some() && !is_final(&it.annotation) => vec![&*it.target],
            Stmt::AugAssign(it) => vec![&*it.target],
            _ => Vec::new(),
        };
        let names =
            assigned.into_iter().filter_map(Expr::as_name_expr).filter(|name| !name.id.starts_with("__"));
        let names: Vec<String> = names.map(|name| self.named(&name.id)).collect();
        self.parts.globals.extend(names);
        statements::suites(statement).into_iter().flatten().for_each(|inner| self.note_globals(inner));
    }

    fn push_step(&mut self, print: Digest, at: &impl Ranged, constant: Option<String>) {
        let mut whole = Print::default();
        whole.add(&(&self.scope, print));
        let step = Step { digest: whole.finish(), line: self.context.line(at), constant };
        self.parts.steps.push(step);
    }

    /// A function of the module or of a class body.
    fn definition(&mut self, function: &StmtFunctionDef) {
        let mut header = function.clone();
        header.body.clear();
        self.parts.calls.extend(Mentions::of(&[Stmt::FunctionDef(header.clone())]).calls);
        if is_run_unasked(&function.name) {
            let mut name = Print::default();
            name.add(&function.name.as_str());
            self.push_step(name.finish(), &function.name, None);
        }
        if !is_inert_header(function) {
            self.push_step(print_of(&[Stmt::FunctionDef(header)]), &function.name, None);
        }
        self.function(function);
    }

    fn function(&mut self, function: &StmtFunctionDef) {
        let mut header = function.clone();
        let body = std::mem::take(&mut header.body);
        let body: Vec<Stmt> = body.iter().map(without_functions).collect();
        let decorators = function.decorator_list.iter().map(|decorator| match &decorator.expression {
            Expr::Call(call) => &*call.func,
            plain => plain,
        });
        self.add(Part {
            name: self.named(&function.name),
            line: self.context.line(&function.name),
            header: print_of(&[Stmt::FunctionDef(header)]),
            body: print_of(&body),
            is_class: false,
            calls: Mentions::of(&body).calls,
            decorators: decorators.filter_map(dotted).collect(),
        });
        self.scope.extend([function.name.to_string(), "<locals>".to_owned()]);
        function.body.iter().for_each(|statement| self.inside(statement));
        self.scope.truncate(self.scope.len() - 2);
    }

    /// A class of the module, or of such a class.
    fn class(&mut self, class: &StmtClassDef) {
        self.add_class(class);
        let mut header = class.clone();
        header.body.clear();
        let header = Stmt::ClassDef(header);
        if class.arguments.is_some() || !class.decorator_list.is_empty() || class.type_params.is_some() {
            self.parts.calls.extend(Mentions::of(std::slice::from_ref(&header)).calls);
            self.push_step(print_of(&[header]), &class.name, None);
        }
        self.scope.push(class.name.to_string());
        self.at_import(&class.body);
        self.scope.pop();
    }

    fn add_class(&mut self, class: &StmtClassDef) {
        let bases = class.arguments.iter().flat_map(|arguments| {
            arguments.args.iter().chain(arguments.keywords.iter().map(|keyword| &keyword.value))
        });
        self.add(Part {
            name: self.named(&class.name),
            line: self.context.line(&class.name),
            header: Digest::default(),
            body: Digest::default(),
            is_class: true,
            calls: bases.filter_map(dotted).collect(),
            decorators: BTreeSet::new(),
        });
    }

    /// Looks for functions, classes and imports in a statement whose own print is taken elsewhere.
    fn inside(&mut self, statement: &Stmt) {
        match statement {
            Stmt::FunctionDef(function) => self.function(function),
            Stmt::ClassDef(class) => {
                self.add_class(class);
                self.scope.push(class.name.to_string());
                class.body.iter().for_each(|inner| self.inside(inner));
                self.scope.pop();
            }
            Stmt::Import(_) | Stmt::ImportFrom(_) => self.note_imports(statement, false),
            Stmt::If(it) if is_for_type_checkers(&it.test) => {
                let elsewhere = it.elif_else_clauses.iter().flat_map(|clause| &clause.body);
                elsewhere.for_each(|inner| self.inside(inner));
            }
            _ => {
                let suites = statements::suites(statement);
                suites.into_iter().flatten().for_each(|inner| self.inside(inner));
            }
        }
    }

    fn note_imports(&mut self, statement: &Stmt, is_top_level: bool) {
        let imports = shapes::imports(self.context, statement);
        self.parts.imports.extend(imports.into_iter().map(|import| crate::Import { is_top_level, ..import }));
    }

    fn named(&self, name: &str) -> String {
        self.scope.iter().map(String::as_str).chain([name]).collect::<Vec<_>>().join(".")
    }

    /// Of several with one name, any may be the one that runs.
    fn add(&mut self, part: Part) {
        let Some(&at) = self.known.get(&part.name) else {
            self.known.insert(part.name.clone(), self.parts.parts.len());
            return self.parts.parts.push(part);
        };
        let known = &mut self.parts.parts[at];
        let joined = |one: Digest, other: Digest| {
            let mut print = Print::default();
            print.add(&(one, other));
            print.finish()
        };
        known.header = joined(known.header, part.header);
        known.body = joined(known.body, part.body);
        known.calls.extend(part.calls);
        known.decorators.extend(part.decorators);
    }
}

/// `if TYPE_CHECKING:`, whose body never runs.
fn is_for_type_checkers(test: &Expr) -> bool {
    dotted(test).is_some_and(|name| name.rsplit('.').next() == Some("TYPE_CHECKING"))
}

/// `Final`, `typing.Final[int]`.
fn is_final(annotation: &Expr) -> bool {
    let named = annotation.as_subscript_expr().map_or(annotation, |subscript| &*subscript.value);
    dotted(named).is_some_and(|name| name.rsplit('.').next() == Some("Final"))
}

/// What is more than a name for something of a module.
fn is_special_import(statement: &Stmt) -> bool {
    let Stmt::ImportFrom(it) = statement else { return false };
    it.module.as_deref() == Some("__future__") || it.names.iter().any(|alias| &alias.name == "*")
}

/// The statement with empty functions.
fn without_functions(statement: &Stmt) -> Stmt {
    let mut statement = statement.clone();
    Emptier.visit_stmt(&mut statement);
    statement
}

struct Emptier;

impl Transformer for Emptier {
    fn visit_stmt(&self, statement: &mut Stmt) {
        match statement {
            Stmt::FunctionDef(function) => function.body.clear(),
            _ => walk_stmt(self, statement),
        }
    }

    /// There are no statements in expressions.
    fn visit_expr(&self, _: &mut Expr) {}

    fn visit_type_params(&self, _: &mut ast::TypeParams) {}
}

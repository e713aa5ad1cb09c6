//! Parts of a module: what each says, and when it runs.

use std::collections::{BTreeMap, BTreeSet};

use ruff_python_ast::visitor::transformer::{Transformer, walk_stmt};
use ruff_python_ast::{self as ast, Expr, Stmt, StmtClassDef, StmtFunctionDef};
use ruff_text_size::Ranged;

use super::binding::{Enclosing, Evaluated, assigned_name, is_tidy};
use super::inert::{constant, is_inert_header, is_run_unasked};
use super::mentions::{Mentions, dotted};
use super::print::{Print, print_of};
use super::{Context, shapes, statements};
use crate::part::{Digest, Part, Parts, Step, is_hook};

/// Goes through a module once.
pub(super) struct Partition<'c> {
    context: &'c Context<'c>,
    /// Names around the present statement; `<locals>` behind those of functions.
    scope: Vec<String>,
    /// The classes around it, where it runs at import.
    classes: Vec<Enclosing>,
    parts: Parts,
    /// Where the part of each name is.
    known: BTreeMap<String, usize>,
}

impl<'c> Partition<'c> {
    pub(super) fn of(context: &'c Context<'c>, suite: &[Stmt]) -> Parts {
        let mut partition = Partition {
            context,
            scope: Vec::new(),
            classes: Vec::new(),
            parts: Parts::default(),
            known: BTreeMap::new(),
        };
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
                _ if is_docstring(statement, suite) && self.is_remark(statement) => self.remark(statement),
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
        let evaluated = Evaluated::statement(&stripped);
        let binds = assigned_name(statement).filter(|_| evaluated.is_clear);
        let binds = binds.and_then(|name| self.bound(&name));
        self.parts.calls.extend(Mentions::of(std::slice::from_ref(&stripped)).calls);
        self.push_step(print_of(&[stripped]), statement, constant, binds, evaluated);
        if let Some(step) = self.parts.steps.last_mut() {
            step.is_annotated = statement.is_ann_assign_stmt();
        }
    }

    /// The name that is bound, where no class around it minds; what Python looks up by itself is its class's.
    fn bound(&self, name: &str) -> Option<String> {
        let is_special = name.starts_with("__") && name.ends_with("__") || is_hook(name);
        let is_clear = self.classes.iter().all(|class| class.is_clear);
        match (self.scope.is_empty(), is_special) {
            (true, _) => (!is_hook(name)).then(|| name.to_owned()),
            (false, true) => is_clear.then(|| self.scope.join(".")),
            (false, false) => is_clear.then(|| self.named(name)),
        }
    }

    /// Whether a docstring does nothing by itself: neither are decorators or keywords there which look at it when a class is made,
    /// nor is it a word to pytest.
    fn is_remark(&self, docstring: &Stmt) -> bool {
        let is_order = self.context.text(docstring).contains("PYTEST_DONT_REWRITE");
        self.classes.iter().all(|class| class.is_clear) && !is_order
    }

    /// What the module or a class says about itself.
    fn remark(&mut self, docstring: &Stmt) {
        let print = print_of(std::slice::from_ref(docstring));
        match self.known.get(&self.scope.join(".")) {
            _ if self.scope.is_empty() => self.parts.docstring = print,
            Some(&at) => self.parts.parts[at].docstring = print,
            None => {}
        }
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

    fn push_step(
        &mut self,
        print: Digest,
        at: &impl Ranged,
        constant: Option<String>,
        binds: Option<String>,
        evaluated: Evaluated,
    ) {
        let mut whole = Print::default();
        whole.add(&(&self.scope, print));
        let mut asks = evaluated.asks;
        asks.extend(self.classes.iter().flat_map(|class| class.bases.iter().cloned()));
        let (digest, line) = (whole.finish(), self.context.line(at));
        self.parts.steps.push(Step {
            digest,
            line,
            constant,
            binds,
            asks,
            mentions: evaluated.mentions,
            is_annotated: false,
        });
    }

    /// A function of the module or of a class body.
    fn definition(&mut self, function: &StmtFunctionDef) {
        let mut header = function.clone();
        header.body.clear();
        self.parts.calls.extend(Mentions::of(&[Stmt::FunctionDef(header.clone())]).calls);
        if is_run_unasked(&function.name) {
            let mut name = Print::default();
            name.add(&function.name.as_str());
            let binds = if self.scope.is_empty() { None } else { self.bound("__unasked__") };
            self.push_step(name.finish(), &function.name, None, binds, Evaluated::default());
        }
        let evaluated = Evaluated::header(function);
        if is_inert_header(function) {
            self.parts.headers.insert(self.named(&function.name), evaluated.mentions);
        } else {
            let binds = self.bound(&function.name).filter(|_| evaluated.is_clear);
            self.push_step(print_of(&[Stmt::FunctionDef(header)]), &function.name, None, binds, evaluated);
        }
        self.function(function);
    }

    fn function(&mut self, function: &StmtFunctionDef) {
        let mut header = function.clone();
        let body = std::mem::take(&mut header.body);
        let mut annotations = Digest::default();
        if is_inert_header(function) {
            annotations = print_of(&[Stmt::FunctionDef(header.clone())]);
            without_annotations(&mut header);
        }
        let is_remark = |statement: &&Stmt| is_docstring(statement, &body) && is_inert_header(function);
        let docstring = print_of(body.iter().filter(is_remark).cloned().collect::<Vec<_>>().as_slice());
        let body: Vec<Stmt> =
            body.iter().filter(|statement| !is_remark(statement)).map(without_functions).collect();
        let decorators = function.decorator_list.iter().map(|decorator| match &decorator.expression {
            Expr::Call(call) => &*call.func,
            plain => plain,
        });
        let Mentions { calls, names, strings } = Mentions::of(&body);
        self.add(Part {
            name: self.named(&function.name),
            line: self.context.line(&function.name),
            header: print_of(&[Stmt::FunctionDef(header)]),
            body: print_of(&body),
            docstring,
            annotations,
            is_tidy: is_tidy(&body),
            is_class: false,
            calls,
            decorators: decorators.filter_map(dotted).collect(),
            mentions: names.into_iter().chain(strings).collect(),
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
        let enclosing = Enclosing::of(class);
        if class.arguments.is_some() || !class.decorator_list.is_empty() || class.type_params.is_some() {
            self.parts.calls.extend(Mentions::of(std::slice::from_ref(&header)).calls);
            let evaluated = Evaluated::class(class);
            let binds = self.bound(&class.name).filter(|_| enclosing.is_clear && evaluated.is_clear);
            self.push_step(print_of(&[header]), &class.name, None, binds, evaluated);
        }
        self.scope.push(class.name.to_string());
        self.classes.push(enclosing);
        self.at_import(&class.body);
        self.classes.pop();
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
            docstring: Digest::default(),
            annotations: Digest::default(),
            is_tidy: false,
            is_class: true,
            calls: bases.filter_map(dotted).collect(),
            decorators: BTreeSet::new(),
            mentions: BTreeSet::new(),
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
        known.docstring = joined(known.docstring, part.docstring);
        known.annotations = joined(known.annotations, part.annotations);
        known.is_tidy &= part.is_tidy;
        known.calls.extend(part.calls);
        known.decorators.extend(part.decorators);
        known.mentions.extend(part.mentions);
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

/// A string that stands first, and that Python keeps as what is said about the whole.
fn is_docstring(statement: &Stmt, suite: &[Stmt]) -> bool {
    let is_first = suite.first().is_some_and(|first| first.range() == statement.range());
    is_first && matches!(statement, Stmt::Expr(it) if it.value.is_string_literal_expr())
}

pub(super) fn without_annotations(header: &mut StmtFunctionDef) {
    header.returns = None;
    let parameters = &mut *header.parameters;
    let ordinary = [&mut parameters.posonlyargs, &mut parameters.args, &mut parameters.kwonlyargs];
    for parameter in ordinary.into_iter().flatten() {
        parameter.parameter.annotation = None;
    }
    for parameter in [&mut parameters.vararg, &mut parameters.kwarg].into_iter().flatten() {
        parameter.annotation = None;
    }
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

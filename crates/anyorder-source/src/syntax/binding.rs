//! Statements at import that bind one name, and what would have to be quiet for them to do nothing else.

use std::collections::BTreeSet;

use ruff_python_ast::visitor::source_order::{SourceOrderVisitor, walk_expr, walk_stmt};
use ruff_python_ast::{Decorator, Expr, Stmt, StmtClassDef, StmtFunctionDef};

use super::inert::{is_elsewhere, is_known_call, is_quiet_decorator};
use super::mentions::{Mentions, dotted};

/// What runs when something is defined or assigned.
#[derive(Default)]
pub(super) struct Evaluated {
    /// What may run, as far as it has a name and is not known to be quiet; bases have `:` before them.
    pub(super) asks: BTreeSet<String>,
    /// Names and strings.
    pub(super) mentions: BTreeSet<String>,
    /// Whether all that may run is among `asks`.
    pub(super) is_clear: bool,
}

impl Evaluated {
    pub(super) fn statement(statement: &Stmt) -> Self {
        Evaluated::with(statement, |asked| asked.visit_stmt(statement))
    }

    /// Decorators and defaults. Annotations count where decorators are there to look at them.
    pub(super) fn header(function: &StmtFunctionDef) -> Self {
        let mut header = function.clone();
        header.body.clear();
        if function.decorator_list.iter().all(|decorator| is_quiet_decorator(&decorator.expression)) {
            super::parts::without_annotations(&mut header);
        }
        Evaluated::with(&Stmt::FunctionDef(header.clone()), |asked| {
            header.decorator_list.iter().for_each(|decorator| asked.decorator(decorator));
            asked.visit_parameters(&header.parameters);
        })
    }

    /// Bases and decorators.
    pub(super) fn class(class: &StmtClassDef) -> Self {
        let mut header = class.clone();
        header.body.clear();
        let mut evaluated = Evaluated::with(&Stmt::ClassDef(header), |asked| {
            class.decorator_list.iter().for_each(|decorator| asked.decorator(decorator));
        });
        evaluated.asks.extend(Enclosing::of(class).bases);
        evaluated
    }

    fn with(statement: &Stmt, look: impl FnOnce(&mut Asked)) -> Self {
        let mut asked = Asked::default();
        look(&mut asked);
        let Mentions { names, strings, .. } = Mentions::of(std::slice::from_ref(statement));
        Evaluated {
            asks: asked.asks,
            mentions: names.into_iter().chain(strings).collect(),
            is_clear: !asked.is_unclear,
        }
    }
}

/// A class around statements that run at import.
pub(super) struct Enclosing {
    /// Those that it is derived from, with `:` before them.
    pub(super) bases: BTreeSet<String>,
    /// Whether nothing but its bases can look at it when it is made.
    pub(super) is_clear: bool,
}

impl Enclosing {
    pub(super) fn of(class: &StmtClassDef) -> Self {
        let arguments = class.arguments.iter();
        let expressions: Vec<&Expr> = arguments.clone().flat_map(|arguments| &arguments.args).collect();
        let named = |base: &&Expr| dotted(base.as_subscript_expr().map_or(*base, |it| &*it.value));
        let bases: BTreeSet<String> =
            expressions.iter().filter_map(named).map(|name| format!(":{name}")).collect();
        let has_keywords = arguments.into_iter().any(|arguments| !arguments.keywords.is_empty());
        let is_clear = class.decorator_list.is_empty()
            && !has_keywords
            && expressions.iter().all(|base| named(base).is_some());
        Enclosing { bases, is_clear }
    }
}

/// The name in `NAME = value`, `NAME: type = value` and `NAME: type`.
pub(super) fn assigned_name(statement: &Stmt) -> Option<String> {
    let target = match statement {
        Stmt::Assign(it) if it.targets.len() == 1 => &it.targets[0],
        Stmt::AnnAssign(it) => &*it.target,
        _ => return None,
    };
    target.as_name_expr().map(|name| name.id.to_string())
}

/// Whether statements assign nothing but variables and attributes of `self`.
pub(super) fn is_tidy(body: &[Stmt]) -> bool {
    let mut look = Untidy::default();
    body.iter().for_each(|statement| look.visit_stmt(statement));
    !look.is_untidy
}

/// Looks for what may run.
#[derive(Default)]
struct Asked {
    asks: BTreeSet<String>,
    is_unclear: bool,
}

impl Asked {
    fn decorator(&mut self, decorator: &Decorator) {
        match &decorator.expression {
            known if is_quiet_decorator(known) => {}
            Expr::Call(call) => {
                let name = dotted(&call.func);
                let is_mark = name.as_ref().is_some_and(|name| is_known_call(name));
                self.is_unclear |= name.is_none() || is_elsewhere(&call.arguments);
                self.asks.extend(name.filter(|_| !is_mark));
                self.visit_arguments(&call.arguments);
            }
            plain => self.ask(plain),
        }
    }

    fn ask(&mut self, callee: &Expr) {
        match dotted(callee) {
            Some(name) if is_known_call(&name) => {}
            Some(name) => drop(self.asks.insert(name)),
            None => self.is_unclear = true,
        }
    }
}

impl<'a> SourceOrderVisitor<'a> for Asked {
    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Call(call) => {
                self.ask(&call.func);
                let handed = call.arguments.args.iter();
                let handed = handed.chain(call.arguments.keywords.iter().map(|keyword| &keyword.value));
                self.asks.extend(handed.filter_map(dotted).map(|name| format!("&{name}")));
            }
            Expr::Lambda(_) => return,
            Expr::Named(_) | Expr::Await(_) | Expr::Yield(_) | Expr::YieldFrom(_) => self.is_unclear = true,
            _ => {}
        }
        walk_expr(self, expression);
    }
}

/// Looks for what leaves something elsewhere.
#[derive(Default)]
struct Untidy {
    is_untidy: bool,
}

impl Untidy {
    fn target(&mut self, target: &Expr) {
        match target {
            Expr::Name(_) => {}
            Expr::Tuple(it) => it.elts.iter().for_each(|one| self.target(one)),
            Expr::Attribute(it) => self.is_untidy |= dotted(&it.value).as_deref() != Some("self"),
            _ => self.is_untidy = true,
        }
    }
}

impl<'a> SourceOrderVisitor<'a> for Untidy {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::Assign(it) => it.targets.iter().for_each(|target| self.target(target)),
            Stmt::AnnAssign(it) => self.target(&it.target),
            Stmt::For(it) => self.target(&it.target),
            Stmt::Assert(_)
            | Stmt::Expr(_)
            | Stmt::FunctionDef(_)
            | Stmt::If(_)
            | Stmt::Pass(_)
            | Stmt::Raise(_)
            | Stmt::Return(_)
            | Stmt::Try(_) => {}
            _ => self.is_untidy = true,
        }
        walk_stmt(self, statement);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        let is_loud =
            matches!(expression, Expr::Named(_) | Expr::Await(_) | Expr::Yield(_) | Expr::YieldFrom(_));
        let is_unnamed = matches!(expression, Expr::Call(call) if dotted(&call.func).is_none()
            && !matches!(&*call.func, Expr::Attribute(_)));
        self.is_untidy |= is_loud || is_unnamed;
        walk_expr(self, expression);
    }
}

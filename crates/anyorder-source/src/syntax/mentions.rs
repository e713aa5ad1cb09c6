//! The names and strings that code mentions, and the names that it may call.

use std::collections::BTreeSet;

use ruff_python_ast::visitor::source_order::{SourceOrderVisitor, walk_decorator, walk_expr, walk_stmt};
use ruff_python_ast::{self as ast, Expr, Stmt};

/// What was mentioned.
#[derive(Default)]
pub(super) struct Mentions {
    pub(super) calls: BTreeSet<String>,
    pub(super) names: BTreeSet<String>,
    pub(super) strings: BTreeSet<String>,
}

impl Mentions {
    pub(super) fn of(statements: &[Stmt]) -> Self {
        let mut mentions = Mentions::default();
        mentions.look_at(statements);
        mentions
    }

    pub(super) fn look_at(&mut self, statements: &[Stmt]) {
        self.visit_body(statements);
    }

    /// What is called, or entered, runs.
    fn runs(&mut self, expression: &Expr) {
        match expression {
            Expr::Attribute(it) => {
                let name = dotted(expression).unwrap_or_else(|| format!(".{}", it.attr));
                self.calls.insert(name);
            }
            _ => self.calls.extend(dotted(expression)),
        }
    }

    /// What is handed over to a call may run.
    fn may_run(&mut self, expression: &Expr) {
        self.calls.extend(dotted(expression).map(|name| format!("&{name}")));
    }
}

impl<'a> SourceOrderVisitor<'a> for Mentions {
    /// A metaclass runs where a class is made.
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        if let Stmt::ClassDef(class) = statement {
            let keywords = class.arguments.iter().flat_map(|arguments| &arguments.keywords);
            keywords.for_each(|keyword| self.runs(&keyword.value));
        }
        walk_stmt(self, statement);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Name(it) => {
                self.names.insert(it.id.to_string());
            }
            Expr::Attribute(it) => {
                self.names.insert(it.attr.to_string());
            }
            Expr::StringLiteral(it) => {
                self.strings.insert(it.value.to_str().to_owned());
            }
            Expr::Call(it) => {
                self.runs(&it.func);
                it.arguments.args.iter().for_each(|argument| self.may_run(argument));
                it.arguments.keywords.iter().for_each(|keyword| self.may_run(&keyword.value));
            }
            _ => {}
        }
        walk_expr(self, expression);
    }

    fn visit_interpolated_string_element(&mut self, element: &'a ast::InterpolatedStringElement) {
        if let ast::InterpolatedStringElement::Literal(literal) = element {
            self.strings.insert(literal.value.to_string());
        }
        ruff_python_ast::visitor::source_order::walk_interpolated_string_element(self, element);
    }

    fn visit_decorator(&mut self, decorator: &'a ast::Decorator) {
        self.runs(&decorator.expression);
        walk_decorator(self, decorator);
    }

    fn visit_with_item(&mut self, item: &'a ast::WithItem) {
        self.runs(&item.context_expr);
        ruff_python_ast::visitor::source_order::walk_with_item(self, item);
    }
}

/// `a`, or `a.b.c`; nothing for anything else.
pub(super) fn dotted(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Name(it) => Some(it.id.to_string()),
        Expr::Attribute(it) => dotted(&it.value).map(|before| format!("{before}.{}", it.attr)),
        _ => None,
    }
}

//! What expressions load, bind, call and mention.

use ruff_python_ast::visitor::source_order::{SourceOrderVisitor, walk_expr, walk_pattern};
use ruff_python_ast::{self as ast, AnyNodeRef, Expr, ExprContext, Identifier};
use ruff_text_size::Ranged;

use super::{Context, range};
use crate::{Call, LiteralKind, Text};

/// What some expressions of one scope are found to do.
pub(super) struct Facts<'c> {
    pub(super) context: &'c Context<'c>,
    pub(super) loads: Vec<Text>,
    pub(super) stores: Vec<Text>,
    pub(super) calls: Vec<Call>,
    pub(super) literals: Vec<(Text, LiteralKind, usize)>,
    pub(super) yields: bool,
    /// Bound by `:=`, which a comprehension does not keep to itself.
    walruses: Vec<Text>,
}

/// Adds what is not there yet.
pub(super) fn add(names: &mut Vec<Text>, name: Text) {
    if !names.contains(&name) {
        names.push(name);
    }
}

impl<'c> Facts<'c> {
    pub(super) fn new(context: &'c Context<'c>) -> Self {
        Facts {
            context,
            loads: Vec::new(),
            stores: Vec::new(),
            calls: Vec::new(),
            literals: Vec::new(),
            yields: false,
            walruses: Vec::new(),
        }
    }

    pub(super) fn load(&mut self, name: &impl Ranged) {
        add(&mut self.loads, self.context.text(name));
    }

    pub(super) fn store(&mut self, name: &Identifier) {
        add(&mut self.stores, self.context.text(name));
    }

    pub(super) fn store_part(&mut self, range: std::ops::Range<usize>) {
        add(&mut self.stores, Text::of(self.context.text, range));
    }

    /// What `:=` bound is bound where the statement stands.
    pub(super) fn settle(&mut self) {
        for name in std::mem::take(&mut self.walruses) {
            add(&mut self.stores, name);
        }
    }

    /// Looks at something that sees these names as its own.
    pub(super) fn look_with(&mut self, own: Vec<Text>, look: impl FnOnce(&mut Facts<'c>)) {
        self.look_inside(|inner| {
            inner.stores = own;
            look(inner);
        });
    }

    /// Looks into a lambda or comprehension, whose own names nobody else sees.
    fn look_inside(&mut self, look: impl FnOnce(&mut Facts<'c>)) {
        let mut inner = Facts::new(self.context);
        look(&mut inner);
        for name in inner.loads.into_iter().filter(|name| !inner.stores.contains(name)) {
            add(&mut self.loads, name);
        }
        self.walruses.extend(inner.walruses);
        self.calls.extend(inner.calls);
        self.literals.extend(inner.literals);
    }

    fn lambda(&mut self, lambda: &ast::ExprLambda) {
        let parameters = lambda.parameters.as_deref();
        let defaults = parameters.into_iter().flat_map(ast::Parameters::iter_non_variadic_params);
        defaults.filter_map(|parameter| parameter.default()).for_each(|default| self.visit_expr(default));
        self.look_inside(|inner| {
            let own = parameters.into_iter().flat_map(ast::Parameters::iter);
            own.for_each(|parameter| inner.store(&parameter.as_parameter().name));
            inner.visit_expr(&lambda.body);
        });
    }

    fn call(&mut self, call: &ast::ExprCall) {
        let written = call_of(self.context, call);
        self.calls.push(written);
        for argument in &call.arguments.args {
            self.mention_class(argument);
        }
        for keyword in &call.arguments.keywords {
            self.mention_class(&keyword.value);
        }
    }

    fn mention_class(&mut self, argument: &Expr) {
        let name = match argument {
            Expr::Name(name) => name.id.as_str(),
            Expr::Attribute(attribute) => attribute.attr.as_str(),
            _ => return,
        };
        let looks_like_a_class = name.starts_with(|first: char| first.is_uppercase())
            && name.contains(|letter: char| letter.is_lowercase());
        if looks_like_a_class {
            self.mention(argument, LiteralKind::Class);
        }
    }

    fn mention(&mut self, what: &Expr, kind: LiteralKind) {
        self.literals.push((self.context.text(what), kind, self.context.line(what)));
    }

    fn name(&mut self, name: &ast::ExprName) {
        let text = self.context.text(name);
        match name.ctx {
            ExprContext::Store => add(&mut self.stores, text),
            // What is deleted must be there.
            ExprContext::Load | ExprContext::Del | ExprContext::Invalid => add(&mut self.loads, text),
        }
    }
}

impl<'a> SourceOrderVisitor<'a> for Facts<'_> {
    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Name(name) => self.name(name),
            Expr::Lambda(lambda) => return self.lambda(lambda),
            Expr::ListComp(_) | Expr::SetComp(_) | Expr::DictComp(_) | Expr::Generator(_) => {
                return self.look_inside(|inner| walk_expr(inner, expression));
            }
            Expr::Named(named) => {
                self.walruses.push(self.context.text(&*named.target));
                return self.visit_expr(&named.value);
            }
            Expr::Yield(_) | Expr::YieldFrom(_) => self.yields = true,
            Expr::Call(call) => self.call(call),
            Expr::StringLiteral(_) => self.mention(expression, LiteralKind::String),
            Expr::BytesLiteral(_) => self.mention(expression, LiteralKind::Bytes),
            Expr::NumberLiteral(_) => self.mention(expression, LiteralKind::Number),
            Expr::BooleanLiteral(_) => self.mention(expression, LiteralKind::Bool),
            Expr::NoneLiteral(_) => self.mention(expression, LiteralKind::None),
            Expr::UnaryOp(minus)
                if minus.op == ast::UnaryOp::USub && minus.operand.is_number_literal_expr() =>
            {
                return self.mention(expression, LiteralKind::Number);
            }
            _ => {}
        }
        walk_expr(self, expression);
    }

    fn visit_pattern(&mut self, pattern: &'a ast::Pattern) {
        let bound = match pattern {
            ast::Pattern::MatchAs(pattern) => pattern.name.as_ref(),
            ast::Pattern::MatchStar(pattern) => pattern.name.as_ref(),
            ast::Pattern::MatchMapping(pattern) => pattern.rest.as_ref(),
            _ => None,
        };
        bound.into_iter().for_each(|name| self.store(name));
        walk_pattern(self, pattern);
    }
}

/// The call as written, parentheses around arguments included.
pub(super) fn call_of(context: &Context, call: &ast::ExprCall) -> Call {
    let arguments = AnyNodeRef::from(&call.arguments);
    let function = usize::from(call.start())..usize::from(call.arguments.start());
    let written = |argument: &Expr| written(context, argument, arguments);
    Call {
        function: Text::of(
            context.text,
            function.start..function.start + context.text[function].trim_end().len(),
        ),
        arguments: call.arguments.args.iter().map(written).collect(),
        keywords: call
            .arguments
            .keywords
            .iter()
            .map(|keyword| (keyword.arg.as_ref().map(|name| context.text(name)), written(&keyword.value)))
            .collect(),
        line: context.line(call),
        range: range(call),
    }
}

/// An expression with the parentheses around it, without which it may not stand alone.
pub(super) fn written(context: &Context, expression: &Expr, parent: AnyNodeRef) -> Text {
    let parentheses = ruff_python_ast::token::parenthesized_range(expression.into(), parent, context.tokens);
    parentheses.map_or_else(|| context.text(expression), |range| context.text(&range))
}

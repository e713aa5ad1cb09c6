//! Functions and classes.

use ruff_python_ast::visitor::source_order::SourceOrderVisitor;
use ruff_python_ast::{self as ast, Stmt, StmtClassDef, StmtFunctionDef};

use super::facts::{Facts, add, written};
use super::statements::{Reader, Scope};
use super::{Context, range};
use crate::{Body, Class, Expression, Function, Parameter, ParameterKind, Statement, Text};

impl Reader<'_> {
    /// Reads a function and keeps it; adds what it needs from outside to `loads`.
    pub(super) fn function(&mut self, function: &StmtFunctionDef, loads: &mut Vec<Text>) -> Body {
        let class = self.scopes.last().filter(|scope| !scope.is_function).map(|_| self.names());
        let (body, scope, names) = self.inside(function.name.as_str(), true, &function.body);
        let mut bound = type_parameters(function.type_params.as_deref(), self.context);
        bound.extend(function.parameters.iter().map(|parameter| self.context.text(parameter.name())));
        let outer = |name: &Text| scope.globals.contains(name) || scope.nonlocals.contains(name);
        let stored = body.iter().flat_map(|statement| &statement.stores).filter(|name| !outer(name));
        bound.extend(stored.cloned());
        keep_needed(loads, &body, &bound);
        self.functions.push(Function {
            names,
            line: self.context.line(&function.name),
            end_line: self.context.end_line(function),
            range: range(function),
            is_async: function.is_async,
            is_generator: scope.yields,
            parameters: self.parameters(&function.parameters),
            decorators: self.decorators(&function.decorator_list),
            body: body.clone(),
            class,
            globals: scope.globals,
            writes: scope.writes,
            parentheses: range(&*function.parameters),
        });
        body
    }

    /// Reads a class and keeps it; adds what it needs from outside to `loads`.
    pub(super) fn class(&mut self, class: &StmtClassDef, loads: &mut Vec<Text>) -> Body {
        let (body, _, names) = self.inside(class.name.as_str(), false, &class.body);
        let mut bound = type_parameters(class.type_params.as_deref(), self.context);
        bound.extend(body.iter().flat_map(|statement| &statement.stores).cloned());
        keep_needed(loads, &body, &bound);
        let bases = class.arguments.iter().flat_map(|arguments| {
            arguments.args.iter().map(|base| written(self.context, base, (&**arguments).into()))
        });
        self.classes.push(Class {
            names,
            line: self.context.line(&class.name),
            end_line: self.context.end_line(class),
            range: range(class),
            bases: bases.collect(),
            decorators: self.decorators(&class.decorator_list),
            body: body.clone(),
        });
        body
    }

    fn inside(&mut self, name: &str, is_function: bool, suite: &[Stmt]) -> (Body, Scope, Vec<String>) {
        self.scopes.push(Scope {
            name: name.to_owned(),
            is_function,
            yields: false,
            globals: Vec::new(),
            nonlocals: Vec::new(),
            writes: Vec::new(),
        });
        let names = self.names();
        let body = self.body(suite, true);
        (body, self.scopes.pop().expect("pushed above"), names)
    }

    fn names(&self) -> Vec<String> {
        self.scopes.iter().map(|scope| scope.name.clone()).collect()
    }

    fn decorators(&self, decorators: &[ast::Decorator]) -> Vec<Expression> {
        let written = |decorator: &ast::Decorator| Expression {
            text: written(self.context, &decorator.expression, decorator.into()),
            line: self.context.line(decorator),
            range: range(&decorator.expression),
        };
        decorators.iter().map(written).collect()
    }

    fn parameters(&self, parameters: &ast::Parameters) -> Vec<Parameter> {
        let plain = |kind: ParameterKind| {
            move |it: &ast::ParameterWithDefault| Parameter {
                name: self.context.text(it.name()),
                has_default: it.default.is_some(),
                kind,
                range: range(it),
            }
        };
        let rest = |kind: ParameterKind| {
            move |it: &ast::Parameter| Parameter {
                name: self.context.text(&it.name),
                has_default: false,
                kind,
                range: range(it),
            }
        };
        let mut all: Vec<Parameter> = Vec::with_capacity(parameters.len());
        all.extend(parameters.posonlyargs.iter().map(plain(ParameterKind::PositionalOnly)));
        all.extend(parameters.args.iter().map(plain(ParameterKind::Plain)));
        all.extend(parameters.vararg.as_deref().map(rest(ParameterKind::Rest)));
        all.extend(parameters.kwonlyargs.iter().map(plain(ParameterKind::KeywordOnly)));
        all.extend(parameters.kwarg.as_deref().map(rest(ParameterKind::KeywordRest)));
        all
    }
}

fn type_parameters(parameters: Option<&ast::TypeParams>, context: &Context) -> Vec<Text> {
    let names = parameters.into_iter().flat_map(|parameters| parameters.iter());
    names.map(|parameter| context.text(parameter.name())).collect()
}

/// Looks at what is evaluated where the function is defined.
pub(super) fn function_header(function: &StmtFunctionDef, facts: &mut Facts) {
    function.decorator_list.iter().for_each(|decorator| facts.visit_decorator(decorator));
    let defaults = function.parameters.iter_non_variadic_params().filter_map(|parameter| parameter.default());
    defaults.for_each(|default| facts.visit_expr(default));
    let annotations = function.parameters.iter().filter_map(ast::AnyParameterRef::annotation);
    let annotations = annotations.chain(function.returns.as_deref());
    facts.look_with(type_parameters(function.type_params.as_deref(), facts.context), |inner| {
        annotations.for_each(|annotation| inner.visit_expr(annotation));
    });
    facts.store(&function.name);
}

/// Looks at what is evaluated where the class is defined.
pub(super) fn class_header(class: &StmtClassDef, facts: &mut Facts) {
    class.decorator_list.iter().for_each(|decorator| facts.visit_decorator(decorator));
    facts.look_with(type_parameters(class.type_params.as_deref(), facts.context), |inner| {
        class.arguments.iter().for_each(|arguments| inner.visit_arguments(arguments));
    });
    facts.store(&class.name);
}

fn keep_needed(loads: &mut Vec<Text>, body: &[Statement], bound: &[Text]) {
    let inside = body.iter().flat_map(|statement| &statement.loads);
    inside.filter(|name| !bound.contains(name)).cloned().for_each(|name| add(loads, name));
}

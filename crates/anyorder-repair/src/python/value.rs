//! Values for calls: literals and classes of the tests and of the code, what getters give, and what constructors make.

use anyorder_source::{Class, Function, Literal, LiteralKind, ParameterKind, Shape, Source, Target};

use super::site::Site;
use super::text::module;

/// So many literals are tried for a parameter, and so many of each other sort.
const VALUES: usize = 12;

/// An expression that can be an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Value {
    /// It may name modules.
    pub(super) text: String,
    /// The file whose names it needs.
    pub(super) home: Option<String>,
}

/// How many arguments a function has to be given.
pub(super) fn required(function: &Function) -> usize {
    let is_static = function.decorators.iter().any(|decorator| decorator.text.as_str() == "staticmethod");
    let receiver = usize::from(function.class.is_some() && !is_static);
    let wanted = function.parameters.iter().skip(receiver).filter(|parameter| {
        let is_plain = matches!(parameter.kind, ParameterKind::Plain | ParameterKind::PositionalOnly);
        is_plain && !parameter.has_default
    });
    wanted.count()
}

/// Literals and classes of the test, then of its file, then of the module; then what getters and constructors give.
pub(super) fn values(name: &str, source: &Source, site: Option<&Site>) -> Vec<Value> {
    let mut values: Vec<Value> = vec![];
    let mut add = |literal: &Literal, home: Option<&String>| {
        let home = home.filter(|_| literal.kind == LiteralKind::Class).cloned();
        let text = literal.text.to_string();
        if values.len() < VALUES && !values.iter().any(|value| value.text == text) {
            values.push(Value { text, home });
        }
    };
    if let Some(site) = site {
        let (inside, outside): (Vec<&Literal>, Vec<&Literal>) = site
            .source
            .literals()
            .iter()
            .partition(|literal| literal.function.as_ref() == Some(&site.function.names));
        inside.into_iter().chain(outside).for_each(|literal| add(literal, Some(&site.file)));
    }
    let plain = source.literals().iter().filter(|literal| literal.kind != LiteralKind::Class);
    plain.for_each(|literal| add(literal, None));
    let classes = source.classes().iter().filter(|class| class.names.len() == 1).map(Class::name);
    let made =
        classes.clone().filter(|class| is_made_of_nothing(source, class)).map(|class| format!("{class}()"));
    let got = getters(source).map(|getter| format!("{getter}()"));
    let named = |text: String| Value { text: format!("{}.{text}", module(name)), home: None };
    values.extend(classes.take(VALUES).map(str::to_owned).map(named));
    values.extend(got.take(VALUES).chain(made.take(VALUES)).map(named));
    values
}

/// Functions of a module that give something and ask for nothing.
pub(super) fn getters(source: &Source) -> impl Iterator<Item = String> {
    let gives = |function: &&Function| {
        let is_plain = function.names.len() == 1 && !function.is_async && !function.is_generator;
        is_plain && required(function) == 0 && function.body.iter().any(returns_something)
    };
    source.functions().iter().filter(gives).map(|function| function.name().to_owned())
}

fn returns_something(statement: &anyorder_source::Statement) -> bool {
    statement.walk().into_iter().any(|inner| matches!(inner.shape, Shape::Return) && inner.text != "return")
}

/// Whether a class can be called without arguments, as far as its own text says.
pub(super) fn is_made_of_nothing(source: &Source, class: &str) -> bool {
    let is_abstract = source.class(&[class]).is_none_or(|class| class.name().starts_with("Abstract"));
    !is_abstract && source.function(&[class, "__init__"]).is_none_or(|init| required(init) == 0)
}

/// A name of the module that holds what this class or function has made.
pub(super) fn held_by(source: &Source, maker: &str) -> Option<String> {
    source.top_level().iter().find_map(|statement| match &statement.shape {
        Shape::Assign { targets, value } if value.starts_with(&format!("{maker}(")) => match &targets[..] {
            [Target::Name(name)] => Some(name.to_string()),
            _ => None,
        },
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_come_from_literals_classes_getters_and_constructors() {
        let text = "class Clock:\n    pass\n\n\nclass Frozen:\n    def __init__(self, time):\n        self.time = 3\n\n\n\
                    def current():\n    return clock\n\n\ndef use(clock):\n    pass\n\n\nclock = Clock()\n";
        let source = Source::parse(text).unwrap();
        let texts: Vec<String> = values("app", &source, None).into_iter().map(|value| value.text).collect();
        let of_app = |name: &str| format!("{}.{name}", module("app"));
        let names = ["Clock", "Frozen", "current()", "Clock()"].map(of_app);
        assert_eq!(texts[0], "3");
        assert_eq!(texts[1..], names);
        assert_eq!(held_by(&source, "Clock").as_deref(), Some("clock"));
        assert_eq!(source.functions().iter().map(required).collect::<Vec<_>>(), [1, 0, 1]);
    }
}

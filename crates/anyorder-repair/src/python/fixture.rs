//! Code around a test: the lines of a fixture, of a test itself, and of a `unittest` test.

use super::keep::Keep;
use super::text::{defined, module};
use super::undo::Undo;

/// How long what a fixture does lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// It is asked for by name.
    Named,
    /// Around each test of the file.
    EachTest,
    /// Around all tests of the file together.
    AllTests,
}

/// A fixture around tests.
pub(super) struct Fixture<'a> {
    pub(super) name: &'a str,
    pub(super) reach: Reach,
    /// Fixtures that it needs itself.
    pub(super) parameters: &'a [String],
    /// What it does before the test.
    pub(super) first: &'a [String],
}

impl Fixture<'_> {
    /// Its lines, if it keeps these cells and stands in the module `own`.
    pub(super) fn lines(&self, keeps: &[Keep], own: Option<&str>) -> Vec<String> {
        let options = match self.reach {
            Reach::Named => "",
            Reach::EachTest => "(autouse=True)",
            Reach::AllTests => "(scope=\"module\", autouse=True)",
        };
        let heading = format!("def {}({}):", defined(self.name), self.parameters.join(", "));
        let managers: Vec<&str> = keeps.iter().filter_map(|keep| keep.manager.as_deref()).collect();
        let with = (!managers.is_empty()).then(|| format!("with {}:", managers.join(", ")));
        let inside = self.first.iter().cloned().chain(["yield".to_owned()]);
        let deeper = if with.is_some() { "    " } else { "" };
        let body = [globals(keeps, own), saves(keeps)].concat().into_iter();
        let body = body.chain(with).chain(inside.map(|line| format!("{deeper}{line}")));
        let body = body.chain(undone(keeps, own)).map(|line| format!("    {line}"));
        [format!("@{}.fixture{options}", module("pytest")), heading].into_iter().chain(body).collect()
    }
}

/// The lines of a fixture that keeps cells and does nothing else; `own` is the module that it stands in.
pub(super) fn fixture(name: &str, keeps: &[Keep], reach: Reach, own: Option<&str>) -> Vec<String> {
    Fixture { name, reach, parameters: &[], first: &[] }.lines(keeps, own)
}

/// The decorator of a test that uses a fixture which is about to be defined.
pub(super) fn used(name: &str) -> String {
    format!("{}.mark.usefixtures(\"{}\")", module("pytest"), defined(name))
}

/// Names of the file's own that have to be declared before they are bound.
pub(super) fn globals(keeps: &[Keep], own: Option<&str>) -> Vec<String> {
    let undos = keeps.iter().flat_map(|keep| &keep.undo);
    let bound = |undo: &Undo| match undo {
        Undo::Set { .. } => undo.binds(own?).map(str::to_owned),
        _ => None,
    };
    let names: Vec<String> = undos.filter_map(bound).collect();
    if names.is_empty() { vec![] } else { vec![format!("global {}", names.join(", "))] }
}

/// What is done before anything is changed.
pub(super) fn saves(keeps: &[Keep]) -> Vec<String> {
    keeps.iter().flat_map(|keep| keep.save.clone()).collect()
}

/// What is done behind all that is changed.
pub(super) fn undone(keeps: &[Keep], own: Option<&str>) -> Vec<String> {
    let undos = keeps.iter().flat_map(|keep| &keep.undo);
    undos.flat_map(|undo| at_home(undo, own).lines()).collect()
}

/// A name of the file's own cannot be deleted through its module.
fn at_home(undo: &Undo, own: Option<&str>) -> Undo {
    match undo {
        Undo::Unset { name, .. } if own.is_some_and(|own| undo.binds(own).is_some()) => Undo::Call {
            function: "globals().pop".to_owned(),
            arguments: vec![format!("\"{name}\""), "None".to_owned()],
        },
        Undo::Set { name, value, .. } if own.is_some_and(|own| undo.binds(own).is_some()) => {
            Undo::Statement(format!("{name} = {value}"))
        }
        other => other.clone(),
    }
}

/// The first lines of a `unittest` test or set-up that keeps cells, with what adds a clean-up there; nothing where they would be
/// hard to read.
pub(super) fn cleanups(keeps: &[Keep], own: Option<&str>, adds: &str) -> Option<Vec<String>> {
    let keeps: Vec<Keep> = by_hand(keeps, str::to_owned).iter().map(at_once).collect();
    let mut lines = saves(&keeps);
    // What is added last is done first.
    for undo in keeps.iter().flat_map(|keep| &keep.undo).rev() {
        let own_name = own.and_then(|own| undo.binds(own));
        let cleanup = match (undo, own_name) {
            (Undo::Set { value, .. }, Some(name)) => Some(format!("globals().update, {name}={value}")),
            (Undo::Unset { .. }, Some(name)) => Some(format!("globals().pop, \"{name}\", None")),
            _ => undo.cleanup(),
        };
        lines.push(format!("{adds}({})", cleanup?));
    }
    Some(lines)
}

/// Without `with`, each context manager under a name of its own.
pub(super) fn by_hand(keeps: &[Keep], named: impl Fn(&str) -> String) -> Vec<Keep> {
    let mut managers = 0;
    let one = |keep: &Keep| {
        managers += usize::from(keep.manager.is_some());
        let number = if managers < 2 { String::new() } else { format!("_{managers}") };
        keep.by_hand(&named(&format!("patcher{number}")))
    };
    keeps.iter().map(one).collect()
}

/// What is saved for one argument needs no name: arguments of `addCleanup` are evaluated at once.
fn at_once(keep: &Keep) -> Keep {
    let ([save], [undo]) = (&keep.save[..], &keep.undo[..]) else { return keep.clone() };
    let Some((name, saved)) = save.split_once(" = ") else { return keep.clone() };
    let mut undo = undo.clone();
    match &mut undo {
        Undo::Set { value, .. } | Undo::Item { value, .. } if value == name => saved.clone_into(value),
        Undo::Call { arguments, .. } if arguments.iter().any(|argument| argument == name) => {
            let here = arguments.iter_mut().filter(|argument| *argument == name);
            here.for_each(|argument| saved.clone_into(argument));
        }
        _ => return keep.clone(),
    }
    Keep { save: vec![], undo: vec![undo], ..keep.clone() }
}

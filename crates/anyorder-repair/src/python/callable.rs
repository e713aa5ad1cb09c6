//! Calls that may put state right: functions and methods of the modules that own the cells, or else of those that the tests
//! import, of the project and of packages.

use std::collections::BTreeSet;

use anyorder_source::{Function, How, Source};

use super::is_of_project_or_package;
use super::matter::Matter;
use super::site::{Site, file_of};
use super::text::module;
use super::value::{Value, getters, held_by, is_made_of_nothing, required, values};
use crate::words::words;

/// So many calls are tried by themselves.
const CALLS: usize = 240;

/// Beginnings of names that say that something is put right.
const WORDS: [&str; 26] = [
    "reset",
    "clear",
    "shutdown",
    "close",
    "stop",
    "unregister",
    "deregister",
    "remove",
    "delete",
    "flush",
    "restore",
    "uninstall",
    "disable",
    "teardown",
    "tear_down",
    "cleanup",
    "clean",
    "purge",
    "undo",
    "disconnect",
    "release",
    "dispose",
    "unset",
    "unload",
    "drop",
    "reload",
];

/// Methods that change what they are called on.
const MUTATING: [&str; 12] = [
    "clear",
    "pop",
    "popitem",
    "update",
    "remove",
    "discard",
    "reset",
    "close",
    "shutdown",
    "__delitem__",
    "extend",
    "append",
];

/// A call, with what it needs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Call {
    /// How unlikely it is.
    rank: usize,
    /// The call; it may name modules.
    pub(super) text: String,
    /// The file whose names its arguments need.
    pub(super) home: Option<String>,
}

impl Call {
    /// A statement that needs nothing but modules.
    pub(super) fn plain(text: String) -> Self {
        Call { rank: 0, text, home: None }
    }
}

/// A module, by its name.
pub(super) type Module = (String, Source);

/// Calls that may put the state right, likely ones first.
pub(super) fn likely(matter: &Matter<'_>, site: Option<&Site>) -> Vec<Call> {
    let mut calls = BTreeSet::new();
    for owner in modules(matter, site) {
        for function in owner.1.functions() {
            let Some(rank) = rank(matter, function) else { continue };
            calls.extend(calls_of(matter, &owner, function, rank, site));
        }
    }
    calls.into_iter().take(CALLS).collect()
}

/// The modules that own the cells, or else those that the test imports: of the project, and of packages.
pub(super) fn modules(matter: &Matter<'_>, site: Option<&Site>) -> Vec<Module> {
    let owners =
        matter.problem.abouts.iter().filter_map(|about| about.module.clone().zip(about.file.clone()));
    let mut modules: Vec<(String, String)> =
        owners.filter(|(_, file)| is_of_project_or_package(file)).collect();
    if modules.is_empty() {
        let names = site.into_iter().flat_map(imported);
        modules.extend(names.filter_map(|name| Some((name.clone(), file_of(matter.tree, &name)?))));
        modules.extend(matter.problem.imported.iter().cloned());
        let parts: Vec<(String, String)> =
            modules.iter().flat_map(|package| parts_of(matter, package)).collect();
        modules.extend(parts);
    }
    modules.sort();
    modules.dedup_by(|one, other| one.1 == other.1);
    modules.into_iter().filter_map(|(name, file)| parsed(matter, &name, &file)).collect()
}

/// The modules that a file imports, and what may be modules in them.
pub(super) fn imported(site: &Site) -> Vec<String> {
    let imports = site.source.imports().iter().filter(|import| import.level == 0);
    let names = imports.flat_map(|import| {
        let deeper = import.name.as_ref().map(|name| format!("{}.{name}", import.module));
        deeper.into_iter().chain([import.module.clone()])
    });
    names.collect()
}

/// Modules that a package takes names from, for others to import from it.
fn parts_of(matter: &Matter<'_>, (name, file): &(String, String)) -> Vec<(String, String)> {
    let directory = file.strip_suffix("__init__.py");
    let source = directory.and_then(|_| Source::parse(matter.tree.read(file)?).ok());
    let imports = source.iter().flat_map(Source::imports);
    let parts = imports.filter(|import| import.level == 1 && !import.module.is_empty()).map(|import| {
        let path = import.module.replace('.', "/");
        (format!("{name}.{}", import.module), format!("{}{path}.py", directory.unwrap_or_default()))
    });
    parts.filter(|(_, file)| matter.tree.read(file).is_some()).collect()
}

pub(super) fn parsed(matter: &Matter<'_>, name: &str, file: &str) -> Option<Module> {
    Some((name.to_owned(), Source::parse(matter.tree.read(file)?).ok()?))
}

/// How unlikely a function is to help; nothing if it cannot or should not be called.
fn rank(matter: &Matter<'_>, function: &Function) -> Option<usize> {
    let own = function.name();
    let says_so = WORDS.iter().any(|word| own.trim_start_matches('_').starts_with(word));
    let writes = function.writes.iter().any(|write| concerns(matter, &write.target, &write.how));
    let rank = 4 * usize::from(!says_so) + 2 * usize::from(!writes) + usize::from(own.starts_with('_'));
    (is_callable(function) && (says_so || writes)).then_some(rank)
}

pub(super) fn is_callable(function: &Function) -> bool {
    !function.is_async && !function.is_generator && !function.name().starts_with("__")
}

pub(super) fn is_getter(function: &Function) -> bool {
    function.name().starts_with("get") || function.name().starts_with("is_")
}

/// All calls of a function that are to be tried.
pub(super) fn calls_of(
    matter: &Matter<'_>,
    owner: &Module,
    function: &Function,
    rank: usize,
    site: Option<&Site>,
) -> Vec<Call> {
    let (name, source) = owner;
    let wanted = required(function);
    let values = if wanted == 0 { vec![] } else { values(name, source, site) };
    let arguments: Vec<Vec<&Value>> = match wanted {
        0 => vec![vec![]],
        1 => values.iter().map(|value| vec![value]).collect(),
        2 => values.iter().flat_map(|one| values.iter().map(move |other| vec![one, other])).collect(),
        _ => vec![],
    };
    let call = |receiver: &String, more: usize, arguments: &Vec<&Value>| Call {
        rank: rank + more + arguments.len(),
        text: {
            let texts: Vec<&str> = arguments.iter().map(|value| value.text.as_str()).collect();
            format!("{receiver}({})", texts.join(", "))
        },
        home: arguments.iter().find_map(|value| value.home.clone()),
    };
    let receivers = receivers(matter, owner, function);
    let numbered = receivers.iter().enumerate();
    numbered
        .flat_map(|(more, it)| arguments.iter().map(move |all| call(it, more, all)).collect::<Vec<_>>())
        .collect()
}

/// How a function is called from outside, likely ways first.
fn receivers(matter: &Matter<'_>, (name, source): &Module, function: &Function) -> Vec<String> {
    let module = module(name);
    let named = |object: String| format!("{module}.{object}.{}", function.name());
    match (&function.names[..], &function.class) {
        ([own], None) => vec![format!("{module}.{own}")],
        ([class, own], Some(_)) => {
            let decorators = function.decorators.iter().map(|decorator| decorator.text.as_str());
            if decorators.into_iter().any(|text| matches!(text, "classmethod" | "staticmethod")) {
                return vec![named(class.clone())];
            }
            let held = held_by(source, class).map(named);
            let polluted = holders(matter, class).map(|holder| format!("{holder}.{own}"));
            let got = getters(source).map(|getter| named(format!("{getter}()")));
            let made = is_made_of_nothing(source, class).then(|| named(format!("{class}()")));
            let mut all: Vec<String> = held.into_iter().chain(polluted).chain(got).chain(made).collect();
            let mut known = BTreeSet::new();
            all.retain(|receiver| known.insert(receiver.clone()));
            all
        }
        // What a function makes, and the module holds under a name.
        ([maker, _, _], Some(_)) => held_by(source, maker).map(named).into_iter().collect(),
        ([.., own], None) if source.binds(own) => vec![format!("{module}.{own}")],
        _ => vec![],
    }
}

/// Objects of this class that hold the cells.
fn holders(matter: &Matter<'_>, class: &str) -> impl Iterator<Item = String> {
    let is_its = |holder: &Option<String>| {
        holder.as_deref().is_some_and(|path| path.rsplit('.').next() == Some(class))
    };
    let known: Vec<String> = matter
        .known()
        .iter()
        .filter(|known| is_its(&known.about.holder))
        .filter_map(super::keep::Known::holder)
        .collect();
    known.into_iter()
}

/// Whether a function changes what may be a cell of the problem.
fn concerns(matter: &Matter<'_>, target: &str, how: &How) -> bool {
    let changes = match how {
        How::Call(method) => MUTATING.contains(&method.as_str()),
        _ => true,
    };
    let last = target.rsplit('.').next().unwrap_or(target);
    changes && matter.problem.cells.iter().any(|state| mentions(&state.cell, last))
}

/// Whether a path has this name in it.
fn mentions(path: &str, name: &str) -> bool {
    words(path).any(|word| word == name)
}

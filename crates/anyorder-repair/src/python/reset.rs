//! Candidates from the code: calls of functions and methods that can put the state right, tried in forks.
//!
//! Callables come from the modules that own the cells, or else from those that the tests import; receivers from objects that
//! these modules hold; arguments from literals and classes of the tests and of the modules.

use std::collections::BTreeSet;

use anyorder_model::{Halted, PatchSource, Snippet, TestIndex};
use anyorder_source::{Function, How, Literal, LiteralKind, ParameterKind, Shape, Source};

use super::helpers::which_do_it;
use super::matter::Matter;
use super::place::{Lines, placed};
use super::site::Site;
use super::text::{Called, module, resolve};
use crate::candidate::Candidate;
use crate::workshop::Workshop;

/// So many calls are tried by themselves.
const CALLS: usize = 240;
/// Of so many calls all pairs are tried, if none does it by itself.
const PAIRED: usize = 12;
/// So many values are tried for a parameter.
const VALUES: usize = 12;
/// So many calls that do it are placed.
const PLACED: usize = 2;

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

/// Calls that let the tests pass, where they do.
pub(super) fn reset(workshop: &mut dyn Workshop, matter: &Matter<'_>) -> Result<Vec<Candidate>, Halted> {
    let Some(claim) = matter.problem.claims.first().filter(|_| !matter.problem.is_brittle()) else {
        return Ok(vec![]);
    };
    let Some(&beside) = matter.problem.polluters.first() else { return Ok(vec![]) };
    let calls = calls(matter, beside);
    let singles: Vec<Vec<&Call>> = calls.iter().map(|call| vec![call]).collect();
    let mut helpful = tried(workshop, &claim.order, &singles, beside)?;
    if helpful.is_empty() {
        let few = &calls[..calls.len().min(PAIRED)];
        let pairs: Vec<Vec<&Call>> = few
            .iter()
            .flat_map(|first| {
                few.iter().filter(move |second| *second != first).map(move |second| vec![first, second])
            })
            .collect();
        helpful = tried(workshop, &claim.order, &pairs, beside)?;
    }
    helpful.truncate(PLACED);
    Ok(helpful.iter().flat_map(|calls| placed(matter, &lines(calls))).collect())
}

/// A call, with what it needs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Call {
    /// How unlikely it is.
    rank: usize,
    /// The call; it may name modules.
    text: String,
    /// The file whose names its arguments need.
    home: Option<String>,
}

/// Those that let the last test of the order pass, in the order given.
fn tried<'c>(
    workshop: &mut dyn Workshop,
    order: &anyorder_model::Order,
    sequences: &[Vec<&'c Call>],
    beside: TestIndex,
) -> Result<Vec<Vec<&'c Call>>, Halted> {
    if sequences.is_empty() {
        return Ok(vec![]);
    }
    let snippet = |calls: &Vec<&Call>| {
        let text = calls.iter().map(|call| call.text.as_str()).collect::<Vec<_>>().join("\n");
        let mut imports = BTreeSet::new();
        let text = resolve(&text, |module, _| {
            imports.insert(format!("import {module}\n"));
            Called::Module(module.to_owned())
        });
        Snippet { text: imports.into_iter().collect::<String>() + &text, beside }
    };
    let snippets: Vec<Snippet> = sequences.iter().map(snippet).collect();
    let passed = which_do_it(workshop.as_is(), order, &snippets)?;
    Ok(sequences.iter().zip(passed).filter(|(_, passed)| *passed).map(|(calls, _)| calls.clone()).collect())
}

fn lines(calls: &[&Call]) -> Lines {
    Lines {
        text: calls.iter().map(|call| call.text.clone()).collect(),
        imports: vec![],
        fixtures: vec![],
        home: calls.iter().find_map(|call| call.home.clone()),
        source: PatchSource::Reset,
        from: None,
    }
}

/// Calls that may put the state right, likely ones first.
fn calls(matter: &Matter<'_>, beside: TestIndex) -> Vec<Call> {
    let site = Site::of_test(matter.tree, matter.suite, beside);
    let mut calls = BTreeSet::new();
    for (name, source) in modules(matter, site.as_ref()) {
        for function in source.functions() {
            let Some((receiver, rank)) = receiver(matter, &name, &source, function) else { continue };
            for (arguments, home) in arguments(function, &name, &source, site.as_ref()) {
                let text = format!("{receiver}({})", arguments.join(", "));
                calls.insert(Call { rank: rank + arguments.len(), text, home });
            }
        }
    }
    calls.into_iter().take(CALLS).collect()
}

/// The modules that own the cells, or else those of the project that the test imports.
fn modules(matter: &Matter<'_>, site: Option<&Site>) -> Vec<(String, Source)> {
    let owners =
        matter.problem.abouts.iter().filter_map(|about| about.module.clone().zip(about.file.clone()));
    let mut modules: Vec<(String, String)> = owners.collect();
    if modules.is_empty() {
        let imports = site.into_iter().flat_map(|site| site.source.imports());
        for import in imports.filter(|import| import.level == 0) {
            let deeper = import.name.as_ref().map(|name| format!("{}.{name}", import.module));
            let names = deeper.into_iter().chain([import.module.clone()]);
            modules.extend(names.filter_map(|name| Some((name.clone(), file_of(matter, &name)?))));
        }
    }
    modules.sort();
    modules.dedup();
    let parsed = |(name, file): (String, String)| Some((name, Source::parse(matter.tree.read(&file)?).ok()?));
    modules.into_iter().filter_map(parsed).collect()
}

/// The file of a module of the project.
fn file_of(matter: &Matter<'_>, module: &str) -> Option<String> {
    let path = module.replace('.', "/");
    let places = ["", "src/", "lib/"];
    let files =
        places.iter().flat_map(|place| [format!("{place}{path}.py"), format!("{place}{path}/__init__.py")]);
    files.into_iter().find(|file| matter.tree.read(file).is_some())
}

/// How a function is called from outside, and how unlikely it is to help; nothing if it cannot or should not be.
fn receiver(
    matter: &Matter<'_>,
    name: &str,
    source: &Source,
    function: &Function,
) -> Option<(String, usize)> {
    let own = function.name();
    let says_so = WORDS.iter().any(|word| own.trim_start_matches('_').starts_with(word));
    let writes = function.writes.iter().any(|write| concerns(matter, &write.target, &write.how));
    if function.is_async || function.is_generator || own.starts_with("__") || !(says_so || writes) {
        return None;
    }
    let rank = 4 * usize::from(!says_so) + 2 * usize::from(!writes) + usize::from(own.starts_with('_'));
    let module = module(name);
    match (&function.names[..], &function.class) {
        ([own], None) => Some((format!("{module}.{own}"), rank)),
        ([class, own], Some(_)) => {
            let is_bound_to_class = function
                .decorators
                .iter()
                .any(|decorator| matches!(decorator.text.as_str(), "classmethod" | "staticmethod"));
            let object = if is_bound_to_class { Some(class.clone()) } else { made_by(source, class) };
            object.map(|object| (format!("{module}.{object}.{own}"), rank))
        }
        // What a function makes, and the module holds under a name.
        ([maker, _, own], Some(_)) => {
            made_by(source, maker).map(|object| (format!("{module}.{object}.{own}"), rank))
        }
        ([.., own], None) if is_held(source, own) => Some((format!("{module}.{own}"), rank)),
        _ => None,
    }
}

/// Whether the module holds something under this name.
fn is_held(source: &Source, name: &str) -> bool {
    source.top_level().iter().any(|statement| statement.stores.iter().any(|stored| stored.as_str() == name))
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
    path.split(|letter: char| !letter.is_alphanumeric() && letter != '_').any(|word| word == name)
}

/// A name of the module that holds what this class or function has made.
fn made_by(source: &Source, maker: &str) -> Option<String> {
    source.top_level().iter().find_map(|statement| match &statement.shape {
        Shape::Assign { targets, value } if value.starts_with(&format!("{maker}(")) => match &targets[..] {
            [anyorder_source::Target::Name(name)] => Some(name.to_string()),
            _ => None,
        },
        _ => None,
    })
}

/// All arguments to try, with the file whose names they need.
fn arguments(
    function: &Function,
    name: &str,
    source: &Source,
    site: Option<&Site>,
) -> Vec<(Vec<String>, Option<String>)> {
    let is_method = function.class.is_some()
        && !function.decorators.iter().any(|decorator| decorator.text.as_str() == "staticmethod");
    let wanted = function
        .parameters
        .iter()
        .skip(usize::from(is_method))
        .filter(|parameter| {
            let is_plain = matches!(parameter.kind, ParameterKind::Plain | ParameterKind::PositionalOnly);
            is_plain && !parameter.has_default
        })
        .count();
    match wanted {
        0 => vec![(vec![], None)],
        1 => values(name, source, site).into_iter().map(|(value, home)| (vec![value], home)).collect(),
        2 => {
            let values = values(name, source, site);
            let pair = |first: &(String, Option<String>), second: &(String, Option<String>)| {
                (vec![first.0.clone(), second.0.clone()], first.1.clone().or(second.1.clone()))
            };
            values.iter().flat_map(|first| values.iter().map(move |second| pair(first, second))).collect()
        }
        _ => vec![],
    }
}

/// Literals and classes of the test, then of its file, then of the module.
fn values(name: &str, source: &Source, site: Option<&Site>) -> Vec<(String, Option<String>)> {
    let mut values: Vec<(String, Option<String>)> = vec![];
    let mut add = |literal: &Literal, home: Option<&String>| {
        let home = home.filter(|_| literal.kind == LiteralKind::Class).cloned();
        let value = (literal.text.to_string(), home);
        if values.len() < VALUES && !values.iter().any(|(text, _)| *text == value.0) {
            values.push(value);
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
    let classes = source.classes().iter().filter(|class| class.names.len() == 1);
    values.extend(classes.take(VALUES).map(|class| (format!("{}.{}", module(name), class.name()), None)));
    values
}

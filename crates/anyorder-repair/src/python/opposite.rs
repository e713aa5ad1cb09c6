//! Candidates for calls that have an opposite: what is registered is unregistered, what is started is stopped, what is moved is
//! moved back.

use std::collections::{BTreeMap, BTreeSet};

use anyorder_model::{CellKind, Placement, Strength, TestIndex};
use anyorder_source::{Call, Shape, Statement};

use super::matter::{FEW, Matter};
use super::names::{in_words, unused};
use super::opened::{finalizers, name_for};
use super::recipe::{Edit, Step};
use super::site::{Site, file_and_line};
use super::text::{is_mark, module};
use crate::candidate::Candidate;
use crate::problem::Problem;

/// Beginnings of names, and of their opposites; and whether the opposite is told of what it takes back.
const OPPOSITES: [(&str, &str, bool); 14] = [
    ("register", "unregister", true),
    ("add", "remove", true),
    ("subscribe", "unsubscribe", true),
    ("connect", "disconnect", true),
    ("attach", "detach", true),
    ("install", "uninstall", true),
    ("mount", "unmount", true),
    ("load", "unload", true),
    ("start", "stop", false),
    ("activate", "deactivate", false),
    ("enable", "disable", false),
    ("push", "pop", false),
    ("begin", "end", false),
    ("acquire", "release", false),
];

/// Every polluter takes back by the opposite call what its call has done.
pub(super) fn opposite(matter: &Matter<'_>) -> Option<Candidate> {
    let polluters = matter.few_sites(&matter.problem.polluters)?;
    let mut steps = BTreeMap::new();
    for (site, statement) in suspects(matter, &polluters) {
        let Some(taken_back) = taken_back(matter, site, &statement) else { continue };
        steps
            .insert((site.file.clone(), site.function.names.clone(), statement.text.to_string()), taken_back);
    }
    let functions: BTreeSet<_> = steps.keys().map(|(_, names, _)| names.clone()).collect();
    if functions.len() < polluters.len() || steps.is_empty() || steps.len() > FEW {
        return None;
    }
    let is_moved = steps.values().any(|(_, call)| call.starts_with("os.rename("));
    let words: Vec<String> =
        steps.values().map(|(_, call)| format!("`{}`", call.replace(is_mark, ""))).collect();
    let names: Vec<String> =
        polluters.iter().map(|(_, site)| format!("`{}`", site.function.name())).collect();
    let summary = format!("call {} behind {}", in_words(&words), in_words(&names));
    let edits = steps.into_iter().flat_map(|((file, function, statement), (lines, _))| {
        let needs_request = lines.iter().any(|line| line.starts_with("request."));
        let replace = Edit::Replace { function: function.clone(), statement, by: lines.join("\n") };
        let request = Edit::Parameter { function, name: "request".to_owned() };
        let edits = std::iter::once(replace).chain(Some(request).filter(|_| needs_request));
        edits.map(move |edit| Step { file: file.clone(), edit }).collect::<Vec<_>>()
    });
    let candidate = matter.candidate(edits.collect(), Placement::Polluter, summary, matter.polluters());
    // Where nothing is known, something may have been there that is not brought back.
    let is_doubtful = is_moved && matter.problem.cells.is_empty();
    Some(Candidate { strength: if is_doubtful { Strength::Unsafe } else { candidate.strength }, ..candidate })
}

/// Statements of polluters that change the state; all of them where nothing is known of it.
fn suspects<'s>(matter: &Matter<'_>, polluters: &'s [(TestIndex, Site)]) -> Vec<(&'s Site, Statement)> {
    if matter.problem.cells.is_empty() {
        let all = |(_, site): &'s (TestIndex, Site)| {
            site.function.statements().iter().map(move |statement| (site, statement.clone()))
        };
        return polluters.iter().flat_map(all).collect();
    }
    let lines = matter.problem.writers.values().flatten().flatten();
    let suspect = |line: &String| {
        let told = Site::of_line(&matter.original, line)?;
        let is_it = |site: &Site| site.file == told.file && site.function.names == told.function.names;
        let (_, site) = polluters.iter().find(|(_, site)| is_it(site))?;
        Some((site, told.statement(file_and_line(line)?.1)?))
    };
    lines.filter_map(suspect).collect()
}

/// The statement with its opposite behind the test, and the opposite itself.
fn taken_back(matter: &Matter<'_>, site: &Site, statement: &Statement) -> Option<(Vec<String>, String)> {
    let Shape::Call { call, is_awaited: false } = &statement.shape else { return None };
    let is_unknown = matter.problem.cells.is_empty() && call.function.as_str() == "os.rename";
    if let Some(back) = moved_back(call).filter(|_| is_unknown || is_new_file(matter.problem)) {
        let lines = std::iter::once(statement.text.to_string());
        return Some((lines.chain(finalizers(site, std::slice::from_ref(&back))).collect(), back));
    }
    let (object, method) = call.receiver()?;
    let (opposite, is_told) = opposite_of(&method)?;
    let mut lines = vec![];
    let receiver = if object.contains('(') {
        let name = unused(&site.source, if method == "start" { "patcher" } else { "made" });
        lines.push(format!("{name} = {object}"));
        name
    } else {
        object.to_string()
    };
    let mut arguments: Vec<String> = call.arguments.iter().map(ToString::to_string).collect();
    let told = arguments.first_mut().filter(|_| is_told);
    let told = told.map(|first| named(site, first, &mut lines));
    lines.push(format!("{receiver}.{method}({})", with_keywords(&arguments, call)));
    let call = format!("{receiver}.{opposite}({})", told.unwrap_or_default());
    lines.extend(finalizers(site, std::slice::from_ref(&call)));
    Some((lines, call))
}

/// Whether something is where nothing was on disk.
pub(super) fn is_new_file(problem: &Problem) -> bool {
    problem.cells.iter().any(|state| state.kind == Some(CellKind::File) && state.before == "<absent>")
}

/// The call that moves a file or directory back that another call has moved to where nothing was.
pub(super) fn moved_back(call: &Call) -> Option<String> {
    let (object, method) = call.receiver()?;
    let is_plain =
        call.keywords.is_empty() && !call.arguments.iter().any(|argument| argument.starts_with('*'));
    match (object.as_str(), method.as_str(), &call.arguments[..]) {
        ("os", "rename" | "replace", [from, to]) | ("shutil", "move", [from, to]) if is_plain => {
            Some(format!("{object}.{method}({to}, {from})"))
        }
        (path, "rename", [to]) if is_plain => Some(format!("{}.rename({to}, {path})", module("os"))),
        _ => None,
    }
}

/// A name for an argument that would be another object the next time.
fn named(site: &Site, argument: &mut String, lines: &mut Vec<String>) -> String {
    if argument.contains('(') || argument.starts_with("lambda") {
        let name = unused(&site.source, &name_for(argument));
        lines.extend(bound(&name, argument));
        argument.clone_from(&name);
    }
    argument.clone()
}

/// Lines that give a name to a value: a function that has a name is defined, not assigned.
fn bound(name: &str, value: &str) -> Vec<String> {
    let function = value.strip_prefix("lambda").and_then(|function| function.split_once(':'));
    match function.filter(|(parameters, _)| !parameters.contains(['{', '[', '(', '"', '\''])) {
        Some((parameters, result)) => vec![
            format!("def {name}({}):", parameters.trim()),
            format!("    return {}", result.trim()),
            String::new(),
        ],
        None => vec![format!("{name} = {value}")],
    }
}

fn with_keywords(arguments: &[String], call: &Call) -> String {
    let keywords = call.keywords.iter().map(|(name, value)| match name {
        Some(name) => format!("{name}={value}"),
        None => format!("**{value}"),
    });
    arguments.iter().cloned().chain(keywords).collect::<Vec<_>>().join(", ")
}

/// `addHandler` becomes `removeHandler`.
fn opposite_of(method: &str) -> Option<(String, bool)> {
    OPPOSITES.iter().find_map(|(word, opposite, is_told)| {
        let rest = method.strip_prefix(word)?;
        let is_word = rest.is_empty() || rest.starts_with('_') || rest.starts_with(char::is_uppercase);
        is_word.then(|| (format!("{opposite}{rest}"), *is_told))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_something_has_an_opposite_in_the_same_words() {
        for (method, opposite) in [
            ("register", Some("unregister")),
            ("addHandler", Some("removeHandler")),
            ("add_listener", Some("remove_listener")),
            ("start", Some("stop")),
            ("address", None),
            ("append", None),
        ] {
            assert_eq!(opposite_of(method).map(|(name, _)| name).as_deref(), opposite, "{method}");
        }
    }

    #[test]
    fn what_is_moved_is_moved_back() {
        for (text, back) in [
            ("os.rename(str(A), B / 'c')", Some("os.rename(B / 'c', str(A))")),
            ("shutil.move(a, b)", Some("shutil.move(b, a)")),
            ("(HERE / 'a').rename(B)", Some("os.rename(B, (HERE / 'a'))")),
            ("os.rename(*both)", None),
            ("os.rename(a, b, src_dir_fd=3)", None),
            ("text.replace('a', 'b')", None),
        ] {
            let source = anyorder_source::Source::parse(text).unwrap();
            let Shape::Call { call, .. } = &source.top_level()[0].shape else { panic!("{text}") };
            let moved = moved_back(call).map(|call| call.replace(is_mark, ""));
            assert_eq!(moved.as_deref(), back, "{text}");
        }
    }

    #[test]
    fn a_function_without_a_name_is_defined_when_it_gets_one() {
        assert_eq!(bound("f", "lambda a, b: a + b"), ["def f(a, b):", "    return a + b", ""]);
        assert_eq!(bound("f", "lambda a={1: 2}: a"), ["f = lambda a={1: 2}: a"]);
        assert_eq!(bound("handler", "Handler()"), ["handler = Handler()"]);
    }
}

//! Candidates that set the cells where the tests are that need them: for victims what was there at first, for brittle tests
//! what their setters leave.

use std::collections::BTreeSet;

use anyorder_model::{CellKind, Placement, Strength, TestIndex};
use anyorder_source::Source;

use super::keep::Known;
use super::matter::{Matter, files_of, tests_of};
use super::names::{files_in_words, functions_in_words};
use super::recipe::{Edit, Step};
use super::site::{Site, is_editable};
use super::text::{defined, double_quoted, module};
use crate::candidate::Candidate;
use crate::words::words;

/// Cells that are set before the tests that need them.
pub(super) fn set(matter: &Matter<'_>) -> Vec<Candidate> {
    let known = matter.known();
    let is_brittle = matter.problem.is_brittle();
    let pins: Option<Vec<String>> = known.iter().map(|known| pin(known, is_brittle)).collect();
    let Some(pins) = pins.filter(|pins| !pins.is_empty()) else { return vec![] };
    let sufferers = &matter.problem.sufferers;
    let sites = matter.few_sites(sufferers);
    let one_by_one = sites.and_then(|sites| at_tests(matter, &pins, &sites));
    let is_set_up = is_brittle || !is_looked_at(matter);
    let strength = if is_set_up { Strength::Safe } else { Strength::Unsafe };
    let candidates = one_by_one.into_iter().chain(around_files(matter, &pins));
    candidates.map(|candidate| Candidate { strength, ..candidate }).collect()
}

/// Whether tests look at the cells themselves, or may have a helper of their file do it: then they would find what they have
/// set, and would not notice any more when the code starts otherwise.
pub(super) fn is_looked_at(matter: &Matter<'_>) -> bool {
    let Some(sites) = matter.sites(&matter.problem.sufferers) else { return true };
    if sites.iter().any(|(_, site)| has_helpers(site)) {
        return true;
    }
    let names: Vec<String> = matter.known().iter().flat_map(names_of).collect();
    let mut texts =
        sites.iter().flat_map(|(_, site)| site.function.body.iter()).map(|statement| &statement.text);
    texts.any(|text| words(text).any(|word| names.iter().any(|name| name == word)))
}

/// Whether a test calls a function of its own file.
fn has_helpers(site: &Site) -> bool {
    let calls = site.function.statements().iter().flat_map(|statement| &statement.calls);
    let mut called = calls.filter_map(|call| call.function.rsplit('.').next());
    called.any(|name| site.source.functions().iter().any(|function| function.name() == name))
}

/// The names in a cell's path behind that of its module.
fn names_of(known: &Known<'_>) -> Vec<String> {
    let path = known.state.cell.as_str();
    let module = known.about.module.as_deref().unwrap_or_default();
    words(path.strip_prefix(module).unwrap_or(path)).map(str::to_owned).collect()
}

fn at_tests(matter: &Matter<'_>, pins: &[String], sites: &[(TestIndex, Site)]) -> Option<Candidate> {
    let mut steps = vec![];
    for (_, site) in sites {
        if site.is_unittest() {
            return None;
        }
        let function = site.function.names.clone();
        let first = Edit::First { function: function.clone(), lines: pins.to_vec() };
        let parameter = Edit::Parameter { function, name: "monkeypatch".to_owned() };
        let edits = std::iter::once(first).chain(Some(parameter).filter(|_| takes_monkeypatch(pins)));
        steps.extend(edits.map(|edit| Step { file: site.file.clone(), edit }));
    }
    let summary = format!("let {} start with {} as it has to be", functions_in_words(sites), matter.what);
    let edited = tests_of(sites);
    Some(matter.candidate(steps, Placement::Test, summary, edited))
}

fn around_files(matter: &Matter<'_>, pins: &[String]) -> Option<Candidate> {
    let files: BTreeSet<String> = files_of(matter, &matter.problem.sufferers);
    let step = |file: &String| {
        let name = defined(&format!("set_{}", matter.name));
        let head = format!("@{}.fixture(autouse=True)", module("pytest"));
        let parameter = if takes_monkeypatch(pins) { "monkeypatch" } else { "" };
        let mut lines = vec![head, format!("def {name}({parameter}):")];
        lines.extend(pins.iter().map(|pin| format!("    {pin}")));
        let step = Step { file: file.clone(), edit: Edit::Define { before: None, lines } };
        is_editable(matter.tree, file).then_some(step)
    };
    let steps = files.iter().map(step).collect::<Option<Vec<Step>>>()?;
    let summary =
        format!("let each test of {} start with {} as it has to be", files_in_words(&files), matter.what);
    Some(matter.candidate(steps, Placement::File, summary, vec![]))
}

fn takes_monkeypatch(pins: &[String]) -> bool {
    pins.iter().any(|pin| pin.starts_with("monkeypatch."))
}

/// A call of `monkeypatch` that gives a cell the value that it has to have.
fn pin(known: &Known<'_>, is_brittle: bool) -> Option<String> {
    let wanted = if is_brittle { &known.state.after } else { &known.state.before };
    let is_absent = wanted == "<absent>";
    let literal = match &known.about.literal {
        Some(literal) if !is_brittle => Some(literal.clone()),
        _ => Some(wanted.clone()).filter(|text| is_literal(text)),
    };
    let literal = literal.map(|literal| double_quoted(&literal));
    let holder = || known.holder();
    let key = || known.about.key.clone();
    match known.kind() {
        CellKind::Environment if is_absent => Some(format!("monkeypatch.delenv({}, raising=False)", key()?)),
        CellKind::Environment => Some(format!("monkeypatch.setenv({}, {})", key()?, literal?)),
        CellKind::Module if is_absent => {
            Some(format!("monkeypatch.delitem({}.modules, {}, raising=False)", module("sys"), key()?))
        }
        CellKind::Cache => Some(format!("{}.cache_clear()", holder()?)),
        CellKind::Item => item(known, is_absent, literal),
        CellKind::Global | CellKind::ClassAttribute | CellKind::Attribute | CellKind::Builtin => {
            let (object, name) = (holder()?, key()?);
            Some(if is_absent {
                format!("monkeypatch.delattr({object}, \"{name}\", raising=False)")
            } else {
                format!("monkeypatch.setattr({object}, \"{name}\", {})", literal?)
            })
        }
        _ => None,
    }
}

fn item(known: &Known<'_>, is_absent: bool, literal: Option<String>) -> Option<String> {
    let (container, path) = (known.holder()?, &known.state.cell);
    if container.contains("__closure__") {
        return None;
    }
    if let Some((_, slice)) = path.strip_suffix(":]").and_then(|path| path.rsplit_once('[')) {
        let is_cut = known.state.before == "[]";
        return is_cut.then(|| match slice {
            "0" => format!("{container}.clear()"),
            from => format!("del {container}[{from}:]"),
        });
    }
    let key = known.about.key.clone()?;
    if path.ends_with('}') {
        return is_absent.then(|| format!("{container}.discard({key})"));
    }
    Some(if is_absent {
        format!("monkeypatch.delitem({container}, {key}, raising=False)")
    } else {
        format!("monkeypatch.setitem({container}, {key}, {})", literal?)
    })
}

/// Whether a text that was perhaps cut short is a literal.
fn is_literal(text: &str) -> bool {
    let is_whole = !text.contains(['…', '<', '(']) && !text.contains("...") && text.chars().count() < 80;
    let starts = text.starts_with(|letter: char| "'\"[{-bTFN".contains(letter) || letter.is_ascii_digit());
    is_whole && starts && Source::parse(text.as_bytes()).is_ok_and(|source| source.top_level().len() == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_whole_is_a_literal() {
        for text in ["'EUR'", "[1, 2]", "True", "None", "-3", "{'a': 1}", "1.5"] {
            assert!(is_literal(text), "{text}");
        }
        for text in ["<object>", "['a', ...]", "'a…", "shop.Cart", "[<x>]", "'a"] {
            assert!(!is_literal(text), "{text}");
        }
    }
}

//! Candidates from the suite itself: the few statements of a cleaner or setter that do it.

use std::collections::BTreeSet;

use anyorder_model::{Halted, Oracle, Order, Outcome, PatchSource, Remedy, Snippet, TestIndex, Treatment};
use anyorder_search::{Shrunk, shrink};
use anyorder_source::{Import, Statement};

use super::place::{Lines, placed};
use super::restore::Matter;
use super::site::Site;
use crate::candidate::Candidate;
use crate::problem::{Helper, Problem};
use crate::workshop::Workshop;

/// So many helpers are looked into.
const LOOKED_INTO: usize = 4;
/// So many times one helper's statements are tried.
const QUESTIONS: usize = 60;

/// What cleaners and setters do, in the fewest statements.
pub(super) fn helped(workshop: &mut dyn Workshop, matter: &Matter<'_>) -> Result<Vec<Candidate>, Halted> {
    let mut found: Vec<Lines> = vec![];
    let mut known = BTreeSet::new();
    let source = if matter.problem.is_brittle() { PatchSource::Setter } else { PatchSource::Cleaner };
    for helper in &matter.problem.helpers {
        let [test] = helper.tests[..] else { continue };
        let Some(site) = Site::of_test(matter.tree, matter.suite, test) else { continue };
        if known.len() == LOOKED_INTO || !known.insert(site.function.names.clone()) {
            continue;
        }
        if let Some(statements) = fewest(workshop.as_is(), matter.problem, helper, test, &site)? {
            found.push(lines_of(&site, &statements, source));
        }
    }
    found.sort_by_key(|lines| lines.text.len());
    Ok(found.iter().flat_map(|lines| placed(matter, lines)).collect())
}

/// The fewest statements of a helper that do it by themselves; nothing if they do not.
fn fewest(
    oracle: &mut dyn Oracle,
    problem: &Problem,
    helper: &Helper,
    beside: TestIndex,
    site: &Site,
) -> Result<Option<Vec<Statement>>, Halted> {
    let order = &problem.claims[helper.claim].order;
    let all: Vec<Statement> = site.function.statements().to_vec();
    let mut holds = |statements: &[Statement]| {
        let text: Vec<String> = statements.iter().map(|statement| dedented(statement, site)).collect();
        does_it(oracle, order, &Snippet { text: text.join("\n"), beside })
    };
    if all.is_empty() || !holds(&all)? {
        return Ok(None);
    }
    Ok(Some(match shrink(&all, QUESTIONS, holds)? {
        Shrunk::Minimal(statements) | Shrunk::Unfinished(statements) => statements,
    }))
}

/// Whether the last test of an order passes when this is done right before it.
pub(super) fn does_it(oracle: &mut dyn Oracle, order: &Order, snippet: &Snippet) -> Result<bool, Halted> {
    Ok(which_do_it(oracle, order, std::slice::from_ref(snippet))?[0])
}

/// For each snippet, whether the last test of an order passes when it is done right before it.
pub(super) fn which_do_it(
    oracle: &mut dyn Oracle,
    order: &Order,
    snippets: &[Snippet],
) -> Result<Vec<bool>, Halted> {
    let (&test, prefix) = order.tests().split_last().expect("orders are not empty");
    let remedies: Vec<Remedy> = snippets.iter().cloned().map(Remedy::Run).collect();
    let treatment = Treatment { looks: false, ..Treatment::new(Order(prefix.to_vec()), test, remedies) };
    let record = oracle.treat(vec![treatment])?.pop().expect("one answer for one question");
    let mut passed: Vec<bool> = record
        .treated
        .iter()
        .map(|treated| treated.step.outcome == Outcome::Passed && treated.failed.is_empty())
        .collect();
    passed.resize(snippets.len(), false);
    Ok(passed)
}

/// A statement without the indentation of its function.
fn dedented(statement: &Statement, site: &Site) -> String {
    let text = site.source.text();
    let line = text[..statement.range.start].rfind('\n').map_or(0, |at| at + 1);
    let indentation = &text[line..statement.range.start];
    let is_blank = indentation.chars().all(char::is_whitespace);
    let lines = statement.text.split('\n').map(|line| line.strip_prefix(indentation).unwrap_or(line));
    if is_blank { lines.collect::<Vec<_>>().join("\n") } else { statement.text.to_string() }
}

/// Statements with the imports that they need, and their home if they need what only their own file has.
fn lines_of(site: &Site, statements: &[Statement], source: PatchSource) -> Lines {
    let mut bound: BTreeSet<&str> = BTreeSet::new();
    let mut imports = vec![];
    let mut homely = false;
    for statement in statements {
        for name in
            statement.loads.iter().map(anyorder_source::Text::as_str).filter(|name| !bound.contains(name))
        {
            let import = site
                .source
                .imports()
                .iter()
                .find(|import| import.is_top_level && import.bound_name() == name);
            match import {
                Some(import) => imports.push((written(import), name.to_owned())),
                // Other names of the file are its own, or built in.
                None => homely |= is_bound(site, name),
            }
        }
        bound.extend(statement.stores.iter().map(anyorder_source::Text::as_str));
    }
    imports.sort();
    imports.dedup();
    let text = statements
        .iter()
        .flat_map(|statement| dedented(statement, site).lines().map(str::to_owned).collect::<Vec<_>>());
    let home = homely.then(|| site.file.clone());
    Lines { text: text.collect(), imports, home, source }
}

fn is_bound(site: &Site, name: &str) -> bool {
    let stores = |statement: &Statement| statement.stores.iter().any(|stored| stored.as_str() == name);
    site.source.top_level().iter().any(stores)
}

/// The statement that imports this name alone.
fn written(import: &Import) -> String {
    let dots = ".".repeat(import.level as usize);
    let alias = import.alias.as_ref().map_or_else(String::new, |alias| format!(" as {alias}"));
    match &import.name {
        Some(name) => format!("from {dots}{} import {name}{alias}", import.module),
        None => format!("import {}{alias}", import.module),
    }
}

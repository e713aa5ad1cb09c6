//! Candidates from the suite itself: the few statements of a cleaner or setter that do it.

use std::collections::BTreeSet;

use anyorder_model::{Halted, Oracle, Order, Outcome, PatchSource, Remedy, Snippet, TestIndex, Treatment};
use anyorder_search::{Shrunk, shrink};
use anyorder_source::{Import, Shape, Source, Statement, Target, Text};

use super::matter::Matter;
use super::opposite::moved_back;
use super::place::{Lines, first_of_all, placed};
use super::rewrite::with_monkeypatch;
use super::site::Site;
use crate::candidate::Candidate;
use crate::problem::Helper;
use crate::screen::{has_passed, places, run};
use crate::workshop::{Unopened, Workshop};

/// So many helpers are looked into.
const LOOKED_INTO: usize = 4;
/// So many times one helper's statements are tried.
const QUESTIONS: usize = 60;
/// So many times, where each takes a changed tree.
const TREES: usize = 12;

/// What cleaners and setters do, in the fewest statements.
pub(super) fn helped(workshop: &mut dyn Workshop, matter: &Matter<'_>) -> Result<Vec<Candidate>, Halted> {
    let mut found: Vec<Lines> = vec![];
    let mut known = BTreeSet::new();
    for helper in &matter.problem.helpers {
        let Some(sites) = sites(matter, helper) else { continue };
        let names: Vec<_> = sites.iter().map(|site| site.function.names.clone()).collect();
        if known.len() == LOOKED_INTO || !known.insert(names) {
            continue;
        }
        found.extend(fewest(workshop, matter, helper, &sites)?);
    }
    found.sort_by_key(|lines| lines.text.len());
    Ok(found.iter().flat_map(|lines| placed(matter, lines)).collect())
}

/// Where the tests of a helper are; of several, only if they are in one file and need nothing of fixtures.
fn sites(matter: &Matter<'_>, helper: &Helper) -> Option<Vec<Site>> {
    let site = |&test: &TestIndex| Site::of_test(matter.tree, matter.suite, test);
    let sites: Vec<Site> = helper.tests.iter().map(site).collect::<Option<_>>()?;
    let (first, others) = sites.split_first()?;
    let is_fit = |site: &Site| site.file == first.file && !needs_fixtures(site);
    (others.is_empty() || sites.iter().all(is_fit)).then_some(sites)
}

fn needs_fixtures(site: &Site) -> bool {
    site.function.parameters.len() > usize::from(site.receiver().is_some())
}

/// The statements of a test, but for what a method does with its own object: it does that for nobody else.
fn statements(site: &Site) -> impl Iterator<Item = Statement> {
    let receiver = site.receiver();
    let is_own =
        move |statement: &&Statement| statement.loads.iter().any(|name| Some(name.as_str()) == receiver);
    site.function.statements().iter().filter(move |statement| !is_own(statement)).cloned()
}

/// The fewest statements of a helper that do it by themselves; nothing if they do not.
fn fewest(
    workshop: &mut dyn Workshop,
    matter: &Matter<'_>,
    helper: &Helper,
    sites: &[Site],
) -> Result<Option<Lines>, Halted> {
    let (beside, site) = (helper.tests[0], &sites[0]);
    let order = &matter.problem.claims[helper.claim].order;
    let source = if matter.problem.is_brittle() { PatchSource::Setter } else { PatchSource::Cleaner };
    let all: Vec<Statement> = sites.iter().flat_map(statements).collect();
    let needs_fixtures = needs_fixtures(site);
    let questions = if needs_fixtures { TREES } else { QUESTIONS };
    let mut holds = |lines: &Lines| {
        if needs_fixtures {
            ends_well(workshop, matter, lines, order)
        } else {
            does_it(workshop.as_is(), order, &Snippet { text: lines.text.join("\n"), beside })
        }
    };
    if all.is_empty() {
        return Ok(None);
    }
    let is_bare = source == PatchSource::Setter && holds(&lines_of(site, &all, source, true))?;
    let written = |statements: &[Statement]| lines_of(site, statements, source, is_bare);
    if !is_bare && !holds(&written(&all))? {
        return Ok(None);
    }
    let (Shrunk::Minimal(mut statements) | Shrunk::Unfinished(mut statements)) =
        shrink(&all, questions, |statements| holds(&written(statements)))?;
    if let Some(certain) = without_conditions(site, &statements)
        && holds(&written(&certain))?
    {
        statements = certain;
    }
    let from = sites.iter().map(|site| site.function.name().to_owned()).collect();
    let lines = Lines { from, back: moved_back_all(&statements), ..written(&statements) };
    Ok(Some(if source == PatchSource::Setter { undone(site, &statements, lines, is_bare) } else { lines }))
}

/// The statements with what each `if` does in its place, where only statements before it decide on that; nothing if there is none.
fn without_conditions(site: &Site, statements: &[Statement]) -> Option<Vec<Statement>> {
    let imports = site.source.imports().iter().map(Import::bound_name);
    let imported: BTreeSet<&str> = imports.collect();
    let mut written: BTreeSet<&str> = BTreeSet::new();
    let mut certain = vec![];
    for statement in statements {
        let is_if = matches!(statement.shape, Shape::Compound { keyword: "if" });
        let mut loads = statement.loads.iter().map(Text::as_str);
        match &statement.blocks[..] {
            [one] if is_if && loads.all(|name| written.contains(name) && !imported.contains(name)) => {
                certain.extend(one.iter().cloned());
            }
            _ => certain.push(statement.clone()),
        }
        written.extend(writes(statement));
    }
    let ranges = |statements: &[Statement]| -> Vec<_> {
        statements.iter().map(|statement| statement.range.clone()).collect()
    };
    (ranges(&certain) != ranges(statements)).then_some(certain)
}

/// Names that a statement binds, or whose objects it changes.
fn writes(statement: &Statement) -> Vec<&str> {
    let targets = match &statement.shape {
        Shape::Assign { targets, .. } | Shape::Delete { targets } => &targets[..],
        Shape::AugAssign { target, .. } => std::slice::from_ref(target),
        _ => &[],
    };
    let changed = targets.iter().filter_map(|target| match target {
        Target::Attribute { object, .. } | Target::Item { object, .. } => {
            object.split(['.', '[', '(']).next()
        }
        _ => None,
    });
    let receivers =
        statement.calls.iter().filter_map(|call| call.function.split_once('.')).map(|(root, _)| root);
    statement.stores.iter().map(Text::as_str).chain(changed).chain(receivers).collect()
}

/// The call in a check, if that needs all that the check does.
fn unchecked(site: &Site, statement: &Statement) -> Option<String> {
    let outer = statement.calls.iter().max_by_key(|call| call.range.len())?;
    let text = &site.source.text()[outer.range.clone()];
    let alone = Source::parse(text.as_bytes()).ok()?;
    let [call] = &alone.top_level()[..] else { return None };
    let names = |statement: &Statement| -> BTreeSet<String> {
        statement.loads.iter().map(ToString::to_string).collect()
    };
    let is_plain = statement.stores.is_empty() && !statement.text.contains("await ");
    let is_only = matches!(statement.shape, Shape::Assert) && names(call) == names(statement);
    (is_plain && is_only && !text.contains('\n')).then(|| text.to_owned())
}

/// The same, so that `monkeypatch` undoes what it can: what sets something up should not leave it set up.
fn undone(site: &Site, statements: &[Statement], lines: Lines, is_bare: bool) -> Lines {
    let words: Vec<Option<String>> = statements.iter().map(with_monkeypatch).collect();
    if words.iter().all(Option::is_none) {
        return lines;
    }
    let text = statements.iter().zip(words).flat_map(|(statement, word)| {
        word.map_or_else(|| text_of(site, statement, statements, is_bare), |word| vec![word])
    });
    let fixtures = [lines.fixtures, vec!["monkeypatch".to_owned()]].concat();
    Lines { text: text.collect(), fixtures, ..lines }
}

/// What takes back all that setters do, if they move files and nothing else.
fn moved_back_all(statements: &[Statement]) -> Option<Vec<String>> {
    let back = |statement: &Statement| match &statement.shape {
        Shape::Call { call, is_awaited: false } => moved_back(call),
        _ => None,
    };
    statements.iter().rev().map(back).collect()
}

/// Whether the last test of an order passes when it does this first, in a changed tree.
fn ends_well(
    workshop: &mut dyn Workshop,
    matter: &Matter<'_>,
    lines: &Lines,
    order: &Order,
) -> Result<bool, Halted> {
    let test = *order.tests().last().expect("orders are not empty");
    let mut tree = matter.tree.clone();
    let Some(candidate) = first_of_all(matter, lines, &BTreeSet::from([test])) else { return Ok(false) };
    if candidate.recipe.apply(&mut tree).is_err() {
        return Ok(false);
    }
    let mut ended = None;
    let opened = workshop.with(&tree.changes(), &mut |oracle| {
        let Some(places) = places(matter.suite, oracle.suite()) else { return };
        let order: Order = order.tests().iter().map(|test| places[test]).collect();
        ended = Some(run(oracle, &[order], 0));
    });
    match (opened, ended) {
        (Err(Unopened::Halted(halted)), _) | (_, Some(Err(halted))) => Err(halted),
        (Ok(()), Some(Ok(ended))) => Ok(has_passed(&ended[0])),
        _ => Ok(false),
    }
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

/// Statements with the imports that they need, and their home if they need what only their own file has. Where they are `bare`, of
/// checks only what is called in them is taken: who sets something up for another test checks nothing.
fn lines_of(site: &Site, statements: &[Statement], source: PatchSource, is_bare: bool) -> Lines {
    let (mut imports, mut fixtures, mut is_homely) = (BTreeSet::new(), BTreeSet::new(), false);
    for name in needed(statements) {
        let mut all = site.source.imports().iter();
        let import = all.find(|import| import.is_top_level && import.bound_name() == name);
        match import {
            _ if site.function.parameters.iter().any(|parameter| *parameter.name == *name) => {
                fixtures.insert(name.to_owned());
            }
            Some(import) => {
                imports.insert((written(import), name.to_owned()));
            }
            // Other names of the file are its own, or built in.
            None => is_homely |= site.source.binds(name),
        }
    }
    Lines {
        text: statements.iter().flat_map(|statement| text_of(site, statement, statements, is_bare)).collect(),
        imports: imports.into_iter().collect(),
        fixtures: fixtures.into_iter().collect(),
        home: is_homely.then(|| site.file.clone()),
        source,
        from: vec![],
        back: None,
    }
}

/// The lines of one of some statements, as a file of their own would have them.
fn text_of(site: &Site, statement: &Statement, among: &[Statement], is_bare: bool) -> Vec<String> {
    let text = unnamed(site, statement, among).or_else(|| unchecked(site, statement).filter(|_| is_bare));
    let text = text.unwrap_or_else(|| site.source.block(std::slice::from_ref(statement)));
    text.lines().map(str::to_owned).collect()
}

/// The call alone, if nobody uses the name that its value gets.
fn unnamed(site: &Site, statement: &Statement, among: &[Statement]) -> Option<String> {
    let Shape::Assign { targets, value } = &statement.shape else { return None };
    let [Target::Name(name)] = &targets[..] else { return None };
    let is_used = among.iter().any(|statement| statement.loads.contains(name));
    let is_call = statement.calls.iter().any(|call| site.source.text()[call.range.clone()] == **value);
    (is_call && !is_used && !value.contains('\n')).then(|| value.to_string())
}

/// Names that the statements use and do not bind before.
fn needed(statements: &[Statement]) -> BTreeSet<&str> {
    let (mut bound, mut needed) = (BTreeSet::new(), BTreeSet::new());
    for statement in statements {
        let loads = statement.loads.iter().map(Text::as_str);
        needed.extend(loads.filter(|name| !bound.contains(name)));
        bound.extend(statement.stores.iter().map(Text::as_str));
    }
    needed
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

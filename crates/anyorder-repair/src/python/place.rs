//! Statements that put state right, at the tests that leave it wrong or at those that need it.

use std::collections::BTreeSet;

use anyorder_model::{PatchSource, Placement, Strength, TestIndex};

use super::fixture::{Fixture, Reach, cleanups, used};
use super::keep::{Keep, strength};
use super::local::anew;
use super::matter::{Matter, files_of, tests_of};
use super::names::{files_in_words, functions_in_words, in_words};
use super::opposite::is_new_file;
use super::recipe::{Edit, Step};
use super::sets::is_looked_at;
use super::site::{Site, is_editable};
use super::text::{defined, is_mark, module};
use super::undo::Undo;
use crate::candidate::{Candidate, Leaves};
use crate::words::words;

/// Statements that put state right. They may name modules.
#[derive(Clone, Debug)]
pub(super) struct Lines {
    pub(super) text: Vec<String>,
    /// Imports that they need besides, with the names that these bind.
    pub(super) imports: Vec<(String, String)>,
    /// Fixtures that they need.
    pub(super) fixtures: Vec<String>,
    /// The only file that they can stand in.
    pub(super) home: Option<String>,
    pub(super) source: PatchSource,
    /// The tests that have them.
    pub(super) from: Vec<String>,
    /// What takes them back, if they say so themselves.
    pub(super) back: Option<Vec<String>>,
}

/// Candidates with these statements, where they cure most with the fewest lines first.
pub(super) fn placed(matter: &Matter<'_>, lines: &Lines) -> Vec<Candidate> {
    let (polluters, sufferers) = (&matter.problem.polluters, &matter.problem.sufferers);
    // What stands in a fixture is indented, and so would be the inside of a text that goes over several lines.
    let is_long = lines.text.iter().any(|line| line.contains("\"\"\"") || line.contains("'''"));
    let behind = || behind(matter, lines, polluters);
    let is_set = lines.source == PatchSource::Reset && lines.text.iter().any(|line| line.contains(" = "));
    let before = || {
        let mut candidates = before(matter, lines, sufferers);
        // Whoever is given what a module begins with does not notice what it begins with.
        let doubtful = candidates.iter_mut().filter(|_| is_set);
        doubtful.for_each(|candidate| candidate.strength = Strength::Unsafe);
        candidates
    };
    let mut candidates = if is_long {
        first_of_all(matter, lines, sufferers).into_iter().collect()
    } else if polluters.is_empty() {
        before()
    } else if polluters.len() <= sufferers.len() {
        [behind(), before()].concat()
    } else {
        [before(), behind()].concat()
    };
    // A call that is told the value that a test then finds is no better than setting it there.
    let is_told = lines.source == PatchSource::Reset && lines.text.iter().any(|line| !line.ends_with("()"));
    let is_doubtful = is_told && is_looked_at(matter);
    for candidate in &mut candidates {
        candidate.source = lines.source;
        candidate.leaves = Leaves::Anything;
        if is_doubtful && candidate.edited.iter().any(|test| sufferers.contains(test)) {
            candidate.strength = Strength::Unsafe;
        }
    }
    let for_a_while = for_a_while(matter, lines, sufferers).filter(|_| !is_long);
    candidates.extend(for_a_while.map(|candidate| Candidate { source: lines.source, ..candidate }));
    candidates
}

/// The tests do it first of all; then each test of their files.
fn before(matter: &Matter<'_>, lines: &Lines, tests: &BTreeSet<TestIndex>) -> Vec<Candidate> {
    let one_by_one = first_of_all(matter, lines, tests);
    let files = files_of(matter, tests);
    let around = around(matter, lines, &files, |name| {
        let mut block = vec![format!("@{}.fixture(autouse=True)", module("pytest")), heading(name, lines)];
        block.extend(lines.text.iter().map(|line| format!("    {line}")));
        block
    });
    let anew = with_fixtures_anew(matter, lines, tests);
    one_by_one.into_iter().chain(around).chain(anew).collect()
}

/// It is done before the tests, and taken back behind them: for other tests it is as if nobody had done it.
fn for_a_while(matter: &Matter<'_>, lines: &Lines, tests: &BTreeSet<TestIndex>) -> Option<Candidate> {
    let keeps = taken_back(matter, lines).filter(|_| matter.problem.is_brittle())?;
    let sites = matter.few_sites(tests)?;
    let mut steps = vec![];
    let mut defined = BTreeSet::new();
    for (_, site) in &sites {
        let (function, own) = (site.function.names.clone(), matter.own_of(&site.file));
        if site.is_unittest() {
            let cleanups = cleanups(&keeps, own, "self.addCleanup").filter(|_| lines.fixtures.is_empty())?;
            let first = Edit::First { function, lines: [&cleanups[..], &lines.text].concat() };
            steps.extend(at_home(lines, &site.file, first)?);
            continue;
        }
        let name = format!("set_{}", matter.name);
        let decorate = Edit::Decorate { function: function.clone(), decorator: used(&name) };
        steps.extend(at_home(lines, &site.file, decorate)?);
        if defined.insert(site.file.clone()) {
            let (parameters, first) = (&lines.fixtures[..], &lines.text[..]);
            let set = Fixture { name: &name, reach: Reach::Named, parameters, first };
            let define = Edit::Define { before: Some(function), lines: set.lines(&keeps, own) };
            steps.push(Step { file: site.file.clone(), edit: define });
        }
    }
    let summary = format!("let {} {} first, and take that back", functions_in_words(&sites), does(lines));
    let cells = matter.problem.cells.iter().map(|state| state.cell.clone()).collect();
    let candidate = matter.candidate(steps, Placement::Test, summary, tests_of(&sites));
    Some(Candidate { strength: strength(&keeps), leaves: Leaves::Without(cells), ..candidate })
}

/// What takes back what the lines do: the opposite, if they have one and nothing was there before, or else what keeps the cells.
fn taken_back(matter: &Matter<'_>, lines: &Lines) -> Option<Vec<Keep>> {
    let opposite = lines.back.as_ref().filter(|_| is_new_file(matter.problem));
    if let Some(back) = opposite {
        return Some(vec![Keep::new([], back.iter().cloned().map(Undo::Statement))]);
    }
    let used: BTreeSet<&str> = lines.text.iter().flat_map(|line| words(line)).collect();
    let is_free = |keeps: &Vec<Keep>| {
        let bound = keeps.iter().flat_map(|keep| &keep.save).filter_map(|line| line.split_once(" = "));
        !keeps.iter().any(|keep| keep.has_locals) && bound.into_iter().all(|(name, _)| !used.contains(name))
    };
    let renamed = || matter.keeps_of(|_| true, |short| format!("{short}_before")).filter(is_free);
    matter.keeps().filter(is_free).or_else(renamed)
}

/// The tests do it first of all, with fixtures that no other test has had before.
///
/// Where tests count on each other through such a fixture, neither helps by itself: the setter would be done twice, or not at all.
fn with_fixtures_anew(matter: &Matter<'_>, lines: &Lines, tests: &BTreeSet<TestIndex>) -> Option<Candidate> {
    let named: Vec<(String, Step)> = lines
        .fixtures
        .iter()
        .filter_map(|name| Some((format!("`{name}`"), anew(matter, name)?)))
        .filter(|_| matter.problem.is_brittle())
        .collect();
    let (names, anew): (Vec<String>, Vec<Step>) = named.into_iter().unzip();
    let (sites, steps) = steps_first_of_all(matter, lines, tests).filter(|_| !anew.is_empty())?;
    let summary = format!(
        "make {} anew for each test, and let {} {} first",
        in_words(&names),
        functions_in_words(&sites),
        does(lines)
    );
    let steps = [steps, anew].concat();
    let candidate = matter.candidate(steps, Placement::Test, summary, tests_of(&sites));
    Some(Candidate { strength: Strength::Unsafe, ..candidate })
}

/// The tests do it first of all.
pub(super) fn first_of_all(
    matter: &Matter<'_>,
    lines: &Lines,
    tests: &BTreeSet<TestIndex>,
) -> Option<Candidate> {
    let (sites, steps) = steps_first_of_all(matter, lines, tests)?;
    let summary = format!("let {} {} first", functions_in_words(&sites), does(lines));
    Some(matter.candidate(steps, Placement::Test, summary, tests_of(&sites)))
}

/// Functions of tests that are edited, and how.
type Edits = (Vec<(TestIndex, Site)>, Vec<Step>);

fn steps_first_of_all(matter: &Matter<'_>, lines: &Lines, tests: &BTreeSet<TestIndex>) -> Option<Edits> {
    let sites = matter.few_sites(tests)?;
    let mut steps = vec![];
    for (_, site) in &sites {
        if site.is_unittest() && !lines.fixtures.is_empty() {
            return None;
        }
        let function = &site.function.names;
        let first = Edit::First { function: function.clone(), lines: lines.text.clone() };
        steps.extend(at_home(lines, &site.file, first)?);
        let parameter = |name: &String| Edit::Parameter { function: function.clone(), name: name.clone() };
        let parameters = lines.fixtures.iter().map(parameter);
        steps.extend(parameters.map(|edit| Step { file: site.file.clone(), edit }));
    }
    Some((sites, steps))
}

/// The first line of a fixture with these statements.
fn heading(name: &str, lines: &Lines) -> String {
    format!("def {}({}):", defined(name), lines.fixtures.join(", "))
}

/// It is done behind the tests; then behind each test of their files.
fn behind(matter: &Matter<'_>, lines: &Lines, tests: &BTreeSet<TestIndex>) -> Vec<Candidate> {
    let undo = Undo::Statement(lines.text.join("\n"));
    let keep = Keep::new([], [undo]);
    let sites = matter.few_sites(tests);
    let one_by_one = sites.and_then(|sites| {
        let mut defined = BTreeSet::new();
        let mut steps = vec![];
        for (_, site) in &sites {
            steps.extend(behind_one(matter, lines, &keep, site, &mut defined)?);
        }
        let summary = format!("{} behind {}", does(lines), functions_in_words(&sites));
        let edited = tests_of(&sites);
        Some(matter.candidate(steps, Placement::Polluter, summary, edited))
    });
    let files = files_of(matter, tests);
    let around = around(matter, lines, &files, |name| with_fixtures(name, lines, &keep, Reach::EachTest));
    one_by_one.into_iter().chain(around).collect()
}

fn behind_one(
    matter: &Matter<'_>,
    lines: &Lines,
    keep: &Keep,
    site: &Site,
    defined: &mut BTreeSet<String>,
) -> Option<Vec<Step>> {
    let function = site.function.names.clone();
    if site.is_unittest() {
        if !lines.fixtures.is_empty() {
            return None;
        }
        let cleanup = as_cleanup(&lines.text).map(|lines| Edit::First { function: function.clone(), lines });
        let finally = || Edit::Finally { function, first: vec![], lines: lines.text.clone() };
        return at_home(lines, &site.file, cleanup.unwrap_or_else(finally));
    }
    let name = format!("clean_{}", matter.name);
    let decorator = used(&name);
    let decorate = Edit::Decorate { function: function.clone(), decorator };
    let mut steps = at_home(lines, &site.file, decorate)?;
    if defined.insert(site.file.clone()) {
        let block = with_fixtures(&name, lines, keep, Reach::Named);
        let define = Edit::Define { before: Some(function), lines: block };
        steps.push(Step { file: site.file.clone(), edit: define });
    }
    Some(steps)
}

fn with_fixtures(name: &str, lines: &Lines, keep: &Keep, reach: Reach) -> Vec<String> {
    let fixture = Fixture { name, reach, parameters: &lines.fixtures, first: &[] };
    fixture.lines(std::slice::from_ref(keep), None)
}

/// One call, as `addCleanup` takes it.
fn as_cleanup(lines: &[String]) -> Option<Vec<String>> {
    let [line] = lines else { return None };
    let (function, arguments) = line.strip_suffix(')')?.split_once('(')?;
    let mut depth = 0;
    let is_one = arguments.chars().all(|letter| {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        depth >= 0
    });
    let is_plain = is_one
        && function
            .chars()
            .all(|letter| letter.is_alphanumeric() || "._".contains(letter) || is_mark(letter));
    let arguments = if arguments.is_empty() { String::new() } else { format!(", {arguments}") };
    is_plain.then(|| vec![format!("self.addCleanup({function}{arguments})")])
}

fn around(
    matter: &Matter<'_>,
    lines: &Lines,
    files: &BTreeSet<String>,
    block: impl Fn(&str) -> Vec<String>,
) -> Option<Candidate> {
    let step = |file: &String| {
        let define = Edit::Define { before: None, lines: block(&format!("clean_{}", matter.name)) };
        at_home(lines, file, define).filter(|_| is_editable(matter.tree, file))
    };
    let steps = files.iter().map(step).collect::<Option<Vec<Vec<Step>>>>()?;
    let summary = format!("{} around each test of {}", does(lines), files_in_words(files));
    Some(matter.candidate(steps.concat(), Placement::File, summary, vec![]))
}

/// The edit with the imports that it needs; nothing if the statements cannot stand in that file.
fn at_home(lines: &Lines, file: &str, edit: Edit) -> Option<Vec<Step>> {
    let step = |edit| Step { file: file.to_owned(), edit };
    let is_home = lines.home.as_ref().is_none_or(|home| home == file);
    let imports = lines.imports.iter();
    let import = |(statement, name): &(String, String)| {
        step(Edit::Import { statement: statement.clone(), name: name.clone() })
    };
    is_home.then(|| imports.map(import).chain([step(edit)]).collect())
}

fn does(lines: &Lines) -> String {
    let shown: String = lines.text.join("; ").replace(is_mark, "");
    let is_short = shown.chars().count() <= 60 && lines.text.len() == 1;
    match &lines.from[..] {
        from if is_short || from.is_empty() => format!("run `{shown}`"),
        [test] => format!("do what `{test}` does"),
        tests => {
            let tests: Vec<String> = tests.iter().map(|test| format!("`{test}`")).collect();
            format!("do what {} do", in_words(&tests))
        }
    }
}

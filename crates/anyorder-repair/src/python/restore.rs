//! Candidates that put the cells themselves back, where the tests are that leave them changed.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use anyorder_model::{PatchSource, Placement, Strength, Suite, TestIndex};

use anyorder_source::{Shape, Target};

use super::fixture::{Reach, cleanups, fixture};
use super::keep::{Keep, Known, keep};
use super::recipe::{Edit, Step, Steps};
use super::rewrite::with_monkeypatch;
use super::site::{Site, file_and_line, read};
use super::text::double_quoted;
use crate::candidate::Candidate;
use crate::problem::Problem;
use crate::workshop::Tree;

/// What candidates are made of.
pub(super) struct Matter<'a> {
    pub(super) tree: &'a Tree<'a>,
    pub(super) suite: &'a Suite,
    pub(super) problem: &'a Problem,
    /// Modules of the project, by their files.
    pub(super) own: BTreeMap<String, String>,
    /// What the cells are called in sentences.
    pub(super) what: String,
    /// A name for a fixture about them.
    pub(super) name: String,
}

/// So many tests are edited one by one.
const FEW: usize = 3;

impl<'a> Matter<'a> {
    pub(super) fn new(tree: &'a Tree<'a>, suite: &'a Suite, problem: &'a Problem) -> Self {
        let own = problem.abouts.iter().filter_map(|about| about.file.clone().zip(about.module.clone()));
        let paths: Vec<String> = problem.cells.iter().map(|state| format!("`{}`", state.cell)).collect();
        let name =
            problem.cells.first().map_or_else(|| "clean_state".to_owned(), |state| name_for(&state.cell));
        Matter { tree, suite, problem, own: own.collect(), what: in_words(&paths), name }
    }

    pub(super) fn known(&self) -> Vec<Known<'a>> {
        let cells = self.problem.cells.iter();
        cells.zip(&self.problem.abouts).map(|(state, about)| Known { state, about: about.clone() }).collect()
    }

    /// How the cells are kept, if all of them can be.
    fn keeps(&self) -> Option<Vec<Keep>> {
        let known = self.known();
        let saved = |known: &Known<'_>| match self.problem.cells.len() {
            1 => "saved".to_owned(),
            _ => format!("saved_{}", short(&known.state.cell)),
        };
        let mut keeps: Vec<Keep> =
            known.iter().map(|known| keep(known, &saved(known))).collect::<Option<_>>()?;
        keeps.dedup();
        keeps.retain(|keep| !keep.is_nothing());
        Some(keeps).filter(|keeps| !keeps.is_empty())
    }

    pub(super) fn own_of(&self, file: &str) -> Option<&str> {
        self.own.get(file).map(String::as_str)
    }

    pub(super) fn candidate(
        &self,
        steps: Vec<Step>,
        placement: Placement,
        summary: String,
        edited: Vec<TestIndex>,
    ) -> Candidate {
        Candidate {
            recipe: Rc::new(Steps { steps, own: self.own.clone() }),
            source: PatchSource::Restore,
            placement,
            strength: Strength::Safe,
            summary,
            edited,
        }
    }

    /// The functions of these tests, each once; nothing if one is not to be found.
    pub(super) fn sites(&self, tests: &BTreeSet<TestIndex>) -> Option<Vec<(TestIndex, Site)>> {
        let mut known = BTreeSet::new();
        let mut sites = vec![];
        for &test in tests {
            let site = Site::of_test(self.tree, self.suite, test)?;
            if known.insert((site.file.clone(), site.function.names.clone())) {
                sites.push((test, site));
            }
        }
        Some(sites)
    }
}

/// Statements of tests and fixtures that `monkeypatch` has a word for.
pub(super) fn rewritten(matter: &Matter<'_>) -> Vec<Candidate> {
    let mut steps = vec![];
    let mut places = BTreeSet::new();
    for state in &matter.problem.cells {
        let Some(step) = state.written.as_deref().and_then(|line| rewrite(matter, line)) else {
            return vec![];
        };
        places.insert(step[0].clone().1);
        steps.extend(step.into_iter().map(|(step, _)| step));
    }
    steps.dedup();
    if steps.is_empty() {
        return vec![];
    }
    let who = in_words(&places.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>());
    let summary = format!("let `monkeypatch` undo what {who} changes: {}", matter.what);
    vec![matter.candidate(steps, Placement::Polluter, summary, vec![])]
}

fn rewrite(matter: &Matter<'_>, line: &str) -> Option<Vec<(Step, String)>> {
    let site = Site::of_line(matter.tree, line)?;
    let function = &site.function;
    let scope = site.fixture_scope();
    let is_test = matter.problem.polluters.iter().any(|&test| {
        let other = Site::of_test(matter.tree, matter.suite, test);
        other.is_some_and(|other| other.file == site.file && other.function.names == function.names)
    });
    if site.is_unittest() || site.is_clean_up(line) || !(is_test || scope == Some("function")) {
        return None;
    }
    let statement = site.statement(file_and_line(line)?.1)?;
    let by = with_monkeypatch(&statement)?;
    let step = |edit| (Step { file: site.file.clone(), edit }, function.name().to_owned());
    let names = function.names.clone();
    Some(vec![
        step(Edit::Replace { function: names.clone(), statement: statement.text.to_string(), by }),
        step(Edit::Parameter { function: names, name: "monkeypatch".to_owned() }),
    ])
}

/// A clean-up that assigns something else than what was there.
pub(super) fn corrected(matter: &Matter<'_>) -> Option<Candidate> {
    let known = matter.known();
    let [one] = &known[..] else { return None };
    let line = one.state.written.as_deref()?;
    let site = Site::of_line(matter.tree, line).filter(|site| site.is_clean_up(line))?;
    let statement = site.statement(file_and_line(line)?.1)?;
    let Shape::Assign { targets, .. } = &statement.shape else { return None };
    let (target, literal) = (written(targets.first()?)?, double_quoted(one.about.literal.as_ref()?));
    let (function, by) = (site.function.names.clone(), format!("{target} = {literal}"));
    let edit = Edit::Replace { function, statement: statement.text.to_string(), by };
    let summary = format!("let `{}` put {} back as it was", site.function.name(), matter.what);
    let step = Step { file: site.file.clone(), edit };
    let candidate = matter.candidate(vec![step], Placement::Polluter, summary, vec![]);
    Some(Candidate { source: PatchSource::Correction, ..candidate })
}

fn written(target: &Target) -> Option<String> {
    match target {
        Target::Name(name) => Some(name.to_string()),
        Target::Attribute { object, name } => Some(format!("{object}.{name}")),
        Target::Item { object, key } => Some(format!("{object}[{key}]")),
        Target::Other(_) => None,
    }
}

/// Cells that are kept around the tests that change them.
pub(super) fn kept(matter: &Matter<'_>) -> Vec<Candidate> {
    let Some(keeps) = matter.keeps() else { return vec![] };
    let Some(sites) = matter.sites(&matter.problem.polluters) else { return around_files(matter, &keeps) };
    let by_itself = if sites.len() <= FEW { at_tests(matter, &keeps, &sites) } else { None };
    at_classes(matter, &keeps).into_iter().chain(by_itself).chain(around_files(matter, &keeps)).collect()
}

/// What `setUpClass` changes goes back when the class is done.
fn at_classes(matter: &Matter<'_>, keeps: &[Keep]) -> Option<Candidate> {
    let lines = matter.problem.cells.first()?.written.iter().chain(&matter.problem.cells.first()?.stack);
    let mut sites = lines.filter_map(|line| Site::of_line(matter.tree, line));
    let site = sites.find(|site| site.function.name() == "setUpClass" && site.is_unittest())?;
    let lines = cleanups(keeps, matter.own_of(&site.file))?;
    let lines = lines.iter().map(|line| line.replace("self.addCleanup(", "cls.addClassCleanup(")).collect();
    let edit = Edit::First { function: site.function.names.clone(), lines };
    let summary = format!("put {} back behind the tests of `{}`", matter.what, site.function.names[0]);
    let step = Step { file: site.file.clone(), edit };
    let candidate = matter.candidate(vec![step], Placement::Polluter, summary, vec![]);
    Some(Candidate { strength: strength(keeps), ..candidate })
}

/// Each polluter keeps the cells itself.
fn at_tests(matter: &Matter<'_>, keeps: &[Keep], sites: &[(TestIndex, Site)]) -> Option<Candidate> {
    let mut steps = vec![];
    let mut defined = BTreeSet::new();
    for (_, site) in sites {
        steps.extend(at_test(matter, keeps, site, &mut defined)?);
    }
    let names: Vec<String> = sites.iter().map(|(_, site)| format!("`{}`", site.function.name())).collect();
    let summary = format!("put {} back behind {}", matter.what, in_words(&names));
    let candidate =
        matter.candidate(steps, Placement::Polluter, summary, sites.iter().map(|site| site.0).collect());
    Some(Candidate { strength: strength(keeps), ..candidate })
}

fn at_test(
    matter: &Matter<'_>,
    keeps: &[Keep],
    site: &Site,
    defined: &mut BTreeSet<String>,
) -> Option<Vec<Step>> {
    let function = site.function.names.clone();
    let step = |edit| Step { file: site.file.clone(), edit };
    let own = matter.own_of(&site.file);
    if site.is_unittest() {
        return Some(vec![step(Edit::First { function, lines: cleanups(keeps, own)? })]);
    }
    let pins: Option<Vec<String>> = keeps.iter().map(|keep| keep.pin.clone()).collect();
    let binds_own =
        |keep: &Keep| keep.undo.iter().any(|undo| own.is_some_and(|own| undo.binds(own).is_some()));
    if let Some(lines) = pins.filter(|_| !keeps.iter().any(binds_own)) {
        let first = step(Edit::First { function: function.clone(), lines });
        return Some(vec![first, step(Edit::Parameter { function, name: "monkeypatch".to_owned() })]);
    }
    if let [Keep { manager: Some(manager), .. }] = keeps {
        let is_decorator = manager.contains(".patch.dict(") && !site.function.is_async;
        if is_decorator {
            return Some(vec![step(Edit::Decorate { function, decorator: manager.clone() })]);
        }
    }
    let name = fresh_name(site, &matter.name);
    let mut steps = vec![];
    if defined.insert(site.file.clone()) {
        let lines = fixture(&name, keeps, Reach::Named, own);
        steps.push(step(Edit::Define { before: Some(function.clone()), name: name.clone(), lines }));
    }
    let decorator = format!("{}.mark.usefixtures(\"{name}\")", super::text::module("pytest"));
    steps.push(step(Edit::Decorate { function, decorator }));
    Some(steps)
}

/// A fixture around all tests of each file that has polluters; then one around all of a file's tests together.
fn around_files(matter: &Matter<'_>, keeps: &[Keep]) -> Vec<Candidate> {
    let files: BTreeSet<String> = files_of(matter, &matter.problem.polluters);
    let mut candidates = vec![];
    for reach in [Reach::EachTest, Reach::AllTests] {
        let step = |file: &String| {
            let source = read(matter.tree, file)?;
            let name = unused(&source, &matter.name);
            let lines = fixture(&name, keeps, reach, matter.own_of(file));
            Some(Step { file: file.clone(), edit: Edit::Define { before: None, name, lines } })
        };
        let Some(steps) = files.iter().map(step).collect::<Option<Vec<Step>>>() else { return vec![] };
        let names: Vec<String> = files.iter().map(|file| format!("`{file}`")).collect();
        let each = if reach == Reach::EachTest { "each test of" } else { "the tests of" };
        let summary = format!("put {} back behind {each} {}", matter.what, in_words(&names));
        let candidate = matter.candidate(steps, Placement::File, summary, vec![]);
        candidates.push(Candidate { strength: strength(keeps), ..candidate });
    }
    candidates
}

/// The files of these tests.
pub(super) fn files_of(matter: &Matter<'_>, tests: &BTreeSet<TestIndex>) -> BTreeSet<String> {
    let file = |test: &TestIndex| matter.suite.id(*test).0.split("::").next().map(str::to_owned);
    tests.iter().filter_map(file).collect()
}

fn strength(keeps: &[Keep]) -> Strength {
    keeps.iter().map(|keep| keep.strength).max().unwrap_or(Strength::Safe)
}

/// A name that the site's file does not use.
pub(super) fn fresh_name(site: &Site, name: &str) -> String {
    unused(&site.source, name)
}

/// A name that a file does not use.
pub(super) fn unused(source: &anyorder_source::Source, name: &str) -> String {
    let text = source.text();
    let names = std::iter::once(name.to_owned()).chain((2..).map(|number| format!("{name}_{number}")));
    names.into_iter().find(|name| !text.contains(name.as_str())).expect("there are endless names")
}

/// A name for a fixture that keeps this cell.
fn name_for(path: &str) -> String {
    format!("keep_{}", short(path))
}

/// The last name in a path, in small letters.
fn short(path: &str) -> String {
    let head = path.split(" of ").next().unwrap_or(path);
    let head = head.strip_prefix("context variable ").unwrap_or(head);
    if let Some(file) = head.strip_prefix("file ") {
        let name = file.rsplit('/').next().unwrap_or(file);
        return name
            .split('.')
            .find(|part| !part.is_empty())
            .unwrap_or("file")
            .replace('-', "_")
            .to_lowercase();
    }
    let words: Vec<String> = head
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .filter(|word| word.starts_with(|letter: char| letter.is_alphabetic() || letter == '_'))
        .map(|word| word.trim_matches('_').to_lowercase())
        .filter(|word| !word.is_empty())
        .collect();
    match &words[..] {
        _ if path.starts_with("os.environ") => "environment".to_owned(),
        _ if path.starts_with("sys.modules") => "modules".to_owned(),
        _ if path.starts_with("sys.path") => "search_path".to_owned(),
        _ if head.contains(' ') && !path.contains('<') => words.join("_"),
        [.., last] => last.clone(),
        [] => "state".to_owned(),
    }
}

/// `a`, `b` and `c`.
pub(super) fn in_words(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] if words.len() <= 4 => format!("{} and {last}", first.join(", ")),
        [first, second, ..] => format!("{first}, {second} and {} more", words.len() - 2),
    }
}

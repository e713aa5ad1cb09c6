//! Candidates that put cells back where a set-up changes them: in the tear-down that belongs to it.

use std::collections::{BTreeMap, BTreeSet};

use anyorder_model::{Placement, Strength};

use super::fixture::{by_hand, cleanups, globals, saves, undone};
use super::keep::Keep;
use super::local::without_scope;
use super::matter::Matter;
use super::names::{in_words, unused};
use super::recipe::{Among, Edit, Step};
use super::site::{Site, is_fixture, read};
use crate::candidate::Candidate;

/// Functions that set up, those that tear down, and whether that is around each test.
const PAIRS: [(&str, &str, bool); 8] = [
    ("setup_module", "teardown_module", false),
    ("setUpModule", "tearDownModule", false),
    ("setup_class", "teardown_class", false),
    ("setUpClass", "tearDownClass", false),
    ("setup_method", "teardown_method", true),
    ("setup_function", "teardown_function", true),
    ("setUp", "tearDown", true),
    ("asyncSetUp", "asyncTearDown", true),
];

/// How a tear-down can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Clean-ups of `unittest`.
    Cleanups,
    /// The function that tears down, or what stands behind the `yield` of a fixture.
    TearDown(Among),
    /// The same, in a fixture that is made anew for each test.
    EachTest,
}

/// Cells that are put back where set-ups change them.
pub(super) fn at_setups(matter: &Matter<'_>) -> Vec<Candidate> {
    let setups = setups(matter);
    let ways = [Way::Cleanups, Way::TearDown(Among::First), Way::TearDown(Among::Last)];
    ways.into_iter().filter_map(|way| candidate(matter, &setups, way)).collect()
}

/// Cells that are put back by fixtures that change them, and live shorter from now on.
pub(super) fn at_narrower_setups(matter: &Matter<'_>) -> Option<Candidate> {
    candidate(matter, &setups(matter), Way::EachTest)
}

/// Each set-up with the paths of the cells that it changes.
type Setups = BTreeMap<(String, Vec<String>), (Site, BTreeSet<String>)>;

fn setups(matter: &Matter<'_>) -> Setups {
    let mut setups = Setups::new();
    for (cell, writers) in &matter.problem.writers {
        for lines in writers {
            let Some(site) = lines.iter().find_map(|line| setup_at(matter, line)) else { continue };
            let key = (site.file.clone(), site.function.names.clone());
            setups.entry(key).or_insert_with(|| (site, BTreeSet::new())).1.insert(cell.clone());
        }
    }
    let cured: BTreeSet<&String> = setups.values().flat_map(|(_, cells)| cells).collect();
    let is_cured = matter.problem.cells.iter().all(|state| cured.contains(&state.cell));
    if is_cured { setups } else { Setups::new() }
}

/// The function around a line that sets up, as it is now; nothing if the line cleans up.
fn setup_at(matter: &Matter<'_>, line: &str) -> Option<Site> {
    let told = Site::of_line(&matter.original, line)?;
    let names = &told.function.names;
    let around = (1..=names.len()).rev().filter_map(|depth| told.around(&names[..depth]));
    let setup = around.into_iter().find(|site| {
        let is_setup = PAIRS.iter().any(|(name, ..)| *name == site.function.name());
        (is_setup || site.fixture_scope().is_some()) && !site.is_clean_up(line)
    })?;
    let source = read(matter.tree, &setup.file)?;
    let function = source.function(&setup.function.names)?.clone();
    Some(Site { source, function, ..setup })
}

fn candidate(matter: &Matter<'_>, setups: &Setups, way: Way) -> Option<Candidate> {
    if setups.is_empty() {
        return None;
    }
    let (mut steps, mut places) = (vec![], vec![]);
    let mut strength = if way == Way::EachTest { Strength::Unsafe } else { Strength::Safe };
    for (site, cells) in setups.values() {
        let keeps = keeps(matter, site, cells)?;
        strength = keeps.iter().map(|keep| keep.strength).fold(strength, Strength::max);
        let edits = match way {
            Way::Cleanups => with_cleanups(matter, site, cells)?,
            _ if site.fixture_scope().is_some() => in_fixture(matter, site, &keeps, way)?,
            Way::TearDown(among) => in_tear_down(matter, site, &keeps, among)?,
            Way::EachTest => return None,
        };
        steps.extend(edits.into_iter().map(|edit| Step { file: site.file.clone(), edit }));
        places.push(place(site));
    }
    let summary = format!("put {} back behind {}", matter.what, in_words(&places));
    let candidate = matter.candidate(steps, Placement::Polluter, summary, matter.polluters());
    Some(Candidate { strength, ..candidate })
}

/// What is torn down, in words.
fn place(site: &Site) -> String {
    if site.fixture_scope().is_some() {
        return format!("the fixture `{}`", site.function.name());
    }
    let is_each = PAIRS.iter().any(|(name, _, is_each)| *name == site.function.name() && *is_each);
    let tests = if is_each { "each test" } else { "the tests" };
    let around = site.function.class.as_ref().and_then(|names| names.last()).unwrap_or(&site.file);
    format!("{tests} of `{around}`")
}

/// How the cells are kept between a set-up and its tear-down; nothing if that takes more than one name each.
fn keeps(matter: &Matter<'_>, site: &Site, cells: &BTreeSet<String>) -> Option<Vec<Keep>> {
    let is_fixture = site.fixture_scope().is_some();
    let named = |name: &str| match site.receiver().filter(|_| !is_fixture) {
        Some(receiver) => format!("{receiver}.{name}"),
        None if is_fixture => name.to_owned(),
        None => unused(&site.source, name),
    };
    let is_one = is_fixture && cells.len() == 1;
    let saved = |short: &str| if is_one { "saved".to_owned() } else { named(&format!("saved_{short}")) };
    let keeps = matter.keeps_of(|cell| cells.contains(cell), saved)?;
    let is_fit = is_fixture || !keeps.iter().any(|keep| keep.has_locals);
    is_fit.then(|| by_hand(&keeps, named))
}

/// Clean-ups that a set-up of `unittest` adds first of all.
fn with_cleanups(matter: &Matter<'_>, site: &Site, cells: &BTreeSet<String>) -> Option<Vec<Edit>> {
    let receiver = site.receiver().filter(|_| site.is_unittest())?;
    let method = if site.function.name() == "setUpClass" { "addClassCleanup" } else { "addCleanup" };
    let named = |short: &str| if cells.len() == 1 { "saved".to_owned() } else { format!("saved_{short}") };
    let keeps = matter.keeps_of(|cell| cells.contains(cell), named)?;
    let lines = cleanups(&keeps, matter.own_of(&site.file), &format!("{receiver}.{method}"))?;
    Some(vec![Edit::First { function: site.function.names.clone(), lines }])
}

/// The function that tears down what this one sets up does it.
fn in_tear_down(matter: &Matter<'_>, site: &Site, keeps: &[Keep], among: Among) -> Option<Vec<Edit>> {
    let setup = &site.function;
    let (_, name, _) = PAIRS.iter().find(|(name, ..)| *name == setup.name())?;
    let receiver = site.receiver();
    if setup.class.is_some() && receiver.is_none() {
        return None;
    }
    let save = saves(keeps);
    let is_global = receiver.is_none();
    let save = declared(&save).filter(|_| is_global).into_iter().chain(save).collect::<Vec<_>>();
    let own = matter.own_of(&site.file);
    let mut lines = [globals(keeps, own), undone(keeps, own)].concat();
    lines.extend(calls_base(site, name)?.then(|| format!("super().{name}()")));
    let decorators = setup.decorators.iter().map(|decorator| decorator.text.as_str());
    let bound = decorators.filter(|text| *text == "classmethod").map(|text| format!("@{text}"));
    let word = if setup.is_async { "async def" } else { "def" };
    let heading = bound.chain([format!("{word} {name}({}):", receiver.unwrap_or_default())]).collect();
    let names = setup.names.clone();
    let first = (!save.is_empty()).then(|| Edit::First { function: names.clone(), lines: save });
    let down = Edit::TearDown { setup: names, name: (*name).to_owned(), heading, lines, among };
    Some(first.into_iter().chain([down]).collect())
}

/// Names of these lines that have to be those of the module, because a tear-down needs them.
fn declared(lines: &[String]) -> Option<String> {
    let mut names: Vec<&str> =
        lines.iter().filter_map(|line| line.split_once(" = ").map(|(name, _)| name)).collect();
    names.dedup();
    (!names.is_empty()).then(|| format!("global {}", names.join(", ")))
}

/// Whether a tear-down that is new has to call that of a base class; nothing if that is not known.
fn calls_base(site: &Site, name: &str) -> Option<bool> {
    let Some(names) = &site.function.class else { return Some(false) };
    let class = site.source.class(names)?;
    let is_there = site.source.function(&[&names[..], &[name.to_owned()]].concat()).is_some();
    let is_root = |base: &str| matches!(base, "object" | "TestCase" | "unittest.TestCase");
    let is_plain = class.bases.iter().all(|base| is_root(base.as_str()));
    if is_there || is_plain { Some(false) } else { site.is_unittest().then_some(true) }
}

/// A fixture does it behind its `yield`.
fn in_fixture(matter: &Matter<'_>, site: &Site, keeps: &[Keep], way: Way) -> Option<Vec<Edit>> {
    let fixture = &site.function.names;
    let own = matter.own_of(&site.file);
    let save = [globals(keeps, own), saves(keeps)].concat();
    let first = (!save.is_empty()).then(|| Edit::First { function: fixture.clone(), lines: save });
    let among = if let Way::TearDown(among) = way { among } else { Among::Last };
    let behind = Edit::BehindYield { fixture: fixture.clone(), lines: undone(keeps, own), among };
    let narrowed = if way == Way::EachTest { Some(narrower(site)?) } else { None };
    Some(narrowed.into_iter().chain(first).chain([behind]).collect())
}

/// The fixture is made anew for each test.
pub(super) fn narrower(site: &Site) -> Option<Edit> {
    let decorator = site.function.decorators.iter().find(|decorator| is_fixture(decorator.text.as_str()))?;
    let (from, to) = (decorator.text.to_string(), without_scope(decorator.text.as_str())?);
    Some(Edit::Redecorate { function: site.function.names.clone(), from, to })
}

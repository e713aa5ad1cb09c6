//! What candidates for one problem are made of: its cells, its tests, and names for both.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use anyorder_model::{About, PatchSource, Placement, State, Strength, Suite, TestIndex};
use anyorder_source::{Function, Source, Statement, Text};

use super::keep::{Keep, Known, keep};
use super::recipe::{Step, Steps};
use super::site::Site;
use crate::candidate::Candidate;
use crate::problem::Problem;
use crate::words::words;
use crate::workshop::Tree;

/// So many tests are edited one by one.
pub(super) const FEW: usize = 3;

/// What candidates are made of.
pub(super) struct Matter<'a> {
    pub(super) tree: &'a Tree<'a>,
    /// The files as they are: lines are told of these.
    pub(super) original: Tree<'a>,
    pub(super) suite: &'a Suite,
    pub(super) problem: &'a Problem,
    /// Modules of the project, by their files.
    pub(super) own: BTreeMap<String, String>,
    /// What the cells are called in sentences.
    pub(super) what: String,
    /// The end of a name for a fixture about them.
    pub(super) name: String,
}

impl<'a> Matter<'a> {
    pub(super) fn new(tree: &'a Tree<'a>, suite: &'a Suite, problem: &'a Problem) -> Self {
        let own = problem.abouts.iter().filter_map(|about| about.file.clone().zip(about.module.clone()));
        let paths: Vec<String> = problem.cells.iter().map(|state| format!("`{}`", state.cell)).collect();
        let name = problem.cells.first().map_or_else(|| "state".to_owned(), |state| short(&state.cell));
        Matter {
            tree,
            original: tree.untouched(),
            suite,
            problem,
            own: own.collect(),
            what: in_words(&paths),
            name,
        }
    }

    pub(super) fn known(&self) -> Vec<Known<'a>> {
        let cells = self.problem.cells.iter().zip(&self.problem.abouts);
        let one = |(state, about): (&'a State, &About)| {
            let is_bare = state.before == "<absent>" && self.lacks_default(state, about);
            Known { state, about: about.clone(), is_bare }
        };
        cells.map(one).collect()
    }

    /// Whether a context variable was made without a default, as far as its module says.
    fn lacks_default(&self, state: &State, about: &About) -> bool {
        let name = about.expression.as_ref().and_then(|text| text.rsplit('.').next());
        let source = about.file.as_ref().and_then(|file| Source::parse(self.tree.read(file)?).ok());
        let (true, Some(name), Some(source)) = (state.cell.starts_with("context variable "), name, source)
        else {
            return false;
        };
        source.top_level().iter().any(|statement| {
            let is_it = statement.stores.iter().any(|stored| stored.as_str() == name);
            is_it && statement.text.contains("ContextVar(") && !statement.text.contains("default=")
        })
    }

    /// How the cells are kept, if all of them can be.
    pub(super) fn keeps(&self) -> Option<Vec<Keep>> {
        let keeps = self.keeps_of(|_| true, |short| format!("saved_{short}"))?;
        if keeps.len() > 1 { Some(keeps) } else { self.keeps_of(|_| true, |_| "saved".to_owned()) }
    }

    /// How some of the cells are kept, if all of those can be; what was there gets the name that `saved` makes of the cell's.
    pub(super) fn keeps_of(
        &self,
        is_wanted: impl Fn(&str) -> bool,
        saved: impl Fn(&str) -> String,
    ) -> Option<Vec<Keep>> {
        let mut keeps: Vec<Keep> = vec![];
        let mut times: BTreeMap<String, usize> = BTreeMap::new();
        for known in self.known().iter().filter(|known| is_wanted(&known.state.cell)) {
            let name = saved(&short(&known.state.cell));
            let kept = keep(known, &name)?;
            if kept.is_nothing() || keeps.contains(&kept) {
                continue;
            }
            let times = times.entry(name.clone()).or_default();
            *times += 1;
            keeps.push(if *times == 1 { kept } else { keep(known, &format!("{name}_{times}"))? });
        }
        Some(keeps).filter(|keeps| !keeps.is_empty())
    }

    /// Whether a file is the project's own, and has neither tests nor what tests share.
    pub(super) fn is_under_test(&self, file: &str) -> bool {
        let mut ids = self.suite.indices().map(|test| self.suite.id(test));
        let is_installed = file.starts_with('/') || file.contains("-packages/");
        !is_installed && !file.ends_with("conftest.py") && ids.all(|id| id.0.split("::").next() != Some(file))
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

    /// The tests that a candidate edits which takes back what they do; a few of them, if they are many.
    pub(super) fn polluters(&self) -> Vec<TestIndex> {
        self.problem.polluters.iter().copied().take(FEW).collect()
    }

    /// The functions of these tests, if there are so few that each can be edited.
    pub(super) fn few_sites(&self, tests: &BTreeSet<TestIndex>) -> Option<Vec<(TestIndex, Site)>> {
        self.sites(tests).filter(|sites| sites.len() <= FEW)
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

/// The files of these tests.
pub(super) fn files_of(matter: &Matter<'_>, tests: &BTreeSet<TestIndex>) -> BTreeSet<String> {
    let file = |test: &TestIndex| matter.suite.id(*test).0.split("::").next().map(str::to_owned);
    tests.iter().filter_map(file).collect()
}

/// The functions of some tests, in words.
pub(super) fn functions_in_words(sites: &[(TestIndex, Site)]) -> String {
    in_words(&sites.iter().map(|(_, site)| format!("`{}`", site.function.name())).collect::<Vec<_>>())
}

/// Some files, in words.
pub(super) fn files_in_words(files: &BTreeSet<String>) -> String {
    in_words(&files.iter().map(|file| format!("`{file}`")).collect::<Vec<_>>())
}

/// The tests of some functions.
pub(super) fn tests_of(sites: &[(TestIndex, Site)]) -> Vec<TestIndex> {
    sites.iter().map(|(test, _)| *test).collect()
}

/// A name that the site's file does not use.
pub(super) fn fresh_name(site: &Site, name: &str) -> String {
    unused(&site.source, name)
}

/// A name that a file does not use.
pub(super) fn unused(source: &Source, name: &str) -> String {
    let statements = source.top_level().iter().flat_map(Statement::walk);
    let named = statements.flat_map(|statement| statement.loads.iter().chain(&statement.stores));
    let parameters = source.functions().iter().flat_map(|function| &function.parameters);
    let names = named.chain(parameters.map(|parameter| &parameter.name)).map(Text::as_str);
    let used: BTreeSet<&str> = names.chain(source.functions().iter().map(Function::name)).collect();
    let names = std::iter::once(name.to_owned()).chain((2..).map(|number| format!("{name}_{number}")));
    names.into_iter().find(|name| !used.contains(name.as_str())).expect("there are endless names")
}

/// The last name in a path that is no key, in small letters.
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
    let words: Vec<String> = words(without_keys(head))
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

/// A path up to what holds a key, an item, a cache or a registration.
fn without_keys(path: &str) -> &str {
    let path = path.split(".register(").next().unwrap_or(path);
    let path = path.split(".<cache>").next().unwrap_or(path);
    let path = path.split(".registry[<class ").next().unwrap_or(path);
    let mut depth = 0;
    let opening = path.char_indices().rev().find(|(_, letter)| {
        depth += i32::from(*letter == ']') - i32::from(*letter == '[');
        depth == 0
    });
    match opening {
        Some((at, '[')) => without_keys(&path[..at]),
        _ => path,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fixture_is_named_after_what_it_keeps() {
        for (path, name) in [
            ("shop.settings.CURRENCY", "currency"),
            ("shop.settings.FLAGS['beta']", "flags"),
            ("shop.settings.FLAGS['a.b'][0][1:]", "flags"),
            ("shop.settings.FLAGS['a'].name", "name"),
            ("shop.rates.table.<cache>[1]", "table"),
            ("shop.Priced.register(shop.cart.Cart)", "priced"),
            ("shop.rates.describe.registry[<class builtins.float>]", "describe"),
            ("os.environ['HOME']", "environment"),
            ("working directory", "working_directory"),
            ("context variable user", "user"),
            ("file tests/left-over.txt", "left_over"),
            ("shop.load.<closure rows>[0:]", "rows"),
            ("shop.Cart.__price__", "price"),
        ] {
            assert_eq!(short(path), name, "{path}");
        }
    }
}

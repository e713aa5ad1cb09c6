//! What candidates for one problem are made of: its cells, and its tests.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use anyorder_model::{About, PatchSource, Placement, State, Strength, Suite, TestIndex};
use anyorder_source::Source;

use super::keep::{Keep, Known, keep};
use super::names::{in_words, short};
use super::recipe::{Step, Steps};
use super::site::Site;
use crate::candidate::{Candidate, Leaves};
use crate::problem::Problem;
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
            leaves: Leaves::NoMore,
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

/// The tests of some functions.
pub(super) fn tests_of(sites: &[(TestIndex, Site)]) -> Vec<TestIndex> {
    sites.iter().map(|(test, _)| *test).collect()
}

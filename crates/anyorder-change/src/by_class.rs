//! The rule of evolution-aware detection as it was published, for files: tests are related if both have run code of a module
//! that has globals. Whole groups of tests count as one test.

use std::collections::{BTreeMap, BTreeSet};

use anyorder_model::{TestIndex, Why};
use anyorder_source::Parts;

use crate::elements::{joined, module_names};
use crate::imports::Loaded;
use crate::profiles::Touched;
use crate::relate::Crowd;
use crate::{Imports, OldProfiles};

/// Tests that the rule relates to these, with the reasons.
pub(crate) fn by_class(
    crowd: &Crowd<'_>,
    start: &BTreeSet<TestIndex>,
    old: &OldProfiles,
    imports: &Imports,
) -> BTreeMap<TestIndex, Vec<Why>> {
    let rule = Rule { crowd, old, imports };
    let mut by_group: BTreeMap<&str, Vec<TestIndex>> = BTreeMap::new();
    for test in crowd.suite.indices() {
        by_group.entry(&crowd.suite.test(test).group).or_default().push(test);
    }
    let files: BTreeMap<&str, BTreeSet<String>> = by_group
        .iter()
        .map(|(&group, tests)| (group, tests.iter().flat_map(|&test| rule.files_of(test)).collect()))
        .collect();
    let mut shared: BTreeMap<String, TestIndex> = BTreeMap::new();
    for &test in start {
        let own = match crowd.suite.tests().get(test.at()) {
            Some(known) => files[known.group.as_str()].clone(),
            None => rule.files_of(test),
        };
        own.into_iter().for_each(|file| {
            shared.entry(file).or_insert(test);
        });
    }
    let mut why = BTreeMap::new();
    for (group, tests) in by_group {
        let reasons = files[group].iter().filter_map(|file| {
            let with = crowd.id(*shared.get(file)?).clone();
            Some(Why::Shares { cell: rule.global_of(file)?, with })
        });
        let mut reasons: Vec<Why> = reasons.take(1).collect();
        let affected = tests.iter().find(|test| start.contains(test));
        if let (true, Some(&with)) = (reasons.is_empty(), affected) {
            reasons.push(Why::Shares { cell: group.to_owned(), with: crowd.id(with).clone() });
        }
        if !reasons.is_empty() {
            why.extend(tests.into_iter().map(|test| (test, reasons.clone())));
        }
    }
    why
}

struct Rule<'a> {
    crowd: &'a Crowd<'a>,
    old: &'a OldProfiles,
    imports: &'a Imports,
}

impl Rule<'_> {
    /// The files whose code a test ran; without a profile, those that are loaded for it.
    fn files_of(&self, test: TestIndex) -> BTreeSet<String> {
        let own = self.crowd.suite.tests().get(test.at()).map(|test| test.file.clone());
        if let Some(profiles) = self.crowd.profiles.get(&test) {
            let touched = profiles.both().map(|profile| Touched::new(profile, &self.old.root));
            let files: BTreeSet<String> =
                touched.flat_map(|touched| touched.files().cloned().collect::<Vec<_>>()).collect();
            return files.into_iter().chain(own).collect();
        }
        let Some(file) = own else { return BTreeSet::new() };
        let loaded = [&self.imports.old, &self.imports.new].map(|loaded| {
            let reach = loaded.graph.reach_of_tests(&file);
            reach.iter().map(|number| loaded.graph.files()[number as usize].clone()).collect::<Vec<_>>()
        });
        loaded.into_iter().flatten().chain([file.clone()]).collect()
    }

    /// A global of a file, by its full name.
    fn global_of(&self, file: &str) -> Option<String> {
        let in_tree = |loaded: &Loaded| {
            let parts: &Parts = loaded.tree.parts(file)?;
            let global = parts.globals.first()?;
            let is_package =
                |directory: &str| loaded.tree.files.contains_key(&joined(directory, "__init__.py"));
            Some(format!("{}.{global}", module_names(file, is_package).swap_remove(0)))
        };
        in_tree(&self.imports.new).or_else(|| in_tree(&self.imports.old))
    }
}

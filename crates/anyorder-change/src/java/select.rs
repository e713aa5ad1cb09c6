//! The rule of evolution-aware detection as it was published, for classes: affected are test classes that may load a class which
//! changed, related are those that may load a class with a static field which an affected one may load too, and so on.

use std::collections::{BTreeMap, BTreeSet};

use anyorder_model::{Selected, Selection, Suite, TestId, TestIndex, Why};

use super::Classes;
use super::classes;
use super::loading::Loading;
use crate::Select;
use crate::everything::concerns_all;

/// What is compared, and how much of the rule is asked for.
#[derive(Clone, Copy, Debug)]
pub struct ClassRule<'a> {
    /// The classes as they were, if somebody has kept them.
    pub old: Option<&'a Classes>,
    /// The classes as they are.
    pub new: &'a Classes,
    /// The classes of jars, if their static fields are to count.
    pub others: Option<&'a Classes>,
    /// Tests that were there, and are no longer.
    pub gone: &'a [TestId],
    /// Files that differ, by their paths; they tell what has changed where nobody has kept the classes.
    pub files: &'a [String],
    /// Which tests are looked at besides affected ones.
    pub select: Select,
}

/// Which tests of a suite the difference concerns.
pub fn select_classes(suite: &Suite, rule: ClassRule<'_>) -> Selection {
    let everything = rule.everything();
    let tests = Tests::new(suite, &rule);
    let changed = rule.changed();
    let mut affected: BTreeMap<TestIndex, Vec<Why>> = BTreeMap::new();
    for test in suite.indices() {
        let mut why: Vec<Why> =
            everything.iter().map(|what| Why::Everything { what: what.clone() }).collect();
        let class = tests.class_of(test);
        if rule.old.is_some_and(|old| !old.by_name.contains_key(class)) {
            why.push(Why::New);
        }
        let loaded = tests.loaded(class).find(|name| changed.contains(*name));
        why.extend(loaded.map(|name| Why::Loads { class: name.to_owned() }));
        if !why.is_empty() {
            affected.insert(test, why);
        }
    }
    let related = tests.related(&affected, rule.select);
    let selected = |(test, why)| Selected { test, why };
    Selection {
        everything: (!everything.is_empty()).then(|| everything.join(", ")),
        affected: affected.into_iter().map(selected).collect(),
        related: related.into_iter().map(selected).collect(),
        deleted: rule.gone.to_vec(),
    }
}

impl ClassRule<'_> {
    /// What concerns all tests: nobody knows who opens a resource, or what another package does.
    fn everything(&self) -> Vec<String> {
        let is_resource = |path: &str| self.old.is_none() && is_resource(path);
        let files = self.files.iter().filter(|path| concerns_all(path, None) || is_resource(path));
        let mut found: Vec<String> = files.cloned().collect();
        let Some(old) = self.old else { return found };
        let (before, now) = (&old.resources, &self.new.resources);
        let names: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
        let changed = names.into_iter().filter(|name| before.get(*name) != now.get(*name));
        found.extend(changed.cloned());
        if old.packages != self.new.packages {
            found.push("the class path".to_owned());
        }
        found
    }

    /// The classes that differ, came or went.
    fn changed(&self) -> BTreeSet<&str> {
        let all = self.new.by_name.iter();
        let Some(old) = self.old else {
            let is_changed = |source: &String| {
                let is_it = |path: &String| path == source || path.ends_with(&format!("/{source}"));
                self.files.iter().any(is_it)
            };
            let changed = all.filter(|(_, class)| class.source.as_ref().is_none_or(is_changed));
            return changed.map(|(name, _)| name.as_str()).collect();
        };
        let digest = |classes: &Classes, name: &String| classes.by_name.get(name).map(|class| class.digest);
        let names = old.by_name.keys().chain(self.new.by_name.keys());
        names.filter(|name| digest(old, name) != digest(self.new, name)).map(String::as_str).collect()
    }
}

/// Whether a file of a project ends up beside its classes.
fn is_resource(path: &str) -> bool {
    path.contains("/resources/") || path.starts_with("resources/")
}

/// The test classes of a suite, and what may be loaded for each.
struct Tests<'a> {
    suite: &'a Suite,
    gone: &'a [TestId],
    /// Before the change and after it.
    reach: [BTreeMap<&'a str, BTreeSet<&'a str>>; 2],
    /// A static field of each class that has one.
    statics: BTreeMap<&'a str, &'a str>,
}

impl<'a> Tests<'a> {
    fn new(suite: &'a Suite, rule: &ClassRule<'a>) -> Self {
        let gone = || rule.gone.iter().filter_map(classes::class_of);
        let names = || suite.tests().iter().map(classes::top_of).chain(gone());
        let all = rule.old.into_iter().chain([rule.new]).chain(rule.others);
        let all = all.flat_map(|classes| classes.by_name.values());
        let statics = all.filter_map(|class| Some((class.name.as_str(), class.statics.first()?.as_str())));
        Tests {
            suite,
            gone: rule.gone,
            reach: [rule.old, Some(rule.new)].map(|classes| {
                let loading = classes.map(|classes| Loading::new(classes, rule.others));
                loading.map(|loading| loading.reach(names())).unwrap_or_default()
            }),
            statics: statics.collect(),
        }
    }

    fn class_of(&self, test: TestIndex) -> &'a str {
        classes::top_of(self.suite.test(test))
    }

    /// The classes that may be loaded for a test class, before the change or after it.
    fn loaded(&self, class: &str) -> impl Iterator<Item = &'a str> {
        let found = self.reach.iter().filter_map(|reach| reach.get(class));
        found.flatten().copied().collect::<BTreeSet<_>>().into_iter()
    }

    fn related(
        &self,
        affected: &BTreeMap<TestIndex, Vec<Why>>,
        select: Select,
    ) -> BTreeMap<TestIndex, Vec<Why>> {
        let others = || self.suite.indices().filter(|test| !affected.contains_key(test));
        match select {
            _ if affected.is_empty() && self.gone.is_empty() => BTreeMap::new(),
            Select::Affected => BTreeMap::new(),
            Select::All => {
                let all = || vec![Why::Everything { what: "--select all".to_owned() }];
                others().map(|test| (test, all())).collect()
            }
            Select::Class | Select::Cells => {
                let reasons = self.sharing(affected.keys().copied());
                others()
                    .filter_map(|test| Some((test, vec![reasons.get(self.class_of(test))?.clone()])))
                    .collect()
            }
        }
    }

    /// Test classes that share a static field with those of the start, or with others that do; and why.
    fn sharing(&self, start: impl Iterator<Item = TestIndex>) -> BTreeMap<&'a str, Why> {
        let start = start.map(|test| (self.class_of(test), self.suite.id(test)));
        let gone = self.gone.iter().filter_map(|id| Some((classes::class_of(id)?, id)));
        let mut users: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for class in self.suite.indices().map(|test| self.class_of(test)) {
            for loaded in self.loaded(class).filter(|name| self.statics.contains_key(name)) {
                users.entry(loaded).or_default().insert(class);
            }
        }
        let mut reasons = BTreeMap::new();
        let mut waiting: Vec<(&str, &TestId)> = start.chain(gone).collect();
        let mut seen: BTreeSet<&str> = waiting.iter().map(|(class, _)| *class).collect();
        for (class, test) in &waiting {
            let cell = (*class).to_owned();
            reasons.entry(*class).or_insert(Why::Shares { cell, with: (*test).clone() });
        }
        while let Some((class, test)) = waiting.pop() {
            for owner in self.loaded(class).filter(|name| self.statics.contains_key(name)) {
                for &user in users.get(owner).into_iter().flatten().filter(|user| !seen.contains(**user)) {
                    let cell = format!("{owner}.{}", self.statics[owner]);
                    reasons.insert(user, Why::Shares { cell, with: test.clone() });
                    waiting.push((user, test));
                }
                seen.extend(users.get(owner).into_iter().flatten());
            }
        }
        reasons
    }
}

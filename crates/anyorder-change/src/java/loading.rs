//! Who may load which class: those that its file mentions, and those that are named in files which it may open.
//!
//! A file that names classes, and that nobody in the project opens, is opened by others for all tests: by JUnit, by the loader of
//! services, by a library. So are services that a module declares.

use std::collections::{BTreeMap, BTreeSet};

use super::Classes;
use super::class_file::ClassFile;
use super::resource::{Openers, Resource};

/// What a module provides and uses.
const MODULE: &str = "module-info";

/// What the classes of one time may load.
pub(crate) struct Loading<'a> {
    classes: &'a Classes,
    /// Those of jars, if they count.
    others: Option<&'a Classes>,
    /// Classes that are named in files, for those who may open these.
    named: BTreeMap<&'a str, BTreeSet<&'a str>>,
    /// Classes that may be loaded for every test.
    for_all: BTreeSet<&'a str>,
}

impl<'a> Loading<'a> {
    pub(crate) fn new(classes: &'a Classes, others: Option<&'a Classes>) -> Self {
        let declared = classes.by_name.get(MODULE).into_iter().flat_map(|module| &module.mentions);
        let for_all = declared.map(String::as_str).collect();
        let mut loading = Loading { classes, others, named: BTreeMap::new(), for_all };
        classes.resources.iter().for_each(|(path, resource)| loading.add(path, resource));
        loading
    }

    fn add(&mut self, path: &'a str, resource: &'a Resource) {
        if resource.names.is_empty() {
            return;
        }
        let openers = Openers::of(path);
        let names = || resource.names.iter().map(String::as_str);
        let mut is_opened = false;
        for class in self.classes.by_name.values().filter(|class| openers.has(class)) {
            self.named.entry(&class.name).or_default().extend(names());
            is_opened = true;
        }
        if !is_opened {
            self.for_all.extend(names());
        }
    }

    /// The classes that may be loaded for each of these.
    pub(crate) fn reach<'b>(
        &self,
        from: impl Iterator<Item = &'b str>,
    ) -> BTreeMap<&'b str, BTreeSet<&'a str>> {
        from.map(|name| (name, self.reach_of(name))).collect()
    }

    fn reach_of(&self, name: &str) -> BTreeSet<&'a str> {
        let mut seen = BTreeSet::new();
        let Some(first) = self.get(name) else { return seen };
        let mut waiting: Vec<&'a ClassFile> = vec![first];
        waiting.extend(self.for_all.iter().filter_map(|name| self.get(name)));
        while let Some(class) = waiting.pop() {
            if seen.insert(class.name.as_str()) {
                let named = self.named.get(class.name.as_str()).into_iter().flatten().copied();
                let next = class.mentions.iter().map(String::as_str).chain(named);
                let next = next.filter_map(|name| self.get(name));
                waiting.extend(next.filter(|class| !seen.contains(class.name.as_str())));
            }
        }
        seen
    }

    fn get(&self, name: &str) -> Option<&'a ClassFile> {
        let others = || self.others.and_then(|others| others.by_name.get(name));
        self.classes.by_name.get(name).or_else(others)
    }
}

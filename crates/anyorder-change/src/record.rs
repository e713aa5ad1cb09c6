//! What collecting the suite was seen to take: used beside what can be told from the files alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyorder_model::{Collection, Extension};
use anyorder_source::Digest;
use serde::{Deserialize, Serialize};

use crate::Tree;
use crate::profiles::relative;
use crate::tree::File;

/// What one collection took, and those of its files that git does not list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    collection: Collection,
    /// Digests of generated files and the like, as they were then.
    unlisted: BTreeMap<String, Digest>,
}

impl Record {
    /// What a collection took that has just come to its end. `tree` is what git lists below and around the suite's root, which
    /// gets the other files that were loaded.
    pub fn new(collection: Collection, tree: &mut Tree, root: &Path) -> Self {
        let mut record = Record { collection, unlisted: BTreeMap::new() };
        record.name_files(root);
        let extensions = record.collection.extensions.iter().map(|extension| &extension.file);
        let loaded = record.collection.loaded.iter().map(|loaded| &loaded.file).chain(extensions);
        for path in loaded.filter(|path| !tree.files.contains_key(*path)).cloned().collect::<BTreeSet<_>>() {
            let Ok(contents) = fs::read(root.join(&path)) else { continue };
            let file = File::new(&path, &contents, b"");
            record.unlisted.insert(path.clone(), file.digest);
            tree.files.insert(path, Arc::new(file));
        }
        record
    }

    /// Adds to a tree the files that were loaded when it was there, and that git did not list. `now` has those that are still
    /// the same; of the others nobody knows what was in them.
    pub fn complete(&self, tree: &mut Tree, now: &Tree) {
        for (path, &digest) in &self.unlisted {
            let same = now.files.get(path).filter(|file| file.digest == digest);
            let file = same.cloned().unwrap_or_else(|| Arc::new(File::unreadable(digest)));
            tree.files.entry(path.clone()).or_insert(file);
        }
    }

    /// The names that trees have.
    fn name_files(&mut self, root: &Path) {
        let Collection { loaded, plugins, functions, opened, extensions } = &mut self.collection;
        let rename = |path: &mut String| *path = relative(path, root);
        for wanted in loaded.iter_mut().chain(opened) {
            rename(&mut wanted.file);
            wanted.by.iter_mut().for_each(rename);
        }
        plugins.iter_mut().for_each(rename);
        functions.iter_mut().for_each(|ran| rename(&mut ran.file));
        extensions.iter_mut().for_each(|extension| rename(&mut extension.file));
    }
}

/// What collections took before a change and after it, as far as that was recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Records {
    /// The last one before.
    pub then: Option<Record>,
    /// The one of now.
    pub now: Option<Record>,
}

impl Records {
    /// What was seen at either time.
    pub(crate) fn all(&self) -> Arc<[Record]> {
        let mut all: Vec<Record> = self.then.iter().chain(&self.now).cloned().collect();
        all.dedup();
        all.into()
    }
}

/// Several of them, for one tree: what each of them has seen may happen.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen<'a>(pub(crate) &'a [Record]);

impl<'a> Seen<'a> {
    /// Whether nothing was recorded.
    pub(crate) fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// Files, and the files that had them loaded.
    pub(crate) fn loads(self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let loaded = self.collections().flat_map(|collection| &collection.loaded);
        loaded.filter_map(|loaded| Some((loaded.by.as_deref()?, loaded.file.as_str())))
    }

    /// Files that are loaded for all tests.
    pub(crate) fn plugins(self) -> impl Iterator<Item = &'a String> {
        self.collections().flat_map(|collection| &collection.plugins)
    }

    /// Functions that ran, by file.
    pub(crate) fn functions(self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let functions = self.collections().flat_map(|collection| &collection.functions);
        functions.map(|ran| (ran.file.as_str(), ran.function.as_str()))
    }

    /// Whether each of them tells which functions run when this file is loaded.
    pub(crate) fn tells_functions_of(self, path: &str) -> bool {
        let is_loaded = |collection: &Collection| collection.loaded.iter().any(|loaded| loaded.file == path);
        self.collections().all(|collection| !collection.functions.is_empty() && is_loaded(collection))
    }

    /// The files whose code opened this one at import, or listed its directory.
    pub(crate) fn openers(self, path: &str) -> impl Iterator<Item = &'a str> {
        let opened = self.collections().flat_map(|collection| &collection.opened);
        opened.filter(move |one| is_or_lists(&one.file, path)).filter_map(|one| one.by.as_deref())
    }

    pub(crate) fn extensions(self) -> impl Iterator<Item = &'a Extension> {
        self.collections().flat_map(|collection| &collection.extensions)
    }

    fn collections(self) -> impl Iterator<Item = &'a Collection> {
        self.0.iter().map(|record| &record.collection)
    }
}

/// Whether what was opened is this file, or a directory that has it.
pub(crate) fn is_or_lists(opened: &str, path: &str) -> bool {
    opened == path
        || opened.ends_with('/')
            && path.rsplit_once('/').map_or("", |(around, _)| around) == opened.trim_end_matches('/')
}

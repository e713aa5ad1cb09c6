//! Whether a profile still holds: one digest over all that its test stands on.

use std::path::Path;

use anyorder_model::{Profile, Test};
use anyorder_source::{Part, Parts};

use crate::data::{Mentioned, Opening};
use crate::everything::concerns_all;
use crate::ground::Ground;
use crate::imports::Loaded;
use crate::tree::{is_python, short};
use crate::{Record, Tree};

/// A digest of all that a profile depends on. If those of one profile are equal in two trees, it holds in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stamp(pub [u8; 16]);

impl Stamp {
    /// For each of these tests, which were profiled in this tree; to be kept beside the profile. `record` is what the collection
    /// took, and `root` is the suite's, as an absolute path.
    pub fn of(
        tree: &Tree,
        record: Option<&Record>,
        root: &Path,
        profiles: &[(&Test, &Profile)],
    ) -> Vec<Stamp> {
        let loaded = Loaded::new(tree, &record.into_iter().cloned().collect());
        stamps(&loaded, root, profiles)
    }
}

/// Those of these tests in one tree.
pub(crate) fn stamps(loaded: &Loaded, root: &Path, profiles: &[(&Test, &Profile)]) -> Vec<Stamp> {
    let stamper = Stamper::new(loaded);
    profiles.iter().map(|(test, profile)| stamper.stamp(test, profile, root)).collect()
}

/// What stamps of one tree have in common.
pub(crate) struct Stamper<'a> {
    loaded: &'a Loaded,
    /// What concerns all tests.
    everything: [u8; 16],
    /// What runs when each file is imported.
    at_import: Vec<[u8; 16]>,
    /// Other files, with the tests that may open them: digests of their names, and with their contents.
    data: Vec<([[u8; 16]; 2], Opening)>,
}

impl<'a> Stamper<'a> {
    pub(crate) fn new(loaded: &'a Loaded) -> Self {
        let mut everything = blake3::Hasher::new();
        let mentioned = Mentioned::new(&loaded.tree, &loaded.graph);
        let mut data = Vec::new();
        let is_for_all = |path: &str| concerns_all(path, loaded.tree.parts(path));
        for (path, file) in loaded.tree.files.iter().filter(|(path, _)| is_for_all(path) || !is_python(path))
        {
            let mut hasher = blake3::Hasher::new();
            add(&mut hasher, path.as_bytes());
            let name = short(&hasher);
            hasher.update(&file.digest);
            if is_for_all(path) {
                everything.update(&short(&hasher));
            } else {
                let opening = Opening::new(&mentioned, path, &loaded.graph, loaded.seen());
                data.push(([name, short(&hasher)], opening));
            }
        }
        let at_import = (0..).zip(loaded.graph.files()).map(|(number, path)| at_import(loaded, number, path));
        Stamper { loaded, everything: short(&everything), at_import: at_import.collect(), data }
    }

    pub(crate) fn stamp(&self, test: &Test, profile: &Profile, root: &Path) -> Stamp {
        let ground = Ground::new(test, Some(profile), root);
        let reach = ground.reach(self.loaded);
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.everything);
        for number in &reach {
            let path = &self.loaded.graph.files()[number as usize];
            add(&mut hasher, path.as_bytes());
            hasher.update(&self.at_import[number as usize]);
            let Some(parts) = self.loaded.tree.parts(path) else { continue };
            add_parts(&mut hasher, parts, path, &ground);
        }
        for ([name, contents], opening) in &self.data {
            if opening.concerns(&reach, ground.opened.as_ref()) {
                hasher.update(contents);
            } else if opening.may_concern(&reach) {
                hasher.update(name);
            }
        }
        Stamp(short(&hasher))
    }
}

/// What the test ran or may look up.
fn add_parts(hasher: &mut blake3::Hasher, parts: &Parts, path: &str, ground: &Ground<'_>) {
    for part in &parts.parts {
        let has_run = ground.touched.as_ref().is_none_or(|touched| touched.has(path, &part.name));
        if has_run {
            add_part(hasher, part);
        } else if ground.may_look_up(&part.name) {
            add(hasher, part.name.as_bytes());
            hasher.update(&part.header);
        }
    }
}

fn add_part(hasher: &mut blake3::Hasher, part: &Part) {
    add(hasher, part.name.as_bytes());
    hasher.update(&part.header).update(&part.body).update(&part.docstring).update(&part.annotations);
}

/// What runs when a file is imported; of one that cannot be read, all.
fn at_import(loaded: &Loaded, number: u32, path: &str) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new();
    let Some(parts) = loaded.tree.parts(path) else { return loaded.tree.files[path].digest };
    hasher.update(&parts.docstring);
    for step in &parts.steps {
        hasher.update(&step.digest);
    }
    let mut imports: Vec<_> = parts.imports.iter().filter(|import| import.is_top_level).collect();
    imports.sort_by_key(|import| (import.bound_name(), &import.module, &import.name));
    for import in imports {
        let name = import.name.as_deref().unwrap_or_default();
        [import.bound_name(), &import.module, name].iter().for_each(|word| add(&mut hasher, word.as_bytes()));
        hasher.update(&import.level.to_le_bytes());
    }
    for (file, name) in &loaded.runs()[number as usize] {
        let file = &loaded.graph.files()[*file as usize];
        add(&mut hasher, file.as_bytes());
        let part = loaded.tree.parts(file).and_then(|parts| parts.part(name));
        part.into_iter().for_each(|part| add_part(&mut hasher, part));
    }
    short(&hasher)
}

/// Adds a word so that it cannot be taken for parts of others.
fn add(hasher: &mut blake3::Hasher, word: &[u8]) {
    hasher.update(&(word.len() as u64).to_le_bytes()).update(word);
}

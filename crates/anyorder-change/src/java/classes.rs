//! All classes of a project at one time, with whatever else a build has put beside them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{fs, io};

use anyorder_model::Test;
use anyorder_source::Digest;
use serde::{Deserialize, Serialize};

use super::class_file::{self, ClassFile};
use crate::tree::short;

/// The classes of a project at one time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Classes {
    /// By their names.
    pub(crate) by_name: BTreeMap<String, ClassFile>,
    /// Other files on the class path, by their names there: whoever opens them is not known.
    pub(crate) resources: BTreeMap<String, Digest>,
    /// What else is on the class path, in its sequence, and how large it is: packages that are installed.
    pub(crate) packages: Vec<(PathBuf, u64)>,
}

impl Classes {
    /// Reads what is on a class path: classes in directories are the project's, jars are others'.
    pub fn on(class_path: &[PathBuf]) -> io::Result<Self> {
        let mut classes = Classes::default();
        for place in class_path {
            if place.is_dir() {
                classes.add_directory(place, place)?;
            } else if let Ok(about) = place.metadata() {
                classes.packages.push((place.clone(), about.len()));
            }
        }
        Ok(classes)
    }

    fn add_directory(&mut self, base: &Path, directory: &Path) -> io::Result<()> {
        for entry in fs::read_dir(directory)? {
            let path = entry?.path();
            if path.is_dir() {
                self.add_directory(base, &path)?;
                continue;
            }
            let contents = fs::read(&path)?;
            let is_class = path.extension().is_some_and(|ending| ending == "class");
            if let Some(class) = class_file::read(&contents).filter(|_| is_class) {
                // The first one on the path is the one that is loaded.
                self.by_name.entry(class.name.clone()).or_insert(class);
            } else {
                let name = path.strip_prefix(base).unwrap_or(&path).to_string_lossy().into_owned();
                let mut hasher = blake3::Hasher::new();
                hasher.update(&contents);
                self.resources.entry(name).or_insert(short(&hasher));
            }
        }
        Ok(())
    }

    /// The classes that may be loaded for each of these.
    pub(crate) fn reach<'a>(&self, from: impl Iterator<Item = &'a str>) -> BTreeMap<&'a str, BTreeSet<&str>> {
        from.map(|name| (name, self.reach_of(name))).collect()
    }

    fn reach_of(&self, name: &str) -> BTreeSet<&str> {
        let mut seen = BTreeSet::new();
        let mut waiting: Vec<&ClassFile> = self.by_name.get(name).into_iter().collect();
        while let Some(class) = waiting.pop() {
            if seen.insert(class.name.as_str()) {
                let next = class.mentions.iter().filter_map(|name| self.by_name.get(name));
                waiting.extend(next.filter(|class| !seen.contains(class.name.as_str())));
            }
        }
        seen
    }
}

/// The class that a test is in, as its file is named: that of its id, which may be inside of another.
pub(super) fn top_of(test: &Test) -> &str {
    test.id.0.split_once('#').map_or(test.group.as_str(), |(class, _)| class)
}

//! All classes of a project at one time, with whatever else a build has put beside them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use anyorder_model::{Test, TestId};
use serde::{Deserialize, Serialize};

use super::class_file::{self, ClassFile};
use super::jar;
use super::resource::Resource;

/// Packages of JUnit and of what comes with it: every test loads them, and nobody takes them for state.
const JUNIT: [&str; 4] = ["junit.", "org.hamcrest.", "org.junit.", "org.opentest4j."];

/// The classes of a project at one time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Classes {
    /// By their names.
    pub(crate) by_name: BTreeMap<String, ClassFile>,
    /// Other files on the class path, by their names there.
    pub(crate) resources: BTreeMap<String, Resource>,
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
        let Classes { by_name, resources, .. } = &mut classes;
        resources.values_mut().for_each(|resource| resource.names.retain(|name| by_name.contains_key(name)));
        Ok(classes)
    }

    /// The classes in jars of a class path, without those of JUnit.
    pub fn in_jars_on(class_path: &[PathBuf]) -> io::Result<Self> {
        let mut classes = Classes::default();
        for jar in class_path.iter().filter(|place| place.is_file()) {
            let read = jar::class_files(&fs::read(jar)?);
            for class in read.iter().filter_map(|contents| class_file::read(contents)) {
                if !JUNIT.iter().any(|package| class.name.starts_with(package)) {
                    classes.add(class);
                }
            }
        }
        Ok(classes)
    }

    /// Whether the class of a test is there.
    pub fn have_class_of(&self, test: &TestId) -> bool {
        class_of(test).is_some_and(|class| self.by_name.contains_key(class))
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
                self.add(class);
            } else {
                let name = path.strip_prefix(base).unwrap_or(&path).to_string_lossy().into_owned();
                self.resources.entry(name).or_insert_with(|| Resource::read(&contents));
            }
        }
        Ok(())
    }

    /// The first one on the path is the one that is loaded.
    fn add(&mut self, class: ClassFile) {
        self.by_name.entry(class.name.clone()).or_insert(class);
    }
}

/// The class that a test is in, as its file is named: that of its id, which may be inside of another.
pub(super) fn top_of(test: &Test) -> &str {
    class_of(&test.id).unwrap_or(&test.group)
}

/// The class in the id of a test.
pub(super) fn class_of(TestId(id): &TestId) -> Option<&str> {
    id.split_once('#').map(|(class, _)| class)
}

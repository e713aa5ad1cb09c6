//! Copies of the suites under `fixtures/`: the originals are never run.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::repository;

/// A copy that vanishes when it is dropped.
#[derive(Debug)]
pub struct Fixture {
    _home: TempDir,
    path: PathBuf,
}

impl Fixture {
    /// A copy of `fixtures/pytest/NAME`, in a directory whose name has a space.
    pub fn pytest(name: &str) -> Self {
        Fixture::of("pytest", name)
    }

    /// The same of `fixtures/junit/NAME`.
    ///
    /// Maven is told to start quickly, and to start the tests' JVM so too, as projects can tell it.
    pub fn junit(name: &str) -> Self {
        const QUICKLY: &str = "-XX:TieredStopAtLevel=1";
        let fixture = Fixture::of("junit", name);
        let settings = fixture.path().join(".mvn");
        fs::create_dir(&settings).expect("the copy can be written");
        for (file, text) in
            [("jvm.config", QUICKLY.to_owned()), ("maven.config", format!("-DargLine={QUICKLY}"))]
        {
            fs::write(settings.join(file), text).expect("the copy can be written");
        }
        fixture
    }

    fn of(framework: &str, name: &str) -> Self {
        let home = TempDir::with_prefix("fixture ").expect("a temporary directory can be made");
        let path = home.path().canonicalize().expect("it exists").join(name);
        copy(&repository().join("fixtures").join(framework).join(name), &path);
        Fixture { _home: home, path }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Every file with its contents, except caches that Python and pytest write beside the sources, and our own directory.
    pub fn contents(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        read(&self.path, &mut found);
        found
    }
}

/// Every fixture of a framework that has such a file, by name, with what is in it.
pub fn fixtures_with(framework: &str, file: &str) -> BTreeMap<String, Value> {
    let home = repository().join("fixtures").join(framework);
    let entries = fs::read_dir(home).expect("there are fixtures").flatten().map(|entry| entry.path());
    let with = entries.filter_map(|place| {
        let text = fs::read_to_string(place.join(file)).ok()?;
        let name = place.file_name()?.to_string_lossy().into_owned();
        let contents = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        Some((name, contents))
    });
    with.collect()
}

pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("the copy can be written");
    for entry in fs::read_dir(from).unwrap_or_else(|error| panic!("{}: {error}", from.display())) {
        let entry = entry.expect("the fixture can be read");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("the copy can be written");
        }
    }
}

fn read(place: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(place).expect("the copy can be read").flatten() {
        let name = entry.file_name();
        if [".anyorder", ".pytest_cache", "__pycache__"].iter().any(|cache| name == *cache) {
            continue;
        }
        if entry.path().is_dir() {
            read(&entry.path(), found);
        } else {
            found.insert(entry.path(), fs::read(entry.path()).expect("the copy can be read"));
        }
    }
}

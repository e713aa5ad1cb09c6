//! Public suites that nobody here wrote, from the package registry: for trials and benches.
//!
//! Knows how to get one and make it run. Which there are is in `table.rs`; what is known of their tests, in `known.rs`.

mod known;
mod table;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::environment::{must, python_from};
use crate::fixture::copy;
use crate::repository;

pub use known::{Kind, Known, known};
pub use table::SUITES;

/// A source distribution with tests.
#[derive(Clone, Copy, Debug)]
pub struct Suite {
    /// The package.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
    /// What its tests need besides the package itself.
    pub requirements: &'static [&'static str],
    /// What pytest is told.
    pub arguments: &'static [&'static str],
}

/// A suite that can be run.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The interpreter that has everything.
    pub python: PathBuf,
    /// The unpacked source distribution.
    pub directory: PathBuf,
}

impl Prepared {
    /// The same suite in a directory of its own, as a project that was just unpacked; it vanishes with what is returned.
    pub fn copied(&self) -> (TempDir, Prepared) {
        let home = TempDir::with_prefix("suite").expect("a temporary directory can be made");
        let directory = home.path().canonicalize().expect("it exists").join("project");
        copy(&self.directory, &directory);
        (home, Prepared { python: self.python.clone(), directory })
    }
}

/// The suite of this name.
pub fn suite(name: &str) -> Suite {
    SUITES.iter().copied().find(|suite| suite.name == name).unwrap_or_else(|| panic!("no suite `{name}`"))
}

impl Suite {
    /// Downloads, unpacks and installs it below `target`, unless that was done before.
    pub fn prepare(&self) -> Prepared {
        self.prepare_in(&format!("suite-{}", self.name), &[])
    }

    /// The same in an environment of its own, beside tools that are compared with ours.
    pub fn prepare_with(&self, tools: &[&str]) -> Prepared {
        self.prepare_in(&format!("suite-{}-with-tools", self.name), tools)
    }

    fn prepare_in(&self, environment: &str, tools: &[&str]) -> Prepared {
        let home = repository().join("target/suites");
        let directory = home.join(format!("{}-{}", self.name, self.version));
        if !directory.is_dir() {
            self.download(&home, &directory);
        }
        let package = directory.display().to_string();
        let requirements: Vec<&str> =
            self.requirements.iter().chain(tools).copied().chain([package.as_str()]).collect();
        let python = python_from(Path::new("python3"), environment, &requirements);
        // The layers of disk are over the place where the files really are.
        Prepared { python, directory: directory.canonicalize().expect("it is there by now") }
    }

    fn download(&self, home: &Path, directory: &Path) {
        let parcel = home.join(format!("{}.parcel", self.name));
        let _ = fs::remove_dir_all(&parcel);
        fs::create_dir_all(&parcel).expect("target can be written");
        let pinned = format!("{}=={}", self.name, self.version);
        let pip =
            ["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-binary"];
        must(Command::new("python3").args(pip).args([self.name, &pinned, "--dest"]).arg(&parcel));
        let archive = only_entry(&parcel);
        must(Command::new("tar").arg("xf").arg(&archive).arg("-C").arg(&parcel));
        fs::remove_file(&archive).expect("it was just downloaded");
        fs::rename(only_entry(&parcel), directory).expect("target can be written");
        fs::remove_dir(parcel).expect("it is empty now");
    }
}

fn only_entry(directory: &Path) -> PathBuf {
    let mut entries = fs::read_dir(directory).expect("it was just made");
    entries.next().expect("it has one entry").expect("it can be read").path()
}

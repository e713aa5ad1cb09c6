//! Public suites that nobody here wrote, from the package registry: for trials and benches.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::environment::{must, python_from};
use crate::repository;

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

/// The suites, each with what it takes to make it green on a machine without network, run by any user.
pub const SUITES: [Suite; 14] = [
    Suite { name: "six", version: "1.17.0", requirements: &["pytest==9.0.3"], arguments: &["test_six.py"] },
    Suite {
        name: "knack",
        version: "0.8.1",
        requirements: &["pytest==9.0.3", "mock==5.2.0"],
        arguments: &["tests"],
    },
    Suite {
        name: "click",
        version: "8.5.1",
        requirements: &["pytest==9.0.3"],
        // One file has 30,000 parametrised stress tests, which the project deselects.
        arguments: &["tests", "--ignore=tests/test_stream_lifecycle.py"],
    },
    Suite {
        name: "jinja2",
        version: "3.1.6",
        requirements: &["pytest==9.0.3", "trio==0.35.0"],
        arguments: &["tests"],
    },
    Suite {
        name: "marshmallow",
        version: "4.4.0",
        requirements: &["pytest==9.0.3", "simplejson==4.3.0"],
        arguments: &["tests"],
    },
    Suite { name: "freezegun", version: "1.5.5", requirements: &["pytest==9.0.3"], arguments: &["tests"] },
    Suite {
        name: "requests-mock",
        version: "1.12.1",
        requirements: &[
            "pytest==9.0.3",
            "fixtures==4.3.2",
            "purl==1.6",
            "testtools==2.9.1",
            "requests-futures==1.1.0",
        ],
        arguments: &["tests"],
    },
    Suite {
        name: "werkzeug",
        version: "3.1.9",
        requirements: &[
            "pytest==9.0.3",
            "pytest-timeout==2.4.0",
            "ephemeral-port-reserve==1.1.4",
            "cryptography==50.0.2",
        ],
        arguments: &["tests"],
    },
    Suite {
        name: "flask",
        version: "3.1.3",
        requirements: &[
            "pytest==9.0.3",
            "Werkzeug==3.1.6",
            "asgiref==3.13.0",
            "greenlet==3.5.6",
            "python-dotenv==1.2.4",
        ],
        arguments: &["tests"],
    },
    Suite {
        name: "attrs",
        version: "26.1.0",
        requirements: &["pytest==9.0.3", "hypothesis==6.170.15", "Pympler==1.1", "cloudpickle==3.1.2"],
        arguments: &["tests"],
    },
    Suite {
        name: "asgiref",
        version: "3.13.0",
        requirements: &["pytest==9.0.3", "pytest-asyncio==1.4.1.post1"],
        arguments: &["tests"],
    },
    Suite {
        name: "async-lru",
        version: "2.4.0",
        requirements: &["pytest==9.0.3", "pytest-asyncio==1.4.1.post1", "pytest-timeout==2.4.0"],
        arguments: &["tests", "-oaddopts=", "-oasyncio_default_fixture_loop_scope=function"],
    },
    Suite {
        name: "httpcore",
        version: "1.0.9",
        requirements: &[
            "pytest==9.0.3",
            "anyio==4.16.0",
            "trio==0.35.0",
            "h2==4.4.1",
            "socksio==1.0.0",
            "pytest-httpbin==2.1.0",
            "pytest-trio==0.8.0",
            "trustme==1.2.1",
        ],
        arguments: &["tests"],
    },
    Suite {
        name: "packaging",
        version: "24.0",
        requirements: &["pytest==9.0.3", "pretend==1.0.9"],
        arguments: &["tests"],
    },
];

/// A suite that can be run.
#[derive(Debug)]
pub struct Prepared {
    /// The interpreter that has everything.
    pub python: PathBuf,
    /// The unpacked source distribution.
    pub directory: PathBuf,
}

/// The suite of this name.
pub fn suite(name: &str) -> Suite {
    SUITES.into_iter().find(|suite| suite.name == name).unwrap_or_else(|| panic!("no suite `{name}`"))
}

impl Suite {
    /// Downloads, unpacks and installs it below `target`, unless that was done before.
    pub fn prepare(&self) -> Prepared {
        let home = repository().join("target/suites");
        let directory = home.join(format!("{}-{}", self.name, self.version));
        if !directory.is_dir() {
            self.download(&home, &directory);
        }
        let package = directory.display().to_string();
        let requirements: Vec<&str> = self.requirements.iter().copied().chain([package.as_str()]).collect();
        let python = python_from(Path::new("python3"), &format!("suite-{}", self.name), &requirements);
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

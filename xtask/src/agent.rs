//! The pytest agent's own tests: on which interpreters and pytests, and how much on each.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyorder_testkit::environment::{PYTESTS, VERSIONS, interpreter, is_version, newest_pytest_on, python};
use anyorder_testkit::repository;

use crate::lanes::Job;

/// What the agent sees of shared state has to do with interpreters, and little with pytest.
const ABOUT_STATE: [&str; 9] =
    ["about", "follow", "kinds", "places", "put", "restore", "sight", "state", "watch"];

/// What has to do with pytest, and little with interpreters.
const ABOUT_PYTEST: [&str; 2] = ["order_plugin", "snippet"];

/// Every so many kinds of pollution are tried where this is set; the tests read it.
const SHARE: &str = "ANYORDER_TEST_SHARE_OF_KINDS";

/// What is tried in one environment.
struct Environment {
    python: PathBuf,
    /// Files that are left out.
    without: Vec<&'static str>,
    share_of_kinds: u32,
}

impl Environment {
    fn whole(python: PathBuf) -> Self {
        Environment { python, without: vec![], share_of_kinds: 1 }
    }

    fn without(self, files: &[&[&'static str]]) -> Self {
        Environment { without: files.concat(), ..self }
    }

    fn job(self) -> Job {
        let mut command = Command::new(&self.python);
        command
            .args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"])
            .args(self.without.iter().map(|name| format!("--ignore=tests/test_{name}.py")))
            .current_dir(repository().join("agents/pytest"))
            .env("PYTHONPATH", ".")
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env(SHARE, self.share_of_kinds.to_string());
        Job { name: self.python.display().to_string(), command }
    }
}

/// Everything everywhere.
pub(crate) fn everywhere() -> Vec<Job> {
    let interpreters = VERSIONS.into_iter().filter_map(newest_pytest_on);
    PYTESTS
        .into_iter()
        .map(python)
        .chain(interpreters)
        .map(Environment::whole)
        .map(Environment::job)
        .collect()
}

/// On the newest and the oldest interpreter everything with a share of the kinds of pollution; on the oldest and the newest pytest
/// from `python3` all but shared state; on one interpreter in between what has to do with neither.
pub(crate) fn every_day() -> Vec<Job> {
    let mut between: Vec<&str> =
        VERSIONS.into_iter().filter(|version| interpreter(version).is_some()).collect();
    let newest = between.pop();
    let oldest = (!between.is_empty()).then(|| between.remove(0));
    between.retain(|version| !is_version(Path::new("python3"), version));
    let on = |version: &str| newest_pytest_on(version).map(Environment::whole);
    let newest = newest.and_then(on).map(|whole| Environment { share_of_kinds: 2, ..whole });
    let oldest = oldest.and_then(on).map(|whole| Environment { share_of_kinds: 8, ..whole });
    let pytests = [PYTESTS[0], PYTESTS[PYTESTS.len() - 1]];
    let pytests = pytests.map(|recipe| Environment::whole(python(recipe)).without(&[&ABOUT_STATE]));
    let between = between.pop().and_then(on);
    let between = between.map(|environment| environment.without(&[&ABOUT_STATE, &ABOUT_PYTEST]));
    newest.into_iter().chain(oldest).chain(pytests).chain(between).map(Environment::job).collect()
}

//! A clone of a repository in a place of its own, and the commits of its main line.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// How many commits are looked at, the last ones.
const COMMITS: usize = 20;

/// A clone that vanishes when it is dropped.
pub(crate) struct History {
    pub(crate) home: TempDir,
    pub(crate) name: String,
}

impl History {
    pub(crate) fn of(repository: &Path) -> Self {
        let name = repository.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let home = TempDir::new().expect("a temporary directory can be made");
        let history = History { home, name };
        let mut git = Command::new("git");
        git.args(["clone", "--quiet"]).arg(repository).arg(history.tree());
        assert!(git.status().is_ok_and(|status| status.success()), "{git:?} fails");
        history
    }

    pub(crate) fn tree(&self) -> PathBuf {
        self.home.path().join(&self.name)
    }

    /// The commits that touch such files, the oldest first.
    pub(crate) fn commits(&self, files: &str) -> Vec<String> {
        let count = COMMITS.to_string();
        let log = self.git(&["log", "--first-parent", "--format=%H", "-n", &count, "--", files]);
        log.lines().rev().map(str::to_owned).collect()
    }

    pub(crate) fn parent(&self, commit: &str) -> String {
        self.git(&["rev-parse", &format!("{commit}^1")]).trim().to_owned()
    }

    pub(crate) fn check_out(&self, commit: &str) {
        self.git(&["checkout", "--quiet", "--force", commit]);
    }

    fn git(&self, words: &[&str]) -> String {
        let output = Command::new("git").arg("-C").arg(self.tree()).args(words).output().expect("git starts");
        assert!(output.status.success(), "git {words:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

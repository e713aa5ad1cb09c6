//! A clone of a repository in a place of its own, the commits of its main line, and what was seen of them so far.
//!
//! It stays between two runs of a trial, so that the second goes on where the first was stopped. Whoever wants to begin anew deletes
//! it. Does not know what is seen.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyorder_testkit::repository;
use serde_json::Value;

/// How many commits are looked at, the last ones.
const COMMITS: usize = 20;

/// A clone, and notes beside it.
pub(crate) struct History {
    pub(crate) home: PathBuf,
    pub(crate) name: String,
}

impl History {
    pub(crate) fn of(repository_: &Path) -> Self {
        let name = repository_.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let home = repository().join("target/trials/check").join(&name);
        fs::create_dir_all(&home).expect("a directory can be made");
        let history = History { home, name };
        if !history.tree().exists() {
            let mut git = Command::new("git");
            git.args(["clone", "--quiet"]).arg(repository_).arg(history.tree());
            assert!(git.status().is_ok_and(|status| status.success()), "{git:?} fails");
        }
        history
    }

    pub(crate) fn tree(&self) -> PathBuf {
        self.home.join(&self.name)
    }

    /// The commits that touch such files, the oldest first.
    pub(crate) fn commits(&self, files: &str) -> Vec<String> {
        let count = COMMITS.to_string();
        let log =
            self.git(&["log", "--first-parent", "--format=%H", "-n", &count, "origin/HEAD", "--", files]);
        log.lines().rev().map(str::to_owned).collect()
    }

    pub(crate) fn parent(&self, commit: &str) -> String {
        self.git(&["rev-parse", &format!("{commit}^1")]).trim().to_owned()
    }

    pub(crate) fn check_out(&self, commit: &str) {
        self.git(&["checkout", "--quiet", "--force", commit]);
    }

    /// What was noted of a commit.
    pub(crate) fn noted(&self, commit: &str, what: &str) -> Option<Value> {
        serde_json::from_str(&fs::read_to_string(self.note_file(commit, what)).ok()?).ok()
    }

    pub(crate) fn note(&self, commit: &str, what: &str, value: &Value) {
        fs::write(self.note_file(commit, what), value.to_string()).expect("a note can be written");
    }

    fn note_file(&self, commit: &str, what: &str) -> PathBuf {
        self.home.join(format!("{}.{what}.json", &commit[..10]))
    }

    fn git(&self, words: &[&str]) -> String {
        let output = Command::new("git").arg("-C").arg(self.tree()).args(words).output().expect("git starts");
        assert!(output.status.success(), "git {words:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

//! The tool as users run it: the release binary in a new process, with its report.

use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;
use std::{fs, path::PathBuf};

use anyorder_testkit::binary::{Profile, anyorder};
use anyorder_testkit::spent::{Spent, spend};
use serde_json::Value;

/// What a command of the tool has come to.
pub struct Ran {
    /// Its JSON report.
    pub report: Value,
    /// What it took.
    pub spent: Spent,
}

/// Runs `anyorder WORDS...` on the suite in `directory`, with nothing remembered from earlier.
pub fn run(words: &[&str], python: &Path, directory: &Path, arguments: &[&str]) -> Ran {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    let binary = BINARY.get_or_init(|| anyorder(Profile::Release));
    let _ = fs::remove_dir_all(directory.join(".anyorder"));
    let report = tempfile::NamedTempFile::new().expect("a temporary file can be made");
    let mut command = Command::new(binary);
    command.args(words).arg("--directory").arg(directory).arg("--json").arg(report.path());
    command.arg("--").arg(python).args(["-m", "pytest"]).args(arguments);
    let spent = spend(&mut command);
    let text = fs::read_to_string(report.path()).expect("it was just made");
    let said = || String::from_utf8_lossy(&spent.output.stderr).into_owned();
    let report = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {}", said()));
    Ran { report, spent }
}

/// The findings of a report.
pub fn findings(report: &Value) -> impl Iterator<Item = &Value> {
    report["findings"].as_array().into_iter().flatten()
}

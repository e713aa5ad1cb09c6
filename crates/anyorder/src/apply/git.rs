//! Whether git could give a file back as it is now.

use std::path::Path;
use std::process::{Command, Stdio};

use super::error::ApplyError;
use super::target::Target;

/// Refuses files that are changed since they were committed, or that never were. Where there is no git, there is
/// nothing to ask.
pub(super) fn check_committed(targets: &[Target]) -> Result<(), ApplyError> {
    let mut paths = Vec::new();
    for target in targets.iter().filter(|target| target.place.exists() && is_in_git(target.directory())) {
        if !is_committed(target)? {
            paths.push(target.path.clone());
        }
    }
    if paths.is_empty() { Ok(()) } else { Err(ApplyError::Uncommitted { paths }) }
}

fn is_in_git(directory: &Path) -> bool {
    directory.ancestors().any(|directory| directory.join(".git").exists())
}

/// Asked where the file is: it may belong to a repository inside the project's.
fn is_committed(target: &Target) -> Result<bool, ApplyError> {
    let silent = |words: String| ApplyError::GitSilent { path: target.path.clone(), words };
    let name = target.place.file_name().unwrap_or_default();
    let mut git = Command::new("git");
    git.arg("--literal-pathspecs").arg("-C").arg(target.directory());
    git.args(["status", "--porcelain", "--untracked-files=all", "-z", "--"]).arg(name);
    git.env("GIT_OPTIONAL_LOCKS", "0").stdin(Stdio::null());
    let output = git.output().map_err(|error| silent(format!("git: {error}")))?;
    if !output.status.success() {
        return Err(silent(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    Ok(output.stdout.is_empty() && is_known(target))
}

/// Whether git has the file at all: it says nothing about one that it ignores.
fn is_known(target: &Target) -> bool {
    let mut git = Command::new("git");
    git.arg("--literal-pathspecs").arg("-C").arg(target.directory());
    git.args(["ls-files", "--error-unmatch", "--"]).arg(target.place.file_name().unwrap_or_default());
    git.stdin(Stdio::null()).output().is_ok_and(|output| output.status.success())
}

//! What only git knows of a project: what is checked out, and what files held at a commit.
//!
//! Asks and never changes anything.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyorder_engine::FileChange;

/// The commit that is checked out.
pub(crate) fn head(directory: &Path) -> Option<String> {
    one_line(directory, &["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])
}

/// The path from the repository to this directory: empty, or with a slash behind it.
pub(crate) fn prefix(directory: &Path) -> String {
    one_line(directory, &["rev-parse", "--show-prefix"]).unwrap_or_default()
}

/// What has to be done to the files as they are now to have them as they were at a commit. An error says why that is not
/// known.
pub(crate) fn back_to(directory: &Path, commit: &str) -> Result<Vec<FileChange>, String> {
    let top = one_line(directory, &["rev-parse", "--show-toplevel"]).ok_or("it is no repository")?;
    let top = PathBuf::from(top);
    let differing = ask(&top, &["diff", "--name-only", "--no-renames", "--no-ext-diff", "-z", commit, "--"])?;
    let untracked = ask(&top, &["ls-files", "--others", "--exclude-standard", "-z"])?;
    let names = differing.split(|&byte| byte == 0).chain(untracked.split(|&byte| byte == 0));
    let names = names.filter(|name| !name.is_empty() && !name.ends_with(b"/"));
    names.map(|name| file_at(&top, commit, OsStr::from_bytes(name))).collect()
}

/// A file as it was at a commit.
fn file_at(top: &Path, commit: &str, name: &OsStr) -> Result<FileChange, String> {
    let path = top.join(name);
    let listed = ask(top, &[OsStr::new("ls-tree"), commit.as_ref(), "--".as_ref(), name])?;
    let contents = match listed.get(..4) {
        None => None,
        Some(b"1006" | b"1007") => {
            let object = [commit.as_bytes(), b":", name.as_bytes()].concat();
            Some(ask(top, &[OsStr::new("cat-file"), "--filters".as_ref(), OsStr::from_bytes(&object)])?)
        }
        Some(_) => return Err(format!("`{}` was no ordinary file", name.display())),
    };
    Ok(FileChange { path, contents })
}

fn one_line(directory: &Path, words: &[&str]) -> Option<String> {
    let line = String::from_utf8(ask(directory, words).ok()?).ok()?;
    Some(line.trim_end_matches('\n').to_owned())
}

/// What git says. In a hook it has told us about the index of the commit that is being made; what counts is the files.
fn ask<S: AsRef<OsStr>>(directory: &Path, words: &[S]) -> Result<Vec<u8>, String> {
    let mut git = Command::new("git");
    git.arg("--literal-pathspecs").arg("-C").arg(directory).args(words);
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"] {
        git.env_remove(variable);
    }
    git.env("GIT_OPTIONAL_LOCKS", "0").stdin(Stdio::null());
    let output = git.output().map_err(|error| format!("git: {error}"))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
}

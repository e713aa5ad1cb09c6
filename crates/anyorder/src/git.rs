//! What only git knows of a project: what is checked out, and what files held at a commit.
//!
//! Asks and never changes anything.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyorder_engine::FileChange;

/// The commit that is checked out.
pub(crate) fn head(directory: &Path) -> Option<String> {
    one_line(directory, &["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])
}

/// Where the repository was cloned from, without a user's name or password.
pub(crate) fn origin(directory: &Path) -> Option<String> {
    let url = one_line(directory, &["remote", "get-url", "origin"])?;
    let without_user = url.split_once("://").and_then(|(scheme, rest)| {
        let (user, _) = rest.split_once('/').unwrap_or((rest, ""));
        user.rsplit_once('@').map(|(user, _)| format!("{scheme}://{}", &rest[user.len() + 1..]))
    });
    Some(without_user.unwrap_or(url))
}

/// Whether all files are those of the commit that is checked out, but for ignored ones.
pub(crate) fn is_clean(directory: &Path) -> bool {
    ask(directory, &["status", "--porcelain", "--untracked-files=normal"])
        .is_ok_and(|listed| listed.is_empty())
}

/// Whether a commit is part of the history of another, or that one itself.
pub(crate) fn is_ancestor(directory: &Path, commit: &str, of: &str) -> bool {
    ask(directory, &["merge-base", "--is-ancestor", commit, of]).is_ok()
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
    // A file that is no longer tracked is among both.
    let names: BTreeSet<&[u8]> =
        [&differing, &untracked].iter().flat_map(|names| names.split(|&byte| byte == 0)).collect();
    let files = names.into_iter().filter(|name| !name.is_empty() && !name.ends_with(b"/"));
    files.map(|name| file_at(&top, commit, OsStr::from_bytes(name))).collect()
}

/// Writes all files of a commit into an empty directory. Nothing else in the repository knows of it.
pub(crate) fn check_out(directory: &Path, commit: &str, to: &Path) -> Result<(), String> {
    let top = one_line(directory, &["rev-parse", "--show-toplevel"]).ok_or("it is no repository")?;
    let index = to.with_extension("index");
    let prefix = format!("--prefix={}/", to.display());
    for words in [&["read-tree", commit][..], &["checkout-index", "--all", &prefix]] {
        answer(command(Path::new(&top), words).env("GIT_INDEX_FILE", &index))?;
    }
    fs::remove_file(index).map_err(|error| error.to_string())
}

/// A file as it was at a commit.
fn file_at(top: &Path, commit: &str, name: &OsStr) -> Result<FileChange, String> {
    let path = top.join(name);
    if path.is_symlink() {
        return Err(format!("`{}` is a link", name.display()));
    }
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
    answer(&mut command(directory, words))
}

fn command<S: AsRef<OsStr>>(directory: &Path, words: &[S]) -> Command {
    let mut git = Command::new("git");
    git.arg("--literal-pathspecs").arg("-C").arg(directory).args(words);
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"] {
        git.env_remove(variable);
    }
    git.env("GIT_OPTIONAL_LOCKS", "0").stdin(Stdio::null());
    git
}

fn answer(git: &mut Command) -> Result<Vec<u8>, String> {
    let output = git.output().map_err(|error| format!("git: {error}"))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use tempfile::TempDir;

    use super::*;

    fn run(directory: &Path, words: &[&str]) {
        let mut git = Command::new("git");
        git.arg("-C")
            .arg(directory)
            .args(["-c", "user.name=a", "-c", "user.email=a@example.com"])
            .args(words);
        assert!(git.stdout(Stdio::null()).status().unwrap().success(), "{words:?}");
    }

    /// A repository with these files, committed; and its commit.
    fn repository(files: &[&str]) -> (TempDir, String) {
        let directory = tempfile::tempdir().unwrap();
        run(directory.path(), &["init", "--quiet"]);
        for name in files {
            let path = directory.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, format!("{name} of old")).unwrap();
        }
        run(directory.path(), &["add", "--all"]);
        run(directory.path(), &["commit", "--quiet", "--message", "one"]);
        let commit = head(directory.path()).unwrap();
        (directory, commit)
    }

    /// What has to change, by names, with texts.
    fn back(directory: &TempDir, from: &str, commit: &str) -> Result<Vec<(String, Option<String>)>, String> {
        let top = directory.path().canonicalize().unwrap();
        let changes = back_to(&directory.path().join(from), commit)?;
        let text = |contents: Vec<u8>| String::from_utf8(contents).unwrap();
        let row = |change: FileChange| {
            let name = change.path.strip_prefix(&top).unwrap().to_str().unwrap().to_owned();
            (name, change.contents.map(text))
        };
        Ok(changes.into_iter().map(row).collect())
    }

    #[test]
    fn files_that_changed_came_went_or_are_no_longer_tracked_are_brought_back_from_any_directory() {
        let (directory, commit) =
            repository(&["a b.py", "gone.py", "same.py", "sub/[x]*.py", "untracked.py"]);
        let write = |name: &str| fs::write(directory.path().join(name), "new").unwrap();
        ["a b.py", "sub/[x]*.py", "new.py", "committed.py"].into_iter().for_each(write);
        fs::remove_file(directory.path().join("gone.py")).unwrap();
        run(directory.path(), &["rm", "--quiet", "--cached", "untracked.py"]);
        run(directory.path(), &["add", "committed.py"]);
        run(directory.path(), &["commit", "--quiet", "--message", "two"]);
        let old = |name: &str| (name.to_owned(), Some(format!("{name} of old")));
        let none = |name: &str| (name.to_owned(), None);
        let expected = vec![
            old("a b.py"),
            none("committed.py"),
            old("gone.py"),
            none("new.py"),
            old("sub/[x]*.py"),
            old("untracked.py"),
        ];
        for from in ["", "sub"] {
            assert_eq!(back(&directory, from, &commit), Ok(expected.clone()), "{from}");
        }
        assert_eq!(
            (prefix(directory.path()), prefix(&directory.path().join("sub"))),
            (String::new(), "sub/".to_owned())
        );
    }

    #[test]
    fn all_files_of_a_commit_are_written_elsewhere_from_any_directory() {
        let (directory, commit) = repository(&["a.py", "sub/b c.py"]);
        fs::remove_file(directory.path().join("a.py")).unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        let to = elsewhere.path().join("then");
        check_out(&directory.path().join("sub"), &commit, &to).unwrap();
        assert_eq!(fs::read_to_string(to.join("a.py")).unwrap(), "a.py of old");
        assert_eq!(fs::read_to_string(to.join("sub/b c.py")).unwrap(), "sub/b c.py of old");
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 1);
        assert!(check_out(directory.path(), "0123456789", &to).is_err());
    }

    #[test]
    fn links_are_refused_by_name_and_so_is_a_commit_that_is_not_there() {
        let (directory, commit) = repository(&["a.py"]);
        assert!(back(&directory, "", "0123456789").is_err());
        symlink("a.py", directory.path().join("link.py")).unwrap();
        assert_eq!(back(&directory, "", &commit), Err("`link.py` is a link".to_owned()));
        run(directory.path(), &["add", "link.py"]);
        run(directory.path(), &["commit", "--quiet", "--message", "two"]);
        let with_link = head(directory.path()).unwrap();
        fs::remove_file(directory.path().join("link.py")).unwrap();
        assert_eq!(back(&directory, "", &with_link), Err("`link.py` was no ordinary file".to_owned()));
    }

    #[test]
    fn a_tree_is_clean_until_a_file_is_edited_or_comes() {
        let (directory, _) = repository(&["a.py", "sub/b.py"]);
        let sub = directory.path().join("sub");
        assert!(is_clean(directory.path()) && is_clean(&sub));
        fs::write(directory.path().join("new.py"), "").unwrap();
        assert!(!is_clean(&sub));
        fs::remove_file(directory.path().join("new.py")).unwrap();
        fs::write(directory.path().join("a.py"), "edited").unwrap();
        assert!(!is_clean(&sub));
    }

    #[test]
    fn where_nothing_is_committed_there_is_no_head() {
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(head(directory.path()), None);
        run(directory.path(), &["init", "--quiet"]);
        assert_eq!(head(directory.path()), None);
    }
}

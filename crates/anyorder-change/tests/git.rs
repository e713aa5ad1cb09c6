//! Trees as git has them, from repositories that are made for it.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use anyorder_change::{Changes, GitError, Repository, changes};
use tempfile::TempDir;

fn git(directory: &Path, words: &[&str]) {
    let settings = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"];
    let mut git = Command::new("git");
    let status = git.arg("-C").arg(directory).args(settings).args(words).output().unwrap();
    assert!(status.status.success(), "{words:?}: {}", String::from_utf8_lossy(&status.stderr));
}

fn write(directory: &Path, name: &str, contents: &str) {
    let path = directory.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, contents).unwrap();
}

fn commit(directory: &Path, message: &str) {
    git(directory, &["add", "--all"]);
    git(directory, &["commit", "--quiet", "--allow-empty", "-m", message]);
}

/// A repository with a commit.
fn repository(files: &[(&str, &str)]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    git(directory.path(), &["init", "--quiet", "--initial-branch=main"]);
    files.iter().for_each(|(name, contents)| write(directory.path(), name, contents));
    commit(directory.path(), "first");
    directory
}

fn since(root: &Path, revision: &str) -> Changes {
    let since = Repository::around(root).unwrap().since(revision).unwrap();
    changes(&since.old, &since.new)
}

/// The names of all that differs.
fn told(changes: &Changes) -> Vec<&str> {
    let elements = changes.elements.iter().map(|changed| changed.element.as_str());
    elements.chain(changes.everything.iter().chain(&changes.data).map(String::as_str)).collect()
}

const SHOP: &[(&str, &str)] = &[
    ("shop/__init__.py", ""),
    ("shop/cart.py", "def total(): return 1\n"),
    ("data.json", "1"),
    (".gitignore", "*.log\n"),
];

#[test]
fn a_clean_tree_is_that_of_its_commit() {
    let project = repository(SHOP);
    let since = Repository::around(project.path()).unwrap().since("HEAD").unwrap();
    assert_eq!((since.old.len(), since.new.len(), since.commit.len()), (4, 4, 40));
    assert!(changes(&since.old, &since.new).is_empty());
}

#[test]
fn what_is_not_committed_counts_and_what_is_ignored_does_not() {
    let project = repository(SHOP);
    write(project.path(), "shop/cart.py", "def total(): return 2\n");
    write(project.path(), "out.log", "x");
    assert_eq!(told(&since(project.path(), "HEAD")), ["shop.cart.total"]);
    git(project.path(), &["add", "--all"]);
    write(project.path(), "shop/new.py", "");
    assert_eq!(told(&since(project.path(), "HEAD")), ["shop.cart.total", "shop.new"]);
    write(project.path(), "shop/cart.py", "def total(): return 1  # as before\n");
    fs::remove_file(project.path().join("data.json")).unwrap();
    assert_eq!(told(&since(project.path(), "HEAD")), ["shop.new", "data.json"]);
}

#[test]
fn a_file_that_was_only_touched_is_the_same() {
    let project = repository(SHOP);
    let contents = fs::read(project.path().join("data.json")).unwrap();
    fs::remove_file(project.path().join("data.json")).unwrap();
    fs::write(project.path().join("data.json"), contents).unwrap();
    assert!(since(project.path(), "HEAD").is_empty());
}

#[test]
fn commits_branches_and_parents_are_revisions_with_or_without_a_branch() {
    let project = repository(SHOP);
    git(project.path(), &["branch", "before"]);
    write(project.path(), "shop/cart.py", "def total(): return 2\n");
    commit(project.path(), "second");
    git(project.path(), &["checkout", "--quiet", "--detach"]);
    for revision in ["before", "HEAD~1", "main~1"] {
        assert_eq!(told(&since(project.path(), revision)), ["shop.cart.total"], "{revision}");
    }
    assert!(since(project.path(), "main").is_empty());
}

#[test]
fn a_merge_brings_what_either_side_has() {
    let project = repository(SHOP);
    git(project.path(), &["checkout", "--quiet", "-b", "side"]);
    write(project.path(), "shop/side.py", "");
    commit(project.path(), "side");
    git(project.path(), &["checkout", "--quiet", "main"]);
    write(project.path(), "shop/cart.py", "def total(): return 2\n");
    commit(project.path(), "main");
    git(project.path(), &["merge", "--quiet", "-m", "both", "side"]);
    assert_eq!(told(&since(project.path(), "HEAD^1")), ["shop.side"]);
    assert_eq!(told(&since(project.path(), "HEAD^2")), ["shop.cart.total"]);
}

#[test]
fn a_revision_means_itself_and_not_where_it_parted_from_us() {
    let project = repository(SHOP);
    git(project.path(), &["checkout", "--quiet", "-b", "topic"]);
    git(project.path(), &["checkout", "--quiet", "main"]);
    write(project.path(), "shop/later.py", "");
    commit(project.path(), "later");
    git(project.path(), &["checkout", "--quiet", "topic"]);
    assert_eq!(told(&since(project.path(), "main")), ["shop.later"]);
}

#[test]
fn files_that_are_renamed_go_and_come() {
    let project = repository(SHOP);
    git(project.path(), &["mv", "shop/cart.py", "shop/basket.py"]);
    let found = since(project.path(), "HEAD");
    assert_eq!(found.renamed, [("shop/cart.py".to_owned(), "shop/basket.py".to_owned())]);
    assert_eq!(told(&found), ["shop.basket", "shop.basket.total", "shop.cart", "shop.cart.total"]);
}

#[test]
fn a_root_below_the_top_sees_the_rest_of_the_repository_too() {
    let project =
        repository(&[("apps/a/test_a.py", "x = 1\n"), ("apps/b/b.py", "x = 1\n"), ("lib.py", "x = 1\n")]);
    for name in ["apps/a/test_a.py", "apps/b/b.py", "lib.py"] {
        write(project.path(), name, "x = 2\n");
    }
    let found = since(&project.path().join("apps/a"), "HEAD");
    let files: Vec<&str> = found.elements.iter().map(|changed| changed.at.file.as_str()).collect();
    assert_eq!(files, ["../../lib.py", "../b/b.py", "test_a.py"]);
}

#[test]
fn paths_may_have_any_bytes() {
    let project = repository(SHOP);
    for name in [&b"odd \xff\n.json"[..], "größe \"1\".json".as_bytes()] {
        fs::write(project.path().join(OsStr::from_bytes(name)), "1").unwrap();
    }
    let untracked = since(project.path(), "HEAD");
    assert_eq!(told(&untracked), ["größe \"1\".json", "odd \\xff\n.json"]);
    commit(project.path(), "odd");
    assert!(since(project.path(), "HEAD").is_empty());
    assert_eq!(since(project.path(), "HEAD~1"), untracked);
}

#[test]
fn links_and_programs_differ_from_files_that_hold_the_same() {
    let project = repository(&[("to", "x"), ("link", "to"), ("run.sh", "x")]);
    fs::remove_file(project.path().join("link")).unwrap();
    symlink("to", project.path().join("link")).unwrap();
    assert_eq!(told(&since(project.path(), "HEAD")), ["link"]);
    git(project.path(), &["update-index", "--chmod=+x", "run.sh"]);
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(project.path().join("run.sh"), mode).unwrap();
    assert_eq!(told(&since(project.path(), "HEAD")), ["link", "run.sh"]);
    commit(project.path(), "as links");
    assert!(since(project.path(), "HEAD").is_empty());
    assert_eq!(told(&since(project.path(), "HEAD~1")), ["link", "run.sh"]);
}

#[test]
fn a_repository_inside_has_changed_only_if_it_has() {
    let inner = repository(&[("vendored.py", "x = 1\n")]);
    let project = repository(SHOP);
    git(project.path(), &["submodule", "--quiet", "add", inner.path().to_str().unwrap(), "inner"]);
    commit(project.path(), "with another");
    assert!(since(project.path(), "HEAD").is_empty());
    write(project.path(), "inner/vendored.py", "x = 2\n");
    assert!(told(&since(project.path(), "HEAD")).contains(&"vendored"));
}

#[test]
fn a_shallow_clone_lacks_a_commit_and_is_told_how_to_get_it() {
    let project = repository(SHOP);
    commit(project.path(), "second");
    let clone = tempfile::tempdir().unwrap();
    let from = format!("file://{}", project.path().display());
    git(clone.path(), &["clone", "--quiet", "--depth=1", &from, "."]);
    assert!(since(clone.path(), "HEAD").is_empty());
    let error = Repository::around(clone.path()).unwrap().since("HEAD~1").unwrap_err();
    assert_eq!(error, GitError::NoRevision { revision: "HEAD~1".to_owned(), is_shallow: true });
    assert!(error.to_string().contains("shallow") && error.hint().contains("--unshallow"));
    git(clone.path(), &["fetch", "--quiet", "--unshallow"]);
    assert!(since(clone.path(), "HEAD~1").is_empty());
}

#[test]
fn the_hint_for_a_branch_that_a_shallow_clone_lacks_brings_it() {
    let project = repository(SHOP);
    git(project.path(), &["branch", "base"]);
    commit(project.path(), "second");
    let clone = tempfile::tempdir().unwrap();
    let from = format!("file://{}", project.path().display());
    git(clone.path(), &["clone", "--quiet", "--depth=1", &from, "."]);
    let error = Repository::around(clone.path()).unwrap().since("origin/base").unwrap_err();
    let hint = error.hint();
    let command = hint.split('`').nth(1).unwrap().strip_prefix("git ").unwrap();
    git(clone.path(), &command.split(' ').collect::<Vec<_>>());
    assert!(since(clone.path(), "origin/base").is_empty());
}

#[test]
fn what_git_does_not_know_is_said() {
    let project = repository(SHOP);
    let error = |root: &Path, revision: &str| {
        Repository::around(root).and_then(|repository| repository.since(revision)).unwrap_err()
    };
    let unknown = GitError::NoRevision { revision: "nowhere".to_owned(), is_shallow: false };
    assert_eq!(error(project.path(), "nowhere"), unknown);
    assert!(matches!(error(project.path(), "--all"), GitError::NoRevision { .. }));
    assert!(matches!(error(project.path(), "HEAD:data.json"), GitError::NoRevision { .. }));
    let bare = tempfile::tempdir().unwrap();
    assert!(matches!(error(bare.path(), "HEAD"), GitError::NoRepository(_)));
    git(bare.path(), &["init", "--quiet"]);
    assert_eq!(error(bare.path(), "HEAD"), GitError::NoCommit);
}

#[test]
fn the_index_is_left_as_it_is() {
    let project = repository(SHOP);
    let index = project.path().join(".git/index");
    let before = fs::read(&index).unwrap();
    write(project.path(), "shop/cart.py", "def total(): return 2\n");
    since(project.path(), "HEAD");
    assert!(before == fs::read(&index).unwrap());
}

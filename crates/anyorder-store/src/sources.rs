//! One digest over the project's files: which ones matter, and what is in them.
//!
//! Knows git's idea of a project and, without git, which directories hold what others made. Knows no language.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::baseline::Baseline;
use crate::digest::Digester;
use crate::directory;

/// Directories that tools fill; hidden ones are skipped as well.
const MADE_BY_TOOLS: [&str; 4] = ["__pycache__", "node_modules", "target", "build"];
/// A directory with this file in it is a virtual environment.
const ENVIRONMENT: &str = "pyvenv.cfg";

/// A digest over the names and contents of the project's files.
///
/// These are the files that git tracks and those that it would offer to add. Where git tracks nothing, they are all
/// files. Untracked files in hidden directories, virtual environments and directories that tools fill do not count;
/// nor do times and owners, nor the file or directory `except`, nor the baseline, which says nothing to tests.
pub fn digest_of_sources(project: &Path, except: Option<&Path>) -> String {
    let mut digester = Digester::default();
    let except = except.and_then(|path| path.canonicalize().ok());
    let is_wanted = |file: &PathBuf| {
        let is_within =
            |except: &PathBuf| project.join(file).canonicalize().is_ok_and(|file| file.starts_with(except));
        !except.as_ref().is_some_and(is_within) && file != Path::new(Baseline::NAME)
    };
    for file in source_files(project).into_iter().filter(is_wanted) {
        add_file(&mut digester, project, &file);
    }
    digester.hex()
}

/// The project's files, relative to its directory: those that git tracks and those that it would offer to add, or all files
/// where git tracks nothing. Some may be gone.
pub fn source_files(project: &Path) -> BTreeSet<PathBuf> {
    let tracked = git_files(project, &["--cached"]).unwrap_or_default();
    let mut files = BTreeSet::new();
    if tracked.is_empty() {
        walk(project, Path::new(""), &mut files);
    } else {
        let untracked = git_files(project, &["--others", "--exclude-standard"]).unwrap_or_default();
        let listed = tracked.into_iter().chain(without_made_by_tools(untracked));
        for path in listed.filter(|path| !path.starts_with(directory::NAME)) {
            // Git lists another repository inside this one as a directory.
            if fs::symlink_metadata(project.join(&path)).is_ok_and(|file| file.is_dir()) {
                walk(project, &path, &mut files);
            } else {
                files.insert(path);
            }
        }
    }
    files
}

/// `None` where git is not installed or does not know the directory.
fn git_files(project: &Path, which: &[&str]) -> Option<Vec<PathBuf>> {
    let mut git = Command::new("git");
    git.arg("-C").arg(project).args(["ls-files", "-z"]).args(which).env("GIT_OPTIONAL_LOCKS", "0");
    let output = git.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let names = output.stdout.split(|&byte| byte == 0).filter(|name| !name.is_empty());
    output.status.success().then(|| names.map(|name| PathBuf::from(OsStr::from_bytes(name))).collect())
}

fn without_made_by_tools(untracked: Vec<PathBuf>) -> impl Iterator<Item = PathBuf> {
    let settings = untracked.iter().filter(|path| path.ends_with(ENVIRONMENT));
    let environments: BTreeSet<PathBuf> = settings
        .filter_map(|path| path.parent())
        .filter(|parent| *parent != "")
        .map(Path::to_owned)
        .collect();
    untracked.into_iter().filter(move |path| {
        let mut parents = path.ancestors().skip(1);
        !parents
            .any(|parent| parent.file_name().is_some_and(is_made_by_tools) || environments.contains(parent))
    })
}

fn is_made_by_tools(name: &OsStr) -> bool {
    name.as_bytes().starts_with(b".") || MADE_BY_TOOLS.iter().any(|made| name == *made)
}

fn walk(project: &Path, directory: &Path, files: &mut BTreeSet<PathBuf>) {
    let is_project = directory.as_os_str().is_empty();
    if !is_project && project.join(directory).join(ENVIRONMENT).exists() {
        return;
    }
    for entry in fs::read_dir(project.join(directory)).into_iter().flatten().flatten() {
        let path = directory.join(entry.file_name());
        if !entry.file_type().is_ok_and(|file| file.is_dir()) {
            files.insert(path);
        } else if !is_made_by_tools(&entry.file_name()) {
            walk(project, &path, files);
        }
    }
}

/// A link counts with where it points to and, if that is a file, with what is in it.
fn add_file(digester: &mut Digester, project: &Path, path: &Path) {
    let full = project.join(path);
    // Git still lists a tracked file that was deleted.
    let Ok(file) = fs::symlink_metadata(&full) else { return };
    digester.add(path.as_os_str().as_bytes());
    let target = if file.is_symlink() { fs::read_link(&full).unwrap_or_default() } else { PathBuf::new() };
    digester.add(target.as_os_str().as_bytes());
    // Opening anything but a file could wait for ever.
    let is_file = fs::metadata(&full).is_ok_and(|file| file.is_file());
    if !is_file || digester.add_contents(&full).is_err() {
        digester.add(b"not readable");
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use tempfile::TempDir;

    use super::*;

    fn project(files: &[(&str, &str)]) -> TempDir {
        let project = tempfile::tempdir().unwrap();
        files.iter().for_each(|(name, contents)| write(project.path(), name, contents));
        project
    }

    fn write(project: &Path, name: &str, contents: &str) {
        let path = project.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
    }

    fn git(project: &Path, words: &[&str]) {
        assert!(Command::new("git").arg("-C").arg(project).args(words).status().unwrap().success());
    }

    fn tracked(project: &TempDir) {
        git(project.path(), &["init", "--quiet"]);
        git(project.path(), &["add", "--all"]);
    }

    /// Whether the digest differs after `change`.
    fn matters(project: &TempDir, change: impl FnOnce(&Path)) -> bool {
        let before = digest_of_sources(project.path(), None);
        change(project.path());
        before != digest_of_sources(project.path(), None)
    }

    const SUITE: &[(&str, &str)] = &[("shop/cart.py", "x = 1"), ("tests/test_cart.py", "import shop")];

    #[test]
    fn contents_and_names_matter_and_times_do_not() {
        for use_git in [false, true] {
            let project = project(SUITE);
            if use_git {
                tracked(&project);
            }
            assert!(!matters(&project, |root| write(root, "shop/cart.py", "x = 1")));
            assert!(matters(&project, |root| write(root, "shop/cart.py", "x = 2")));
            assert!(matters(&project, |root| write(root, "tests/test_new.py", "")));
            assert!(matters(&project, |root| fs::remove_file(root.join("shop/cart.py")).unwrap()));
            let [old, new] =
                ["tests/test_cart.py", "tests/test_basket.py"].map(|name| project.path().join(name));
            assert!(matters(&project, |_| fs::rename(old, new).unwrap()));
        }
    }

    #[test]
    fn what_tools_and_we_make_does_not_matter() {
        let made = [
            "tests/__pycache__/test_cart.pyc",
            ".pytest_cache/v/cache/nodeids",
            "node_modules/left/pad.js",
            "target/debug/x",
            "build/lib/shop.py",
            "env/pyvenv.cfg",
            "env/lib/site.py",
            ".anyorder/history.sqlite",
            "anyorder-baseline.json",
        ];
        for use_git in [false, true] {
            let project = project(SUITE);
            if use_git {
                tracked(&project);
            }
            for name in made {
                assert!(!matters(&project, |root| write(root, name, "new")), "{name}, git: {use_git}");
            }
        }
    }

    #[test]
    fn a_tracked_file_matters_wherever_it_stands_and_an_ignored_one_does_not() {
        let project = project(&[("build/tool.py", "1"), (".gitignore", "*.log\n")]);
        git(project.path(), &["init", "--quiet"]);
        git(project.path(), &["add", "--all", "--force"]);
        assert!(matters(&project, |root| write(root, "build/tool.py", "2")));
        assert!(!matters(&project, |root| write(root, "build/other.py", "2")));
        assert!(!matters(&project, |root| write(root, "out.log", "2")));
    }

    #[test]
    fn a_project_that_an_outer_repository_ignores_is_read_all_the_same() {
        let outer = project(&[(".gitignore", "/copies\n"), ("copies/shop/cart.py", "x = 1")]);
        tracked(&outer);
        let copy = outer.path().join("copies/shop");
        let before = digest_of_sources(&copy, None);
        write(&copy, "cart.py", "x = 2");
        assert_ne!(before, digest_of_sources(&copy, None));
    }

    #[test]
    fn links_count_with_what_they_point_to_and_loops_end() {
        let outside = project(&[("data.txt", "1")]);
        let project = project(SUITE);
        symlink(outside.path().join("data.txt"), project.path().join("data.txt")).unwrap();
        symlink(project.path(), project.path().join("loop")).unwrap();
        assert!(matters(&project, |_| write(outside.path(), "data.txt", "2")));
        assert!(matters(&project, |root| fs::remove_file(root.join("loop")).unwrap()));
    }

    #[test]
    fn a_repository_inside_the_repository_is_part_of_the_project() {
        let project = project(SUITE);
        tracked(&project);
        write(project.path(), "vendored/lib.py", "1");
        git(&project.path().join("vendored"), &["init", "--quiet"]);
        assert!(matters(&project, |root| write(root, "vendored/lib.py", "2")));
    }

    #[test]
    fn a_pipe_among_the_files_stops_nobody() {
        let project = project(SUITE);
        let pipe = project.path().join("pipe");
        assert!(Command::new("mkfifo").arg(pipe).status().unwrap().success());
        assert!(matters(&project, |root| write(root, "shop/cart.py", "x = 2")));
    }
}

//! All or nothing: killed at every step, without room at every step, with somebody else at work, and where it is refused.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use super::*;

const BEFORE: [(&str, &str); 3] = [("a.py", "a = 1\n"), ("tests/b.py", "b = 1\r\n"), ("c d.py", "c = 1")];
const AFTER: [(&str, &str); 4] =
    [("a.py", "a = 2\n"), ("tests/b.py", "b = 2\r\n"), ("c d.py", "c = 2"), ("tests/new.py", "new = 1\n")];

struct Project {
    home: TempDir,
}

impl Project {
    fn new() -> Self {
        let project = Project { home: tempfile::tempdir().unwrap() };
        fs::create_dir_all(project.notes()).unwrap();
        fs::create_dir(project.root().join("tests")).unwrap();
        for (path, text) in BEFORE {
            fs::write(project.root().join(path), text).unwrap();
        }
        project
    }

    fn root(&self) -> &Path {
        self.home.path()
    }

    fn notes(&self) -> std::path::PathBuf {
        self.root().join(".anyorder")
    }

    fn apply(&self, changes: &[Change]) -> Result<(), ApplyError> {
        apply_in_steps(self.root(), &self.notes(), changes, false, &mut || Ok(()))
    }

    fn apply_in_steps(&self, mut step: impl FnMut(usize) -> io::Result<()>) -> Result<(), ApplyError> {
        let mut number = 0;
        apply_in_steps(self.root(), &self.notes(), &changes(), false, &mut || {
            number += 1;
            step(number)
        })
    }

    fn finish_earlier(&self) -> Option<Unfinished> {
        finish_earlier(&self.notes()).unwrap()
    }

    /// Every file with its text, ours included.
    fn files(&self) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        for directory in ["", "tests/", ".anyorder/"] {
            for entry in fs::read_dir(self.root().join(directory)).unwrap().map(Result::unwrap) {
                if entry.file_type().unwrap().is_file() && entry.file_name() != "apply.lock" {
                    let name = format!("{directory}{}", entry.file_name().to_string_lossy());
                    files.insert(name, fs::read_to_string(entry.path()).unwrap());
                }
            }
        }
        files
    }

    fn git(&self, words: &[&str]) {
        let names = ["-c", "user.name=a", "-c", "user.email=a@b"];
        let ran = Command::new("git").arg("-C").arg(self.root()).args(names).args(words).output().unwrap();
        assert!(ran.status.success(), "{ran:?}");
    }

    fn commit_all(&self) {
        self.git(&["init", "--quiet"]);
        self.git(&["add", "."]);
        self.git(&["commit", "--quiet", "-m", "all"]);
    }
}

/// Everything in this process, with a look at the world before each step.
fn apply_in_steps(
    root: &Path,
    notes: &Path,
    changes: &[Change],
    allow_dirty: bool,
    step: Step<'_>,
) -> Result<(), ApplyError> {
    let journal = begin(root, notes, changes, allow_dirty, step)?;
    match journal.settle(step).map_err(ApplyError::unfinished)? {
        Settled::Made => Ok(()),
        Settled::Undone(path) => Err(ApplyError::Outdated { path }),
    }
}

fn change(path: &str, before: Option<&str>, after: &str) -> Change {
    Change { path: path.to_owned(), before: before.map(Into::into), after: after.into() }
}

fn changes() -> Vec<Change> {
    let before: BTreeMap<&str, &str> = BEFORE.into();
    AFTER.iter().map(|(path, after)| change(path, before.get(path).copied(), after)).collect()
}

fn tree<const N: usize>(files: [(&str, &str); N]) -> BTreeMap<String, String> {
    files.iter().map(|&(path, text)| (path.to_owned(), text.to_owned())).collect()
}

#[test]
fn all_files_are_changed_and_nothing_else_is_left() {
    let project = Project::new();
    let mode = |path: &str| fs::metadata(project.root().join(path)).unwrap().permissions().mode() & 0o7777;
    fs::set_permissions(project.root().join("a.py"), Permissions::from_mode(0o750)).unwrap();
    project.apply(&changes()).unwrap();
    assert_eq!(project.files(), tree(AFTER));
    assert_eq!(mode("a.py"), 0o750);
    assert_eq!(project.finish_earlier(), None);
}

#[test]
fn killed_at_any_step_the_next_command_finds_all_or_nothing() {
    let mut seen = [0; 2];
    for step in 1.. {
        let project = Project::new();
        let killed = catch_unwind(AssertUnwindSafe(|| {
            project.apply_in_steps(|number| {
                assert_ne!(number, step, "killed");
                Ok(())
            })
        }));
        if killed.is_ok() {
            break;
        }
        let finished = project.finish_earlier();
        let expected = if finished.is_some() { tree(AFTER) } else { tree(BEFORE) };
        assert_eq!(project.files(), expected, "killed at step {step}");
        assert_eq!(project.finish_earlier(), None);
        seen[usize::from(finished.is_some())] += 1;
    }
    assert_eq!(seen, [6, 5]);
}

#[test]
fn without_room_at_any_step_it_is_all_or_nothing() {
    for step in 1..=11 {
        let project = Project::new();
        let full = || Err(io::Error::from(io::ErrorKind::StorageFull));
        let error = project.apply_in_steps(|number| if number == step { full() } else { Ok(()) });
        match error.unwrap_err() {
            ApplyError::NotWritten(_) => assert_eq!(project.files(), tree(BEFORE), "at step {step}"),
            ApplyError::Unfinished(_) => {
                let paths = AFTER.map(|(path, _)| path.to_owned()).to_vec();
                assert_eq!(project.finish_earlier(), Some(Unfinished::Completed(paths)));
                assert_eq!(project.files(), tree(AFTER), "at step {step}");
            }
            other => panic!("{other}"),
        }
    }
}

#[test]
fn what_somebody_writes_meanwhile_is_kept_and_everything_else_is_as_it_was() {
    for step in 1..=10 {
        let project = Project::new();
        let place = project.root().join("c d.py");
        let applied =
            project.apply_in_steps(|number| if number == step { fs::write(&place, "mine") } else { Ok(()) });
        let files = project.files();
        assert_eq!(files["c d.py"], "mine", "at step {step}");
        let expected: BTreeMap<_, _> = if applied.is_ok() { tree(AFTER) } else { tree(BEFORE) };
        let others = |mut files: BTreeMap<String, String>| {
            files.remove("c d.py");
            files
        };
        assert_eq!(others(files), others(expected), "at step {step}");
        // Only somebody who writes after the file was replaced comes too late to stop it.
        assert_eq!(applied.is_ok(), step == 10, "at step {step}");
    }
}

#[test]
fn a_file_that_is_edited_after_a_kill_undoes_the_others() {
    let project = Project::new();
    let killed = catch_unwind(AssertUnwindSafe(|| {
        project.apply_in_steps(|number| {
            assert!(number < 9, "killed");
            Ok(())
        })
    }));
    assert!(killed.is_err());
    assert_eq!(project.files()["tests/b.py"], "b = 2\r\n", "it was killed too early");
    fs::write(project.root().join("a.py"), "mine").unwrap();
    assert_eq!(project.finish_earlier(), Some(Unfinished::Undone("a.py".to_owned())));
    assert_eq!(project.files(), tree([("a.py", "mine"), BEFORE[1], BEFORE[2]]));
}

#[test]
fn a_file_that_is_not_what_it_was_is_refused() {
    let project = Project::new();
    let outdated = [
        change("a.py", Some("a = 0\n"), "a = 2\n"),
        change("a.py", None, "a = 2\n"),
        change("gone.py", Some("a = 1\n"), "a = 2\n"),
    ];
    for outdated in outdated {
        let error = project.apply(&[changes()[1].clone(), outdated]).unwrap_err();
        assert!(matches!(error, ApplyError::Outdated { .. }), "{error}");
    }
    assert_eq!(project.files(), tree(BEFORE));
}

#[test]
fn nothing_outside_of_the_project_is_touched() {
    let (project, outside) = (Project::new(), tempfile::tempdir().unwrap());
    fs::write(outside.path().join("x.py"), "x").unwrap();
    symlink(outside.path(), project.root().join("linked")).unwrap();
    symlink(outside.path().join("x.py"), project.root().join("link.py")).unwrap();
    symlink("nowhere", project.root().join("dangling.py")).unwrap();
    let absolute = outside.path().join("x.py").display().to_string();
    for path in
        ["../x.py", "linked/x.py", "link.py", "dangling.py", "tests/../../x.py", "", ".git/x", &absolute]
    {
        let error = project.apply(&[changes()[0].clone(), change(path, Some("x"), "y")]).unwrap_err();
        assert!(matches!(error, ApplyError::Outside { .. }), "{path}: {error}");
    }
    assert_eq!(fs::read_to_string(outside.path().join("x.py")).unwrap(), "x");
    assert_eq!(project.files(), tree(BEFORE));
}

#[test]
fn a_link_inside_of_the_project_stays_a_link() {
    let project = Project::new();
    symlink("a.py", project.root().join("link.py")).unwrap();
    project.apply(&[change("link.py", Some("a = 1\n"), "a = 2\n")]).unwrap();
    assert!(project.root().join("link.py").is_symlink());
    assert_eq!(project.files()["a.py"], "a = 2\n");
    let both = ["link.py", "a.py"].map(|path| change(path, Some("a = 2\n"), "a = 3\n"));
    assert!(matches!(project.apply(&both).unwrap_err(), ApplyError::Outdated { .. }));
}

#[test]
fn directories_and_protected_files_are_refused() {
    let project = Project::new();
    let error = project.apply(&[change("tests", None, "x")]).unwrap_err();
    assert!(matches!(error, ApplyError::NotAFile { .. }), "{error}");
    fs::set_permissions(project.root().join("a.py"), Permissions::from_mode(0o444)).unwrap();
    let error = project.apply(&changes()).unwrap_err();
    assert!(matches!(error, ApplyError::ReadOnly { .. }), "{error}");
    assert_eq!(project.files(), tree(BEFORE));
}

#[test]
fn what_git_does_not_have_is_refused_unless_it_is_allowed() {
    let project = Project::new();
    project.commit_all();
    fs::write(project.root().join("a.py"), "a = 1 # mine\n").unwrap();
    fs::write(project.root().join("untracked.py"), "u").unwrap();
    fs::write(project.root().join("ignored.py"), "i").unwrap();
    fs::write(project.root().join(".git/info/exclude"), "ignored.py\n").unwrap();
    let dirty = [
        change("a.py", Some("a = 1 # mine\n"), "a = 2\n"),
        changes()[1].clone(),
        change("untracked.py", Some("u"), "v"),
        change("ignored.py", Some("i"), "j"),
    ];
    let error = project.apply(&dirty).unwrap_err();
    let ApplyError::Uncommitted { paths } = &error else { panic!("{error}") };
    assert_eq!(paths, &["a.py", "untracked.py", "ignored.py"]);
    apply_in_steps(project.root(), &project.notes(), &dirty, true, &mut || Ok(())).unwrap();
    assert_eq!(project.files()["a.py"], "a = 2\n");
}

#[test]
fn committed_files_and_new_ones_are_changed() {
    let project = Project::new();
    project.commit_all();
    project.apply(&changes()).unwrap();
    let mut files = project.files();
    files.retain(|path, _| !path.starts_with(".git"));
    assert_eq!(files, tree(AFTER));
}

#[test]
fn a_git_that_does_not_answer_is_told() {
    let project = Project::new();
    fs::write(project.root().join(".git"), "gitdir: nowhere\n").unwrap();
    let error = project.apply(&changes()).unwrap_err();
    assert!(
        matches!(&error, ApplyError::GitSilent { words, .. } if words.contains("not a git repository")),
        "{error:?}"
    );
}

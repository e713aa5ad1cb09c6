//! Files that tests see otherwise than the user has them.
//!
//! Knows where such a file may be, and keeps what is in it where no test can reach it. Does not know how it comes to be
//! on a disk: a layer has it written into it, a copy has it among its pristine contents.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::content::{copy_file, remove};
use crate::error::EngineError;

/// A file as tests are to see it, whatever the user has there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// Where it is; absolute, and inside the work tree that the project belongs to.
    pub path: PathBuf,
    /// What is in it; nothing if it is not there.
    pub contents: Option<Vec<u8>>,
}

/// One of them, kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Kept {
    /// Where tests see it; no part of this is a link.
    pub(super) path: PathBuf,
    /// Where its contents are, with the permissions and the time of change that tests see; nothing if they see no file.
    pub(super) source: Option<PathBuf>,
}

impl Kept {
    /// Keeps `changes` in `store`; they have to be inside `root`.
    pub(super) fn all(changes: &[FileChange], root: &Path, store: &Path) -> Result<Vec<Self>, EngineError> {
        remove(store).and_then(|()| fs::create_dir(store)).map_err(EngineError::Scratch)?;
        let root = root.canonicalize().map_err(EngineError::Scratch)?;
        let keep = |(number, change): (usize, &FileChange)| {
            let refuse = |why| EngineError::NotChanged { path: change.path.clone(), why };
            let path = place_of(&change.path, &root).map_err(refuse)?;
            let Some(contents) = &change.contents else { return Ok(Kept { path, source: None }) };
            let source = store.join(number.to_string());
            write(contents, &path, &source).map_err(EngineError::Scratch)?;
            Ok(Kept { path, source: Some(source) })
        };
        changes.iter().enumerate().map(keep).collect()
    }

    /// Why the disk does not have it.
    pub(super) fn refused(&self, why: &str) -> EngineError {
        EngineError::NotChanged { path: self.path.clone(), why: why.to_owned() }
    }

    /// Puts it where tests see it.
    pub(super) fn write(&self) -> io::Result<()> {
        let Some(source) = &self.source else { return remove(&self.path) };
        if let Some(parent) = self.path.parent() {
            fs::create_dir_all(parent)?;
        }
        remove(&self.path)?; // it may be one that nobody may write to
        copy_file(source, &self.path)
    }
}

/// Where a file is when links have been followed; else why it cannot be changed.
fn place_of(path: &Path, root: &Path) -> Result<PathBuf, String> {
    let is_plain = |part: Component<'_>| matches!(part, Component::RootDir | Component::Normal(_));
    if !path.is_absolute() || !path.components().all(is_plain) {
        return Err("its path is not a plain one".to_owned());
    }
    let there = path.ancestors().find(|path| path.symlink_metadata().is_ok()).unwrap_or(path);
    let real = there.canonicalize().map_err(|error| error.to_string())?;
    if !real.starts_with(root) {
        return Err(format!("it is outside of `{}`", root.display()));
    }
    let is_right = if there == path { real.is_file() } else { real.is_dir() };
    if !is_right {
        return Err(format!("`{}` is in its way", real.display()));
    }
    let rest = path.strip_prefix(there).unwrap_or(path);
    Ok(real.components().chain(rest.components()).collect())
}

/// Writes what is to be seen at `path` to `source`. Compilers that keep their results beside a file know it by its size and the
/// second of its last change, so that second must be another.
fn write(contents: &[u8], path: &Path, source: &Path) -> io::Result<()> {
    fs::write(source, contents)?;
    let Ok(old) = fs::metadata(path) else { return Ok(()) };
    let kept = fs::File::options().write(true).open(source)?;
    let mut modified = kept.metadata()?.modified()?;
    if second_of(modified) == second_of(old.modified()?) {
        modified += Duration::from_secs(1);
    }
    kept.set_modified(modified)?;
    fs::set_permissions(source, fs::Permissions::from_mode(old.permissions().mode()))
}

fn second_of(time: SystemTime) -> Option<u64> {
    time.duration_since(UNIX_EPOCH).ok().map(|since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// Where a file is seen, and how it is kept.
    fn kept(root: &Path, path: &Path) -> Result<(PathBuf, fs::Metadata), String> {
        let store = tempfile::tempdir().unwrap();
        let change = FileChange { path: path.to_owned(), contents: Some(b"new".to_vec()) };
        match Kept::all(&[change], root, &store.path().join("changes")) {
            Ok(mut kept) => {
                let Kept { path, source } = kept.remove(0);
                Ok((path, fs::metadata(source.unwrap()).unwrap()))
            }
            Err(EngineError::NotChanged { why, .. }) => Err(why),
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn a_changed_file_keeps_its_permissions_and_has_another_second() {
        let project = tempfile::tempdir().unwrap();
        let path = project.path().join("test_a.py");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o751)).unwrap();
        let old = fs::metadata(&path).unwrap();
        let (_, new) = kept(project.path(), &path).unwrap();
        assert_eq!(new.permissions().mode(), old.permissions().mode());
        assert_ne!(second_of(new.modified().unwrap()), second_of(old.modified().unwrap()));
    }

    #[test]
    fn a_new_file_may_be_in_a_new_directory_and_behind_a_link_that_stays_inside() {
        let project = tempfile::tempdir().unwrap();
        let root = project.path().canonicalize().unwrap();
        fs::create_dir(root.join("real")).unwrap();
        symlink("real", root.join("link")).unwrap();
        assert_eq!(kept(&root, &root.join("link/a/b.py")).unwrap().0, root.join("real/a/b.py"));
    }

    #[test]
    fn what_leaves_the_project_is_refused() {
        let base = tempfile::tempdir().unwrap();
        let root = base.path().canonicalize().unwrap().join("project");
        fs::create_dir_all(root.join("directory")).unwrap();
        fs::write(root.join("file"), "").unwrap();
        symlink(base.path(), root.join("out")).unwrap();
        symlink("nowhere", root.join("dangling")).unwrap();
        for (path, why) in [
            ("../a.py", "not a plain one"),
            ("out/a.py", "outside of"),
            ("dangling", "No such file"),
            ("dangling/a.py", "No such file"),
            ("directory", "is in its way"),
            ("file/a.py", "is in its way"),
        ] {
            let refused = kept(&root, &root.join(path)).unwrap_err();
            assert!(refused.contains(why), "{path}: {refused}");
        }
        assert!(kept(&root, Path::new("a.py")).is_err());
        assert!(kept(&root, &root.with_file_name("project2")).is_err());
    }
}

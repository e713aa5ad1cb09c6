//! One file that is to be changed: where it really is, what it should hold, and how it is replaced.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, chown};
use std::path::{Component, Path, PathBuf};

use anyorder_model::Change;

use super::error::ApplyError;

/// A file, and the two contents that it may have.
#[derive(Debug)]
pub(super) struct Target {
    /// As the change names it.
    pub(super) path: String,
    /// Where it is, with no symbolic link on the way.
    pub(super) place: PathBuf,
    before: Option<Vec<u8>>,
    after: Vec<u8>,
}

/// What is in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Held {
    Before,
    After,
    /// Neither.
    Other,
}

impl Target {
    /// Every change, if all of them may be made.
    pub(super) fn all(root: &Path, changes: &[Change]) -> Result<Vec<Self>, ApplyError> {
        let targets: Vec<Target> =
            changes.iter().map(|change| Target::new(root, change)).collect::<Result<_, _>>()?;
        for (at, target) in targets.iter().enumerate() {
            target.check()?;
            // Two names of one file: the second change was made for what the first one replaces.
            if targets[..at].iter().any(|other| other.place == target.place) {
                return Err(ApplyError::Outdated { path: target.path.clone() });
            }
        }
        Ok(targets)
    }

    /// Where the file is, if that is inside of the project.
    pub(super) fn new(root: &Path, change: &Change) -> Result<Self, ApplyError> {
        let Change { path, before, after } = change.clone();
        let is_plain = Path::new(&path).components().all(|part| matches!(part, Component::Normal(_)));
        let place = is_plain.then(|| resolved(&root.join(&path))).flatten();
        let root = root.canonicalize().ok();
        let inside = place.zip(root).filter(|(place, root)| is_inside(place, root));
        match inside {
            Some((place, _)) => Ok(Target { path, place, before, after }),
            None => Err(ApplyError::Outside { path }),
        }
    }

    fn check(&self) -> Result<(), ApplyError> {
        let path = self.path.clone();
        let metadata = fs::symlink_metadata(&self.place).ok();
        if metadata.as_ref().is_some_and(|metadata| !metadata.is_file()) {
            return Err(ApplyError::NotAFile { path });
        }
        if metadata.is_some_and(|metadata| metadata.permissions().readonly()) {
            return Err(ApplyError::ReadOnly { path });
        }
        if self.held() == Held::Before { Ok(()) } else { Err(ApplyError::Outdated { path }) }
    }

    pub(super) fn change(&self) -> Change {
        Change { path: self.path.clone(), before: self.before.clone(), after: self.after.clone() }
    }

    /// What is in the file now. What cannot be read is nothing that anybody expects.
    pub(super) fn held(&self) -> Held {
        let content = match fs::read(&self.place) {
            Ok(content) => Some(content),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(_) => return Held::Other,
        };
        if content == self.before {
            Held::Before
        } else if content.as_ref() == Some(&self.after) {
            Held::After
        } else {
            Held::Other
        }
    }

    /// Writes what the file is to hold beside it, down to the disk.
    pub(super) fn stage(&self) -> io::Result<()> {
        self.write_beside(&self.after)
    }

    /// Replaces the file by what was written beside it.
    pub(super) fn make(&self) -> io::Result<()> {
        if fs::read(self.beside()).is_ok_and(|staged| staged == self.after) {
            return self.replace();
        }
        self.write_beside(&self.after)?;
        self.replace()
    }

    /// Makes the file what it was.
    pub(super) fn undo(&self) -> io::Result<()> {
        match &self.before {
            None => fs::remove_file(&self.place).and_then(|()| self.sync_directory()),
            Some(before) => {
                self.write_beside(before)?;
                self.replace()
            }
        }
    }

    /// Removes what was written beside the file, if it is still there.
    pub(super) fn clear(&self) -> io::Result<()> {
        match fs::remove_file(self.beside()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn replace(&self) -> io::Result<()> {
        fs::rename(self.beside(), &self.place)?;
        self.sync_directory()
    }

    fn write_beside(&self, content: &[u8]) -> io::Result<()> {
        // Made anew: what has this name already may be a link to somewhere else.
        self.clear()?;
        let mut file = OpenOptions::new().write(true).create_new(true).open(self.beside())?;
        file.write_all(content)?;
        if let Ok(metadata) = fs::metadata(&self.place) {
            keep_owner_and_mode(&file, &self.beside(), &metadata)?;
        }
        file.sync_all()
    }

    fn sync_directory(&self) -> io::Result<()> {
        File::open(self.directory())?.sync_all()
    }

    pub(super) fn directory(&self) -> &Path {
        self.place.parent().expect("a file below the root is in a directory")
    }

    fn beside(&self) -> PathBuf {
        let name = self.place.file_name().expect("a file has a name").to_string_lossy();
        self.place.with_file_name(format!(".{name}.anyorder"))
    }
}

fn keep_owner_and_mode(file: &File, path: &Path, wanted: &Metadata) -> io::Result<()> {
    let made = file.metadata()?;
    if (made.uid(), made.gid()) != (wanted.uid(), wanted.gid()) {
        // Only some users may give files away; to the others the file belongs to themselves.
        let _ = chown(path, Some(wanted.uid()), Some(wanted.gid()));
    }
    file.set_permissions(wanted.permissions())
}

/// The place without symbolic links; of a file that is not there yet, that of its directory.
fn resolved(place: &Path) -> Option<PathBuf> {
    if fs::symlink_metadata(place).is_ok() {
        return place.canonicalize().ok();
    }
    Some(place.parent()?.canonicalize().ok()?.join(place.file_name()?))
}

/// Whether it is below `root`, and neither ours nor git's.
fn is_inside(place: &Path, root: &Path) -> bool {
    let below = place.strip_prefix(root).ok().and_then(|below| below.components().next());
    below.is_some_and(|first| ![".git", ".anyorder"].iter().any(|name| first.as_os_str() == *name))
}

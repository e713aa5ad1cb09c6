//! The private directory of one command: the gate, the agent's files, logs, and what tests write as temporary files.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Removed, with all that is in it, when it is dropped.
#[derive(Debug)]
pub struct Scratch {
    directory: tempfile::TempDir,
    /// Locked for as long as the directory is in use.
    _lock: File,
}

const PREFIX: &str = "anyorder-";
const LOCK: &str = "lock";

/// A Unix socket's path has to be shorter than 108 bytes.
const LONGEST_PARENT: usize = 60;

impl Scratch {
    /// A new directory that only this user can look into.
    pub fn new() -> io::Result<Self> {
        Scratch::below(&parent_directory())
    }

    fn below(parent: &Path) -> io::Result<Self> {
        remove_abandoned(parent);
        let prefix = format!("{PREFIX}{}-", std::process::id());
        let directory = tempfile::Builder::new().prefix(&prefix).rand_bytes(4).tempdir_in(parent)?;
        let lock = locked_file(directory.path())?;
        fs::create_dir(directory.path().join("t"))?;
        Ok(Scratch { directory, _lock: lock })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// The directory in which each node of the tree has one of its own, for the tests' temporary files.
    pub(crate) fn nodes(&self) -> PathBuf {
        self.path().join("t")
    }
}

/// It has its name when it is locked, and not before: to others a lock that nobody holds is one that was abandoned.
fn locked_file(directory: &Path) -> io::Result<File> {
    let unnamed = directory.join("lock.new");
    let lock = File::create(&unnamed)?;
    lock.try_lock()?;
    fs::rename(unnamed, directory.join(LOCK))?;
    Ok(lock)
}

fn parent_directory() -> PathBuf {
    let usual = env::temp_dir();
    if usual.as_os_str().len() > LONGEST_PARENT { PathBuf::from("/tmp") } else { usual }
}

/// Removes what commands left behind that were killed without a chance to clean up.
fn remove_abandoned(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        let is_abandoned = || File::open(entry.path().join(LOCK)).is_ok_and(|lock| lock.try_lock().is_ok());
        if is_ours && is_abandoned() {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn one_that_is_being_made_is_not_taken_for_abandoned() {
        let parent = tempfile::tempdir().unwrap();
        let make_many =
            || (0..300).for_each(|_| drop(Scratch::below(parent.path()).expect("nobody else removes it")));
        thread::scope(|scope| (0..8).for_each(|_| drop(scope.spawn(make_many))));
    }
}

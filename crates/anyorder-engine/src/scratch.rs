//! The private directory of one command: the gate, the agent's files, logs, and what tests write as temporary files.

use std::io;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Removed, with all that is in it, when it is dropped.
#[derive(Debug)]
pub struct Scratch {
    directory: tempfile::TempDir,
}

const PREFIX: &str = "anyorder-";

/// A Unix socket's path has to be shorter than 108 bytes.
const LONGEST_PARENT: usize = 60;

impl Scratch {
    /// A new directory that only this user can look into.
    pub fn new() -> io::Result<Self> {
        let parent = parent_directory();
        remove_abandoned(&parent);
        let prefix = format!("{PREFIX}{}-", std::process::id());
        let directory = tempfile::Builder::new().prefix(&prefix).rand_bytes(4).tempdir_in(parent)?;
        fs::create_dir(directory.path().join("t"))?;
        Ok(Scratch { directory })
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

fn parent_directory() -> PathBuf {
    let usual = env::temp_dir();
    if usual.as_os_str().len() > LONGEST_PARENT { PathBuf::from("/tmp") } else { usual }
}

/// Removes what commands left behind that were killed without a chance to clean up.
fn remove_abandoned(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let owner =
            name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split('-').next()?.parse::<u32>().ok());
        if owner.is_some_and(|pid| !Path::new(&format!("/proc/{pid}")).exists())
            && Path::new("/proc/self").exists()
        {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

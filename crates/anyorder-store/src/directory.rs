//! The directory that is ours in a project. Knows its name and how git is kept out of it.

use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::error::StoreError;

pub(crate) const NAME: &str = ".anyorder";

/// Where a directory for one kind of our files is, if it was made.
pub fn where_is(project: &Path, part: &str) -> PathBuf {
    project.join(NAME).join(part)
}

/// Makes a directory for one kind of our files, for example `.anyorder/patches`, and says where it is.
pub fn state_directory(project: &Path, part: &str) -> Result<PathBuf, StoreError> {
    let directory = make(project)?.join(part);
    fs::create_dir_all(&directory).map_err(StoreError::unwritable(&directory))?;
    Ok(directory)
}

/// Makes `.anyorder/`. A `.gitignore` that somebody has written into it stays as it is.
pub(crate) fn make(project: &Path) -> Result<PathBuf, StoreError> {
    let directory = project.join(NAME);
    let fill = || {
        fs::create_dir_all(&directory)?;
        ignore_all(&directory.join(".gitignore"))
    };
    fill().map_err(StoreError::unwritable(&directory))?;
    Ok(directory)
}

fn ignore_all(file: &Path) -> io::Result<()> {
    // A command that was killed while it wrote the file leaves it empty.
    let is_there = fs::metadata(file).is_ok_and(|file| file.len() > 0);
    if is_there { Ok(()) } else { fs::write(file, "*\n") }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn git_sees_nothing_of_the_directory() {
        let project = tempfile::tempdir().unwrap();
        let git =
            |words: &[&str]| Command::new("git").arg("-C").arg(project.path()).args(words).output().unwrap();
        assert!(git(&["init", "--quiet"]).status.success());
        let directory = state_directory(project.path(), "patches").unwrap();
        assert_eq!(directory, project.path().join(".anyorder/patches"));
        fs::write(directory.join("anything"), "").unwrap();
        let status = git(&["status", "--porcelain"]);
        assert!(status.status.success());
        assert_eq!(String::from_utf8(status.stdout).unwrap(), "");
    }

    #[test]
    fn an_edited_ignore_file_stays_and_an_empty_one_is_filled() {
        let project = tempfile::tempdir().unwrap();
        let ignore = make(project.path()).unwrap().join(".gitignore");
        for (before, after) in [("*\n!baseline\n", "*\n!baseline\n"), ("", "*\n")] {
            fs::write(&ignore, before).unwrap();
            make(project.path()).unwrap();
            assert_eq!(fs::read_to_string(&ignore).unwrap(), after);
        }
    }
}

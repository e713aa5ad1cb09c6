//! The directory that is ours in a project. Knows its name and how git is kept out of it.

use std::path::{Path, PathBuf};
use std::{fs, io};

pub(crate) const NAME: &str = ".anyorder";

/// Makes `.anyorder/` in the project, invisible to git, and says where it is.
///
/// A `.gitignore` that somebody has written into it stays as it is.
pub fn state_directory(project: &Path) -> io::Result<PathBuf> {
    let directory = project.join(NAME);
    fs::create_dir_all(&directory)?;
    let ignore = directory.join(".gitignore");
    // A command that was killed while it wrote the file leaves it empty.
    if fs::metadata(&ignore).map_or(true, |file| file.len() == 0) {
        fs::write(&ignore, "*\n")?;
    }
    Ok(directory)
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
        let directory = state_directory(project.path()).unwrap();
        fs::write(directory.join("anything"), "").unwrap();
        let status = git(&["status", "--porcelain"]);
        assert!(status.status.success());
        assert_eq!(String::from_utf8(status.stdout).unwrap(), "");
    }

    #[test]
    fn an_edited_ignore_file_stays_and_an_empty_one_is_filled() {
        let project = tempfile::tempdir().unwrap();
        let ignore = state_directory(project.path()).unwrap().join(".gitignore");
        for (before, after) in [("*\n!baseline\n", "*\n!baseline\n"), ("", "*\n")] {
            fs::write(&ignore, before).unwrap();
            state_directory(project.path()).unwrap();
            assert_eq!(fs::read_to_string(&ignore).unwrap(), after);
        }
    }
}

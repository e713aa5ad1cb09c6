//! What each command has reported last: one file for each, replaced as a whole.
//!
//! Knows where they are. Does not know what is in them. They need no lock: a reader sees the old file or the new one.

use std::fs;
use std::path::Path;

use crate::directory::{state_directory, where_is};
use crate::error::StoreError;

/// The directory that holds them.
const PART: &str = "reports";
const SUFFIX: &str = ".json.z";

/// What a command has reported last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptDocument {
    /// Which command.
    pub command: String,
    /// What it reported.
    pub bytes: Vec<u8>,
}

/// Keeps what a command has reported, in place of what it reported before.
pub fn keep_document(project: &Path, command: &str, bytes: &[u8]) -> Result<(), StoreError> {
    let directory = state_directory(project, PART)?;
    let new = directory.join(format!("{command}.{}.new", std::process::id()));
    let path = directory.join(format!("{command}{SUFFIX}"));
    fs::write(&new, bytes).and_then(|()| fs::rename(&new, &path)).map_err(StoreError::unwritable(&path))
}

/// What is kept, by the names of the commands. What cannot be read is not there.
pub fn kept_documents(project: &Path) -> Vec<KeptDocument> {
    let entries = fs::read_dir(where_is(project, PART)).into_iter().flatten().flatten();
    let document = |entry: fs::DirEntry| {
        let command = entry.file_name().to_str()?.strip_suffix(SUFFIX)?.to_owned();
        Some(KeptDocument { command, bytes: fs::read(entry.path()).ok()? })
    };
    let mut documents: Vec<KeptDocument> = entries.filter_map(document).collect();
    documents.sort_by(|one, other| one.command.cmp(&other.command));
    documents
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_report_of_each_command_is_kept_and_half_a_file_is_none() {
        let project = tempfile::tempdir().unwrap();
        assert_eq!(kept_documents(project.path()), []);
        for (command, text) in [("hunt", "1"), ("fix", "2"), ("hunt", "3")] {
            keep_document(project.path(), command, text.as_bytes()).unwrap();
        }
        // A command that was killed while it wrote.
        fs::write(where_is(project.path(), PART).join("deps.7.new"), "4").unwrap();
        let kept = |command: &str, text: &str| KeptDocument {
            command: command.to_owned(),
            bytes: text.as_bytes().to_vec(),
        };
        assert_eq!(kept_documents(project.path()), [kept("fix", "2"), kept("hunt", "3")]);
    }
}

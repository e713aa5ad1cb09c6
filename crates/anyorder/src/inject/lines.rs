//! A file of lines that survives the command: what was known when it was killed is known again.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The first line: what decides all that follows.
#[derive(Debug, Serialize, Deserialize)]
struct Heading {
    r#for: String,
}

/// Takes further lines, which are on the disk as soon as they are noted.
#[derive(Debug)]
pub(super) struct Lines(File);

impl Lines {
    /// Opens the file, with the lines that are kept in it; begins it anew if it is about something else.
    pub(super) fn open<T: DeserializeOwned>(path: &Path, about: &str) -> io::Result<(Self, Vec<T>)> {
        let mut kept = fs::read(path).unwrap_or_default();
        // A line without an end was being written when the command was killed.
        kept.truncate(kept.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1));
        let mut lines = kept.split(|&byte| byte == b'\n');
        let heading = lines.next().and_then(|line| serde_json::from_slice::<Heading>(line).ok());
        let is_ours = heading.is_some_and(|heading| heading.r#for == about);
        let mut file = OpenOptions::new().create(true).write(true).truncate(false).open(path)?;
        let length = if is_ours { kept.len() as u64 } else { 0 };
        file.set_len(length)?;
        io::Seek::seek(&mut file, io::SeekFrom::End(0))?;
        let mut opened = Lines(file);
        if is_ours {
            return Ok((opened, lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()));
        }
        opened.note(&[Heading { r#for: about.to_owned() }])?;
        Ok((opened, vec![]))
    }

    pub(super) fn note<T: Serialize>(&mut self, lines: &[T]) -> io::Result<()> {
        let mut text = Vec::new();
        for line in lines {
            serde_json::to_writer(&mut text, line)?;
            text.push(b'\n');
        }
        self.0.write_all(&text)?;
        self.0.sync_data()
    }
}

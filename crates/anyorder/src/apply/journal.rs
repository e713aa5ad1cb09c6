//! What is going on, for whoever comes after us.
//!
//! While it is being prepared, nothing has happened; once it is complete, everything is to happen.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyorder_model::Change;
use serde::{Deserialize, Serialize};

use super::target::{Held, Target};

const PREPARED: &str = "apply-prepared.json";
const COMPLETE: &str = "apply.json";

/// What the file of a journal holds.
#[derive(Serialize, Deserialize)]
struct Notes {
    root: PathBuf,
    changes: Vec<Change>,
}

/// Changes that are to be made.
#[derive(Debug)]
pub(super) struct Journal {
    notes: PathBuf,
    root: PathBuf,
    targets: Vec<Target>,
    /// A file whose place is not there any more.
    lost: Option<String>,
}

/// What became of the changes.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Settled {
    Made,
    /// This file was edited, so all others are as they were.
    Undone(String),
}

/// A look at the world before each step.
pub(super) type Step<'a> = &'a mut dyn FnMut() -> io::Result<()>;

impl Journal {
    /// Writes down what is to happen, and beside each file what it is to hold. An error leaves nothing behind.
    pub(super) fn begin(root: &Path, notes: &Path, targets: Vec<Target>, step: Step<'_>) -> io::Result<Self> {
        let journal = Journal { notes: notes.to_owned(), root: root.to_owned(), targets, lost: None };
        match journal.prepare(step) {
            Ok(()) => Ok(journal),
            Err(error) => {
                // What cannot be removed now is removed by the next command.
                let _ = journal.clear(PREPARED);
                Err(error)
            }
        }
    }

    /// Whether a command has left a journal here.
    pub(super) fn is_in(notes: &Path) -> bool {
        [PREPARED, COMPLETE].iter().any(|name| notes.join(name).exists())
    }

    /// The complete journal of a command that was killed. What one has only prepared is cleared away.
    pub(super) fn found(notes: &Path) -> io::Result<Option<Self>> {
        if let Some(journal) = Journal::read(notes, PREPARED)? {
            journal.clear(PREPARED)?;
        }
        Journal::read(notes, COMPLETE)
    }

    fn read(notes: &Path, name: &str) -> io::Result<Option<Self>> {
        let text = match fs::read(notes.join(name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            other => other?,
        };
        // One that was cut short was being written, so that nothing stands beside any file yet.
        let written: Option<Notes> = serde_json::from_slice(&text).ok();
        let Notes { root, changes } = written.unwrap_or(Notes { root: notes.to_owned(), changes: vec![] });
        let mut journal = Journal { notes: notes.to_owned(), root, targets: vec![], lost: None };
        for change in changes {
            match Target::new(&journal.root, &change) {
                Ok(target) => journal.targets.push(target),
                Err(_) => journal.lost = Some(change.path),
            }
        }
        Ok(Some(journal))
    }

    /// A file that does not hold what it should.
    pub(super) fn missing(&self) -> Option<String> {
        let missing = self.targets.iter().find(|target| target.held() != Held::After);
        missing.map(|target| target.path.clone())
    }

    pub(super) fn targets(&self) -> &[Target] {
        &self.targets
    }

    fn prepare(&self, step: Step<'_>) -> io::Result<()> {
        let changes = self.targets.iter().map(Target::change).collect();
        let notes = Notes { root: self.root.clone(), changes };
        step()?;
        let mut file = File::create(self.notes.join(PREPARED))?;
        file.write_all(&serde_json::to_vec(&notes)?)?;
        file.sync_all()?;
        for target in &self.targets {
            step()?;
            target.stage()?;
        }
        step()?;
        fs::rename(self.notes.join(PREPARED), self.notes.join(COMPLETE))?;
        File::open(&self.notes)?.sync_all()
    }

    /// Makes the changes that are not made yet; or, if a file holds what nobody expects, undoes those that are.
    pub(super) fn settle(&self, step: Step<'_>) -> io::Result<Settled> {
        let settled = match self.unexpected() {
            Some(path) => Settled::Undone(path),
            None => self.make(step)?,
        };
        if settled != Settled::Made {
            self.undo(step)?;
        }
        step()?;
        self.clear(COMPLETE)?;
        Ok(settled)
    }

    fn unexpected(&self) -> Option<String> {
        let edited = self.targets.iter().find(|target| target.held() == Held::Other);
        self.lost.clone().or(edited.map(|target| target.path.clone()))
    }

    fn make(&self, step: Step<'_>) -> io::Result<Settled> {
        for target in &self.targets {
            step()?;
            match target.held() {
                Held::Before => target.make()?,
                Held::After => {}
                Held::Other => return Ok(Settled::Undone(target.path.clone())),
            }
        }
        Ok(Settled::Made)
    }

    fn undo(&self, step: Step<'_>) -> io::Result<()> {
        for target in &self.targets {
            step()?;
            if target.held() == Held::After {
                target.undo()?;
            }
        }
        Ok(())
    }

    /// Removes all that stands beside files, then the journal itself.
    fn clear(&self, name: &str) -> io::Result<()> {
        for target in &self.targets {
            target.clear()?;
        }
        match fs::remove_file(self.notes.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

//! An errand: one command on a disk of its own, before there is a suite. A build, for instance, or a look at its tests.
//!
//! Knows how such a command is started, watched and ended. Does not know what it is for.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use crate::disk::{Disk, DiskMode, DiskState, Shown};
use crate::error::EngineError;
use crate::launch::tail;
use crate::scratch::Scratch;
use crate::settings::Settings;
use crate::ward::Ward;

/// A disk for errands; each starts from what the user has.
#[derive(Debug)]
pub struct Errand {
    disk: Disk,
    settings: Settings,
    log: PathBuf,
}

/// A command that has ended. What it has written can be looked at until this is dropped.
#[derive(Debug)]
pub struct Ran {
    /// How it ended; `None` if it was ended because its time was over.
    pub status: Option<ExitStatus>,
    /// The end of what it printed.
    pub log: String,
    ward: Ward,
    moved: Option<(PathBuf, PathBuf)>,
    is_layered: bool,
}

impl Errand {
    /// A disk like that of the tests of `project`. What is written into `kept` is there to stay, where it can be.
    pub fn new(
        project: &Path,
        settings: &Settings,
        scratch: &Scratch,
        kept: &[PathBuf],
    ) -> Result<Self, EngineError> {
        let settings = Settings { workers: 1, ..settings.clone() };
        let disk = Disk::choose(project, &settings, scratch, kept)?;
        Ok(Errand { disk, settings, log: scratch.path().join("errand.log") })
    }

    /// The same on the user's own disk.
    pub fn in_the_open(settings: &Settings, scratch: &Scratch) -> Self {
        Errand { disk: Disk::Shared, settings: settings.clone(), log: scratch.path().join("errand.log") }
    }

    /// Runs `command` to its end, or for as long as `limit`; `tick` hears of time passing.
    pub fn run(
        &self,
        mut command: Command,
        limit: Option<Duration>,
        mut tick: impl FnMut(Duration),
    ) -> Result<Ran, EngineError> {
        const LOOK: Duration = Duration::from_millis(100);
        let mode = self.disk.mode();
        self.disk.bring_back(0, DiskState::Pristine).map_err(|source| EngineError::Disk { mode, source })?;
        self.disk.seat(0, &mut command);
        let _ = fs::remove_file(&self.log);
        let mut ward =
            self.disk.start(&self.settings.keeper, &Shown::default(), &command, false, &self.log)?;
        let begun = Instant::now();
        let mut status = ward.wait_a_while(LOOK);
        while status.is_none() && limit.is_none_or(|limit| begun.elapsed() < limit) {
            if self.settings.cancel.is_cancelled() {
                return Err(EngineError::Cancelled);
            }
            tick(begun.elapsed());
            status = ward.wait_a_while(LOOK);
        }
        Ok(Ran {
            status,
            log: tail(&fs::read(&self.log).unwrap_or_default()),
            ward,
            moved: self.disk.moved(0),
            is_layered: mode == DiskMode::Overlay,
        })
    }
}

impl Ran {
    /// Where the file that the command knows as `path` can be read from outside.
    pub fn seen_from_outside(&self, path: &Path) -> PathBuf {
        if !self.is_layered {
            return path.to_owned();
        }
        let inside = path.strip_prefix("/").unwrap_or(path);
        self.ward.root().join(inside)
    }

    /// Where the project is, and the copy of it that the command worked in, if it was one.
    pub fn moved(&self) -> Option<(&Path, &Path)> {
        self.moved.as_ref().map(|(original, copy)| (original.as_path(), copy.as_path()))
    }
}

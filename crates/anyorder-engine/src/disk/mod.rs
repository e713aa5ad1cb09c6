//! The disk that tests see: what one order writes is not seen by another, and never reaches the user's files.
//!
//! `overlay` puts a private layer over the project, the home and the temporary directory, in a mount namespace; `copy`
//! gives each worker a copy of the project, which is put right before each order; `shared` does nothing.

mod change;
mod content;
mod copy;
mod overlay;
mod roots;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::{fs, io};

use crate::error::EngineError;
use crate::lock::Locked;
use crate::scratch::Scratch;
use crate::settings::Settings;
use crate::ward::{Unstarted, Ward};
use crate::wire::Hello;
use change::Kept;
use copy::{Copies, Copy};

pub use change::FileChange;
pub(crate) use copy::Snapshot;
pub(crate) use overlay::Layers;

/// How orders are kept apart on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiskMode {
    /// A layer of its own for each order.
    Overlay,
    /// A copy of the project for each worker.
    Copy,
    /// Nothing: tests write to the user's own files.
    Shared,
}

impl DiskMode {
    /// All of them, with what they mean.
    pub const ALL: [(DiskMode, &'static str); 3] = [
        (DiskMode::Overlay, "a private layer over the project, the home and the temporary directory"),
        (DiskMode::Copy, "a copy of the project for each worker, put right before each order"),
        (DiskMode::Shared, "your own files, as in an ordinary run"),
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            DiskMode::Overlay => "overlay",
            DiskMode::Copy => "copy",
            DiskMode::Shared => "shared",
        }
    }
}

/// The disk of one engine.
#[derive(Debug)]
pub(crate) enum Disk {
    Overlay(Layers),
    Copy(Desks),
    Shared,
}

/// Layers that differ from those that all other commands see, if they do.
#[derive(Debug, Default)]
pub(crate) struct Shown(Option<Layers>);

/// A copy for each worker.
#[derive(Debug)]
pub(crate) struct Desks {
    copies: Copies,
    desks: Vec<Mutex<Desk>>,
}

#[derive(Debug)]
struct Desk {
    copy: Copy,
    /// How the disk was when the tests had just been collected.
    fresh: Option<Snapshot>,
}

/// A state of the disk.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DiskState<'a> {
    /// As the user has it.
    Pristine,
    /// As it is in the fresh state.
    Fresh,
    /// As it was in a state that was kept.
    Kept(&'a Snapshot),
}

/// What it takes to make a disk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site<'a> {
    pub(crate) keeper: &'a Path,
    pub(crate) project: &'a Path,
    pub(crate) scratch: &'a Path,
    pub(crate) workers: usize,
    /// How many bytes one order may write.
    pub(crate) size: u64,
    /// Directories that are written to for good.
    pub(crate) kept: &'a [PathBuf],
}

impl Disk {
    /// The disk that the user asked for, or the best that can be had; what is written into `kept` is there to stay.
    pub(crate) fn choose(
        project: &Path,
        settings: &Settings,
        scratch: &Scratch,
        kept: &[PathBuf],
    ) -> Result<Self, EngineError> {
        let site = Site {
            keeper: &settings.keeper,
            project,
            scratch: scratch.path(),
            workers: settings.workers,
            size: settings.memory,
            kept,
        };
        let made = |mode| Disk::new(mode, site).map_err(|source| EngineError::Disk { mode, source });
        let mut disk = match settings.disk {
            Some(mode) => made(mode)?,
            None => made(DiskMode::Overlay).or_else(|_| made(DiskMode::Copy))?,
        };
        if !settings.changes.is_empty() {
            disk.show(&settings.changes, site)?;
        }
        Ok(disk)
    }

    /// From now on tests see these files otherwise than the user has them.
    fn show(&mut self, changes: &[FileChange], site: Site<'_>) -> Result<(), EngineError> {
        let kept = Kept::all(changes, &roots::repository(site.project), &site.scratch.join("changes"))?;
        match self {
            Disk::Overlay(layers) => layers.show(&kept, &site.scratch.join("changes.json")),
            Disk::Copy(desks) => desks.copies.show(&kept),
            Disk::Shared => Err(EngineError::ChangesAreApart),
        }
    }

    /// The disk at a desk, for one command that sees some files otherwise; what it takes is kept in `store`. A copy is
    /// changed at once, until it is brought back.
    pub(crate) fn showing(
        &self,
        desk: usize,
        changes: &[FileChange],
        store: &Path,
    ) -> Result<Shown, EngineError> {
        if changes.is_empty() {
            return Ok(Shown::default());
        }
        match self {
            Disk::Overlay(layers) => {
                let mut layers = layers.clone();
                let kept = Kept::all(changes, &layers.outermost(&changes[0].path), &store.join("changes"))?;
                layers.show(&kept, &store.join("changes.json"))?;
                Ok(Shown(Some(layers)))
            }
            Disk::Copy(desks) => {
                let tree = desks.desks[desk].locked().copy.tree();
                let original = desks.copies.original();
                let moved = |change: &FileChange| FileChange {
                    path: change
                        .path
                        .strip_prefix(original)
                        .map_or(change.path.clone(), |path| tree.join(path)),
                    contents: change.contents.clone(),
                };
                let moved: Vec<FileChange> = changes.iter().map(moved).collect();
                let kept = Kept::all(&moved, &tree, &store.join("changes"))?;
                kept.iter().try_for_each(Kept::write).map_err(EngineError::Scratch)?;
                Ok(Shown::default())
            }
            Disk::Shared => Err(EngineError::ChangesAreApart),
        }
    }

    /// Starts a command on this disk; with `may_nest` it may make layers for what it forks.
    pub(crate) fn start(
        &self,
        keeper: &Path,
        shown: &Shown,
        command: &Command,
        may_nest: bool,
        log: &Path,
    ) -> Result<Ward, EngineError> {
        let layers = shown.0.as_ref().or(self.layers());
        Ward::start(keeper, command, layers, may_nest, log).map_err(|unstarted| match unstarted {
            Unstarted::Command(source) => {
                EngineError::Start { command: command.get_program().to_string_lossy().into_owned(), source }
            }
            Unstarted::Disk(source) => EngineError::Disk { mode: self.mode(), source },
        })
    }

    fn new(mode: DiskMode, site: Site<'_>) -> io::Result<Self> {
        match mode {
            DiskMode::Overlay => overlay(site).map(Disk::Overlay),
            DiskMode::Copy => Desks::new(site).map(Disk::Copy),
            DiskMode::Shared => Ok(Disk::Shared),
        }
    }

    pub(crate) fn mode(&self) -> DiskMode {
        match self {
            Disk::Overlay(_) => DiskMode::Overlay,
            Disk::Copy(_) => DiskMode::Copy,
            Disk::Shared => DiskMode::Shared,
        }
    }

    pub(crate) fn layers(&self) -> Option<&Layers> {
        match self {
            Disk::Overlay(layers) => Some(layers),
            Disk::Copy(_) | Disk::Shared => None,
        }
    }

    /// The place where this worker's processes run: one for all, unless each has a copy of its own.
    pub(crate) fn desk_of(&self, worker: usize) -> usize {
        match self {
            Disk::Copy(desks) => worker % desks.desks.len(),
            Disk::Overlay(_) | Disk::Shared => 0,
        }
    }

    /// Lets `command` run at a desk.
    pub(crate) fn seat(&self, desk: usize, command: &mut Command) {
        let Disk::Copy(desks) = self else { return };
        let copy = &desks.desks[desk].locked().copy;
        let directory = command.get_current_dir().unwrap_or(Path::new("/"));
        let directory = desks.copies.moved(directory, copy);
        command.current_dir(directory).env(TEMPORARY_DIRECTORY, copy.temporary());
    }

    /// Where the work tree is, and where it is at a desk.
    pub(crate) fn moved(&self, desk: usize) -> Option<(PathBuf, PathBuf)> {
        let Disk::Copy(desks) = self else { return None };
        Some((desks.copies.original().to_owned(), desks.desks[desk].locked().copy.tree()))
    }

    /// Tells what an agent said as if it ran where the user would run it.
    pub(crate) fn unseat(&self, desk: usize, hello: &mut Hello) {
        let Some((original, copy)) = self.moved(desk) else { return };
        for place in [&mut hello.directory, &mut hello.root] {
            if let Ok(inside) = Path::new(&*place).strip_prefix(&copy) {
                *place = original.join(inside).display().to_string();
            }
        }
        hello.environment.remove(TEMPORARY_DIRECTORY);
    }

    /// Makes the disk at a desk what it was; where each order has a layer of its own it is that already.
    pub(crate) fn bring_back(&self, desk: usize, state: DiskState<'_>) -> io::Result<()> {
        let Disk::Copy(desks) = self else { return Ok(()) };
        let mut desk = desks.desks[desk].locked();
        let fresh = desk.fresh.clone();
        let snapshot = match state {
            DiskState::Kept(snapshot) => snapshot,
            DiskState::Fresh => fresh.as_ref().unwrap_or(desks.copies.pristine()),
            DiskState::Pristine => desks.copies.pristine(),
        };
        desk.copy.restore(snapshot)
    }

    /// From now on the fresh state at this desk has the disk as it is now.
    pub(crate) fn is_fresh_now(&self, desk: usize) -> io::Result<()> {
        if let Disk::Copy(desks) = self {
            let mut desk = desks.desks[desk].locked();
            desk.fresh = Some(desks.copies.snapshot(&mut desk.copy)?);
        }
        Ok(())
    }

    /// The present state of the disk at a desk, if it has to be brought back by hand.
    pub(crate) fn snapshot(&self, desk: usize) -> io::Result<Option<Snapshot>> {
        let Disk::Copy(desks) = self else { return Ok(None) };
        desks.copies.snapshot(&mut desks.desks[desk].locked().copy).map(Some)
    }
}

/// What tells programs where temporary files go.
const TEMPORARY_DIRECTORY: &str = "TMPDIR";

impl Desks {
    fn new(site: Site<'_>) -> io::Result<Self> {
        let copies = Copies::new(site.project, site.scratch.join("copies"))?;
        let desk = |number| Ok(Mutex::new(Desk { copy: copies.copy(number)?, fresh: None }));
        let desks = (0..site.workers).map(desk).collect::<io::Result<_>>()?;
        Ok(Desks { copies, desks })
    }
}

/// Layers that were tried out: kernels, containers and file systems refuse them for many reasons.
fn overlay(site: Site<'_>) -> io::Result<Layers> {
    let log = site.scratch.join("disk.log");
    let layers = Layers::plan(site)?;
    let tried = |layers: Layers| match Ward::try_out(site.keeper, &layers, &log) {
        Ok(()) => Ok(layers),
        Err(Unstarted::Command(error) | Unstarted::Disk(error)) => Err(error),
    };
    let layers = tried(layers.clone()).or_else(|_| tried(layers.in_user_namespace()));
    let _ = fs::remove_file(&log);
    layers
}

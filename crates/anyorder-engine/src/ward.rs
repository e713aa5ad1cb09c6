//! A command in the care of a keeper, seen from the tool.

use std::fs::OpenOptions;
use std::io::{self, Read};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::disk::Layers;
use crate::family;
use crate::guard::resident_bytes;
use crate::keeper::{Charge, KEEPER, Word};
use crate::link::is_readable;

/// When it is dropped, the command and everything that came from it is ended.
#[derive(Debug)]
pub(crate) struct Ward {
    keeper: Child,
    /// The command's process.
    command: i32,
    /// `None` once the keeper has been told to end everything.
    connection: Option<UnixStream>,
    status: Option<ExitStatus>,
}

/// Why a command could not be started.
#[derive(Debug)]
pub(crate) enum Unstarted {
    Command(io::Error),
    Disk(io::Error),
}

/// How long a keeper may take to start, or to end everything.
const PATIENCE: Duration = Duration::from_secs(20);

impl Ward {
    /// Starts `command` on the disk that `layers` make, reading nothing and writing to `log`. `keeper` is a program that
    /// can be one; with `may_nest` the command may add layers.
    pub(crate) fn start(
        keeper: &Path,
        command: &Command,
        layers: Option<&Layers>,
        may_nest: bool,
        log: &Path,
    ) -> Result<Self, Unstarted> {
        let directory = command.get_current_dir().unwrap_or(Path::new(".")).to_owned();
        let mut keeper = keeper_command(keeper, &Charge { directory, layers: layers.cloned(), may_nest })?;
        keeper.arg(command.get_program()).args(command.get_args());
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => keeper.env(name, value),
                None => keeper.env_remove(name),
            };
        }
        Ward::under(keeper, log)
    }

    /// Whether the disk that `layers` make can be made, and works.
    pub(crate) fn try_out(keeper: &Path, layers: &Layers, log: &Path) -> Result<(), Unstarted> {
        let charge = Charge { directory: PathBuf::from("/"), layers: Some(layers.clone()), may_nest: true };
        Ward::under(keeper_command(keeper, &charge)?, log).map(drop)
    }

    fn under(keeper: Command, log: &Path) -> Result<Self, Unstarted> {
        let mut ward = Ward::spawn(keeper, log).map_err(Unstarted::Command)?;
        match ward.listen(PATIENCE) {
            Some(Word::Started(pid)) => {
                ward.command = pid;
                Ok(ward)
            }
            Some(Word::NotStarted(error)) => Err(Unstarted::Command(io::Error::from_raw_os_error(error))),
            Some(Word::NoDisk(error)) => Err(Unstarted::Disk(io::Error::from_raw_os_error(error))),
            Some(Word::Ended(_)) | None => {
                Err(Unstarted::Command(io::Error::other("its keeper said nothing")))
            }
        }
    }

    /// The command holds the keeper's end of the connection, so it must not outlive the start.
    fn spawn(mut keeper: Command, log: &Path) -> io::Result<Self> {
        let log = OpenOptions::new().create(true).append(true).open(log)?;
        let (ours, theirs) = UnixStream::pair()?;
        let child = keeper
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(log.try_clone()?)
            .stderr(log)
            .process_group(0)
            .spawn()?;
        Ok(Ward { keeper: child, command: 0, connection: Some(ours), status: None })
    }

    /// How the command has ended, if it has.
    pub(crate) fn try_wait(&mut self) -> Option<ExitStatus> {
        self.wait_a_while(Duration::ZERO)
    }

    /// Gives the command time to end by itself.
    pub(crate) fn wait_a_while(&mut self, patience: Duration) -> Option<ExitStatus> {
        if self.status.is_none()
            && let Some(Word::Ended(status)) = self.listen(patience)
        {
            self.status = Some(ExitStatus::from_raw(status));
        }
        self.status
    }

    fn listen(&mut self, patience: Duration) -> Option<Word> {
        let connection = self.connection.as_mut()?;
        let mut bytes = [0; Word::SIZE];
        if !is_readable(connection, patience) {
            return None;
        }
        let word = connection.read_exact(&mut bytes).ok().and_then(|()| Word::from_bytes(bytes));
        if word.is_none() {
            // The keeper itself was ended; what it kept cannot be known any more.
            self.status = self.keeper.wait().ok();
        }
        word
    }

    /// Asks the command to end, as Ctrl-C does.
    pub(crate) fn interrupt(&self) {
        if self.status.is_none() {
            family::send(self.command, Signal::INT);
        }
    }

    /// Bytes that the largest process of the command's family occupies.
    pub(crate) fn largest(&self) -> u64 {
        let family = family::descendants(self.keeper_pid());
        family.into_iter().filter_map(resident_bytes).max().unwrap_or(0)
    }

    /// The file system as the command sees it, for as long as this lives.
    pub(crate) fn root(&self) -> PathBuf {
        PathBuf::from(format!("/proc/{}/root", self.keeper_pid()))
    }

    fn keeper_pid(&self) -> i32 {
        i32::try_from(self.keeper.id()).expect("process ids are small")
    }

    /// Ends the command and everything that came from it; tells how the command ended.
    pub(crate) fn end(&mut self) -> Option<ExitStatus> {
        if let Some(connection) = &self.connection {
            // The keeper still says how the command ended.
            let _ = connection.shutdown(Shutdown::Write);
            self.wait_a_while(PATIENCE);
            self.connection = None;
            self.wait_for_keeper();
        }
        self.status
    }

    fn wait_for_keeper(&mut self) {
        let deadline = Instant::now() + PATIENCE;
        while matches!(self.keeper.try_wait(), Ok(None)) {
            if Instant::now() > deadline {
                family::end(self.keeper_pid());
            }
            thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Drop for Ward {
    fn drop(&mut self) {
        self.end();
    }
}

fn keeper_command(keeper: &Path, charge: &Charge) -> Result<Command, Unstarted> {
    let mut command = Command::new(keeper);
    let charge =
        serde_json::to_string(charge).map_err(|error| Unstarted::Command(io::Error::other(error)))?;
    command.arg(KEEPER).arg(charge);
    Ok(command)
}

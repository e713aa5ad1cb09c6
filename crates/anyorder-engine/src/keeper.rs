//! The keeper: a small process between the tool and a command that runs tests.
//!
//! It gives the command a disk of its own, adopts every process that the command leaves behind, tells how the command
//! ended, and ends all of them when the tool closes the connection: by decision, or because the tool itself was killed.
//! It knows nothing of tests, frameworks or messages.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::thread;

use rustix::process::{WaitOptions, wait};
use serde::{Deserialize, Serialize};

use crate::disk::Layers;
use crate::family;

/// The first argument of a process that is to be a keeper.
pub(crate) const KEEPER: &str = "__keep";

/// What a keeper has to know, besides the command.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Charge {
    /// The working directory of the command.
    pub(crate) directory: PathBuf,
    /// The disk that the command sees; without it, the one that everybody sees.
    pub(crate) layers: Option<Layers>,
    /// Whether the command may add layers.
    pub(crate) may_nest: bool,
}

/// What a keeper says: a letter and a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    /// The command runs, as this process; 0 if there is none.
    Started(i32),
    /// The command could not be started; the system's error number.
    NotStarted(i32),
    /// The disk could not be made; the system's error number.
    NoDisk(i32),
    /// The command has ended; its status as `waitpid` gives it.
    Ended(i32),
}

impl Word {
    pub(crate) const SIZE: usize = 5;

    fn bytes(self) -> [u8; Self::SIZE] {
        let (letter, number) = match self {
            Word::Started(pid) => (b'S', pid),
            Word::NotStarted(error) => (b'N', error),
            Word::NoDisk(error) => (b'D', error),
            Word::Ended(status) => (b'E', status),
        };
        let [a, b, c, d] = number.to_be_bytes();
        [letter, a, b, c, d]
    }

    pub(crate) fn from_bytes(bytes: [u8; Self::SIZE]) -> Option<Self> {
        let [letter, a, b, c, d] = bytes;
        let number = i32::from_be_bytes([a, b, c, d]);
        match letter {
            b'S' => Some(Word::Started(number)),
            b'N' => Some(Word::NotStarted(number)),
            b'D' => Some(Word::NoDisk(number)),
            b'E' => Some(Word::Ended(number)),
            _ => None,
        }
    }
}

/// Makes this process a keeper, if its arguments say that it is to be one; its standard input is the connection to the tool.
/// Without a command it only tries out the disk.
pub fn keep(mut arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    (arguments.next()? == KEEPER).then_some(())?;
    let charge: Charge = serde_json::from_str(arguments.next()?.to_str()?).ok()?;
    let tool = UnixStream::from(io::stdin().as_fd().try_clone_to_owned().ok()?);
    family::adopt_orphans();
    let entered = charge.layers.as_ref().map_or(Ok(()), |layers| layers.enter(charge.may_nest));
    if let Err(error) = entered {
        say(&tool, no_disk(&error));
        return Some(ExitCode::FAILURE);
    }
    let Some(program) = arguments.next() else {
        let tried = charge.layers.as_ref().map_or(Ok(()), Layers::try_out);
        say(&tool, tried.map_or_else(|error| no_disk(&error), |()| Word::Started(0)));
        return Some(ExitCode::SUCCESS);
    };
    let mut command = Command::new(program);
    command.args(arguments).current_dir(&charge.directory).stdin(Stdio::null()).process_group(0);
    let pid = match command.spawn() {
        Ok(child) => i32::try_from(child.id()).expect("process ids are small"),
        Err(error) => {
            say(&tool, Word::NotStarted(error.raw_os_error().unwrap_or(0)));
            return Some(ExitCode::FAILURE);
        }
    };
    say(&tool, Word::Started(pid));
    let reaper = {
        let tool = tool.try_clone().ok()?;
        thread::spawn(move || reap(pid, &tool))
    };
    wait_for_end(tool);
    family::end_family();
    let _ = reaper.join();
    Some(ExitCode::SUCCESS)
}

/// Waits for everybody until nobody is left, and tells of the command's own end.
fn reap(command: i32, tool: &UnixStream) {
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid.as_raw_nonzero().get() == command => {
                say(tool, Word::Ended(status.as_raw()));
            }
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return,
        }
    }
}

/// Returns when the tool has closed the connection.
fn wait_for_end(mut tool: UnixStream) {
    let mut byte = [0];
    loop {
        match tool.read(&mut byte) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(1..) => {}
            Ok(0) | Err(_) => return,
        }
    }
}

fn no_disk(error: &io::Error) -> Word {
    Word::NoDisk(error.raw_os_error().unwrap_or(0))
}

fn say(mut tool: &UnixStream, word: Word) {
    let _ = tool.write_all(&word.bytes());
}

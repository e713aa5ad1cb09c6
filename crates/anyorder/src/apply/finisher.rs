//! A process that makes changes to the end, whatever happens to the command that wants them.
//!
//! Files can only be replaced one by one. So that nobody who interrupts or kills the command finds some of them replaced,
//! this is done by a process of its own: no key reaches it, and it ignores all signals that can be ignored.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

use super::{Unfinished, finish_earlier};

/// The first argument of a process that finishes changes.
const FINISHER: &str = "__finish";

/// Is this process a finisher? Then it does its work.
pub(crate) fn finish(mut arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    (arguments.next()? == FINISHER).then_some(())?;
    let notes = arguments.next()?;
    for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::<AtomicBool>::default())
            .expect("these signals can be handled");
    }
    let are_made = matches!(finish_earlier(Path::new(&notes)), Ok(Some(Unfinished::Completed(_))));
    Some(if are_made { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Has the changes made that the journal in `notes` tells of; whether they certainly are.
pub(super) fn send(notes: &Path) -> bool {
    let Ok(program) = std::env::current_exe() else { return false };
    let mut command = Command::new(program);
    command.args([OsStr::new(FINISHER), notes.as_os_str()]).process_group(0);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

//! A process and all that come from it: finds them, and ends them.
//!
//! Tests start processes that start processes, in groups and sessions of their own. Where the process that ran the tests
//! adopts its orphans (`docs/wire.md`), every one of them stays below it.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, PidfdFlags, Signal, getpid, kill_process, kill_process_group, pidfd_open, set_child_subreaper,
};

use crate::link::is_readable;

/// How long it may take until the last descendant is gone; only a process stuck in the kernel takes longer.
const PATIENCE: Duration = Duration::from_secs(5);

/// From now on every process below this one whose parent ends becomes a child of this one.
pub fn adopt_orphans() {
    let _ = set_child_subreaper(Some(getpid()));
}

/// Ends every process below this one: whatever a keeper has left behind that was itself ended.
pub fn end_family() {
    end_descendants(getpid().as_raw_nonzero().get());
}

/// Ends `pid`, its process group and all its descendants, and waits until `pid` has let go of its ports and files: the next
/// order may want them.
pub(crate) fn end(pid: i32) {
    if !children(pid).is_empty() {
        send(pid, Signal::STOP); // so that it starts nothing more
        end_descendants(pid);
    }
    let Some(leader) = Pid::from_raw(pid) else { return };
    let process = pidfd_open(leader, PidfdFlags::empty());
    let _ = kill_process_group(leader, Signal::KILL);
    // A new child may not have made itself a group yet.
    let _ = kill_process(leader, Signal::KILL);
    if let Ok(process) = process {
        is_readable(&process, PATIENCE);
    }
}

/// Ends all descendants of `pid`, whatever they start meanwhile.
pub(crate) fn end_descendants(pid: i32) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let living: Vec<i32> = descendants(pid).into_iter().filter(|&pid| is_alive(pid)).collect();
        if living.is_empty() || Instant::now() > deadline {
            return;
        }
        living.iter().for_each(|&pid| send(pid, Signal::KILL));
        thread::sleep(Duration::from_millis(1));
    }
}

/// Everything below `pid`, parents before their children.
pub(crate) fn descendants(pid: i32) -> Vec<i32> {
    let mut found = children(pid);
    let mut next = 0;
    while let Some(&pid) = found.get(next) {
        found.extend(children(pid));
        next += 1;
    }
    found
}

/// Children of all threads of `pid`; nothing if it is gone.
fn children(pid: i32) -> Vec<i32> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    lists.flat_map(|list| numbers(&list)).collect()
}

fn numbers(list: &str) -> Vec<i32> {
    list.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).collect()
}

/// Whether it could still do anything.
pub(crate) fn is_alive(pid: i32) -> bool {
    stat(pid).is_some_and(|(state, _)| !matches!(state, 'Z' | 'X'))
}

/// Who it comes from, unless it is gone.
pub(crate) fn parent_of(pid: i32) -> Option<i32> {
    stat(pid).map(|(_, parent)| parent)
}

/// Its state, and its parent.
fn stat(pid: i32) -> Option<(char, i32)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    Some((fields.next()?.chars().next()?, fields.next()?.parse().ok()?))
}

pub(crate) fn send(pid: i32, signal: Signal) {
    if let Some(pid) = Pid::from_raw(pid) {
        let _ = kill_process(pid, signal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_whole_family_ends_with_its_eldest() {
        let mut shell =
            Command::new("sh").args(["-c", "sleep 60 & (sleep 60 & wait) & wait"]).spawn().unwrap();
        let pid = i32::try_from(shell.id()).unwrap();
        let deadline = Instant::now() + PATIENCE;
        while descendants(pid).len() < 3 && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(5));
        }
        let family = descendants(pid);
        assert_eq!(family.len(), 3);
        end(pid);
        assert!(!is_alive(pid));
        shell.wait().unwrap();
        // The shell adopts nobody, so the last to die may do so out of sight.
        let deadline = Instant::now() + PATIENCE;
        while family.iter().any(|&pid| is_alive(pid)) {
            assert!(Instant::now() < deadline, "somebody lives on");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

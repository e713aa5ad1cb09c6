//! What commands spend: CPU, time and memory, with all their descendants.
//!
//! Reads `/proc` only. CPU counts when a process has been waited for by its parent, so commands are measured one after
//! the other.

use std::collections::HashMap;
use std::fs;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// What a command has said and spent.
#[derive(Debug)]
pub struct Spent {
    /// What it printed, and how it left.
    pub output: Output,
    /// Seconds of CPU of the command and all that it waited for.
    pub cpu_s: f64,
    /// Seconds on the clock.
    pub wall_s: f64,
    /// The most memory that it and its descendants held at a time, shared pages counted once; seen four times a second.
    pub peak_bytes: u64,
}

const LOOK: Duration = Duration::from_millis(250);

/// Runs a command to its end, and looks at what it takes.
pub fn spend(command: &mut Command) -> Spent {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let (before, begun) = (cpu_of_ended_children(), Instant::now());
    let child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let pid = child.id();
    let is_over = AtomicBool::new(false);
    let (output, peak_bytes) = thread::scope(|scope| {
        let watcher = scope.spawn(|| peak(pid, &is_over));
        let output = child.wait_with_output().expect("it can be waited for");
        is_over.store(true, Ordering::Relaxed);
        (output, watcher.join().expect("watching does not fail"))
    });
    let cpu_s = (cpu_of_ended_children() - before) / 1e3;
    Spent { output, cpu_s, wall_s: begun.elapsed().as_secs_f64(), peak_bytes }
}

fn peak(root: u32, is_over: &AtomicBool) -> u64 {
    let mut most = 0;
    while !is_over.load(Ordering::Relaxed) {
        most = most.max(family(root).into_iter().map(memory).sum());
        thread::sleep(LOOK);
    }
    most
}

/// A process and all its descendants.
fn family(root: u32) -> Vec<u32> {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    for pid in entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()) {
        if let Some(parent) = fields(&format!("{pid}")).get(1).and_then(|field| field.parse().ok()) {
            children.entry(parent).or_default().push(pid);
        }
    }
    let mut found = vec![root];
    let mut at = 0;
    while at < found.len() {
        found.extend(children.remove(&found[at]).unwrap_or_default());
        at += 1;
    }
    found
}

/// Bytes of a process, each shared page divided by the number of those who share it.
fn memory(pid: u32) -> u64 {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:"));
    let kilobytes = line.and_then(|line| line.split_ascii_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

/// Milliseconds of CPU that a process and its ended children have used.
pub fn cpu(pid: &str) -> f64 {
    milliseconds(pid, 11, 4)
}

/// Milliseconds of CPU that this process has used itself.
pub fn own_cpu() -> f64 {
    milliseconds("self", 11, 2)
}

/// Milliseconds of CPU that the ended children of this process have used.
pub fn cpu_of_ended_children() -> f64 {
    milliseconds("self", 13, 2)
}

fn milliseconds(pid: &str, first: usize, number: usize) -> f64 {
    const MILLISECONDS_PER_TICK: f64 = 10.0; // what Linux shows to processes, whatever the kernel's own tick
    let ticks = fields(pid).into_iter().skip(first).take(number);
    ticks.filter_map(|field| field.parse::<f64>().ok()).sum::<f64>() * MILLISECONDS_PER_TICK
}

/// What the kernel tells of a process, behind its name.
fn fields(pid: &str) -> Vec<String> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let behind_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    behind_name.split_ascii_whitespace().map(str::to_owned).collect()
}

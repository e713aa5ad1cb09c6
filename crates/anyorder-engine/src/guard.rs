//! Limits: how long and how large a test may be, and whether anybody still wants to know.
//!
//! The engine alone enforces them, from outside the test's process.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use std::{fs, io};

use anyorder_model::{Outcome, Signature};

/// Set once, by anybody, to end everything that is going on.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// A flag that a signal handler may set.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Whether to go on: until the user cancels, or the run that is going on is told to stop.
#[derive(Debug, Default)]
pub(crate) struct Halt {
    cancel: Cancel,
    run: AtomicBool,
}

impl Halt {
    pub(crate) fn new(cancel: Cancel) -> Self {
        Halt { cancel, run: AtomicBool::new(false) }
    }

    /// Ends the present run, and nothing else.
    pub(crate) fn stop_run(&self) {
        self.run.store(true, Ordering::Relaxed);
    }

    /// There is no run to be ended any more.
    pub(crate) fn run_is_over(&self) {
        self.run.store(false, Ordering::Relaxed);
    }

    pub(crate) fn is_called(&self) -> bool {
        self.cancel.is_cancelled() || self.run.load(Ordering::Relaxed)
    }
}

/// Why the engine stopped waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    TimedOut(Duration),
    TooLarge(u64),
    /// The process is dead, though something of its own still holds its connection.
    Ended,
    Cancelled,
}

impl Stop {
    /// What becomes of the test that was running, where that shows from outside.
    pub(crate) fn verdict(self) -> Option<(Outcome, Signature)> {
        let (outcome, kind, message) = match self {
            Stop::TimedOut(limit) => {
                (Outcome::TimedOut, "timeout", format!("no end within {} s", limit.as_secs()))
            }
            Stop::TooLarge(bytes) => (Outcome::Crashed, "memory", format!("grew to {} MiB", bytes >> 20)),
            Stop::Ended | Stop::Cancelled => return None,
        };
        Some((outcome, Signature { kind: kind.to_owned(), message, at: None }))
    }
}

/// Watches one process while the engine waits for it.
#[derive(Debug)]
pub(crate) struct Guard<'a> {
    halt: &'a Halt,
    pid: i32,
    memory: u64,
    deadline: Instant,
    limit: Duration,
    next_look: Cell<Instant>,
}

/// How often the clock, the process and its memory are looked at.
const LOOK: Duration = Duration::from_millis(100);

impl<'a> Guard<'a> {
    pub(crate) fn new(halt: &'a Halt, pid: i32, memory: u64, limit: Duration) -> Self {
        let now = Instant::now();
        Guard { halt, pid, memory, deadline: now + limit, limit, next_look: Cell::new(now + LOOK) }
    }

    /// The time starts again, with another limit.
    pub(crate) fn restart(&mut self, limit: Duration) {
        self.limit = limit;
        self.deadline = Instant::now() + limit;
    }

    /// How long to wait before looking again.
    pub(crate) fn patience(&self) -> Duration {
        self.deadline.min(self.next_look.get()).saturating_duration_since(Instant::now())
    }

    /// A reason to stop waiting, if it is time to look for one and there is one.
    pub(crate) fn check(&self) -> Option<Stop> {
        let now = Instant::now();
        if now < self.next_look.get() && now < self.deadline {
            return None;
        }
        self.next_look.set(now + LOOK);
        if self.halt.is_called() {
            return Some(Stop::Cancelled);
        }
        if now >= self.deadline {
            return Some(Stop::TimedOut(self.limit));
        }
        match look_at(self.pid)? {
            Look::Ended => Some(Stop::Ended),
            Look::Resident(bytes) => (bytes > self.memory).then_some(Stop::TooLarge(bytes)),
        }
    }
}

/// How long tests may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimeLimits {
    /// For a test that has not run yet, and never exceeded.
    pub(crate) first: Duration,
    /// For a test that has run, however short it was.
    pub(crate) least: Duration,
}

impl TimeLimits {
    const FLOOR: Duration = Duration::from_secs(10);
    const FACTOR: u32 = 20;

    /// The limit for starting the framework and collecting the tests.
    pub(crate) fn for_collecting(self) -> Duration {
        self.first.max(Self::FLOOR)
    }

    /// The limit for a test that took `baseline` when it was first seen.
    pub(crate) fn for_test(self, baseline: Option<Duration>) -> Duration {
        baseline.map_or(self.first, |took| self.first.min(took.saturating_mul(Self::FACTOR).max(self.least)))
    }

    /// The limit for all of these together: most of them do not need what each of them may take.
    pub(crate) fn for_all(self, baselines: impl Iterator<Item = Option<Duration>>) -> Duration {
        let (mut known, mut unknown) = (Duration::ZERO, Duration::ZERO);
        for baseline in baselines {
            match baseline {
                Some(took) => known = known.saturating_add(took),
                None => unknown = unknown.saturating_add(self.first),
            }
        }
        known.saturating_mul(Self::FACTOR).max(Self::FLOOR).saturating_add(unknown)
    }
}

enum Look {
    /// Dead, whether or not somebody has waited for it.
    Ended,
    /// Alive, with this many bytes of memory; pages that it shares with others count too.
    Resident(u64),
}

fn look_at(pid: i32) -> Option<Look> {
    let stat = match fs::read_to_string(format!("/proc/{pid}/stat")) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Some(Look::Ended),
        other => other.ok()?,
    };
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    if fields.next()? == "Z" {
        return Some(Look::Ended);
    }
    let pages: u64 = fields.nth(20)?.parse().ok()?;
    Some(Look::Resident(pages * rustix::param::page_size() as u64))
}

/// Bytes of memory that a process occupies.
pub(crate) fn resident_bytes(pid: i32) -> Option<u64> {
    match look_at(pid)? {
        Look::Resident(bytes) => Some(bytes),
        Look::Ended => None,
    }
}

/// Bytes of memory on the machine that `key` of `/proc/meminfo` tells.
pub(crate) fn memory_info(key: &str) -> Option<u64> {
    let info = fs::read_to_string("/proc/meminfo").ok()?;
    let line = info.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
    let kilobytes: u64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    Some(kilobytes << 10)
}

/// What a test process may grow by unless the user says otherwise: half of the machine, shared by the workers, and at least
/// one GiB.
pub fn default_memory_limit(workers: usize) -> u64 {
    let total = memory_info("MemTotal").unwrap_or(8 << 30);
    (total / 2 / workers as u64).max(1 << 30)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_runs_get_twenty_times_the_first_within_floor_and_ceiling() {
        let limits = TimeLimits { first: Duration::from_mins(1), least: Duration::from_secs(3) };
        let for_ms = |ms| limits.for_test(Some(Duration::from_millis(ms))).as_millis();
        assert_eq!(limits.for_test(None).as_secs(), 60);
        assert_eq!((for_ms(1), for_ms(1_000), for_ms(10_000)), (3_000, 20_000, 60_000));
    }

    #[test]
    fn an_order_gets_twenty_times_what_its_tests_took_and_more_for_those_that_nobody_has_seen() {
        let limits = TimeLimits { first: Duration::from_mins(1), least: Duration::from_secs(3) };
        let seconds = |took: &[Option<u64>]| {
            limits.for_all(took.iter().map(|took| took.map(Duration::from_secs))).as_secs()
        };
        assert_eq!((seconds(&[]), seconds(&[Some(0); 500]), seconds(&[Some(2), Some(3)])), (10, 10, 100));
        assert_eq!(seconds(&[Some(0), None, None]), 130);
    }

    #[test]
    fn a_process_that_outgrows_its_limit_is_noticed() {
        let halt = Halt::default();
        let own_pid = i32::try_from(std::process::id()).unwrap();
        let look = |memory| {
            let guard = Guard::new(&halt, own_pid, memory, Duration::from_mins(1));
            guard.next_look.set(Instant::now());
            guard.check()
        };
        assert!(matches!(look(1), Some(Stop::TooLarge(_))));
        assert_eq!(look(u64::MAX), None);
    }

    #[test]
    fn a_process_that_is_gone_has_ended() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        assert!(matches!(look_at(pid), Some(Look::Ended)));
    }
}

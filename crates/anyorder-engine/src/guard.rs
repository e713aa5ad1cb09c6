//! Limits: how long and how large a test may be, and whether anybody still wants to know.
//!
//! The engine alone enforces them, from outside the test's process.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

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
    Cancelled,
}

/// Watches one process while the engine waits for it.
#[derive(Debug)]
pub(crate) struct Guard<'a> {
    halt: &'a Halt,
    pid: i32,
    memory: u64,
    deadline: Instant,
    limit: Duration,
}

impl<'a> Guard<'a> {
    pub(crate) fn new(halt: &'a Halt, pid: i32, memory: u64, limit: Duration) -> Self {
        Guard { halt, pid, memory, deadline: Instant::now() + limit, limit }
    }

    /// The time starts again, with another limit.
    pub(crate) fn restart(&mut self, limit: Duration) {
        self.limit = limit;
        self.deadline = Instant::now() + limit;
    }

    /// How long to wait before looking again.
    pub(crate) fn patience(&self) -> Duration {
        const LOOK: Duration = Duration::from_millis(100);
        self.deadline.saturating_duration_since(Instant::now()).min(LOOK)
    }

    /// A reason to stop waiting, if there is one.
    pub(crate) fn check(&self) -> Option<Stop> {
        if self.halt.is_called() {
            return Some(Stop::Cancelled);
        }
        if Instant::now() >= self.deadline {
            return Some(Stop::TimedOut(self.limit));
        }
        let resident = resident_bytes(self.pid)?;
        (resident > self.memory).then_some(Stop::TooLarge(resident))
    }
}

/// How long tests may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimeLimits {
    /// For a test that has not run yet, and never exceeded.
    pub(crate) first: Duration,
}

impl TimeLimits {
    const FLOOR: Duration = Duration::from_secs(10);
    const FACTOR: u32 = 20;

    /// The limit for a test that took `baseline` when it was first seen.
    pub(crate) fn for_test(self, baseline: Option<Duration>) -> Duration {
        baseline.map_or(self.first, |took| self.first.min((took * Self::FACTOR).max(Self::FLOOR)))
    }
}

/// Bytes of memory that a process occupies; pages that it shares with others count too.
pub(crate) fn resident_bytes(pid: i32) -> Option<u64> {
    let statm = fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
    let pages: u64 = statm.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
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
        let limits = TimeLimits { first: Duration::from_mins(1) };
        let for_ms = |ms| limits.for_test(Some(Duration::from_millis(ms))).as_millis();
        assert_eq!(limits.for_test(None).as_secs(), 60);
        assert_eq!((for_ms(1), for_ms(1_000), for_ms(10_000)), (10_000, 20_000, 60_000));
    }

    #[test]
    fn a_process_that_outgrows_its_limit_is_noticed() {
        let halt = Halt::default();
        let own_pid = i32::try_from(std::process::id()).unwrap();
        assert!(matches!(
            Guard::new(&halt, own_pid, 1, Duration::from_mins(1)).check(),
            Some(Stop::TooLarge(_))
        ));
        assert_eq!(Guard::new(&halt, own_pid, u64::MAX, Duration::from_mins(1)).check(), None);
    }
}

//! Counts what is spent while workers are at work.

use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyorder_model::Cost;
use rustix::process::getpid;

use crate::family::descendants;

#[derive(Debug)]
pub(crate) struct Meter {
    pub(crate) test_runs: AtomicU64,
    pub(crate) replayed_runs: AtomicU64,
    pub(crate) processes: AtomicU64,
    pub(crate) forks: AtomicU64,
    /// Microseconds that agents took to look at shared state.
    looks_us: AtomicU64,
    begun: Instant,
    cpu_before: f64,
}

impl Meter {
    pub(crate) fn start() -> Self {
        Meter {
            test_runs: AtomicU64::new(0),
            replayed_runs: AtomicU64::new(0),
            processes: AtomicU64::new(0),
            forks: AtomicU64::new(0),
            looks_us: AtomicU64::new(0),
            begun: Instant::now(),
            cpu_before: cpu_so_far(),
        }
    }

    pub(crate) fn count(counter: &AtomicU64, by: usize) {
        counter.fetch_add(by as u64, Ordering::Relaxed);
    }

    /// An agent has looked at shared state.
    pub(crate) fn looked(&self, seconds: f64) {
        let took = Duration::try_from_secs_f64(seconds).unwrap_or_default();
        self.looks_us.fetch_add(u64::try_from(took.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// What has been spent so far.
    pub(crate) fn read(&self) -> Cost {
        Cost {
            test_runs: self.test_runs.load(Ordering::Relaxed),
            replayed_runs: self.replayed_runs.load(Ordering::Relaxed),
            processes: self.processes.load(Ordering::Relaxed),
            forks: self.forks.load(Ordering::Relaxed),
            wall_s: self.begun.elapsed().as_secs_f64(),
            cpu_s: cpu_so_far() - self.cpu_before,
            looks_cpu_s: Some(self.looks_us.load(Ordering::Relaxed) as f64 / 1e6)
                .filter(|&looks| looks > 0.0),
            suite_cpu_s: None,
        }
    }
}

/// Seconds of user and system time of this process, and of all below it, whether they have ended or not.
fn cpu_so_far() -> f64 {
    let own = getpid().as_raw_nonzero().get();
    [own].into_iter().chain(descendants(own)).map(cpu_of).sum()
}

/// Seconds of user and system time of a process, of children that it has waited for, and of theirs.
fn cpu_of(pid: i32) -> f64 {
    const TICKS_PER_SECOND: f64 = 100.0; // what Linux shows to processes, whatever the kernel's own tick
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks =
        after_name.split_ascii_whitespace().skip(11).take(4).filter_map(|field| field.parse::<f64>().ok());
    ticks.sum::<f64>() / TICKS_PER_SECOND
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;
    use std::process::{Command, Stdio};

    #[test]
    fn what_a_process_has_spent_counts_while_it_lives() {
        let before = cpu_so_far();
        let work = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; echo; read end";
        let mut child = Command::new("sh")
            .args(["-c", work])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("there is a shell");
        child.stdout.as_mut().expect("it is piped").read_exact(&mut [0]).expect("it says when it is done");
        let own = i32::try_from(child.id()).map(cpu_of).expect("it has a number");
        assert!(own > 0.0);
        assert!(cpu_so_far() - before >= own);
        drop(child.stdin.take());
        child.wait().expect("it ends");
        assert!(cpu_so_far() - before >= own);
    }
}

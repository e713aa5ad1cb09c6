//! The memory of this process and all that come from it, watched while something goes on.

use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

const LOOK: Duration = Duration::from_millis(50);

/// Does `work`; gives the most bytes that the whole family occupied meanwhile. A page that several share counts once.
pub fn peak_during<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let peak = AtomicU64::new(0);
    let done = thread::scope(|scope| {
        let (at_work, is_over) = mpsc::channel::<()>();
        scope.spawn({
            let peak = &peak;
            move || {
                while is_over.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                    peak.fetch_max(family_size(&std::process::id().to_string()), Ordering::Relaxed);
                }
            }
        });
        let done = work();
        drop(at_work);
        done
    });
    (done, peak.into_inner())
}

fn family_size(pid: &str) -> u64 {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    let children = lists.flat_map(|list| list.split_whitespace().map(family_size).collect::<Vec<_>>());
    proportional_size(pid) + children.sum::<u64>()
}

/// `Pss` of the kernel: each page divided by the number of processes that share it.
fn proportional_size(pid: &str) -> u64 {
    let table = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
    let size = table.lines().find_map(|line| line.strip_prefix("Pss:")?.trim().strip_suffix(" kB"));
    size.and_then(|size| size.parse::<u64>().ok()).unwrap_or(0) << 10
}

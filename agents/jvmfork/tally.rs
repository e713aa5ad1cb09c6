//! A number of threads that one thread waits for. The last one wakes it, and only that one: to be woken by each in turn is
//! most of what many threads cost.

use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::SeqCst;

use crate::sys;

/// Counts threads, each of which adds itself once.
pub(crate) struct Tally {
    count: AtomicU32,
    awaited: AtomicU32,
}

impl Tally {
    pub(crate) const fn new() -> Self {
        Tally { count: AtomicU32::new(0), awaited: AtomicU32::new(u32::MAX) }
    }

    /// Begins again. Nobody may add to it at this moment.
    pub(crate) fn reset(&self) {
        self.awaited.store(u32::MAX, SeqCst);
        self.count.store(0, SeqCst);
    }

    /// One more. Everything that was written before is there for whoever sees the count.
    pub(crate) fn add(&self) {
        let count = self.count.fetch_add(1, SeqCst) + 1;
        // Whoever waits says for how many before it looks at the count. So if this does not see how many, that sees this one.
        if count >= self.awaited.load(SeqCst) {
            sys::wake(&self.count);
        }
    }

    pub(crate) fn count(&self) -> u32 {
        self.count.load(SeqCst)
    }

    /// Waits until there are so many, or none has come for a moment: whether there are.
    pub(crate) fn reaches(&self, number: u32) -> bool {
        self.awaited.store(number, SeqCst);
        loop {
            let before = self.count();
            if before >= number {
                return true;
            }
            sys::wait_a_moment_while(&self.count, before);
            if self.count() == before {
                return false;
            }
        }
    }
}

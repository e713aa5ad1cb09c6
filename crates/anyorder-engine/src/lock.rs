//! Locks without ceremony: a worker that panics stops the others (`pool.rs`), and then the command ends with that panic.

use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) trait Locked<T> {
    fn locked(&self) -> MutexGuard<'_, T>;
}

impl<T> Locked<T> for Mutex<T> {
    fn locked(&self) -> MutexGuard<'_, T> {
        self.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

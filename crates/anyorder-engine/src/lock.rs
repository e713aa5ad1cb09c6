//! Locks without ceremony: a worker that panics ends the command, so nobody looks at what it left half done.

use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) trait Locked<T> {
    fn locked(&self) -> MutexGuard<'_, T>;
}

impl<T> Locked<T> for Mutex<T> {
    fn locked(&self) -> MutexGuard<'_, T> {
        self.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

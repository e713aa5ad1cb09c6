//! One writer at a time. Knows the lock file; the system takes the lock back when a process ends, however it ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use crate::error::StoreError;

/// Held for as long as this lives.
#[derive(Debug)]
pub(crate) struct WriterLock {
    file: File,
}

const TRIES: u32 = 25;
const PAUSE: Duration = Duration::from_millis(20);

impl WriterLock {
    pub(crate) fn take(directory: &Path) -> Result<Self, StoreError> {
        let path = directory.join("lock");
        let unwritable = |error| StoreError::unwritable(&path)(error);
        // The file is never removed: whoever had it open already would hold a lock that nobody else sees.
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(&path).map_err(unwritable)?;
        if !lock_patiently(&file).map_err(unwritable)? {
            return Err(StoreError::Locked { directory: directory.to_owned(), pid: pid_in(&mut file) });
        }
        file.set_len(0).map_err(unwritable)?;
        writeln!(file, "{}", std::process::id()).map_err(unwritable)?;
        Ok(WriterLock { file })
    }
}

impl Drop for WriterLock {
    fn drop(&mut self) {
        // Closing is not enough: a process that another thread is just starting has the file open until it is started.
        // Should unlocking fail, the lock goes when that process has closed it.
        let _ = self.file.unlock();
    }
}

/// Half a second of patience. A writer that was killed while it started a process leaves the lock to that process
/// for a moment; and a writer needs a moment to put its own number in the place of the one before.
fn lock_patiently(file: &File) -> io::Result<bool> {
    for _ in 0..TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) => sleep(PAUSE),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(false)
}

fn pid_in(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

//! One writer at a time. Knows the lock file; the system takes the lock back when a process ends, however it ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::Path;

use crate::error::StoreError;

/// Held for as long as this lives.
#[derive(Debug)]
pub(crate) struct WriterLock {
    _file: File,
}

impl WriterLock {
    pub(crate) fn take(directory: &Path) -> Result<Self, StoreError> {
        let path = directory.join("lock");
        let unwritable = |error| StoreError::unwritable(&path)(error);
        // The file is never removed: whoever had it open already would hold a lock that nobody else sees.
        let mut options = OpenOptions::new();
        let mut file =
            options.read(true).write(true).create(true).truncate(false).open(&path).map_err(unwritable)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(StoreError::Locked { directory: directory.to_owned(), pid: pid_in(&mut file) });
            }
            Err(TryLockError::Error(error)) => return Err(unwritable(error)),
        }
        file.set_len(0).map_err(unwritable)?;
        writeln!(file, "{}", std::process::id()).map_err(unwritable)?;
        Ok(WriterLock { _file: file })
    }
}

fn pid_in(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

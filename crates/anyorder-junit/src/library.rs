//! The library that forks a JVM, embedded in the binary, and the file that it becomes on the user's machine.

use std::path::PathBuf;
use std::{fs, io};

use crate::jdk;

/// Empty where a JVM cannot be forked.
const BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libanyorder_jvmfork.so"));

/// A name for the library as it is.
pub(crate) fn version() -> String {
    blake3::hash(BYTES).to_hex()[..16].to_owned()
}

/// The file, written at first use; `None` where a JVM cannot be forked.
pub fn file() -> io::Result<Option<PathBuf>> {
    if BYTES.is_empty() {
        return Ok(None);
    }
    let place = jdk::cache_directory().join("junit");
    let file = place.join(format!("libjvmfork-{}.so", version()));
    if !file.is_file() {
        fs::create_dir_all(&place)?;
        let made = tempfile::NamedTempFile::new_in(&place)?;
        fs::write(made.path(), BYTES)?;
        made.persist(&file)?;
    }
    Ok(Some(file))
}

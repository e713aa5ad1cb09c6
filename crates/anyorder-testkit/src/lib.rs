//! What tests and benches need: virtual environments, copies of fixtures, and a look at a tree of files.
//!
//! Knows where this repository keeps things. Nothing that ships depends on it.

pub mod environment;
pub mod fixture;
pub mod suites;

use std::path::{Path, PathBuf};

/// The root of this repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .expect("the crate stands in the repository")
}

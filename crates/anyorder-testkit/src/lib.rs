//! What tests and benches need: virtual environments, copies of fixtures, public suites, engines on them, claims that hold
//! for any input, a checker of JSON schemas, schemas of others, a browser, and a look at what a command has left behind.
//!
//! Knows where this repository keeps things. Nothing that ships depends on it.

pub mod binary;
pub mod browser;
pub mod engine;
pub mod environment;
pub mod fixture;
pub mod formats;
pub mod jvm;
pub mod mark;
pub mod oracle;
pub mod probe;
pub mod program;
pub mod proof;
pub mod schema;
pub mod spent;
pub mod suites;
pub mod thorough;
pub mod tree;

use std::path::{Path, PathBuf};

/// The root of this repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .expect("the crate stands in the repository")
}

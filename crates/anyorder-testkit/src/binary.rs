//! The tool itself, built when it is needed.

use std::path::PathBuf;
use std::process::Command;

use crate::repository;

/// How it is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// For tests.
    Debug,
    /// For everything that is measured.
    Release,
}

/// The binary; made if it is not there.
pub fn anyorder(profile: Profile) -> PathBuf {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--quiet", "--package", "anyorder"]).current_dir(repository());
    if profile == Profile::Release {
        cargo.arg("--release");
    }
    assert!(cargo.status().is_ok_and(|status| status.success()), "`cargo build --package anyorder` fails");
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| repository().join("target"), PathBuf::from);
    target.join(if profile == Profile::Release { "release/anyorder" } else { "debug/anyorder" })
}

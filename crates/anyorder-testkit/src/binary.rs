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
    cargo.args(["build", "--quiet"]).current_dir(repository());
    match profile {
        // With the features that tests are built with; otherwise half of the workspace would be built once more.
        Profile::Debug => cargo.args(["--workspace", "--bin", "anyorder"]),
        Profile::Release => cargo.args(["--package", "anyorder", "--release"]),
    };
    assert!(cargo.status().is_ok_and(|status| status.success()), "{cargo:?} fails");
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| repository().join("target"), PathBuf::from);
    target.join(if profile == Profile::Release { "release/anyorder" } else { "debug/anyorder" })
}

//! Compiles the library that forks a JVM (`agents/jvmfork`), which the binary carries along.
//!
//! Cargo has no stable way to embed what another package compiles to, so the compiler is called directly. Where a JVM cannot
//! be forked the library is empty.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn main() {
    let source = Path::new("../../agents/jvmfork");
    println!("cargo::rerun-if-changed={}", source.display());
    let library = PathBuf::from(variable("OUT_DIR")).join("libanyorder_jvmfork.so");
    if variable("TARGET") == "x86_64-unknown-linux-gnu" {
        compile(&source.join("lib.rs"), &library);
    } else {
        fs::write(&library, "").expect("cargo's directory for our output can be written to");
    }
}

fn compile(source: &Path, library: &Path) {
    let mut command = Command::new(variable("RUSTC"));
    command
        .args(["--edition", "2024", "--crate-type", "cdylib", "--crate-name", "anyorder_jvmfork"])
        .args(["--target", &variable("TARGET"), "-D", "warnings"])
        .args(["-C", "opt-level=2", "-C", "panic=abort", "-C", "strip=symbols"])
        // Binds `memset` when the library is loaded: while threads are parked, one of them may hold the loader's lock.
        .args(["-C", "relro-level=full"])
        .arg("-o")
        .arg(library)
        .arg(source);
    if let Ok(linker) = env::var("RUSTC_LINKER") {
        command.arg("-C").arg(format!("linker={linker}"));
    }
    let status = command.status().expect("the compiler that cargo uses can be started");
    assert!(status.success(), "{} does not compile", source.display());
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("cargo sets {name}"))
}

//! The fuzz trial: cargo-fuzz on each probe, for a while. What it learns stays in `fuzz/corpus`, what it finds in
//! `fuzz/artifacts`.
//!
//! Without a sanitizer, because there is no unsafe code: what counts is panics, hangs and memory. So the stable compiler
//! will do, if it is told that it may take unstable flags.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{fs, io};

use anyorder_testkit::probe::PROBES;
use anyorder_testkit::repository;

use crate::messages::{good_inputs, messages};

/// Runs every fuzz target for so many seconds; without cargo-fuzz, a million inputs from which nothing is learnt.
pub(crate) fn fuzz(seconds: u64) -> bool {
    let Some(tool) = cargo_fuzz() else {
        println!("cargo-fuzz cannot be installed here, so this is `cargo xtask trial messages` instead");
        return messages(1_000_000, 0);
    };
    PROBES.iter().fold(true, |is_good, (name, _)| run(&tool, name, seconds) && is_good)
}

/// From the path, or else from `target/tools`, where it is installed first if need be.
fn cargo_fuzz() -> Option<PathBuf> {
    let tools = repository().join("target/tools");
    let places = [PathBuf::from("cargo-fuzz"), tools.join("bin/cargo-fuzz")];
    let find = || places.iter().find(|place| is_good(Command::new(place).arg("--version"))).cloned();
    find().or_else(|| {
        let mut install = Command::new(env!("CARGO"));
        install.args(["install", "--quiet", "--locked", "cargo-fuzz", "--root"]).arg(tools);
        is_good(&mut install).then(find)?
    })
}

fn is_good(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// The wire's probe wants a byte for the pieces, and each message behind its length.
fn as_probed(name: &str, input: &[u8]) -> Vec<u8> {
    let length = u32::try_from(input.len()).expect("messages are short").to_be_bytes();
    if name == "wire" { [&[0], length.as_slice(), input].concat() } else { input.to_vec() }
}

/// What the fuzzer begins with.
fn plant(name: &str) -> io::Result<()> {
    let corpus = repository().join("fuzz/corpus").join(name);
    fs::create_dir_all(&corpus)?;
    for (at, input) in good_inputs(name).iter().enumerate() {
        fs::write(corpus.join(format!("good-{at}")), as_probed(name, input))?;
    }
    Ok(())
}

fn run(tool: &Path, name: &str, seconds: u64) -> bool {
    plant(name).expect("the corpus can be written");
    let mut command = Command::new(tool);
    command
        .args(["run", "--sanitizer=none", name, "--"])
        .args(["-timeout=10", "-rss_limit_mb=2048", "-print_final_stats=1"])
        .arg(format!("-max_total_time={seconds}"))
        .env("RUSTC_BOOTSTRAP", "1")
        .current_dir(repository());
    let output = command.output().expect("cargo-fuzz was found");
    let log = String::from_utf8_lossy(&output.stderr);
    let executed = log.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:"));
    println!("{name:10} {:>9} executions in {seconds} s", executed.map_or("no", str::trim));
    if !output.status.success() {
        println!("{log}");
    }
    output.status.success()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good_input_is_understood_by_its_probe() {
        for (name, probe) in PROBES {
            assert!(good_inputs(name).iter().all(|input| probe(&as_probed(name, input))), "{name}");
        }
    }
}

//! The packaging trial: a wheel and `cargo install`, each tried in an empty place as a user would.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Instant;

use anyorder_testkit::environment::{NEWEST, Recipe, python};
use anyorder_testkit::fixture::Fixture;
use anyorder_testkit::repository;
use tempfile::TempDir;

const MATURIN: Recipe = Recipe { name: "maturin", requirements: &["maturin"] };

/// Puts the binary somewhere below a directory, and says where.
type Install = fn(&TempDir) -> Option<PathBuf>;

/// Builds and installs both, and hunts with what was installed. Whether all went well.
pub(crate) fn packages() -> bool {
    let place = tempfile::tempdir().expect("a temporary directory can be made");
    let ways: [(&str, Install); 2] = [("wheel", wheel), ("cargo install", cargo)];
    ways.iter().fold(true, |is_good, (name, install)| {
        let begun = Instant::now();
        let hunted = install(&place).map(|binary| hunts(&binary));
        let seconds = begun.elapsed().as_secs();
        println!(
            "{name:14} {} in {seconds} s",
            hunted.clone().unwrap_or("could not be installed".to_owned())
        );
        hunted.is_some_and(|words| words.starts_with("hunts")) && is_good
    })
}

/// The binary of a wheel that is installed in an environment with nothing else.
fn wheel(place: &TempDir) -> Option<PathBuf> {
    let (out, environment) = (place.path().join("wheels"), place.path().join("environment"));
    let maturin = python(MATURIN).with_file_name("maturin");
    let build = ["build", "--release", "--quiet", "--out"];
    done(Command::new(maturin).args(build).arg(&out).current_dir(repository()))?;
    let wheel = fs::read_dir(&out).ok()?.next()?.ok()?.path();
    let size = fs::metadata(&wheel).ok()?.len() / 1024;
    println!("{:14} {size} kB", wheel.file_name()?.to_string_lossy());
    done(Command::new("python3").args(["-m", "venv"]).arg(&environment))?;
    let pip = environment.join("bin/python");
    done(Command::new(pip).args(["-m", "pip", "install", "--quiet", "--no-index"]).arg(wheel))?;
    Some(environment.join("bin/anyorder"))
}

fn cargo(place: &TempDir) -> Option<PathBuf> {
    let root = place.path().join("root");
    let mut install = Command::new(env!("CARGO"));
    install.args(["install", "--quiet", "--locked", "--path", "crates/anyorder", "--root"]);
    done(install.arg(&root).current_dir(repository()))?;
    Some(root.join("bin/anyorder"))
}

/// What becomes of a hunt with this binary, of which nothing else is around.
fn hunts(binary: &Path) -> String {
    let fixture = Fixture::pytest("red_baseline");
    let hunt = ["hunt", "--rounds", "2", "--plain-pairs", "1", "--python"];
    let mut command = Command::new(binary);
    command.args(hunt).arg(python(NEWEST)).current_dir(fixture.path());
    let hunted = command.output().expect("it was just installed");
    let report = Command::new(binary).args(["report", "--no-times"]).current_dir(fixture.path()).output();
    let told = report.map(|report| said(&report)).unwrap_or_default();
    let is_good = hunted.status.code() == Some(1) && told.contains("1 victim, 1 brittle, 1 broken; 1 hunt");
    if is_good {
        "hunts, and reports what it found".to_owned()
    } else {
        format!("is wrong: {}{told}", said(&hunted))
    }
}

/// Nothing, and what it said, if the command fails.
fn done(command: &mut Command) -> Option<()> {
    let output = command.output().ok()?;
    if !output.status.success() {
        println!("{command:?}\n{}", said(&output));
    }
    output.status.success().then_some(())
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

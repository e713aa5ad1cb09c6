//! The parts of `cargo xtask test`, each timed, and one closing line that counts all tests.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyorder_testkit::environment::{PYTESTS, VERSIONS, interpreter, newest_pytest_on, python};
use anyorder_testkit::program::missing_for_java;
use anyorder_testkit::repository;

use crate::messages::messages;
use crate::trial;

/// What a part has come to.
#[derive(Default)]
struct Tally {
    passed: u64,
    failed: u64,
}

type Part = (&'static str, fn() -> Tally);

const PARTS: [Part; 6] = [
    ("format", format),
    ("lints", lints),
    ("rust", rust),
    ("slow", slow),
    ("agents", agents),
    ("trials", trials),
];

/// Suites that are tried in every test run: quick, and one of them written with unittest.
const TRIED: [&str; 3] = ["six", "knack", "async-lru"];

/// How many bad messages and files are tried in every test run.
const MESSAGES: u64 = 20_000;

/// Runs the named parts, or all. Ends with a line that says how many tests passed and failed.
pub(crate) fn test(names: &[&str]) -> bool {
    if let Some(unknown) = names.iter().find(|name| PARTS.iter().all(|(part, _)| part != *name)) {
        eprintln!("no part `{unknown}`; the parts are {}", PARTS.map(|(name, _)| name).join(", "));
        return false;
    }
    let mut all = Tally::default();
    let mut times = Vec::new();
    for (name, part) in PARTS.iter().filter(|(name, _)| names.is_empty() || names.contains(name)) {
        println!("==== {name}");
        let begun = Instant::now();
        let tally = part();
        times.push(format!(
            "{name:8} {:5.0} s   {} passed, {} failed",
            begun.elapsed().as_secs_f64(),
            tally.passed,
            tally.failed
        ));
        all.passed += tally.passed;
        all.failed += tally.failed;
    }
    println!("====\n{}", times.join("\n"));
    let absent: Vec<&str> = VERSIONS.into_iter().filter(|version| interpreter(version).is_none()).collect();
    if !absent.is_empty() {
        println!("interpreters that this machine does not have: python {}", absent.join(", "));
    }
    if !missing_for_java().is_empty() {
        println!("left out: tests of Java builds, for lack of {}", missing_for_java().join(" and "));
    }
    println!("{} passed, {} failed", all.passed, all.failed);
    all.failed == 0
}

/// Runs a bench in release mode.
pub(crate) fn bench(name: &str, arguments: &[&str]) -> bool {
    let mut cargo = cargo(&["run", "--quiet", "--release", "--package", "benches", "--bin", name, "--"]);
    cargo.args(arguments).status().is_ok_and(|status| status.success())
}

/// The library that forks a JVM is no member of the workspace.
fn format() -> Tally {
    let mut library = Command::new("rustfmt");
    library.args(["--check", "--edition", "2024", "--config-path", "rustfmt.toml", "agents/jvmfork/lib.rs"]);
    let library = one_check(library.current_dir(repository()));
    let workspace = one_check(&mut cargo(&["fmt", "--all", "--check"]));
    Tally { passed: workspace.passed + library.passed, failed: workspace.failed + library.failed }
}

fn lints() -> Tally {
    one_check(&mut cargo(&["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"]))
}

fn rust() -> Tally {
    let mut cargo = cargo(&["test", "--workspace", "--no-fail-fast", "--lib", "--bins"]);
    cargo.args(test_files(|name| !name.starts_with("slow_")));
    counted(&mut cargo)
}

fn slow() -> Tally {
    let mut cargo = cargo(&["test", "--workspace", "--no-fail-fast"]);
    let has_java = missing_for_java().is_empty();
    cargo.args(test_files(|name| name.starts_with("slow_") && (has_java || !name.starts_with("slow_junit"))));
    counted(&mut cargo)
}

/// The agent's own tests, on every pytest from `python3`, and on every other interpreter with its newest pytest.
fn agents() -> Tally {
    let mut pythons: Vec<_> = PYTESTS.into_iter().map(python).collect();
    for version in VERSIONS {
        pythons.extend(newest_pytest_on(version));
    }
    let mut tally = Tally::default();
    for python in pythons {
        let mut command = Command::new(python);
        command
            .args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"])
            .current_dir(repository().join("agents/pytest"));
        let part = counted(command.env("PYTHONPATH", ".").env("PYTHONDONTWRITEBYTECODE", "1"));
        tally.passed += part.passed;
        tally.failed += part.failed;
    }
    tally
}

fn trials() -> Tally {
    let suites = one_result(trial::suites(&TRIED));
    let messages = one_result(messages(MESSAGES, 0));
    Tally { passed: suites.passed + messages.passed, failed: suites.failed + messages.failed }
}

fn cargo(words: &[&str]) -> Command {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(words).current_dir(repository());
    cargo
}

/// `--test NAME` for every integration test of the workspace whose name is `wanted`.
fn test_files(wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let crates = fs::read_dir(repository().join("crates")).expect("there are crates").flatten();
    let files =
        crates.flat_map(|entry| fs::read_dir(entry.path().join("tests")).into_iter().flatten().flatten());
    let stem = |path: &Path| {
        path.extension()
            .is_some_and(|ending| ending == "rs")
            .then(|| path.file_stem()?.to_str().map(str::to_owned))?
    };
    let mut names: Vec<String> =
        files.filter_map(|entry| stem(&entry.path())).filter(|name| wanted(name)).collect();
    names.sort();
    names.into_iter().flat_map(|name| ["--test".to_owned(), name]).collect()
}

fn one_check(command: &mut Command) -> Tally {
    one_result(command.status().is_ok_and(|status| status.success()))
}

fn one_result(is_good: bool) -> Tally {
    Tally { passed: u64::from(is_good), failed: u64::from(!is_good) }
}

/// Runs a test runner, shows what it prints, and adds up the counts in its closing lines.
fn counted(command: &mut Command) -> Tally {
    let mut child =
        command.stdout(Stdio::piped()).spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let mut tally = Tally::default();
    for line in BufReader::new(child.stdout.take().expect("it is piped")).lines().map_while(Result::ok) {
        println!("{line}");
        let is_closing = line.starts_with("test result:") || line.contains(" in ");
        if is_closing {
            tally.passed += count_before(&line, "passed");
            tally.failed += count_before(&line, "failed") + count_before(&line, "error");
        }
    }
    let is_good = child.wait().is_ok_and(|status| status.success());
    if !is_good && tally.failed == 0 {
        tally.failed = 1; // it did not get as far as counting
    }
    tally
}

/// The number right before `word`, which may end in an `s` or a punctuation mark.
fn count_before(line: &str, word: &str) -> u64 {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let at = words.windows(2).find(|pair| pair[1].trim_end_matches([',', ';', '.', 's']) == word);
    at.and_then(|pair| pair[0].parse().ok()).unwrap_or(0)
}

//! The parts of `cargo xtask test`, each timed, and one closing line that counts all tests.

use std::path::Path;
use std::process::Command;
use std::time::Instant;
use std::{env, fs};

use anyorder_testkit::environment::{VERSIONS, interpreter};
use anyorder_testkit::jvm::{CLAIMED, Jdk};
use anyorder_testkit::program::{is_installed, missing_for_java};
use anyorder_testkit::{browser, repository, thorough};

use crate::agent;
use crate::lanes::{Job, in_lanes};
use crate::tally::{Tally, counted, one_check};

type Part<T> = (&'static str, fn() -> T);

/// Parts that are done one after the other.
const ALONE: [Part<Tally>; 3] = [("format", format), ("lints", lints), ("rust", rust)];

/// Parts whose programs run side by side, behind the others.
const IN_LANES: [Part<Vec<Job>>; 4] =
    [("slow", slow), ("java", java), ("agents", agents), ("trials", trials)];

/// Suites that are tried in every test run: quick, and one of them written with unittest.
const TRIED: [&str; 2] = ["six", "knack"];

/// Versions of JUnit on which the agent is tried in every test run; `agents/junit/tests/run` tries all.
const JUNITS: [&str; 2] = ["4.13.2", "5.10"];

/// The part of that name, among files of tests.
const AGENTS: &str = "agents";

/// Files of tests that do less every day than they can.
pub(crate) const THOROUGH: [&str; 21] = [
    AGENTS,
    "slow_browser",
    "slow_check",
    "slow_check_histories",
    "slow_deep_states",
    "slow_disk",
    "slow_every_scope",
    "slow_explain",
    "slow_fix_fixtures",
    "slow_fix_kinds",
    "slow_fixtures",
    "slow_hostile",
    "slow_hunt",
    "slow_hunt_ends",
    "slow_junit",
    "slow_junit_build",
    "slow_junit_check",
    "slow_junit_fallback",
    "slow_junit_fork",
    "slow_kinds",
    "slow_sweep",
];

/// Set where a part that is left out is a failure.
const NOTHING_LEFT_OUT: &str = "ANYORDER_TEST_ALL";

/// How many bad messages and files are tried in every test run.
const MESSAGES: &str = "20000";

/// Runs the named parts, or all. Ends with a line that says how many tests passed and failed.
pub(crate) fn test(names: &[&str]) -> bool {
    let parts: Vec<&str> =
        ALONE.iter().map(|(name, _)| *name).chain(IN_LANES.iter().map(|(name, _)| *name)).collect();
    if let Some(unknown) = names.iter().find(|name| !parts.contains(name)) {
        eprintln!("no part `{unknown}`; the parts are {}", parts.join(", "));
        return false;
    }
    let is_wanted = |name: &str| names.is_empty() || names.contains(&name);
    let (mut all, mut times) = (Tally::default(), Vec::new());
    let mut take = |name: &str, part: &dyn Fn() -> Tally| {
        println!("==== {name}");
        let begun = Instant::now();
        let Tally { passed, failed } = part();
        times.push(format!(
            "{name:28} {:4.0} s   {passed} passed, {failed} failed",
            begun.elapsed().as_secs_f64()
        ));
        all.add(&Tally { passed, failed });
    };
    for (name, part) in ALONE.into_iter().filter(|(name, _)| is_wanted(name)) {
        take(name, &part);
    }
    let in_lanes_wanted: Vec<_> = IN_LANES.into_iter().filter(|(name, _)| is_wanted(name)).collect();
    if !in_lanes_wanted.is_empty() {
        let names: Vec<&str> = in_lanes_wanted.iter().map(|(name, _)| *name).collect();
        take(&names.join(", "), &|| in_lanes(in_lanes_wanted.iter().flat_map(|(_, jobs)| jobs()).collect()));
    }
    println!("====\n{}", times.join("\n"));
    name_what_is_absent();
    let left_out = left_out();
    left_out.iter().for_each(|what| println!("left out: {what}"));
    if env::var_os(NOTHING_LEFT_OUT).is_some() {
        all.failed += left_out.len() as u64;
    }
    println!("{} passed, {} failed", all.passed, all.failed);
    all.failed == 0
}

fn name_what_is_absent() {
    let absent: Vec<&str> = VERSIONS.into_iter().filter(|version| interpreter(version).is_none()).collect();
    if !absent.is_empty() {
        println!("interpreters that this machine does not have: python {}", absent.join(", "));
    }
    let has_jdk = |version: u32| Jdk::claimed().iter().any(|jdk| jdk.feature == version);
    for version in CLAIMED.into_iter().filter(|&version| !has_jdk(version)) {
        println!("this machine has no JDK {version}, which forks of a JVM are claimed for");
    }
}

/// Runs the tests of some files as thoroughly as they can.
pub(crate) fn thorough(names: &[&str]) -> bool {
    let (agents, names): (Vec<&str>, Vec<&str>) = names.iter().partition(|name| **name == AGENTS);
    let agents_are_good = agents.is_empty() || in_lanes(agent::everywhere()).failed == 0;
    (names.is_empty() || files_thoroughly(&names)) && agents_are_good
}

fn files_thoroughly(names: &[&str]) -> bool {
    let mut cargo = cargo(&["test", "--workspace", "--no-fail-fast"]);
    cargo.args(names.iter().flat_map(|name| ["--test", name]));
    cargo.env(thorough::VARIABLE, "1").status().is_ok_and(|status| status.success())
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
    cargo.args(test_names(|name| !name.starts_with("slow_")).iter().flat_map(|name| ["--test", name]));
    counted(&mut cargo)
}

fn slow() -> Vec<Job> {
    let is_possible = |name: &str| name != "slow_browser" || is_installed(browser::PROGRAM);
    files(|name| name.starts_with("slow_") && !is_about_java(name) && is_possible(name))
}

/// Java builds, and the agent that rides in their JVMs.
fn java() -> Vec<Job> {
    if !missing_for_java().is_empty() {
        return vec![];
    }
    let mut agent = Command::new(repository().join("agents/junit/tests/run"));
    agent.args(JUNITS);
    let mut jobs = files(|name| name.starts_with("slow_") && is_about_java(name));
    jobs.push(Job { name: "agents/junit".to_owned(), command: agent });
    jobs
}

/// The files of integration tests whose names are `wanted`, built. One that does not compile fails when it is its turn.
fn files(wanted: impl Fn(&str) -> bool) -> Vec<Job> {
    let names = test_names(wanted);
    let mut build = cargo(&["test", "--workspace", "--no-run"]);
    one_check(build.args(names.iter().flat_map(|name| ["--test", name])));
    names.into_iter().map(Job::file).collect()
}

fn is_about_java(name: &str) -> bool {
    name.starts_with("slow_junit") || name.starts_with("slow_jvm")
}

/// What this machine lacks the programs for.
fn left_out() -> Vec<String> {
    let missing = missing_for_java();
    let java =
        (!missing.is_empty()).then(|| format!("tests of Java builds, for lack of {}", missing.join(" and ")));
    let gradle = (!is_installed("gradle")).then(|| "tests of Gradle builds, for lack of gradle".to_owned());
    let browser = (!is_installed(browser::PROGRAM))
        .then(|| format!("tests in a browser, for lack of {}", browser::PROGRAM));
    [java, gradle, browser].into_iter().flatten().collect()
}

fn agents() -> Vec<Job> {
    agent::every_day()
}

fn trials() -> Vec<Job> {
    let trial = |name: &str, words: &[&str]| {
        let mut command = Command::new(env::current_exe().expect("it is running"));
        command.args(["trial", name]).args(words).current_dir(repository());
        Job { name: format!("trial {name}"), command }
    };
    vec![trial("suites", &TRIED), trial("messages", &[MESSAGES])]
}

fn cargo(words: &[&str]) -> Command {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(words).current_dir(repository());
    cargo
}

/// Every integration test of the workspace whose name is `wanted`.
fn test_names(wanted: impl Fn(&str) -> bool) -> Vec<String> {
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
    names
}

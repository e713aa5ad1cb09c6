//! Hunts through public suites: is what is known found, does what is found hold, and what does it cost? Nothing is explained; `trial
//! explain` does that.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyorder_testkit::binary::{Profile, anyorder};
use anyorder_testkit::spent::{Spent, spend};
use anyorder_testkit::suites::{Known, Prepared, Suite, known, suite};
use serde_json::Value;

/// Suites with known order-dependent tests.
pub(crate) const DEPENDENT: [&str; 8] =
    ["six", "knack", "accessify", "base10", "dynamic-conf", "zanna", "alphanum_code", "structlog"];
/// Large ones where none are known.
const OTHERS: [&str; 4] = ["click", "jinja2", "marshmallow", "werkzeug"];

/// What a hunt may cost, for suites of this many tests at least: suite times, and seconds of CPU per test. In small ones the ten
/// plain runs that confirm a finding cost more than that by themselves.
const LARGE: u64 = 800;
const SUITE_TIMES: f64 = 8.0;
const SECONDS_PER_TEST: f64 = 0.12;
const MOST_BYTES: u64 = 2 << 30;

/// Hunts through the named suites, or all; prints one line for each, and what is amiss. Whether nothing is.
pub(crate) fn hunts(names: &[&str]) -> bool {
    let names = if names.is_empty() { [&DEPENDENT[..], &OTHERS].concat() } else { names.to_vec() };
    println!("CPU in s; limit: {SUITE_TIMES} suite times and {SECONDS_PER_TEST} s per test");
    println!(
        "{:14} {:>6} {:>6} {:>6} {:>6} {:>6} {:>7} {:>7} {:>7} {:>7} {:>7} {:>6} {:>7} {:>6}",
        "suite",
        "tests",
        "known",
        "found",
        "extra",
        "false",
        "unconf.",
        "CPU",
        "limit",
        "suite",
        "forks",
        "proc.",
        "wall",
        "MiB"
    );
    let binary = anyorder(Profile::Release);
    let are_good: Vec<bool> = names.iter().map(|name| hunt(&binary, &suite(name))).collect();
    are_good.into_iter().all(|is_good| is_good)
}

fn hunt(binary: &Path, suite: &Suite) -> bool {
    let (_home, prepared) = suite.prepare().copied();
    let suite_cpu_s = plain_run(suite, &prepared);
    let (spent, report) = hunted(binary, suite, &prepared, &["--no-explain"]);
    let Some(report) = report else {
        let said = String::from_utf8_lossy(&spent.output.stderr);
        println!("{:14} no report; it said:\n{said}", suite.name);
        return false;
    };
    let known = known(suite.name);
    let missed: Vec<&Known> = known.iter().filter(|known| !is_found(&report, known)).collect();
    let found: Vec<&Value> =
        list(&report, "findings").filter(|finding| is_order_dependent(finding)).collect();
    let extra: Vec<&&Value> = found.iter().filter(|finding| !is_known(&known, finding)).collect();
    let wrong: Vec<&&Value> =
        found.iter().filter(|finding| !is_reproduced(finding, &prepared.directory)).collect();
    let tests = report["suite"]["tests"].as_u64().unwrap_or(0);
    let number = |field: &str| report["cost"][field].as_u64().unwrap_or(0);
    let limit = SUITE_TIMES * suite_cpu_s + SECONDS_PER_TEST * tests as f64;
    println!(
        "{:14} {tests:>6} {:>6} {:>6} {:>6} {:>6} {:>7} {:>7.1} {limit:>7.1} {suite_cpu_s:>7.1} {:>7} {:>6} {:>7.1} {:>6}",
        suite.name,
        known.len(),
        known.len() - missed.len(),
        extra.len(),
        wrong.len(),
        list(&report, "unconfirmed").count(),
        spent.cpu_s,
        number("forks"),
        number("processes"),
        spent.wall_s,
        spent.peak_bytes >> 20,
    );
    missed.iter().for_each(|known| println!("    missed: {} after {}", known.test, known.partner));
    extra.iter().for_each(|finding| println!("    extra: {}", told(finding)));
    wrong.iter().for_each(|finding| println!("    false: {}", told(finding)));
    list(&report, "unconfirmed").for_each(|finding| println!("    unconfirmed: {}", told(finding)));
    let others = list(&report, "findings").filter(|finding| !is_order_dependent(finding));
    others.for_each(|finding| println!("    other: {}", told(finding)));
    let is_cheap = tests < LARGE || spent.cpu_s <= limit;
    missed.is_empty() && wrong.is_empty() && is_cheap && spent.peak_bytes < MOST_BYTES
}

/// Seconds of CPU of an ordinary run: the middle one of three.
fn plain_run(suite: &Suite, prepared: &Prepared) -> f64 {
    let mut runs = [(); 3].map(|()| {
        let mut pytest = Command::new(&prepared.python);
        pytest.args(["-m", "pytest", "-q"]).args(suite.arguments).current_dir(&prepared.directory);
        spend(&mut pytest).cpu_s
    });
    runs.sort_by(f64::total_cmp);
    runs[1]
}

/// A hunt with these options, and its report.
pub(crate) fn hunted(
    binary: &Path,
    suite: &Suite,
    prepared: &Prepared,
    options: &[&str],
) -> (Spent, Option<Value>) {
    let file = prepared.directory.with_file_name("report.json");
    let mut command = Command::new(binary);
    command
        .arg("hunt")
        .args(options)
        .arg("--directory")
        .arg(&prepared.directory)
        .arg("--json")
        .arg(&file)
        .arg("--");
    command.arg(&prepared.python).args(["-m", "pytest"]).args(suite.arguments);
    let spent = spend(&mut command);
    let report = fs::read_to_string(&file).ok().and_then(|text| serde_json::from_str(&text).ok());
    (spent, report)
}

pub(crate) fn list<'a>(value: &'a Value, field: &str) -> impl Iterator<Item = &'a Value> {
    value[field].as_array().into_iter().flatten()
}

pub(crate) fn is_order_dependent(finding: &Value) -> bool {
    ["victim", "brittle", "non-idempotent"].iter().any(|kind| finding["kind"] == *kind)
}

fn is_of(finding: &Value, known: &Known) -> bool {
    finding["kind"] == known.kind.name() && finding["test"] == known.test
}

/// Whether the test is reported, with the partner as one of its partners.
fn is_found(report: &Value, known: &Known) -> bool {
    let mut findings = list(report, "findings").filter(|finding| is_of(finding, known));
    findings.any(|finding| {
        list(finding, known.kind.partners()).any(|group| *group == serde_json::json!([known.partner]))
    })
}

fn is_known(known: &[Known], finding: &Value) -> bool {
    known.iter().any(|known| is_of(finding, known))
}

/// Whether the printed command lines do what they are printed for.
fn is_reproduced(finding: &Value, directory: &Path) -> bool {
    let leaves_well = |name: &str| {
        let line = finding["reproduce"][name].as_str()?;
        let mut shell = Command::new("sh");
        let spent = spend(shell.args(["-c", line]).current_dir(directory));
        Some(spent.output.status.success())
    };
    leaves_well("fail") == Some(false) && leaves_well("pass") == Some(true)
}

fn told(finding: &Value) -> String {
    let partners = ["polluters", "setters"].into_iter().flat_map(|field| list(finding, field));
    let partners: Vec<String> = partners.take(2).map(ToString::to_string).collect();
    let text = |field: &str| finding[field].as_str().unwrap_or_default().to_owned();
    format!("{} {} {} {}", text("kind"), text("test"), partners.join(" "), text("signature"))
}

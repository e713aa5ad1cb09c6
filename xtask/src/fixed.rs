//! Patches for what hunts find in public suites: how many findings get one, and why the others get none.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyorder_testkit::binary::{Profile, anyorder};
use anyorder_testkit::spent::spend;
use anyorder_testkit::suites::suite;
use serde_json::Value;

use crate::explained::FOUND;
use crate::hunts::{DEPENDENT, is_order_dependent, list};

/// The share of findings that have to have a patch.
const PATCHED: f64 = 0.75;

/// Fixes the named suites, or all; prints one line for each, what has no patch, and all patches. Whether enough have one.
pub(crate) fn fixed(names: &[&str]) -> bool {
    let names = if names.is_empty() { [&DEPENDENT[..], &FOUND].concat() } else { names.to_vec() };
    println!("{:26} {:>8} {:>7} {:>7}  reasons", "suite", "findings", "patched", "CPU");
    let binary = anyorder(Profile::Release);
    let mut all = Share::default();
    for name in names {
        let suite = suite(name);
        let (_home, prepared) = suite.prepare().copied();
        let report = fix(&binary, &prepared.directory, &prepared.python, suite.arguments);
        all.add(&Share::of(name, &report));
        list(&report, "patches").for_each(|patch| show(patch, &prepared.directory));
    }
    all.tell("all", 0.0, "");
    all.findings > 0 && all.patched as f64 >= PATCHED * all.findings as f64
}

/// What `fix` reports, with the seconds of CPU that it took as `cpu`.
fn fix(binary: &Path, directory: &Path, python: &Path, arguments: &[&str]) -> Value {
    let file = directory.with_file_name("report.json");
    let mut command = Command::new(binary);
    command.arg("fix").arg("--directory").arg(directory).arg("--json").arg(&file).arg("--");
    command.arg(python).args(["-m", "pytest"]).args(arguments);
    let spent = spend(&mut command);
    let text = fs::read_to_string(&file).unwrap_or_default();
    let mut report: Value = serde_json::from_str(&text).unwrap_or_else(|_| serde_json::json!({}));
    report["cpu"] = spent.cpu_s.into();
    report
}

/// How many findings there are, and how many have a patch.
#[derive(Default)]
struct Share {
    findings: usize,
    patched: usize,
}

impl Share {
    /// That of the findings that order decides, printed with those that have no patch.
    fn of(name: &str, report: &Value) -> Share {
        let findings: Vec<&Value> =
            list(report, "findings").filter(|finding| is_order_dependent(finding)).collect();
        let others: Vec<&&Value> = findings.iter().filter(|finding| !finding["patch"].is_string()).collect();
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        others.iter().for_each(|finding| *reasons.entry(reason(finding)).or_default() += 1);
        let reasons: Vec<String> =
            reasons.iter().map(|(reason, number)| format!("{number} {reason}")).collect();
        let share = Share { findings: findings.len(), patched: findings.len() - others.len() };
        share.tell(name, report["cpu"].as_f64().unwrap_or_default(), &reasons.join(", "));
        for finding in others {
            println!("    {}: {} {}", reason(finding), finding["kind"], finding["test"]);
        }
        share
    }

    fn add(&mut self, other: &Share) {
        self.findings += other.findings;
        self.patched += other.patched;
    }

    fn tell(&self, name: &str, cpu: f64, reasons: &str) {
        println!("{name:26} {:>8} {:>7} {cpu:>7.1}  {reasons}", self.findings, self.patched);
    }
}

fn show(patch: &Value, directory: &Path) {
    let diff = patch["diff"].as_str().unwrap_or_default();
    println!("    {}: {}", patch["strength"], patch["summary"]);
    println!("{}", fs::read_to_string(directory.join(diff)).unwrap_or_default());
}

fn reason(finding: &Value) -> &str {
    finding["repair"]["reason"].as_str().unwrap_or("not looked for")
}

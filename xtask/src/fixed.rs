//! Patches for what hunts find in public suites: how many findings get one, and why the others get none.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyorder_testkit::binary::{Profile, anyorder};
use anyorder_testkit::spent::spend;
use anyorder_testkit::suites::{Suite, suite};
use serde_json::Value;

use crate::explained::FOUND;
use crate::hunts::{DEPENDENT, is_order_dependent, list};

/// The share of findings that have to have a patch.
const PATCHED: f64 = 0.75;

/// Fixes the named suites, or all; prints one line for each, what has no patch, and all patches. Whether enough have one.
pub(crate) fn fixed(names: &[&str]) -> bool {
    let names = if names.is_empty() { [&DEPENDENT[..], &FOUND].concat() } else { names.to_vec() };
    println!("{:14} {:>8} {:>7} {:>7} {:>7}  reasons", "suite", "findings", "patched", "patches", "CPU");
    let binary = anyorder(Profile::Release);
    let shares: Vec<[usize; 2]> = names.iter().map(|name| fix(&binary, &suite(name))).collect();
    let [all, patched] = [0, 1].map(|at| shares.iter().map(|share| share[at]).sum::<usize>());
    println!("{:14} {all:>8} {patched:>7}  {:.0} %", "all", 100.0 * patched as f64 / all.max(1) as f64);
    all > 0 && patched as f64 >= PATCHED * all as f64
}

/// How many findings there are, and how many have a patch.
fn fix(binary: &Path, suite: &Suite) -> [usize; 2] {
    let (_home, prepared) = suite.prepare().copied();
    let file = prepared.directory.with_file_name("report.json");
    let mut command = Command::new(binary);
    command.arg("fix").arg("--directory").arg(&prepared.directory).arg("--json").arg(&file).arg("--");
    command.arg(&prepared.python).args(["-m", "pytest"]).args(suite.arguments);
    let spent = spend(&mut command);
    let text = fs::read_to_string(&file).unwrap_or_default();
    let report: Value = serde_json::from_str(&text).unwrap_or_default();
    let findings: Vec<&Value> =
        list(&report, "findings").filter(|finding| is_order_dependent(finding)).collect();
    let (patched, others): (Vec<&Value>, Vec<&Value>) =
        findings.iter().partition(|finding| finding["patch"].is_string());
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    others.iter().for_each(|finding| *reasons.entry(reason(finding)).or_default() += 1);
    let reasons: Vec<String> = reasons.iter().map(|(reason, number)| format!("{number} {reason}")).collect();
    println!(
        "{:14} {:>8} {:>7} {:>7} {:>7.1}  {}",
        suite.name,
        findings.len(),
        patched.len(),
        list(&report, "patches").count(),
        spent.cpu_s,
        reasons.join(", ")
    );
    for finding in others {
        println!("    {}: {} {}", reason(finding), finding["kind"], finding["test"]);
    }
    for patch in list(&report, "patches") {
        let diff = patch["diff"].as_str().unwrap_or_default();
        println!("    {}: {}", patch["strength"], patch["summary"]);
        println!("{}", fs::read_to_string(prepared.directory.join(diff)).unwrap_or_default());
    }
    [findings.len(), patched.len()]
}

fn reason(finding: &Value) -> &str {
    finding["repair"]["reason"].as_str().unwrap_or("not looked for")
}

//! Explanations of what hunts find in public suites: how many have a proved cause, and why the others have none.

use std::collections::BTreeMap;
use std::path::Path;

use anyorder_testkit::binary::{Profile, anyorder};
use anyorder_testkit::proof::{explanations, is_proved};
use anyorder_testkit::suites::{Suite, suite};
use serde_json::Value;

use crate::hunts::{DEPENDENT, hunted, is_order_dependent, list};

/// Suites with order-dependent tests that hunts have found.
pub(crate) const FOUND: [&str; 2] = ["logzero", "python-dotenv"];

/// The share of findings that have to have a proved cause.
const PROVED: f64 = 0.85;

/// Hunts through the named suites, or all; prints one line for each, and what is not proved. Whether enough is.
pub(crate) fn explained(names: &[&str]) -> bool {
    let names = if names.is_empty() { [&DEPENDENT[..], &FOUND].concat() } else { names.to_vec() };
    println!("{:14} {:>8} {:>7} {:>8} {:>8}  reasons", "suite", "findings", "proved", "lines", "seconds");
    let binary = anyorder(Profile::Release);
    let shares: Vec<Share> = names.iter().map(|name| explain(&binary, &suite(name))).collect();
    let all = shares.iter().map(|share| share.findings).sum::<usize>();
    let proved = shares.iter().map(|share| share.proved).sum::<usize>();
    println!("{:14} {all:>8} {proved:>7}  {:.0} %", "all", 100.0 * proved as f64 / all.max(1) as f64);
    all > 0 && proved as f64 >= PROVED * all as f64
}

/// How many findings of a suite have a proved cause.
struct Share {
    findings: usize,
    proved: usize,
}

fn explain(binary: &Path, suite: &Suite) -> Share {
    let (_home, prepared) = suite.prepare().copied();
    let (_, report) = hunted(binary, suite, &prepared, &[]);
    let report = report.unwrap_or_default();
    let findings: Vec<&Value> =
        list(&report, "findings").filter(|finding| is_order_dependent(finding)).collect();
    let (proved, others): (Vec<&Value>, Vec<&Value>) =
        findings.iter().partition(|finding| is_proved(finding));
    let with_lines =
        proved.iter().filter(|finding| list(finding, "state").all(|cell| cell["written"].is_string()));
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    others.iter().for_each(|finding| *reasons.entry(reason(finding)).or_default() += 1);
    let reasons: Vec<String> = reasons.iter().map(|(reason, number)| format!("{number} {reason}")).collect();
    let seconds: f64 = findings
        .iter()
        .flat_map(|finding| explanations(finding))
        .filter_map(|one| one["seconds"].as_f64())
        .sum();
    println!(
        "{:14} {:>8} {:>7} {:>8} {seconds:>8.1}  {}",
        suite.name,
        findings.len(),
        proved.len(),
        with_lines.count(),
        reasons.join(", ")
    );
    for finding in others {
        println!("    {}: {} {}", reason(finding), finding["kind"], finding["test"]);
    }
    Share { findings: findings.len(), proved: proved.len() }
}

fn reason(finding: &Value) -> &str {
    explanations(finding).iter().find_map(|one| one["reason"].as_str()).unwrap_or("not looked into")
}

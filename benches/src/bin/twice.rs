//! What isolation costs when every test runs twice: `twice --mode isolated-test` against `--mode suite`.
//!
//! `cargo xtask bench twice`. CPU of the whole command. On public suites isolation may cost 20 ms per test; on a suite
//! whose mean test takes 40 ms it may cost half as much again.
#![expect(clippy::print_stdout, reason = "a bench prints its table")]

use std::path::Path;

use anyorder_testkit::environment::{NEWEST, python};
use anyorder_testkit::suites::suite;
use benches::generated::{Generated, Plan};
use benches::{median, tool};

const SUITES: [&str; 2] = ["jinja2", "marshmallow"];
const ROUNDS: usize = 3;
const LONG: Plan =
    Plan { tests: 200, modules: 20, victims: 0, masked: 0, brittles: 0, mean_ms: 40.0, seed: 0 };

fn main() {
    println!("CPU in s, median of {ROUNDS} rounds");
    println!(
        "{:14} {:>6} {:>8} {:>9} {:>12} {:>7}",
        "suite", "tests", "suite", "isolated", "ms per test", "ratio"
    );
    for name in SUITES {
        let suite = suite(name);
        let (_home, prepared) = suite.prepare().copied();
        measure(name, &prepared.python, &prepared.directory, suite.arguments);
    }
    measure("40 ms a test", &python(NEWEST), Generated::new(LONG).directory(), &[]);
}

fn measure(name: &str, python: &Path, directory: &Path, arguments: &[&str]) {
    let mut tests = 0;
    let mut seen = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        for (mode, seen) in ["suite", "isolated-test"].into_iter().zip(&mut seen) {
            let ran = tool::run(&["twice", "--mode", mode], python, directory, arguments);
            tests = ran.report["suite"]["tests"].as_u64().unwrap_or(0);
            seen.push(ran.spent.cpu_s);
        }
    }
    let [suite, isolated] = seen.map(median);
    let each = 1e3 * (isolated - suite) / tests as f64;
    println!("{name:14} {tests:>6} {suite:>8.1} {isolated:>9.1} {each:>12.1} {:>6.2}x", isolated / suite);
}

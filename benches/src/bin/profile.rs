//! What profiles cost: CPU of `anyorder profile`, against plain runs of the same suite.
//!
//! `cargo xtask bench profile [SUITE...]`. A suite time is the CPU of one plain run, start and collection included. The
//! limit is 4 suite times and 40 ms for each test.
#![expect(clippy::print_stdout, reason = "a bench prints its table")]

use std::process::Command;

use anyorder_testkit::spent::spend;
use anyorder_testkit::suites::suite;
use benches::{median, tool};

const SUITES: [&str; 5] = ["six", "knack", "marshmallow", "click", "jinja2"];
const ROUNDS: usize = 3;
const SUITE_TIMES: f64 = 4.0;
const S_PER_TEST: f64 = 0.040;

fn main() {
    let named: Vec<String> = std::env::args().skip(1).collect();
    let names: Vec<&str> =
        if named.is_empty() { SUITES.to_vec() } else { named.iter().map(String::as_str).collect() };
    println!("CPU in s, median of {ROUNDS} rounds; a round is one plain run and one profile");
    println!(
        "{:14} {:>6} {:>8} {:>9} {:>12} {:>8} {:>9}",
        "suite", "tests", "plain", "profile", "ms per test", "limit", "of limit"
    );
    names.iter().for_each(|name| measure(name));
}

fn measure(name: &str) {
    let suite = suite(name);
    let (_home, prepared) = suite.prepare().copied();
    let (mut plain, mut profile, mut tests) = (Vec::new(), Vec::new(), 0);
    for _ in 0..ROUNDS {
        let mut pytest = Command::new(&prepared.python);
        pytest.args(["-m", "pytest", "-q"]).args(suite.arguments).current_dir(&prepared.directory);
        plain.push(spend(&mut pytest).cpu_s);
        let ran = tool::run(&["profile"], &prepared.python, &prepared.directory, suite.arguments);
        tests = ran.report["suite"]["tests"].as_u64().unwrap_or(0);
        profile.push(ran.spent.cpu_s);
    }
    let (plain, profile) = (median(plain), median(profile));
    let limit = SUITE_TIMES * plain + S_PER_TEST * tests as f64;
    println!(
        "{name:14} {tests:>6} {plain:>8.1} {profile:>9.1} {:>12.1} {limit:>8.1} {:>8.0}%",
        1e3 * profile / tests as f64,
        100.0 * profile / limit
    );
}

//! Findings per CPU second on a suite with injected dependencies: a hunt against 20 rounds of pytest-random-order.
//!
//! `cargo xtask bench detect`. A finding of a hunt is a victim or brittle that it has confirmed, with its partner. For
//! rounds of random orders, a test that fails in some rounds and not in others counts, although nothing confirms it and
//! nobody knows its partner. Only injected dependencies count, on both sides. A round is one ordinary pytest process.
//! A *hunt* (`--no-explain`) looks for all partners and cleaners; a *quick* one (`--no-explain --quick --rounds 2`) for one
//! partner each, mostly among likely pairs.
#![expect(clippy::print_stdout, reason = "a bench prints its table")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use anyorder_testkit::environment::{Recipe, python};
use anyorder_testkit::spent::spend;
use benches::generated::{Generated, Plan};
use benches::tool;

const ROUNDS: usize = 20;
const QUICK: [&str; 3] = ["--quick", "--rounds", "2"];
const PEER: Recipe =
    Recipe { name: "random-order", requirements: &["pytest==9.0.3", "pytest-random-order==1.2.0"] };
const USUAL: Plan =
    Plan { tests: 400, modules: 40, victims: 6, masked: 6, brittles: 4, mean_ms: 10.0, seed: 0 };
const PLANS: [(&str, Plan); 3] = [
    ("10 ms a test", USUAL),
    ("40 ms a test", Plan { mean_ms: 40.0, ..USUAL }),
    ("1,000 tests", Plan { tests: 1_000, modules: 80, ..USUAL }),
];

/// How many of the injected dependencies were found, and seconds of CPU.
struct Yield {
    found: usize,
    cpu_s: f64,
}

fn main() {
    println!("{:14} {:>6}   found, s of CPU, findings per CPU against random orders", "suite", "there");
    for (name, plan) in PLANS {
        let suite = Generated::new(plan);
        let dependent: BTreeSet<&str> = suite.dependent.iter().map(String::as_str).collect();
        let python = python(PEER);
        let random = random_orders(&python, suite.directory(), &dependent);
        let rate = |side: &Yield| side.found as f64 / side.cpu_s;
        let told = |side: &Yield| {
            format!("{:>3} {:>6.1} {:>5.2}x", side.found, side.cpu_s, rate(side) / rate(&random))
        };
        let [hunt, quick] =
            [&[][..], &QUICK].map(|words| hunt(words, &python, suite.directory(), &dependent));
        println!(
            "{name:14} {:>6}   hunt {}   quick {}   random {}",
            dependent.len(),
            told(&hunt),
            told(&quick),
            told(&random)
        );
    }
}

fn hunt(words: &[&str], python: &Path, directory: &Path, dependent: &BTreeSet<&str>) -> Yield {
    let words = [&["hunt", "--no-explain"], words].concat();
    let ran = tool::run(&words, python, directory, &["-p", "no:random_order"]);
    let confirmed = tool::findings(&ran.report)
        .filter(|finding| finding["kind"] == "victim" || finding["kind"] == "brittle")
        .filter_map(|finding| finding["test"].as_str());
    let found: BTreeSet<&str> = confirmed.filter(|test| dependent.contains(test)).collect();
    Yield { found: found.len(), cpu_s: ran.spent.cpu_s }
}

fn random_orders(python: &Path, directory: &Path, dependent: &BTreeSet<&str>) -> Yield {
    let mut failures: BTreeMap<String, usize> = BTreeMap::new();
    let mut cpu_s = 0.0;
    for round in 0..ROUNDS {
        let mut pytest = Command::new(python);
        pytest.args(["-m", "pytest", "-q", "--tb=no", "-rf", "--random-order-bucket=global"]);
        let spent = spend(pytest.arg(format!("--random-order-seed={round}")).current_dir(directory));
        cpu_s += spent.cpu_s;
        for line in String::from_utf8_lossy(&spent.output.stdout).lines() {
            if let Some(test) = line.strip_prefix("FAILED ").and_then(|rest| rest.split(' ').next()) {
                *failures.entry(test.to_owned()).or_default() += 1;
            }
        }
    }
    let differs = |(test, times): &(&String, &usize)| **times < ROUNDS && dependent.contains(test.as_str());
    Yield { found: failures.iter().filter(differs).count(), cpu_s }
}

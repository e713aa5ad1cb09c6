//! Ordered pairs: one test runs once, and every other test from the state it leaves.
//!
//! `cargo xtask bench pairs [SUITE...]`. The runs of the first tests are part of the cost.
#![expect(clippy::print_stdout, reason = "a bench prints its table")]

use anyorder_search::{Strategy, batches};
use anyorder_testkit::suites::suite;
use benches::{Bench, median};

const SUITES: [&str; 2] = ["requests-mock", "jinja2"];
const PAIRS: usize = 800;
const ROUNDS: u64 = 5;

fn main() {
    let named: Vec<String> = std::env::args().skip(1).collect();
    let names: Vec<&str> =
        if named.is_empty() { SUITES.to_vec() } else { named.iter().map(String::as_str).collect() };
    println!("CPU per ordered pair, median of {ROUNDS} rounds of about {PAIRS} pairs; prefix runs counted");
    println!("{:14} {:>6} {:>7} {:>9}", "suite", "tests", "pairs", "ms a pair");
    for name in names {
        let bench = Bench::open(suite(name));
        let mut per_pair = Vec::new();
        let mut pairs = 0;
        for round in 0..ROUNDS {
            let mut all = batches(Strategy::Pairs, bench.engine.suite(), 1, round);
            let mut chosen = Vec::new();
            pairs = 0;
            while pairs < PAIRS {
                let mut batch = all.next().expect("these suites have more pairs");
                batch.truncate(PAIRS - pairs);
                pairs += batch.len();
                chosen.push(batch);
            }
            per_pair.push(bench.cpu_of_orders(chosen) / pairs as f64);
        }
        println!("{name:14} {:>6} {pairs:>7} {:>9.1}", bench.engine.suite().len(), median(per_pair));
    }
}

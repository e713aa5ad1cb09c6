//! One test by itself: from a fork, and in three kinds of new process; interleaved in one run.
//!
//! `cargo xtask bench isolated [SUITE...]`. A lean process has third-party plugins off and collects only the test's own
//! file; `same state` is a lean process that collects everything, as the process has that forks come from.
#![expect(clippy::print_stdout, reason = "a bench prints its table")]

use anyorder_model::{Order, TestIndex};
use anyorder_testkit::suites::suite;
use benches::{Bench, Process, median};

const SUITES: [&str; 6] = ["jinja2", "marshmallow", "click", "flask", "attrs", "requests-mock"];
const KINDS: [Process; 3] = [Process::Lean, Process::SameState, Process::Ordinary];
const ROUNDS: usize = 15;
const FORKS_PER_ROUND: usize = 20;

fn main() {
    let named: Vec<String> = std::env::args().skip(1).collect();
    let names: Vec<&str> =
        if named.is_empty() { SUITES.to_vec() } else { named.iter().map(String::as_str).collect() };
    println!(
        "CPU of one isolated test in ms, and how many times a fork's; median of {ROUNDS} rounds \
         (a round: one test, {FORKS_PER_ROUND} forks, one process of each kind)"
    );
    println!(
        "{:14} {:>6} {:>6} {:>14} {:>14} {:>14}   plugins",
        "suite", "tests", "fork", "lean", "same state", "ordinary"
    );
    let ratios: Vec<[f64; 3]> = names.iter().map(|name| measure(name)).collect();
    let [lean, same_state, ordinary] =
        [0, 1, 2].map(|kind| median(ratios.iter().map(|ratios| ratios[kind]).collect()));
    println!("{:14} {:>13} {lean:>13.1}x {same_state:>13.1}x {ordinary:>13.1}x", "median", "");
}

fn measure(name: &str) -> [f64; 3] {
    let bench = Bench::open(suite(name));
    let tests = bench.engine.suite().len();
    let mut forks = Vec::new();
    let mut processes = KINDS.map(|_| Vec::new());
    for round in 0..ROUNDS {
        // Tests from all over the suite, the same one for every way.
        let test = index(round * 7919 % tests);
        let orders = vec![vec![Order(vec![test])]; FORKS_PER_ROUND];
        let id = &bench.engine.suite().id(test).0;
        forks.push(bench.cpu_of_orders(orders) / FORKS_PER_ROUND as f64);
        for (kind, seen) in KINDS.iter().zip(&mut processes) {
            seen.push(bench.cpu_of_process(id, *kind));
        }
    }
    let fork = median(forks);
    let processes = processes.map(median);
    let columns = processes.map(|cpu| format!("{cpu:>6.0} {:>6.1}x", cpu / fork));
    let plugins = bench.engine.hello().plugins.join(", ");
    println!("{name:14} {tests:>6} {fork:>6.1} {}   {plugins}", columns.join(" "));
    processes.map(|cpu| cpu / fork)
}

fn index(test: usize) -> TestIndex {
    TestIndex(u32::try_from(test).expect("suites are smaller than that"))
}

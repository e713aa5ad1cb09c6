//! One test by itself: from a fork, in a lean new process, in an ordinary one; interleaved in one run.
//!
//! `cargo xtask bench isolated [SUITE...]`. A lean process has third-party plugins off.
#![expect(clippy::print_stdout, reason = "a bench prints its table")]

use anyorder_model::{Order, TestIndex};
use anyorder_testkit::suites::suite;
use benches::{Bench, median};

const SUITES: [&str; 6] = ["jinja2", "marshmallow", "click", "flask", "attrs", "requests-mock"];
const ROUNDS: usize = 8;
const FORKS_PER_ROUND: usize = 25;

fn main() {
    let named: Vec<String> = std::env::args().skip(1).collect();
    let names: Vec<&str> =
        if named.is_empty() { SUITES.to_vec() } else { named.iter().map(String::as_str).collect() };
    println!(
        "CPU of one isolated test, median of {ROUNDS} rounds (a round: {FORKS_PER_ROUND} forks, 1 lean, 1 ordinary)"
    );
    println!(
        "{:14} {:>6} {:>9} {:>9} {:>9} {:>7} {:>7}",
        "suite", "tests", "fork ms", "lean ms", "ordin. ms", "lean x", "ord. x"
    );
    let ratios: Vec<f64> = names.iter().map(|name| measure(name)).collect();
    println!("median: a lean process costs {:.1} times a fork", median(ratios));
}

fn measure(name: &str) -> f64 {
    let bench = Bench::open(suite(name));
    let tests = bench.engine.suite().len();
    let (mut forks, mut lean, mut ordinary) = (vec![], vec![], vec![]);
    for round in 0..ROUNDS {
        // Tests from all over the suite, the same for every way.
        let chosen: Vec<usize> =
            (0..FORKS_PER_ROUND).map(|at| (at * ROUNDS + round) * 7919 % tests).collect();
        let orders = chosen.iter().map(|&test| vec![Order(vec![index(test)])]).collect();
        let id = &bench.engine.suite().id(index(chosen[0])).0;
        forks.push(bench.cpu_of_orders(orders) / FORKS_PER_ROUND as f64);
        lean.push(bench.cpu_of_process(id, false));
        ordinary.push(bench.cpu_of_process(id, true));
    }
    let (forks, lean, ordinary) = (median(forks), median(lean), median(ordinary));
    println!(
        "{name:14} {tests:>6} {forks:>9.1} {lean:>9.0} {ordinary:>9.0} {:>7.1} {:>7.1}   {}",
        lean / forks,
        ordinary / forks,
        bench.engine.hello().plugins.join(", ")
    );
    lean / forks
}

fn index(test: usize) -> TestIndex {
    TestIndex(u32::try_from(test).expect("suites are smaller than that"))
}

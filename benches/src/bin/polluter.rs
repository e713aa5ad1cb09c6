//! One victim, one question: after which test does it fail? Side by side with detect-test-pollution.
//!
//! `cargo xtask bench polluter [SUITE...]`. Both are told the victim, and both look in the original order with the victim
//! last. *End to end* is everything: start, collection, search, and for us five plain pairs of runs that confirm the answer
//! (the peer repeats its last run once). *Search* is what comes after collection and before confirmation: the victim
//! alone, the whole order, and shrinking it. *Hunt* is `anyorder hunt --order`, end to end, which also finds all other
//! polluters and the cleaners.
#![expect(clippy::print_stdout, reason = "a bench prints its table")]

use std::fs;
use std::process::Command;

use anyorder_engine::PlainRequest;
use anyorder_model::{Order, RunRecord, TestId, TestIndex};
use anyorder_search::{Shrunk, shrink};
use anyorder_testkit::spent::{cpu_of_ended_children, own_cpu, spend};
use anyorder_testkit::suites::{Prepared, Suite, suite};
use anyorder_testkit::{engine, repository};
use benches::{Bench, median, tool};

const PEER: &str = "detect-test-pollution==1.2.0";
const CASES: [(&str, &str); 3] = [
    ("knack", "tests/test_help.py::TestHelp::test_help_extra_params"),
    ("six", "test_six.py::test_lazy"),
    ("structlog", "tests/test_stdlib.py::TestLoggerFactory::test_find_caller"),
];
const ROUNDS: usize = 3;
const PLAIN_PAIRS: u32 = 5;
const QUESTIONS: usize = 400;

/// Milliseconds of CPU, and the answer.
struct Answer {
    end_to_end: f64,
    search: f64,
    polluters: Vec<String>,
}

fn main() {
    let named: Vec<String> = std::env::args().skip(1).collect();
    println!("CPU in ms, median of {ROUNDS} rounds; {PEER} / anyorder");
    println!("{:10} {:>30} {:>30} {:>8}", "suite", "end to end", "search", "hunt");
    let chosen = CASES.iter().filter(|(name, _)| named.is_empty() || named.iter().any(|other| other == name));
    for (name, victim) in chosen {
        compare(suite(name), victim);
    }
}

fn compare(suite: Suite, victim: &str) {
    let (_home, prepared) = suite.prepare_with(&[PEER]).copied();
    ours(suite, prepared.clone(), victim); // whatever is built or cached at first
    let rounds: Vec<[Answer; 2]> = (0..ROUNDS)
        .map(|_| [peers(&suite, &prepared, victim), ours(suite, prepared.clone(), victim)])
        .collect();
    let (hunted, found) = hunt(suite, &prepared, victim);
    let middle =
        |side: usize, of: fn(&Answer) -> f64| median(rounds.iter().map(|round| of(&round[side])).collect());
    let column = |of: fn(&Answer) -> f64| {
        let [peer, own] = [0, 1].map(|side| middle(side, of));
        format!("{peer:>8.0} / {own:>6.0} = {:>6.1}x", peer / own)
    };
    println!(
        "{:10} {:>30} {:>30} {:>8.0}",
        suite.name,
        column(|answer| answer.end_to_end),
        column(|answer| answer.search),
        hunted
    );
    let [peer, own] = &rounds[0];
    for (who, polluters) in [("peer", &peer.polluters), ("ours", &own.polluters), ("hunt", &found)] {
        println!("    {who}: {}", polluters.join(", "));
    }
}

fn peers(suite: &Suite, prepared: &Prepared, victim: &str) -> Answer {
    let mut command = Command::new(&prepared.python);
    command.arg(repository().join("benches/peers/stages.py")).args(["--failing-test", victim, "--tests"]);
    let spent = spend(command.arg(suite.arguments[0]).current_dir(&prepared.directory));
    let said = String::from_utf8_lossy(&spent.output.stdout).into_owned();
    let runs: Vec<f64> =
        said.lines().last().and_then(|line| serde_json::from_str(line).ok()).unwrap_or_default();
    let (_check, search) = runs.split_last().unwrap_or_else(|| panic!("{said}"));
    let polluter = said.lines().find_map(|line| line.split_once("polluting test is: "));
    Answer {
        end_to_end: 1e3 * spent.cpu_s,
        search: search.iter().sum(),
        polluters: vec![polluter.map_or_else(|| "none".to_owned(), |(_, id)| id.to_owned())],
    }
}

fn ours(suite: Suite, prepared: Prepared, victim: &str) -> Answer {
    let now = || own_cpu() + cpu_of_ended_children();
    let before = now();
    let bench = Bench::open_prepared(suite, prepared);
    let collected = bench.cpu_now();
    let victim = bench.engine.suite().index_of(&TestId(victim.to_owned())).expect("the suite has the victim");
    let others: Vec<TestIndex> = bench.engine.suite().indices().filter(|&test| test != victim).collect();
    let fails =
        |before: &[TestIndex]| is_red(&engine::run(&bench.engine, vec![vec![after(before, victim)]])[0]);
    assert!(!fails(&[]) && fails(&others), "it passes alone and fails after the others");
    let shrunk = shrink(&others, QUESTIONS, |list| Ok::<bool, ()>(fails(list)));
    let Ok(Shrunk::Minimal(group)) = shrunk else { panic!("{QUESTIONS} questions were not enough") };
    let search = bench.cpu_now() - collected;
    for seed in 0..PLAIN_PAIRS {
        let plain = |order: &Order| {
            let request = PlainRequest { seed: Some(seed), ..PlainRequest::new(order) };
            is_red(&bench.engine.run_plain(request, |_| {}).expect("plain pytest runs").record)
        };
        assert!(plain(&after(&group, victim)) && !plain(&after(&[], victim)), "plain pytest confirms it");
    }
    let polluters = group.iter().map(|&test| bench.engine.suite().id(test).0.clone()).collect();
    drop(bench);
    Answer { end_to_end: now() - before, search, polluters }
}

fn after(before: &[TestIndex], victim: TestIndex) -> Order {
    before.iter().copied().chain([victim]).collect()
}

/// Whether the last test of an order went wrong.
fn is_red(record: &RunRecord) -> bool {
    record.steps.last().is_some_and(|step| step.outcome.is_red())
}

/// Milliseconds of CPU, and what was found.
fn hunt(suite: Suite, prepared: &Prepared, victim: &str) -> (f64, Vec<String>) {
    let ids = collected(suite, prepared);
    let order: Vec<&str> =
        ids.iter().map(String::as_str).filter(|id| *id != victim).chain([victim]).collect();
    let file = tempfile::NamedTempFile::new().expect("a temporary file can be made");
    fs::write(file.path(), serde_json::json!(order).to_string()).expect("it was just made");
    let name = file.path().to_str().expect("temporary files have plain names");
    let ran = tool::run(&["hunt", "--order", name], &prepared.python, &prepared.directory, suite.arguments);
    let findings = tool::findings(&ran.report).filter(|finding| finding["test"] == victim);
    let polluters = findings.map(|finding| {
        let count = |field: &str| finding[field].as_array().map_or(0, Vec::len);
        format!("{} and {} cleaners", finding["polluters"], count("cleaners"))
    });
    (1e3 * ran.spent.cpu_s, polluters.collect())
}

fn collected(suite: Suite, prepared: &Prepared) -> Vec<String> {
    let bench = Bench::open_prepared(suite, prepared.clone());
    bench.engine.suite().indices().map(|test| bench.engine.suite().id(test).0.clone()).collect()
}

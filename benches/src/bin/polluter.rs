//! One victim, one question: after which test does it fail? Side by side with detect-test-pollution.
//!
//! `cargo xtask bench polluter [SUITE...]`. Both are told the victim and one order in which it fails: the original one
//! with the victim last, or, where cleaners mask the polluter there, the first random one in which it fails. *End to end*
//! is everything: start, collection, search, and for us (`anyorder hunt --order FILE --quick --plain-pairs 1`) three pairs of
//! forks and a plain pair of runs that confirm the answer; the peer repeats its last run once. *Search* is what comes after
//! collection and before confirmation, in a process that has collected already: the victim alone, and who makes it fail.
//! *Hunt* is `anyorder hunt --order FILE`, end to end, which also finds all other polluters and the cleaners, with five plain
//! pairs. Neither explains, as the peer does not.
#![expect(clippy::print_stdout, reason = "a bench prints its table")]

use std::fs;
use std::process::{Command, ExitCode};

use anyorder_model::{
    Fan, FanRecord, Halted, News, Oracle, Order, PlainAsk, PlainSeen, Purpose, TestId, TestIndex,
};
use anyorder_search::{HuntSettings, investigate};
use anyorder_testkit::engine;
use anyorder_testkit::oracle::Forks;
use anyorder_testkit::repository;
use anyorder_testkit::spent::spend;
use anyorder_testkit::suites::{Prepared, Suite, suite};
use benches::{Bench, median, tool};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use tempfile::NamedTempFile;

const PEER: &str = "detect-test-pollution==1.2.0";
const CASES: [(&str, &str); 3] = [
    ("knack", "tests/test_help.py::TestHelp::test_help_extra_params"),
    ("six", "test_six.py::test_lazy"),
    ("structlog", "tests/test_stdlib.py::TestLoggerFactory::test_find_caller"),
];
const ROUNDS: usize = 3;

/// How many times less CPU is expected of us, at least.
const END_TO_END: f64 = 4.0;
const SEARCH: f64 = 15.0;

/// Milliseconds of CPU, and the answer.
struct Answer {
    end_to_end: f64,
    search: f64,
    polluters: Vec<String>,
}

/// One victim, with an order in which it fails.
struct Case {
    suite: Suite,
    prepared: Prepared,
    victim: &'static str,
    /// A JSON list of all tests, the victim last.
    order: NamedTempFile,
    /// One test per line.
    lines: NamedTempFile,
}

fn main() -> ExitCode {
    let named: Vec<String> = std::env::args().skip(1).collect();
    println!("CPU in ms, median of {ROUNDS} rounds; {PEER} / anyorder");
    println!("{:10} {:>30} {:>30} {:>8}", "suite", "end to end", "search", "hunt");
    let chosen = CASES.iter().filter(|(name, _)| named.is_empty() || named.iter().any(|other| other == name));
    let mut is_good = true;
    for (name, victim) in chosen {
        let (_home, prepared) = suite(name).prepare_with(&[PEER]).copied();
        is_good &= Case::new(suite(name), prepared, victim).compare();
    }
    if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

impl Case {
    fn new(suite: Suite, prepared: Prepared, victim: &'static str) -> Self {
        let bench = Bench::open_prepared(suite, prepared.clone());
        let tests = bench.engine.suite();
        let index = tests.index_of(&TestId(victim.to_owned())).expect("the suite has the victim");
        let original: Vec<TestIndex> = tests.indices().filter(|&test| test != index).collect();
        let shuffled = (0..50).map(|seed| {
            let mut order = original.clone();
            order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
            order
        });
        let mut orders = std::iter::once(original.clone()).chain(shuffled);
        let order = orders.find(|order| fails(&bench, order, index)).expect("it fails in one of 50 orders");
        let ids: Vec<&str> = order.iter().chain([&index]).map(|&test| tests.id(test).0.as_str()).collect();
        let file = |text: String| {
            let file = NamedTempFile::new().expect("a temporary file can be made");
            fs::write(file.path(), text).expect("it was just made");
            file
        };
        let (order, lines) = (file(serde_json::json!(ids).to_string()), file(ids.join("\n") + "\n"));
        Case { suite, prepared, victim, order, lines }
    }

    /// Prints a line, and the answers; whether the limits are kept.
    fn compare(&self) -> bool {
        self.ours(); // whatever is cached at first
        let rounds: Vec<[Answer; 2]> = (0..ROUNDS).map(|_| [self.peers(), self.ours()]).collect();
        let (hunted, found) = self.hunt(&[]);
        let middle = |side: usize, of: fn(&Answer) -> f64| {
            median(rounds.iter().map(|round| of(&round[side])).collect())
        };
        let columns: [fn(&Answer) -> f64; 2] = [|answer| answer.end_to_end, |answer| answer.search];
        let ratios = columns.map(|of| {
            let [peer, own] = [0, 1].map(|side| middle(side, of));
            (format!("{peer:>8.0} / {own:>6.0} = {:>6.1}x", peer / own), peer / own)
        });
        println!("{:10} {:>30} {:>30} {hunted:>8.0}", self.suite.name, ratios[0].0, ratios[1].0);
        let [peer, own] = &rounds[0];
        for (who, polluters) in [("peer", &peer.polluters), ("ours", &own.polluters), ("hunt", &found)] {
            println!("    {who}: {}", polluters.join(", "));
        }
        ratios[0].1 >= END_TO_END && ratios[1].1 >= SEARCH && !own.polluters.is_empty()
    }

    fn peers(&self) -> Answer {
        let mut command = Command::new(&self.prepared.python);
        command.arg(repository().join("benches/peers/stages.py"));
        command.args(["--failing-test", self.victim, "--testids-file"]).arg(self.lines.path());
        let spent = spend(command.current_dir(&self.prepared.directory));
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

    fn ours(&self) -> Answer {
        let (end_to_end, polluters) = self.hunt(&["--quick", "--plain-pairs", "1"]);
        Answer { end_to_end, search: self.search(), polluters }
    }

    fn search(&self) -> f64 {
        let bench = Bench::open_prepared(self.suite, self.prepared.clone());
        let ids: Vec<TestId> =
            serde_json::from_slice(&fs::read(self.order.path()).expect("it is there")).expect("it is JSON");
        let index = |id: &TestId| bench.engine.suite().index_of(id).expect("the suite has it");
        let order = Order(ids.iter().map(index).collect());
        let collected = bench.cpu_now();
        let quick = HuntSettings { forks: Some(0), ..HuntSettings::default() };
        let report = investigate(&mut Searcher(Forks(&bench.engine)), &order, &quick);
        let cpu = bench.cpu_now() - collected;
        assert!(report.unconfirmed.iter().any(|finding| finding.polluters.is_some()), "{report:?}");
        cpu
    }

    /// Milliseconds of CPU, and what was found.
    fn hunt(&self, words: &[&str]) -> (f64, Vec<String>) {
        let order = self.order.path().to_str().expect("temporary files have plain names");
        let words = [&["hunt", "--no-explain", "--order", order], words].concat();
        let ran = tool::run(&words, &self.prepared.python, &self.prepared.directory, self.suite.arguments);
        let findings = tool::findings(&ran.report).filter(|finding| finding["test"] == self.victim);
        let polluters = findings.map(|finding| {
            let count = |field: &str| finding[field].as_array().map_or(0, Vec::len);
            format!("{} and {} cleaners", finding["polluters"], count("cleaners"))
        });
        (1e3 * ran.spent.cpu_s, polluters.collect())
    }
}

/// Answers until somebody wants to confirm what was found.
struct Searcher<'a>(Forks<'a>);

impl Oracle for Searcher<'_> {
    fn suite(&self) -> &anyorder_model::Suite {
        self.0.suite()
    }

    fn run(&mut self, fans: Vec<Fan>) -> Result<Vec<FanRecord>, Halted> {
        let is_over = fans.iter().any(|fan| fan.purpose == Purpose::Confirm);
        if is_over { Err(Halted::Budget) } else { self.0.run(fans) }
    }

    fn run_plain(&mut self, _asked: Vec<PlainAsk>) -> Result<Vec<PlainSeen>, Halted> {
        Err(Halted::Budget)
    }

    fn spent(&self) -> f64 {
        0.0
    }

    fn tell(&mut self, _news: News) {}
}

/// Whether the victim goes wrong after this list.
fn fails(bench: &Bench, list: &[TestIndex], victim: TestIndex) -> bool {
    let order: Order = list.iter().copied().chain([victim]).collect();
    let records = engine::run(&bench.engine, vec![vec![order]]);
    records[0].steps.last().is_some_and(|step| step.outcome.is_red())
}

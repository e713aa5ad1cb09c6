//! The heart of the promise: an order gives the same events and outcomes however its fresh state came about.
//!
//! The suite `every_scope` logs each set-up, tear-down and test body. Random sub-orders of it, repeats included, run in
//! forks, in a snapshot tree with random cuts, in new processes, and in plain pytest; all must agree.

use std::fs;
use std::path::{Path, PathBuf};

use anyorder_engine::{DiskMode, Engine, Isolation, PlainRequest, Rung, Settings};
use anyorder_model::{Order, Outcome, RunRecord, TestIndex};
use anyorder_testkit::engine;
use anyorder_testkit::environment::{PYTESTS, VERSIONS, newest_pytest_on, python};
use anyorder_testkit::fixture::Fixture;
use anyorder_testkit::thorough::usually_or_in_trials;

/// A small generator, so that a failure can be repeated from the number printed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }

    fn order(&mut self, tests: usize) -> Order {
        let length = 1 + self.below(14);
        (0..length).map(|_| TestIndex(u32::try_from(self.below(tests)).unwrap())).collect()
    }
}

struct Lab {
    engine: Engine,
    logs: PathBuf,
    _fixture: Fixture,
}

impl Lab {
    fn new(python: &Path, isolation: Isolation) -> Self {
        let fixture = Fixture::pytest("every_scope");
        let logs = fixture.path().join("event-logs");
        fs::create_dir(&logs).unwrap();
        // The logs are what tests write, and have to be seen here.
        let disk = Some(DiskMode::Shared);
        let settings = Settings { isolation: Some(isolation), disk, ..Settings::default() };
        let engine = engine::open(python, fixture.path(), &[], settings);
        Lab { engine, logs, _fixture: fixture }
    }

    /// The records in the sequence of `batches`, and every event log that was written.
    fn run(&self, batches: Vec<Vec<Order>>) -> (Vec<RunRecord>, Vec<String>) {
        (engine::run(&self.engine, batches), take_logs(&self.logs))
    }
}

/// The logs of all processes since the last look.
fn take_logs(directory: &Path) -> Vec<String> {
    let paths: Vec<PathBuf> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    let logs = paths.iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    paths.iter().for_each(|path| fs::remove_file(path).unwrap());
    logs
}

/// What plain pytest can tell: its results do not know an unexpected pass.
fn outcomes(record: &RunRecord) -> Vec<(u32, Outcome)> {
    let plain = |outcome| if outcome == Outcome::Xpassed { Outcome::Passed } else { outcome };
    record.steps.iter().map(|step| (step.test.0, plain(step.outcome))).collect()
}

/// How many orders are tried on each pytest.
fn orders() -> usize {
    usually_or_in_trials(3, 20)
}

fn agree(python: &Path, number: usize) {
    let forks = Lab::new(python, Isolation::Fork);
    let processes = Lab::new(python, Isolation::Process);
    let versions = format!("{} {}", forks.engine.suite().framework, forks.engine.suite().language);
    let tests = forks.engine.suite().len();
    assert!(tests > 90, "{tests}");
    let mut random = Random(versions.bytes().map(u64::from).sum());
    let orders: Vec<Order> = (0..number).map(|_| random.order(tests)).collect();

    let (forked, fork_logs) = forks.run(orders.iter().map(|order| vec![order.clone()]).collect());
    let cut_orders = orders.iter().flat_map(|order| {
        let cut = random.below(order.len() + 1);
        let sibling = order.tests()[..cut].iter().copied().chain(random.order(tests).0).collect();
        [order.clone(), sibling]
    });
    let (in_tree, tree_logs) = forks.run(vec![cut_orders.collect()]);
    let (anew, process_logs) = processes
        .run(orders.iter().take(usually_or_in_trials(2, 5)).map(|order| vec![order.clone()]).collect());

    for (at, order) in orders.iter().enumerate() {
        // pytest < 8 tears package fixtures down late when it is only told ids, so everything is collected here too.
        let plain = forks.engine.run_plain(PlainRequest::new(order).on(Rung::PlainOrdered), |_| {}).unwrap();
        let expected = outcomes(&plain.record);
        let asked =
            || format!("{}: order {at}: {:?}\n{}", versions, order.ids(forks.engine.suite()), plain.log);
        assert!(plain.record.is_as_asked(), "{}", asked());
        assert_eq!(outcomes(&forked[at]), expected, "fork, {}", asked());
        assert_eq!(outcomes(&in_tree[2 * at]), expected, "tree, {}", asked());
        let logs = take_logs(&forks.logs);
        let [log] = &logs[..] else { panic!("one plain process, one log: {}", asked()) };
        assert!(fork_logs.contains(log), "fork, {}\n{log}", asked());
        assert!(tree_logs.contains(log), "tree, {}\n{log}", asked());
        if let Some(record) = anew.get(at) {
            assert_eq!(outcomes(record), expected, "process, {}", asked());
            assert!(process_logs.contains(log), "process, {}\n{log}", asked());
        }
    }
}

#[test]
fn all_ways_agree_on_pytest_6() {
    agree(&python(PYTESTS[0]), orders());
}

#[test]
fn all_ways_agree_on_the_newest_pytest() {
    agree(&python(PYTESTS[3]), orders());
}

/// In trials on all of them.
#[test]
fn all_ways_agree_on_other_versions() {
    let pytests = usually_or_in_trials(&PYTESTS[2..3], &PYTESTS[1..3]).iter().map(|&recipe| python(recipe));
    let interpreters: Vec<PathBuf> = VERSIONS.into_iter().filter_map(newest_pytest_on).collect();
    let interpreters = usually_or_in_trials(&interpreters[..1], &interpreters);
    pytests
        .chain(interpreters.iter().cloned())
        .for_each(|python| agree(&python, usually_or_in_trials(1, 10)));
}

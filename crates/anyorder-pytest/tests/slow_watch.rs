//! Tests that are watched: what each leaves changed and looks at, whatever it does to its process.

use std::fs;
use std::ops::ControlFlow;
use std::time::Duration;

use anyorder_engine::{DiskMode, Engine, EngineError, Isolation, Settings, Update};
use anyorder_model::{Cell, Order, Outcome, TestIndex, Watch, WatchRecord, Watched};
use anyorder_testkit::engine;
use anyorder_testkit::environment::{NEWEST, python};
use tempfile::TempDir;

const SUITE: &str = r#"
import os, signal, time, pytest

FLAGS = {"beta": False}

@pytest.fixture(scope="module")
def opened():
    FLAGS["opened"] = True
    yield
    del FLAGS["opened"]

def test_sets(): FLAGS["beta"] = True
def test_opens(opened): pass
def test_looks(): assert not FLAGS["beta"]
def test_crashes(): os.kill(os.getpid(), signal.SIGSEGV)
def test_hangs(): FLAGS["beta"] = 1; time.sleep(60)

def test_ends_parent():
    parent = os.getppid()
    os.kill(parent, signal.SIGKILL)
    while os.getppid() == parent: time.sleep(0.01)

def test_writes_file(): open("left.txt", "x").close()
"#;

const SETS: TestIndex = TestIndex(0);
const OPENS: TestIndex = TestIndex(1);
const LOOKS: TestIndex = TestIndex(2);
const CRASHES: TestIndex = TestIndex(3);
const HANGS: TestIndex = TestIndex(4);
const ENDS_PARENT: TestIndex = TestIndex(5);
const WRITES_FILE: TestIndex = TestIndex(6);

fn open(settings: Settings) -> (TempDir, Engine) {
    let project = TempDir::new().unwrap();
    fs::write(project.path().join("pytest.ini"), "[pytest]\n").unwrap();
    fs::write(project.path().join("test_w.py"), SUITE).unwrap();
    let engine = engine::open(&python(NEWEST), project.path(), &["-p", "no:cacheprovider"], settings);
    (project, engine)
}

fn watch(prefix: &[TestIndex], tests: &[TestIndex]) -> Watch {
    Watch::new(Order(prefix.to_vec()), Order(tests.to_vec()))
}

/// The records in the sequence of the watches, and the tests that ended their parent.
fn watch_all(engine: &Engine, watches: &[Watch]) -> (Vec<WatchRecord>, Vec<TestIndex>) {
    let (mut records, mut guilty) = (Vec::new(), Vec::new());
    let hear = |update| {
        match update {
            Update::Ran { number, record } => records.push((number, record)),
            Update::EndsItsParent { test } => guilty.push(test),
            Update::Tick { .. } => {}
        }
        ControlFlow::Continue(())
    };
    engine.watch(watches, hear).expect("the suite runs");
    records.sort_by_key(|(number, _)| *number);
    (records.into_iter().map(|(_, record)| record).collect(), guilty)
}

/// What has changed in the one module there is, as `path: before -> after`.
fn own(cells: &[Cell]) -> Vec<String> {
    let own = cells.iter().filter(|cell| cell.path.starts_with("test_w."));
    own.map(|cell| format!("{}: {} -> {}", cell.path, cell.before, cell.after)).collect()
}

const SET: &str = "test_w.FLAGS['beta']: False -> True";

#[test]
fn a_watched_test_tells_what_it_leaves_changed_and_what_it_looks_at() {
    let (_project, engine) = open(Settings::default());
    let watches = [watch(&[], &[SETS]), watch(&[], &[OPENS]), watch(&[], &[LOOKS])];
    let (records, _) = watch_all(&engine, &watches);
    let [sets, opens, looks] = &records[..] else { panic!("one record each: {records:?}") };
    assert_eq!(own(&sets.watched[0].writes), [SET]);
    assert_eq!(own(sets.in_the_end.as_ref().unwrap()), [SET]);
    assert_eq!(own(&opens.watched[0].writes), ["test_w.FLAGS['opened']: <absent> -> True"]);
    assert_eq!(own(opens.in_the_end.as_ref().unwrap()), [""; 0]);
    let Watched { step, writes, reads, code, opened } = &looks.watched[0];
    assert_eq!((step.outcome, own(writes)), (Outcome::Passed, vec![]));
    let names = &sets.watched[0].writes.iter().find(|cell| cell.path.starts_with("test_w.")).unwrap().names;
    assert!(names.iter().any(|name| reads.contains(name)), "{names:?} {reads:?}");
    assert!(code.iter().any(|code| code.function == "test_looks" && code.file == "test_w.py"), "{code:?}");
    assert_eq!(opened.iter().flatten().count(), 0, "it opens no file: {opened:?}");
}

#[test]
fn in_an_order_each_test_has_its_own_writes_and_a_prefix_has_none() {
    let (_project, engine) = open(Settings::default());
    let watches = [watch(&[], &[OPENS, SETS, LOOKS]), watch(&[SETS], &[SETS])];
    let (records, _) = watch_all(&engine, &watches);
    let writes: Vec<Vec<String>> = records[0].watched.iter().map(|watched| own(&watched.writes)).collect();
    assert_eq!(writes[1..], [vec![SET.to_owned()], vec![]]);
    assert_eq!(records[0].watched[2].step.outcome, Outcome::Failed);
    assert_eq!(own(&records[1].watched[0].writes), [""; 0]);
}

#[test]
fn what_runs_behind_a_watched_test_has_an_outcome_and_comes_after_the_last_look() {
    let (_project, engine) = open(Settings::default());
    let (records, _) = watch_all(&engine, &[Watch { then: Order(vec![LOOKS]), ..watch(&[], &[SETS]) }]);
    let WatchRecord { watched, is_bare, in_the_end, then } = &records[0];
    assert!(is_bare, "no fixture stands around it");
    let left = in_the_end.as_deref().map(own);
    assert_eq!((own(&watched[0].writes), left), (vec![SET.to_owned()], Some(vec![SET.to_owned()])));
    assert_eq!(then.iter().map(|step| step.outcome).collect::<Vec<_>>(), [Outcome::Failed]);
}

#[test]
fn a_test_that_dies_while_it_is_watched_costs_its_outcome_and_nobody_elses() {
    let settings = Settings { timeout: Duration::from_secs(1), workers: 1, ..Settings::default() };
    let (_project, engine) = open(settings);
    let watches = [CRASHES, HANGS, ENDS_PARENT, SETS, ENDS_PARENT, SETS].map(|test| watch(&[], &[test]));
    let (records, guilty) = watch_all(&engine, &watches);
    let outcomes: Vec<Outcome> = records.iter().map(|record| record.watched[0].step.outcome).collect();
    let [crashed, timed_out, passed] = [Outcome::Crashed, Outcome::TimedOut, Outcome::Passed];
    assert_eq!(outcomes, [crashed, timed_out, passed, passed, passed, passed]);
    for died in &records[..2] {
        assert_eq!((died.watched[0].writes.len(), &died.in_the_end), (0, &None));
    }
    assert_eq!(own(&records[5].watched[0].writes), [SET]);
    assert_eq!(guilty, [ENDS_PARENT]);
}

#[test]
fn what_a_watched_test_writes_to_disk_is_gone_with_it_and_seen_where_there_are_layers() {
    for disk in [DiskMode::Overlay, DiskMode::Copy] {
        let (project, engine) = open(Settings { disk: Some(disk), ..Settings::default() });
        let (records, _) = watch_all(&engine, &[watch(&[], &[WRITES_FILE]), watch(&[], &[WRITES_FILE])]);
        for record in records {
            assert_eq!(record.watched[0].step.outcome, Outcome::Passed, "{disk:?}");
            let cells = &record.watched[0].writes;
            let is_seen = cells.iter().any(|cell| cell.path.ends_with("left.txt"));
            assert_eq!(is_seen, disk == DiskMode::Overlay, "{disk:?}: {cells:?}");
        }
        assert!(!project.path().join("left.txt").exists());
    }
}

#[test]
fn watching_ends_when_nobody_wants_to_know_any_more() {
    let (_project, engine) = open(Settings { workers: 1, ..Settings::default() });
    let mut heard = 0;
    let stop = |update| {
        heard += usize::from(matches!(update, Update::Ran { .. }));
        ControlFlow::Break(())
    };
    let ended = engine.watch(&vec![watch(&[], &[SETS]); 50], stop);
    assert!(matches!(ended, Ok(()) | Err(EngineError::Cancelled)), "{ended:?}");
    assert!(heard < 5, "{heard} watches after the end");
    assert_eq!(watch_all(&engine, &[watch(&[], &[SETS])]).0.len(), 1);
}

#[test]
fn without_forks_nothing_is_watched() {
    let (_project, engine) = open(Settings { isolation: Some(Isolation::Process), ..Settings::default() });
    let refused = engine.watch(&[watch(&[], &[SETS])], |_| ControlFlow::Continue(()));
    assert!(matches!(refused, Err(EngineError::WatchNeedsForks)), "{refused:?}");
}

//! States that are kept above each other, as deep as the engine lets them be: each has a disk of its own.

use std::fs;

use anyorder_engine::{DiskMode, Isolation, Settings};
use anyorder_model::{Order, Outcome, TestIndex};
use anyorder_testkit::engine;
use anyorder_testkit::environment::{NEWEST, python};
use anyorder_testkit::thorough::usually_or_in_trials;
use tempfile::TempDir;

/// How deep; the engine keeps so many states above each other.
fn depth() -> u32 {
    usually_or_in_trials(30, 60)
}

/// Each test finds the notes of its predecessors; the last one finds none that another order's last has left.
const SUITE: &str = r#"
import os, pathlib, pytest

@pytest.mark.parametrize("number", range(60))
def test_note(number):
    assert len(list(pathlib.Path(".").glob("note-*"))) == number
    pathlib.Path("note-%d" % number).touch()

def test_last():
    assert not os.path.exists("last")
    open("last", "w").close()
"#;

#[test]
fn many_states_above_each_other_have_a_disk_each() {
    let project = TempDir::new().unwrap();
    fs::write(project.path().join("pytest.ini"), "[pytest]\n").unwrap();
    fs::write(project.path().join("test_notes.py"), SUITE).unwrap();
    let last = TestIndex(60);
    // Orders that begin alike share the state after that, so each is one state deeper than the one before.
    let orders: Vec<Order> =
        (1..=depth()).map(|depth| (0..depth).map(TestIndex).chain([last]).collect()).collect();
    for disk in [DiskMode::Overlay, DiskMode::Copy] {
        let settings = Settings {
            isolation: Some(Isolation::Fork),
            disk: Some(disk),
            workers: 1,
            ..Settings::default()
        };
        let engine = engine::open(&python(NEWEST), project.path(), &[], settings);
        let records = engine::run(&engine, vec![orders.clone()]);
        for record in &records {
            let wrong = record.steps.iter().find(|step| step.outcome != Outcome::Passed);
            assert!(wrong.is_none(), "{disk:?}, {} tests: {wrong:?}", record.steps.len());
        }
        assert_eq!(records.len(), orders.len());
        let replayed = engine.cost().replayed_runs;
        assert_eq!(replayed, 0, "{disk:?}: the states were not kept");
    }
}

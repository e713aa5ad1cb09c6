//! Runs of other machines wait for the next hunt.

mod common;

use anyorder_store::HuntStart;
use common::open;

#[test]
fn a_run_waits_until_a_hunt_has_replayed_it_and_again_when_it_is_imported_again() {
    let project = tempfile::tempdir().unwrap();
    let mut store = open(project.path());
    store.import(0, "one", b"1").unwrap();
    store.import(0, "two", b"2").unwrap();
    store.import(0, "one", b"1").unwrap();
    store.import(1, "one", b"other suite").unwrap();
    assert_eq!(store.to_replay(0).unwrap(), [b"1", b"2"]);
    let start = HuntStart { began: 1, argv: vec![], seed: 0, budget: String::new() };
    let hunt = store.begin_hunt(&start).unwrap();
    store.has_replayed(0, hunt).unwrap();
    assert_eq!((store.to_replay(0).unwrap().len(), store.to_replay(1).unwrap().len()), (0, 1));
    store.import(0, "two", b"2").unwrap();
    assert_eq!(store.to_replay(0).unwrap(), [b"2"]);
}

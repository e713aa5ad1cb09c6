//! Profiles outlive the state that they were made in, until nobody renews them.

mod common;

use std::path::Path;

use anyorder_store::{KEPT_STATES, KeptProfile, KeptState, Store};
use common::{fingerprint, open, recall, record, tamper, test};

fn at(project: &Path, sources: &str) -> Store {
    Store::open(project, &fingerprint(sources)).unwrap()
}

/// Names, states and contents, states by their sources.
fn kept(store: &Store) -> Vec<(String, String, Vec<u8>)> {
    let states = store.states().unwrap();
    let sources = |number: i64| {
        let state = states.iter().find(|state| state.number == number).expect("each profile has a state");
        state.fingerprint.sources.clone()
    };
    let row = |KeptProfile { test, state, profile }| (test.0, sources(state), profile);
    store.profiles(0).unwrap().into_iter().map(row).collect()
}

#[test]
fn the_newest_profile_of_each_test_is_kept_with_its_state() {
    let project = tempfile::tempdir().unwrap();
    let [one, two] = ["one", "two"].map(test);
    let mut store = at(project.path(), "old");
    store.save_profiles(0, &[(&one, b"1".to_vec()), (&two, b"2".to_vec())]).unwrap();
    drop(store);
    let mut store = at(project.path(), "new");
    store.save_profiles(0, &[(&one, b"3".to_vec())]).unwrap();
    let rows =
        [(one.0.clone(), "new".to_owned(), b"3".to_vec()), (two.0.clone(), "old".to_owned(), b"2".to_vec())];
    assert_eq!(kept(&store), rows);
    store.note_commit("c0ffee").unwrap();
    let row = |state: KeptState| (state.fingerprint.sources, state.commit);
    let newest_first: Vec<_> = store.states().unwrap().into_iter().map(row).collect();
    assert_eq!(newest_first, [("new".to_owned(), Some("c0ffee".to_owned())), ("old".to_owned(), None)]);
}

#[test]
fn states_of_a_commit_are_known_whether_profiles_are_left_of_them_or_not() {
    let project = tempfile::tempdir().unwrap();
    for (sources, commit) in [("a", "c0ffee"), ("b", "c0ffee"), ("c", "decade")] {
        at(project.path(), sources).note_commit(commit).unwrap();
    }
    let store = at(project.path(), "d");
    let sources =
        |commit| store.states_at(commit).unwrap().into_iter().map(|it| it.sources).collect::<Vec<_>>();
    assert_eq!(sources("c0ffee"), ["a", "b"]);
    assert_eq!(sources("decade"), ["c"]);
    assert_eq!(sources("facade"), [""; 0]);
}

#[test]
fn starts_of_a_suite_have_profiles_of_their_own() {
    let project = tempfile::tempdir().unwrap();
    let mut store = open(project.path());
    let one = test("one");
    store.save_profiles(0, &[(&one, b"first".to_vec())]).unwrap();
    store.save_profiles(1, &[(&one, b"second".to_vec())]).unwrap();
    let contents = |session| store.profiles(session).unwrap().remove(0).profile;
    assert_eq!([contents(0), contents(1)], [b"first".to_vec(), b"second".to_vec()]);
}

#[test]
fn a_note_is_the_last_one_of_its_name_and_start() {
    let project = tempfile::tempdir().unwrap();
    let mut store = open(project.path());
    store.save_note(0, "a", b"1").unwrap();
    store.save_note(0, "a", b"2").unwrap();
    store.save_note(1, "a", b"3").unwrap();
    let note = |session, name| store.note(session, name).unwrap();
    assert_eq!([note(0, "a"), note(1, "a"), note(0, "b")], [Some(b"2".to_vec()), Some(b"3".to_vec()), None]);
}

#[test]
fn a_profile_that_is_renewed_stays_and_one_that_is_not_goes_when_its_state_is_old() {
    let project = tempfile::tempdir().unwrap();
    let [one, two] = ["one", "two"].map(test);
    let mut store = at(project.path(), "first");
    store.save_profiles(0, &[(&one, b"1".to_vec()), (&two, b"2".to_vec())]).unwrap();
    drop(store);
    for number in 0..KEPT_STATES {
        let mut store = at(project.path(), &format!("state {number}"));
        let is_kept = number + 1 < KEPT_STATES;
        assert_eq!(store.profiles(0).unwrap().len(), if is_kept { 2 } else { 1 }, "{number}");
        store.renew_profiles(0, &[&one]).unwrap();
    }
    let store = at(project.path(), "last");
    let left = kept(&store);
    assert_eq!(left, [(one.0.clone(), format!("state {}", KEPT_STATES - 1), b"1".to_vec())]);
}

#[test]
fn a_history_of_the_first_version_is_kept_and_takes_profiles() {
    let project = tempfile::tempdir().unwrap();
    let mut store = open(project.path());
    record(&mut store, 0, b"answer");
    drop(store);
    tamper(
        project.path(),
        "DROP TABLE profile; DROP TABLE checkout; DROP TABLE imported; DROP TABLE note; PRAGMA user_version = 1",
    );
    assert!(anyorder_store::History::open(project.path()).unwrap().is_some());
    let mut store = open(project.path());
    assert_eq!((store.set_aside(), recall(&store, 0).as_deref()), (None, Some(&b"answer"[..])));
    store.save_profiles(0, &[(&test("one"), vec![])]).unwrap();
    assert_eq!(store.profiles(0).unwrap().len(), 1);
}

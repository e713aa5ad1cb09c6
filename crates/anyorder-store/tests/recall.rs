//! What was recorded is what is recalled, for as long as the fingerprint is the same.

mod common;

use std::collections::HashMap;

use anyorder_model::TestId;
use anyorder_store::{Fingerprint, History, KEPT_FINGERPRINTS, OrderDigest, PastRun, Run, RunKey, Store};
use common::{fingerprint, open, recall, record, test};
use proptest::collection::vec;
use proptest::prelude::*;

/// A run as proptest makes it: session, purpose, repetition, places of tests, answer.
type Made = (u32, &'static str, u32, Vec<u8>, Vec<u8>);

fn made_runs() -> impl Strategy<Value = Vec<Made>> {
    // Few distinct values, so that keys meet.
    let run = (
        0..2_u32,
        prop_oneof![Just("baseline"), Just("sweep")],
        0..2_u32,
        vec(0..4_u8, 0..3),
        any::<Vec<u8>>(),
    );
    vec(run, 0..30)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn recall_gives_what_was_recorded_last_under_the_key(made in made_runs(), batch in 1..8_usize, reopen: bool) {
        check_recall(&made, batch, reopen)?;
    }
}

fn check_recall(made: &[Made], batch: usize, reopen: bool) -> Result<(), TestCaseError> {
    let project = tempfile::tempdir().unwrap();
    let ids: Vec<TestId> = (0..4).map(|number| test(&format!("test_{number}"))).collect();
    let orders: Vec<Vec<&TestId>> =
        made.iter().map(|made| made.3.iter().map(|&place| &ids[usize::from(place)]).collect()).collect();
    let runs: Vec<Run> = made.iter().zip(&orders).map(|(made, tests)| run(made, tests)).collect();
    let expected: HashMap<_, _> = runs.iter().map(|run| (&run.key, run.answer)).collect();

    let mut store = open(project.path());
    for runs in runs.chunks(batch) {
        store.record_all(runs).unwrap();
        if reopen {
            drop(store);
            store = open(project.path());
        }
    }

    for run in &runs {
        let recalled = store.recall(&run.key).unwrap();
        prop_assert_eq!(recalled.as_deref(), Some(expected[&run.key]));
    }
    prop_assert_eq!(store.recorded_runs().unwrap(), expected.len() as u64);
    let never = RunKey { session: 9, purpose: "sweep", repetition: 0, order: OrderDigest::of(&[]) };
    prop_assert_eq!(store.recall(&never).unwrap(), None);
    Ok(())
}

fn run<'run>(made: &'run Made, tests: &'run [&'run TestId]) -> Run<'run> {
    let (session, purpose, repetition, _, answer) = made;
    let order = OrderDigest::of(tests);
    let key = RunKey { session: *session, purpose, repetition: *repetition, order };
    Run { key, tests, outcomes: "", answer }
}

#[test]
fn past_runs_tell_their_tests_and_outcomes() {
    let project = tempfile::tempdir().unwrap();
    let (one, two) = (test("test_one"), test("test_two"));
    let tests = [&two, &one, &two];
    let mut store = open(project.path());
    let key = common::key("twice", 3, &tests);
    store.record(&Run { key, tests: &tests, outcomes: "ppf", answer: b"{}" }).unwrap();
    let expected = PastRun {
        fingerprint: fingerprint("as they are").digest(),
        session: 1,
        purpose: "twice".to_owned(),
        repetition: 3,
        tests: tests.map(Clone::clone).to_vec(),
        outcomes: "ppf".to_owned(),
    };
    assert_eq!(store.history().runs().unwrap(), [expected]);
}

#[test]
fn a_change_makes_runs_history_and_changing_back_makes_them_results_again() {
    let project = tempfile::tempdir().unwrap();
    let before = fingerprint("before");
    let after = Fingerprint { packages: "pytest 9".to_owned(), ..fingerprint("after") };
    let mut store = Store::open(project.path(), &before).unwrap();
    assert_eq!(store.changed(), [""; 0]);
    record(&mut store, 0, b"old");
    drop(store);

    let store = Store::open(project.path(), &after).unwrap();
    assert_eq!(store.changed(), ["sources", "packages"]);
    assert_eq!(recall(&store, 0), None);
    assert_eq!(store.recorded_runs().unwrap(), 0);
    assert_eq!(store.history().runs().unwrap().len(), 1);
    drop(store);

    let store = Store::open(project.path(), &before).unwrap();
    assert_eq!(recall(&store, 0).unwrap(), b"old");
}

#[test]
fn runs_of_the_fingerprints_used_last_are_kept() {
    let project = tempfile::tempdir().unwrap();
    let open = |number: u32| Store::open(project.path(), &fingerprint(&number.to_string())).unwrap();
    for number in 0..=KEPT_FINGERPRINTS {
        record(&mut open(number), 0, b"answer");
        open(0);
    }
    let history = History::open(project.path()).unwrap().unwrap();
    let kept: Vec<String> = history.runs().unwrap().into_iter().map(|run| run.fingerprint).collect();
    // The first is the oldest, but was used last; the second has not been used for longest.
    let expected = (0..=KEPT_FINGERPRINTS).filter(|&number| number != 1);
    assert_eq!(kept, expected.map(|number| fingerprint(&number.to_string()).digest()).collect::<Vec<_>>());
}

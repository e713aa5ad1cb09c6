//! Small values for the store's tests.
#![allow(dead_code, reason = "each test file uses its part")]

use std::path::{Path, PathBuf};

use anyorder_model::TestId;
use anyorder_store::{Fingerprint, OrderDigest, Run, RunKey, Store};
use rusqlite::Connection;

pub(crate) fn fingerprint(sources: &str) -> Fingerprint {
    Fingerprint { sources: sources.to_owned(), agent: "1".to_owned(), ..Fingerprint::default() }
}

pub(crate) fn open(project: &Path) -> Store {
    Store::open(project, &fingerprint("as they are")).unwrap()
}

pub(crate) fn test(name: &str) -> TestId {
    TestId(format!("tests/test_a.py::{name}"))
}

pub(crate) fn key<'run>(purpose: &'run str, repetition: u32, tests: &[&TestId]) -> RunKey<'run> {
    RunKey { session: 1, purpose, repetition, order: OrderDigest::of(tests) }
}

/// A run of one test, under a key that `repetition` makes its own.
pub(crate) fn record(store: &mut Store, repetition: u32, answer: &[u8]) {
    let test = test("test_one");
    let tests = [&test];
    let key = key("baseline", repetition, &tests);
    store.record(&Run { key, tests: &tests, outcomes: "p", answer }).unwrap();
}

pub(crate) fn recall(store: &Store, repetition: u32) -> Option<Vec<u8>> {
    store.recall(&key("baseline", repetition, &[&test("test_one")])).unwrap()
}

pub(crate) fn database(project: &Path) -> PathBuf {
    project.join(".anyorder/history.sqlite")
}

/// Does something to the database behind the store's back.
pub(crate) fn tamper(project: &Path, sql: &str) {
    Connection::open(database(project)).unwrap().execute_batch(sql).unwrap();
}

//! Data sets that are made again: by a second run, by one that was killed, and of what `fix` has mended.

mod common;

use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyorder_testkit::thorough::usually_or_in_trials;
use common::dataset::{files, verdicts};
use common::{Anyorder, suite};

/// Mutants of all sorts, four of which have to be collected anew.
const BASKETS: &str = "\
import pytest

SEEN = []


@pytest.fixture
def basket():
    return []


def test_fills_it(basket):
    basket.append(1)
    assert basket == [1]


def test_finds_it_empty(basket):
    assert basket == []


def test_is_the_first():
    mine, names = [], ['a']
    names.append('b')
    SEEN.clear()
    assert SEEN == mine and len(names) == 2


def test_leaves_something():
    yours = ['c']
    SEEN.extend(yours)
    assert yours
";

fn words(out: &Path) -> Vec<String> {
    let words = ["inject", "--operators", "all", "--reruns", "1", "--orders", "3", "--out"];
    words.iter().map(|&word| word.to_owned()).chain([out.display().to_string()]).collect()
}

#[test]
fn two_runs_and_one_that_was_killed_on_its_way_give_the_same_bytes() {
    let suite = suite(&[("test_baskets.py", BASKETS)]);
    let home = tempfile::tempdir().unwrap();
    let [first, second, killed] = ["first", "second", "killed"].map(|name| home.path().join(name));
    let anyorder = Anyorder::at(suite.path());
    anyorder.run(&[words(&first), vec!["--workers".to_owned(), "1".to_owned()]].concat()).with_code(0);
    anyorder.run(&words(&second)).with_code(0);
    let whole = files(&first);
    assert_eq!(files(&second), whole);

    let mut child = anyorder.command(&words(&killed)).spawn().unwrap();
    let begun = Instant::now();
    let known = || fs::read_to_string(killed.join(".work/journal.jsonl")).unwrap_or_default();
    while !known().contains("verdict") && child.try_wait().unwrap().is_none() {
        assert!(begun.elapsed() < Duration::from_secs(200), "no verdict: {}", known());
        sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    anyorder.has_ended("it was killed");
    assert!(!killed.join("dataset.json").exists(), "it was killed too late: {}", known());
    anyorder.run(&words(&killed)).with_code(0);
    assert_eq!(files(&killed), whole);
}

const PRICES: &str = "\
CURRENCY = ['USD']


def test_prices_in_dollars():
    assert CURRENCY == ['USD']


def test_prices_in_euros():
    CURRENCY[0] = 'EUR'
    assert CURRENCY == ['EUR']
";

const QUEUE: &str = "\
import unittest

QUEUE = []


class QueueTest(unittest.TestCase):
    def test_is_empty(self):
        self.assertEqual(QUEUE, [])

    def test_takes_jobs(self):
        QUEUE.append('job')
        self.assertEqual(QUEUE[-1], 'job')

    def test_clears(self):
        QUEUE.clear()
        self.assertEqual(QUEUE, [])
";

#[test]
fn what_fix_has_added_is_found_again_when_inject_takes_it_away() {
    let prices = (PRICES, "test_a.py::test_prices_in_dollars");
    let queue = (QUEUE, "test_a.py::QueueTest::test_is_empty");
    for (text, victim) in usually_or_in_trials(vec![queue], vec![queue, prices]) {
        let suite = suite(&[("test_a.py", text)]);
        let anyorder = Anyorder::at(suite.path());
        anyorder.run(&["fix", "--apply", "--allow-dirty"]).with_code(0);
        let mended = fs::read_to_string(suite.path().join("test_a.py")).unwrap();
        let is_added = |changed: &str| {
            let first = changed.lines().next().unwrap_or_default();
            mended.contains(first) && !text.contains(first)
        };
        let out = tempfile::tempdir().unwrap();
        anyorder.run(&words(out.path())).with_code(0);
        let is_found = |(changed, verdict, flaky): &(String, String, Vec<String>)| {
            is_added(changed) && verdict == "order-dependent" && flaky.iter().any(|test| test == victim)
        };
        let seen = verdicts(out.path());
        assert!(seen.iter().any(is_found), "{mended}\n{seen:#?}");
    }
}

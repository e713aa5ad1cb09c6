//! Tests that write files: their outcomes are those of a fresh checkout, whichever way the disk is kept apart.

mod common;

use anyorder_testkit::fixture::Fixture;
use anyorder_testkit::thorough::usually_or_in_trials;
use common::Anyorder;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;
use tempfile::TempDir;

const FILES: [&str; 2] = ["test_project_files.py", "test_temporary_files.py"];

/// Each way to keep what one order writes from the next.
const APART: [[&str; 4]; 4] = [
    ["--disk", "overlay", "--isolation", "fork"],
    ["--disk", "overlay", "--isolation", "process"],
    ["--disk", "copy", "--isolation", "fork"],
    ["--disk", "copy", "--isolation", "process"],
];

/// A checkout, and a directory for temporary files.
struct Checkout {
    fixture: Fixture,
    temporary: TempDir,
}

type Outcomes = Vec<(String, String)>;

impl Checkout {
    fn fresh() -> Self {
        let temporary = TempDir::new().expect("a temporary directory can be made");
        Checkout { fixture: Fixture::pytest("file_writers"), temporary }
    }

    fn anyorder(&self) -> Anyorder {
        Anyorder::at(self.fixture.path()).variable("TMPDIR", self.temporary.path())
    }

    #[track_caller]
    fn replay(&self, order: &[&str], words: &[&str]) -> Outcomes {
        let words = [&["replay", "-", "--json", "-"], words].concat();
        let ran = self.anyorder().input(&order.join("\n")).run(&words);
        assert!([0, 1].contains(&ran.code), "{}", ran.shown());
        let report = ran.json();
        let steps = report["runs"][0]["ran"].as_array().unwrap_or_else(|| panic!("{}", ran.shown()));
        steps.iter().map(|step| (text(&step["test"]), text(&step["outcome"]))).collect()
    }
}

/// What plain pytest makes of the order where nothing has run before.
#[track_caller]
fn in_a_fresh_checkout(order: &[&str]) -> Outcomes {
    Checkout::fresh().replay(order, &["--plain", "--disk", "shared"])
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[track_caller]
fn is_the_same_everywhere(checkout: &Checkout, order: &[&str]) {
    let expected = in_a_fresh_checkout(order);
    for words in APART {
        assert_eq!(checkout.replay(order, &words), expected, "{words:?}: {order:#?}");
    }
}

/// Some of the tests in a random order; every third order has a test twice.
fn random_order<'a>(ids: &[&'a str], seed: u64) -> Vec<&'a str> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut order = ids.to_vec();
    order.shuffle(&mut random);
    order.truncate(random.random_range(4..=ids.len()));
    if seed.is_multiple_of(3) {
        order.push(order[0]);
    }
    order
}

#[test]
fn random_orders_have_the_outcomes_of_a_fresh_checkout() {
    let checkout = Checkout::fresh();
    let listed = checkout.anyorder().run(&[&["collect"], &FILES[..]].concat()).with_code(0).stdout;
    let ids: Vec<&str> = listed.lines().collect();
    for seed in 0..usually_or_in_trials(1, 8) {
        is_the_same_everywhere(&checkout, &random_order(&ids, seed));
    }
}

/// Orders that share a prefix share the state after it, and with it what is on the disk.
#[test]
fn pairs_differ_as_they_do_in_fresh_checkouts() {
    let checkout = Checkout::fresh();
    let differing = |disk: &str, workers: &str| {
        let words = ["sweep", "--strategy", "pairs", "--json", "-", "--disk", disk, "--workers", workers];
        let report = checkout.anyorder().run(&[&words, &FILES[..]].concat()).with_code(1).json();
        report["differs"].as_array().expect("a sweep says what differs").clone()
    };
    let found = differing("overlay", "1");
    let names: Vec<String> = found.iter().map(|differs| text(&differs["test"])).collect();
    let names: Vec<&str> = names.iter().filter_map(|id| id.rsplit("::test_").next()).collect();
    assert_eq!(names, DIFFERING);
    let others = [("copy", "4"), ("overlay", "4"), ("copy", "1")];
    for &(disk, workers) in usually_or_in_trials(&others[..1], &others) {
        assert_eq!(told(&differing(disk, workers)), told(&found), "{disk}, {workers} workers");
    }
    for differs in &found {
        let order = differs["first"]["order"].as_array().expect("it has an order");
        let order: Vec<&str> = order.iter().filter_map(Value::as_str).collect();
        let plain = in_a_fresh_checkout(&order);
        assert_eq!(plain.last(), Some(&(text(&differs["test"]), text(&differs["first"]["outcome"]))));
    }
}

/// The tests whose outcome after one other test is not that of the original order, as plain pytest has it.
const DIFFERING: [&str; 8] = [
    "log_is_as_shipped",
    "deletes_the_template",
    "renames_the_template",
    "fills_the_template_in",
    "follows_the_link",
    "drawer_is_unmarked",
    "takes_the_lock",
    "lock_is_free",
];

/// What does not depend on the way the disk is kept apart.
fn told(differing: &[Value]) -> Vec<String> {
    let line = |differs: &Value| {
        let order = &differs["first"]["order"];
        format!("{} {} {} {order}", differs["test"], differs["original"], differs["outcomes"])
    };
    differing.iter().map(line).collect()
}

#[test]
fn a_directory_of_the_project_can_be_renamed() {
    let order = ["test_renames_the_drawer", "test_cupboard_has_the_spoon"];
    let order = order.map(|name| format!("test_directory.py::{name}"));
    let order = order.each_ref().map(String::as_str);
    assert!(in_a_fresh_checkout(&order).iter().all(|(_, outcome)| outcome == "passed"));
    is_the_same_everywhere(&Checkout::fresh(), &order);
}

#[test]
fn what_one_order_writes_is_gone_in_the_next_command() {
    let checkout = Checkout::fresh();
    let order =
        ["test_project_files.py::test_makes_the_note", "test_temporary_files.py::test_takes_the_lock"];
    for words in APART {
        for _ in 0..2 {
            let outcomes = checkout.replay(&order, &words);
            assert!(outcomes.iter().all(|(_, outcome)| outcome == "passed"), "{words:?}: {outcomes:?}");
        }
    }
}

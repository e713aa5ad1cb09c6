//! Every kind of pollution in `fixtures/pytest/kinds`: seen in the polluter's profile, and its pair settled by likely pairs;
//! which find what sweeps do not.

mod common;

use std::fs;

use anyorder_engine::{Isolation, Settings};
use anyorder_model::{Profile, TestId, TestIndex};
use anyorder_search::{HuntSettings, pairs};
use anyorder_testkit::engine;
use anyorder_testkit::environment::{NEWEST, python};
use anyorder_testkit::fixture::Fixture;
use anyorder_testkit::oracle::Forks;
use anyorder_testkit::thorough::usually_or_in_trials;
use common::{Anyorder, suite};
use serde::Deserialize;
use serde_json::json;

/// One kind of pollution: who leaves what, and who minds.
#[derive(Deserialize)]
struct Kind {
    polluter: TestId,
    victim: TestId,
    path: String,
}

/// Where the kinds are that are tried every day, and what share of all pairs runs; all kinds in trials. The fewer tests there
/// are, the more of their pairs are likely.
fn tried() -> (&'static [&'static str], u64) {
    usually_or_in_trials((&["tests/test_objects.py"], 4), (&[], 8))
}

#[test]
fn the_pair_of_every_kind_is_settled_by_a_small_share_of_all_pairs() {
    let (files, share) = tried();
    let fixture = Fixture::pytest("kinds");
    let text = fs::read_to_string(fixture.path().join("cells.json")).unwrap();
    let mut kinds: Vec<Kind> = serde_json::from_str(&text).unwrap();
    assert!(kinds.len() >= 40, "{}", kinds.len());
    kinds.retain(|kind| files.is_empty() || files.iter().any(|file| kind.victim.0.starts_with(file)));
    let settings = Settings { isolation: Some(Isolation::Fork), ..Settings::default() };
    let engine = engine::open(&python(NEWEST), fixture.path(), files, settings);
    let index = |id: &TestId| engine.suite().index_of(id).unwrap_or_else(|| panic!("{id} is not collected"));
    let asked: Vec<(TestIndex, TestIndex)> =
        kinds.iter().map(|kind| (index(&kind.polluter), index(&kind.victim))).collect();

    let tests = engine.suite().len() as u64;
    let settings = HuntSettings { pair_runs: Some(tests * tests / share), ..HuntSettings::default() };
    let report = pairs(&mut Forks(&engine), &settings);

    let leaves = |profile: &Profile, path: &str| profile.writes.iter().any(|write| write.cell.path == path);
    let mut amiss = Vec::new();
    for ((kind, &(polluter, _)), settled) in kinds.iter().zip(&asked).zip(report.settled(&asked)) {
        let mut profiles = report.profiles().iter().filter(|profile| profile.test == polluter);
        if !profiles.any(|profile| leaves(profile, &kind.path)) {
            amiss.push(format!("{}: {} is not seen", kind.polluter, kind.path));
        }
        if settled.is_none_or(|settled| settled.change.is_none()) {
            amiss.push(format!("{}: it is not known what {} does to it", kind.victim, kind.polluter));
        }
    }
    assert!(amiss.is_empty(), "{}", amiss.join("\n"));
}

/// Between a polluter and its victim there is nearly always somebody who cleans up.
const MANY_CLEANERS: &str = "import pytest\nQUEUE = []\n\
    def test_enqueues(): QUEUE.append(1)\n\
    @pytest.mark.parametrize('number', range(60))\n\
    def test_drains(number): QUEUE.clear()\n\
    def test_is_empty(): assert QUEUE == []\n";

#[test]
fn likely_pairs_find_what_twenty_sweeps_do_not() {
    let suite = suite(&[("test_queue.py", MANY_CLEANERS)]);
    let anyorder = Anyorder::at(suite.path());
    anyorder.run(&["sweep", "--strategy", "random", "--rounds", "20"]).with_code(0);
    let ran = anyorder.run(&["hunt", "--quick", "--no-explain", "--json", "-"]).with_code(1);
    let report = ran.json();
    assert_eq!(report["findings"][0]["test"], "test_queue.py::test_is_empty");
    assert_eq!(report["findings"][0]["polluters"], json!([["test_queue.py::test_enqueues"]]));
}

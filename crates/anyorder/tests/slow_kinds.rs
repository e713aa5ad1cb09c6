//! Every kind of pollution in `fixtures/pytest/kinds`: seen in the polluter's profile, and its pair settled by likely pairs.

use std::fs;

use anyorder_engine::{Isolation, Settings};
use anyorder_model::{Profile, TestId, TestIndex};
use anyorder_search::{HuntSettings, pairs};
use anyorder_testkit::engine;
use anyorder_testkit::environment::{NEWEST, python};
use anyorder_testkit::fixture::Fixture;
use anyorder_testkit::oracle::Forks;
use serde::Deserialize;

/// One kind of pollution: who leaves what, and who minds.
#[derive(Deserialize)]
struct Kind {
    polluter: TestId,
    victim: TestId,
    path: String,
}

#[test]
fn the_pair_of_every_kind_is_settled_by_an_eighth_of_all_pairs() {
    let fixture = Fixture::pytest("kinds");
    let text = fs::read_to_string(fixture.path().join("cells.json")).unwrap();
    let kinds: Vec<Kind> = serde_json::from_str(&text).unwrap();
    assert!(kinds.len() >= 40, "{}", kinds.len());
    let settings = Settings { isolation: Some(Isolation::Fork), ..Settings::default() };
    let engine = engine::open(&python(NEWEST), fixture.path(), &[], settings);
    let index = |id: &TestId| engine.suite().index_of(id).unwrap_or_else(|| panic!("{id} is not collected"));
    let asked: Vec<(TestIndex, TestIndex)> =
        kinds.iter().map(|kind| (index(&kind.polluter), index(&kind.victim))).collect();

    let tests = engine.suite().len() as u64;
    let settings = HuntSettings { pair_runs: Some(tests * tests / 8), ..HuntSettings::default() };
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

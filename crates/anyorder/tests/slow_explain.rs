//! Explanations over forks of real suites: causes of every shape, and of every kind of pollution, are named exactly and
//! proved. One test at a time: what others spend meanwhile would count.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use anyorder_engine::{Engine, Isolation, Settings};
use anyorder_explain::{ExplainSettings, explain};
use anyorder_model::{Cause, Cost, Evidence, Finding, Kind, Order, State, TestId, TestIndex};
use anyorder_testkit::engine;
use anyorder_testkit::environment::{NEWEST, python};
use anyorder_testkit::fixture::Fixture;
use anyorder_testkit::oracle::Forks;
use anyorder_testkit::thorough::usually_or_in_trials;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// What a fixture says of one test.
#[derive(Deserialize)]
struct Claim {
    kind: Kind,
    group: TestId,
    test: TestId,
    cures: Vec<Vec<String>>,
}

impl Claim {
    fn finding(&self, engine: &Engine) -> Finding {
        let index =
            |id: &TestId| engine.suite().index_of(id).unwrap_or_else(|| panic!("{id} is not collected"));
        let (group, test): (Vec<TestIndex>, TestIndex) = (vec![index(&self.group)], index(&self.test));
        let mut finding = Finding::new(self.kind, test, &self.test);
        match self.kind {
            Kind::Victim => finding.polluters = Some(vec![group]),
            Kind::Brittle => finding.setters = Some(vec![group]),
            _ => {
                let [passing, failing] = [vec![test], vec![test, test]].map(Order);
                let passing = Some(passing);
                finding.evidence = Some(Evidence { passing, failing, confirmed: None, plain_pairs: 0 });
            }
        }
        finding
    }

    /// What is wrong with a cause.
    fn fault(&self, cause: &Cause, directory: &Path) -> Option<String> {
        let sets = |cures: &[Vec<String>]| -> BTreeSet<BTreeSet<String>> {
            cures.iter().map(|cure| cure.iter().cloned().collect()).collect()
        };
        let is_right = cause.is_proved() && sets(&cause.cures) == sets(&self.cures);
        let is_traced = cause.state.iter().all(|state| self.is_marked(directory, state));
        (!is_right || !is_traced).then(|| format!("{}: {:?} {cause:#?}", self.test, self.cures))
    }

    /// Whether the line that writes a cell is marked so in its file, and the group has come there.
    fn is_marked(&self, directory: &Path, state: &State) -> bool {
        let line = state.written.as_deref().and_then(|place| source_line(directory, place));
        let marked = line.as_deref().and_then(|line| line.split_once("# writes"));
        let function = self.group.0.rsplit("::").next().and_then(|name| name.split('[').next()).unwrap();
        let has_come = state.stack.iter().any(|frame| frame.ends_with(function));
        has_come && marked.is_some_and(|(_, what)| state.cell.contains(what.trim()))
    }
}

/// The text of `file:line`.
fn source_line(directory: &Path, place: &str) -> Option<String> {
    let (file, line) = place.rsplit_once(':')?;
    let text = fs::read_to_string(directory.join(file)).ok()?;
    text.lines().nth(line.parse::<usize>().ok()? - 1).map(str::to_owned)
}

fn read<T: DeserializeOwned>(fixture: &Fixture, file: &str) -> Vec<T> {
    serde_json::from_str(&fs::read_to_string(fixture.path().join(file)).unwrap()).unwrap()
}

/// Held by the test that runs.
static TURN: Mutex<()> = Mutex::new(());

/// What is wrong with the explanations of all claims, and what they cost.
fn faults(fixture: &Fixture, claims: &[Claim]) -> (Vec<String>, Cost) {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let settings = Settings { isolation: Some(Isolation::Fork), ..Settings::default() };
    let engine = engine::open(&python(NEWEST), fixture.path(), &[], settings);
    let mut findings: Vec<Finding> = claims.iter().map(|claim| claim.finding(&engine)).collect();
    assert_eq!(explain(&mut Forks(&engine), &mut findings, &ExplainSettings::default()), None);
    let fault = |(claim, finding): (&Claim, &Finding)| {
        claim.fault(&finding.causes.as_ref().expect("it was looked for")[0], fixture.path())
    };
    let faults = claims.iter().zip(&findings).filter_map(fault).collect();
    let (_, cost) = engine.next_suite().unwrap();
    (faults, cost)
}

#[test]
fn causes_of_every_shape_are_named_exactly_proved_and_traced_to_their_lines() {
    let fixture = Fixture::pytest("explain");
    let (faults, _) = faults(&fixture, &read::<Claim>(&fixture, "causes.json"));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// One kind of pollution: who leaves what, and who minds.
#[derive(Deserialize)]
struct Pollution {
    polluter: TestId,
    victim: TestId,
    path: String,
}

/// Nobody can end a thread from outside.
const UNPROVED: [&str; 1] = ["thread shop-worker"];

#[test]
fn the_cause_of_every_kind_of_pollution_is_named_and_proved_and_all_take_less_than_a_minute() {
    let fixture = Fixture::pytest("kinds");
    let kinds = read::<Pollution>(&fixture, "cells.json");
    let all = kinds.into_iter().filter(|kind| !UNPROVED.contains(&kind.path.as_str()));
    let claim = |Pollution { polluter, victim, path }| Claim {
        kind: Kind::Victim,
        group: polluter,
        test: victim,
        cures: vec![vec![path]],
    };
    let all: Vec<Claim> = all.map(claim).collect();
    assert!(all.len() >= 85, "{}", all.len());
    let share = usually_or_in_trials(6, 1);
    let claims: Vec<Claim> = all.into_iter().step_by(share).collect();
    let (faults, cost) = faults(&fixture, &claims);
    assert!(faults.is_empty(), "{} of {}\n{}", faults.len(), claims.len(), faults.join("\n"));
    assert!(cost.cpu_s < 60.0, "{cost:?}");
}

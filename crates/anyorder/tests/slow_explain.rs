//! Explanations over real suites: causes of every shape, and of every kind of pollution, are named exactly and proved.

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyorder_engine::{Engine, Isolation, Settings};
use anyorder_explain::{ExplainSettings, explain};
use anyorder_model::{Cause, Cost, Evidence, Finding, Kind, Order, TestId, TestIndex};
use anyorder_testkit::engine;
use anyorder_testkit::environment::{NEWEST, python};
use anyorder_testkit::fixture::Fixture;
use anyorder_testkit::oracle::Forks;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// What a fixture says of one test.
struct Claim {
    kind: Kind,
    group: TestId,
    test: TestId,
    cures: Vec<Vec<String>>,
    /// The lines that write the cells, as they stand in the sources.
    written: Vec<String>,
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
        let lines: BTreeSet<String> =
            cause.state.iter().filter_map(|state| source_line(directory, state.written.as_ref()?)).collect();
        let is_traced = lines == self.written.iter().cloned().collect();
        (!is_right || !is_traced).then(|| format!("{}: {:?} {cause:#?}\n{lines:?}", self.test, self.cures))
    }
}

/// The text of `file:line`.
fn source_line(directory: &Path, place: &str) -> Option<String> {
    let (file, line) = place.rsplit_once(':')?;
    let text = fs::read_to_string(directory.join(file)).ok()?;
    text.lines().nth(line.parse::<usize>().ok()? - 1).map(|line| line.trim().to_owned())
}

fn read<T: DeserializeOwned>(fixture: &Fixture, file: &str) -> Vec<T> {
    serde_json::from_str(&fs::read_to_string(fixture.path().join(file)).unwrap()).unwrap()
}

/// What is wrong with the explanations of all claims, and what they cost.
fn faults(fixture: &Fixture, claims: &[Claim]) -> (Vec<String>, Cost) {
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
    #[derive(Deserialize)]
    struct Shape {
        kind: Kind,
        group: TestId,
        test: TestId,
        cures: Vec<Vec<String>>,
        written: Vec<String>,
    }
    let fixture = Fixture::pytest("explain");
    let shapes: Vec<Shape> = read(&fixture, "causes.json");
    let claims: Vec<Claim> = shapes
        .into_iter()
        .map(|Shape { kind, group, test, cures, written }| Claim { kind, group, test, cures, written })
        .collect();
    let (faults, _) = faults(&fixture, &claims);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

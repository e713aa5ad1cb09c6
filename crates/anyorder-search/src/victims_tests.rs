//! Latent victims of a suite in which it is known what each test minds.

use anyorder_model::{
    CellKind, Fan, FanRecord, Finding, Halted, Kind, News, Oracle, Outcome, Perturbation, Place, PlainAsk,
    PlainSeen, Profile, Remedy, Step, Suite, TestIndex, Treated, Treatment, TreatmentRecord, Way,
};

use crate::hunt_tests::suite;
use crate::written::{profile, write};
use crate::{CellPattern, Noise, VictimReport, latent_victims};

/// How tests end when a cell is changed.
type Ends = fn(TestIndex, Option<&Perturbation>, u32) -> Outcome;

struct Minding {
    suite: Suite,
    ends: Ends,
    asked: Vec<Treatment>,
    /// After so many questions there is no answer.
    patience: usize,
}

impl Minding {
    fn new(ends: Ends) -> Self {
        let suite = suite(&[&[], &[], &[]]).suite().clone();
        Minding { suite, ends, asked: vec![], patience: usize::MAX }
    }

    /// The cells that were changed for a test at first.
    fn tried(&self, test: u32) -> Vec<&str> {
        let asked = self.asked.iter().find(|asked| asked.test == TestIndex(test) && !asked.places).unwrap();
        asked.remedies.iter().map(cell).collect()
    }
}

fn cell(remedy: &Remedy) -> &str {
    match remedy {
        Remedy::Perturb(change) => &change.cell,
        other => panic!("{other:?}"),
    }
}

fn places() -> Vec<Place> {
    let place = |path: &str, ways: &[Way]| Place {
        path: path.to_owned(),
        kind: CellKind::Global,
        before: "then".to_owned(),
        names: vec![path.to_owned(), path.replace("m.", ".")],
        ways: ways.to_vec(),
    };
    vec![
        place("m.flag", &[Way::Other]),
        place("m.limit", &[Way::Other]),
        place("m.registry", &[Way::Emptied, Way::Extra]),
    ]
}

impl Oracle for Minding {
    fn suite(&self) -> &Suite {
        &self.suite
    }

    fn run(&mut self, _: Vec<Fan>) -> Result<Vec<FanRecord>, Halted> {
        Err(Halted::Broken)
    }

    fn run_plain(&mut self, _: Vec<PlainAsk>) -> Result<Vec<PlainSeen>, Halted> {
        Err(Halted::Broken)
    }

    fn treat(&mut self, treatments: Vec<Treatment>) -> Result<Vec<TreatmentRecord>, Halted> {
        self.patience = self.patience.checked_sub(1).ok_or(Halted::Budget)?;
        let ends = self.ends;
        let treated = |treatment: &Treatment, remedy: &Remedy| {
            let change = if let Remedy::Perturb(change) = remedy { Some(change) } else { None };
            let outcome = ends(treatment.test, change, treatment.repetition);
            let after = change.map(|change| format!("{:?}", change.way));
            Treated { step: Step::bare(treatment.test, outcome), failed: vec![], after, read: vec![] }
        };
        let record = |treatment: &Treatment| TreatmentRecord {
            differing: Some(vec![]),
            treated: treatment.remedies.iter().map(|remedy| treated(treatment, remedy)).collect(),
            places: if treatment.places { places() } else { vec![] },
            ..TreatmentRecord::default()
        };
        let records = treatments.iter().map(record).collect();
        self.asked.extend(treatments);
        Ok(records)
    }

    fn spent(&self) -> f64 {
        0.0
    }

    fn tell(&mut self, _: News) {}
}

fn profiles() -> Vec<Profile> {
    let all = ["m.flag", ".limit", "m.registry"];
    let item = write("m.registry['a']", CellKind::Item);
    vec![profile(0, vec![], &all), profile(1, vec![item], &all), profile(2, vec![], &["m.flag"])]
}

/// Tests, and what each was seen to mind.
fn found(report: &VictimReport) -> Vec<(u32, Vec<(&str, &str)>)> {
    let one = |finding: &Finding| {
        assert_eq!(finding.kind, Kind::LatentVictim);
        finding.test.0
    };
    let minds = report.findings.iter().map(|finding| {
        let state = finding.state.as_ref().unwrap().iter();
        state.map(|state| (state.cell.as_str(), state.after.as_str())).collect()
    });
    report.findings.iter().map(one).zip(minds).collect()
}

fn minds_the_flag(_: TestIndex, change: Option<&Perturbation>, _: u32) -> Outcome {
    let is_red = change.is_some_and(|change| change.cell == "m.flag" || change.way == Way::Extra);
    if is_red { Outcome::Failed } else { Outcome::Passed }
}

#[test]
fn a_test_that_fails_with_a_changed_cell_and_passes_without_is_a_latent_victim() {
    let report = latent_victims(&mut Minding::new(minds_the_flag), &profiles(), &Noise::default(), 10);
    let both = vec![("m.registry", "Extra"), ("m.flag", "Other")];
    assert_eq!(
        found(&report),
        [(0, both), (1, vec![("m.flag", "Other"), ("m.registry", "Extra")]), (2, vec![("m.flag", "Other")])]
    );
    let minded: Vec<(&str, usize, usize)> =
        report.minded.iter().map(|one| (one.place.as_str(), one.victims.len(), one.readers)).collect();
    assert_eq!(minded, [("m.flag", 3, 3), ("m.registry", 2, 2)]);
}

#[test]
fn what_other_tests_write_is_tried_first_then_what_is_mentioned_by_its_full_name() {
    let mut suite = Minding::new(minds_the_flag);
    latent_victims(&mut suite, &profiles(), &Noise::default(), 3);
    assert_eq!(suite.tried(0), ["m.registry", "m.registry", "m.flag"]);
    assert_eq!(suite.tried(1), ["m.flag", "m.registry", "m.registry"]);
    assert_eq!(suite.tried(2), ["m.flag"]);
}

#[test]
fn a_test_that_is_skipped_hangs_or_crashes_or_is_red_without_a_change_minds_nothing() {
    let always_red: Ends = |_, _, _| Outcome::Failed;
    let red_once: Ends = |_, _, repetition| if repetition == 0 { Outcome::Failed } else { Outcome::Passed };
    let not_red: Ends = |test, _, _| match test.0 {
        0 => Outcome::Skipped,
        1 => Outcome::TimedOut,
        _ => Outcome::Crashed,
    };
    for ends in [always_red, red_once, not_red] {
        let report = latent_victims(&mut Minding::new(ends), &profiles(), &Noise::default(), 10);
        assert_eq!(found(&report), []);
    }
}

#[test]
fn only_tests_that_pass_alone_and_cells_that_somebody_can_observe_are_tried() {
    let mut suite = Minding::new(minds_the_flag);
    let mut profiles = profiles();
    profiles[2].alone.outcome = Outcome::Skipped;
    let noise = Noise::with(vec!["m.registry".parse::<CellPattern>().unwrap()]);
    latent_victims(&mut suite, &profiles, &noise, 10);
    assert_eq!(suite.tried(0), ["m.flag", "m.limit"]);
    assert!(suite.asked.iter().all(|asked| asked.test != TestIndex(2)));
}

#[test]
fn what_was_found_before_the_budget_was_spent_is_kept() {
    let many: Vec<Profile> = (0..3).cycle().take(70).map(|test| profile(test, vec![], &["m.flag"])).collect();
    let mut suite = Minding { patience: 3, ..Minding::new(minds_the_flag) };
    let report = latent_victims(&mut suite, &many, &Noise::default(), 10);
    assert_eq!(report.stopped_early, Some(Halted::Budget));
    assert_eq!(report.findings.len(), 3);
}

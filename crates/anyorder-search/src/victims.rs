//! Latent victims: tests that pass alone, and fail when a cell that they may look at is changed.
//!
//! Knows profiles, and which cells could be changed; asks for runs of one test with one cell changed, likely ones first.
//! Does not know how a cell is changed.

use std::collections::{BTreeMap, BTreeSet};

use anyorder_model::{
    Finding, Halted, Kind, Minded, News, Oracle, Order, Outcome, Perturbation, Place, Profile, Remedy, State,
    Station, Step, Suite, TestIndex, Treated, Treatment,
};

use crate::noise::Noise;

/// How many tests are asked about at once.
const AT_ONCE: usize = 64;

/// What came of changing cells.
#[derive(Clone, Debug, Default)]
pub struct VictimReport {
    /// One for each latent victim.
    pub findings: Vec<Finding>,
    /// What they mind, place by place: what most tests may look at first.
    pub minded: Vec<Minded>,
    /// Why it ended early, if it did.
    pub stopped_early: Option<Halted>,
}

/// Changes cells that tests may look at, at most `most` times for each test that passes alone.
pub fn latent_victims(
    oracle: &mut dyn Oracle,
    profiles: &[Profile],
    noise: &Noise,
    most: usize,
) -> VictimReport {
    let subjects: Vec<&Profile> =
        profiles.iter().filter(|profile| profile.alone.outcome == Outcome::Passed).collect();
    let mut minds = Vec::new();
    let halted = ask(oracle, profiles, &subjects, noise, most, &mut minds).err();
    VictimReport {
        findings: findings(oracle.suite(), &minds),
        minded: by_place(&minds, profiles),
        stopped_early: halted,
    }
}

/// A test that has failed with a place changed.
struct Mind {
    place: Place,
    after: String,
    step: Step,
}

fn ask(
    oracle: &mut dyn Oracle,
    profiles: &[Profile],
    subjects: &[&Profile],
    noise: &Noise,
    most: usize,
    minds: &mut Vec<Mind>,
) -> Result<(), Halted> {
    let Some(first) = subjects.first() else { return Ok(()) };
    let question = Treatment { places: true, ..treatment(first.test, vec![]) };
    let places = oracle.treat(vec![question])?.into_iter().flat_map(|record| record.places);
    let places: Vec<Place> = places.filter(|place| !noise.has_path(&place.path)).collect();
    let likely = Likely::new(&places, profiles);
    oracle.tell(News::Began(Station::Perturb, Some(subjects.len() as u64)));
    for some in subjects.chunks(AT_ONCE) {
        let asked = some.iter().map(|profile| (profile.test, likely.remedies(profile, most)));
        let suspected = red(oracle, asked.collect(), 0)?;
        let again = suspected.into_iter().map(|(test, treated)| {
            let remedies = treated.into_iter().map(|(remedy, _)| remedy);
            (test, std::iter::once(Remedy::PLACEBO).chain(remedies).collect())
        });
        for (_, treated) in red(oracle, again.collect(), 1)? {
            // Without any change it is red, too.
            if treated.first().is_some_and(|(remedy, _)| *remedy == Remedy::PLACEBO) {
                continue;
            }
            minds.extend(treated.into_iter().filter_map(|(remedy, treated)| likely.mind(&remedy, treated)));
        }
    }
    Ok(())
}

fn treatment(test: TestIndex, remedies: Vec<Remedy>) -> Treatment {
    Treatment { looks: false, ..Treatment::new(Order::default(), test, remedies) }
}

type Asked = Vec<(TestIndex, Vec<Remedy>)>;
type Red = Vec<(TestIndex, Vec<(Remedy, Treated)>)>;

/// Tests with those remedies with which they fail: a test that is skipped, hangs or crashes does not.
fn red(oracle: &mut dyn Oracle, asked: Asked, repetition: u32) -> Result<Red, Halted> {
    let asked: Asked = asked.into_iter().filter(|(_, remedies)| !remedies.is_empty()).collect();
    let questions = asked
        .iter()
        .map(|(test, remedies)| Treatment { repetition, ..treatment(*test, remedies.clone()) })
        .collect();
    let records = if asked.is_empty() { vec![] } else { oracle.treat(questions)? };
    let has_failed = |treated: &Treated| matches!(treated.step.outcome, Outcome::Failed | Outcome::Error);
    let reds = asked.into_iter().zip(records).map(|((test, remedies), record)| {
        let pairs = remedies.into_iter().zip(record.treated);
        (test, pairs.filter(|(_, treated)| has_failed(treated)).collect::<Vec<_>>())
    });
    Ok(reds.filter(|(_, treated)| !treated.is_empty()).collect())
}

/// Which changes of which cells a test may mind.
struct Likely<'a> {
    places: &'a [Place],
    by_name: BTreeMap<&'a str, Vec<usize>>,
    /// The tests that write a cell, or into it, by its path.
    writers: BTreeMap<&'a str, BTreeSet<TestIndex>>,
}

impl<'a> Likely<'a> {
    fn new(places: &'a [Place], profiles: &'a [Profile]) -> Self {
        let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, place) in places.iter().enumerate() {
            place.names.iter().for_each(|name| by_name.entry(name).or_default().push(at));
        }
        let mut writers: BTreeMap<&str, BTreeSet<TestIndex>> = BTreeMap::new();
        for profile in profiles {
            for write in &profile.writes {
                let path = write.cell.path.split(['[', '{']).next().unwrap_or_default();
                writers.entry(path).or_default().insert(profile.test);
            }
        }
        Likely { places, by_name, writers }
    }

    /// What other tests write comes first, then what the test mentions by its full name.
    fn remedies(&self, profile: &Profile, most: usize) -> Vec<Remedy> {
        let mut ranks: BTreeMap<usize, bool> = BTreeMap::new();
        for name in &profile.reads {
            for &at in self.by_name.get(name.as_str()).into_iter().flatten() {
                *ranks.entry(at).or_default() |= !name.starts_with('.');
            }
        }
        let mut chosen: Vec<(bool, bool, usize)> = ranks
            .into_iter()
            .map(|(at, is_named)| (!self.is_written(at, profile.test), !is_named, at))
            .collect();
        chosen.sort_unstable();
        let changes = chosen.iter().flat_map(|&(.., at)| {
            let Place { path, ways, .. } = &self.places[at];
            ways.iter().map(|&way| Remedy::Perturb(Perturbation { cell: path.clone(), way }))
        });
        changes.take(most).collect()
    }

    /// Whether a test other than this one writes it.
    fn is_written(&self, at: usize, by_others_than: TestIndex) -> bool {
        let writers = self.writers.get(self.places[at].path.as_str());
        writers.is_some_and(|writers| writers.iter().any(|&writer| writer != by_others_than))
    }

    fn mind(&self, remedy: &Remedy, treated: Treated) -> Option<Mind> {
        let Remedy::Perturb(change) = remedy else { return None };
        let place = self.places.iter().find(|place| place.path == change.cell)?.clone();
        Some(Mind { place, after: treated.after?, step: treated.step })
    }
}

fn findings(suite: &Suite, minds: &[Mind]) -> Vec<Finding> {
    let mut by_test: BTreeMap<TestIndex, Vec<&Mind>> = BTreeMap::new();
    minds.iter().for_each(|mind| by_test.entry(mind.step.test).or_default().push(mind));
    let finding = |(test, minds): (TestIndex, Vec<&Mind>)| {
        let mut finding = Finding::new(Kind::LatentVictim, test, suite.id(test));
        finding.signature.clone_from(&minds[0].step.signature);
        finding.state = Some(minds.into_iter().map(state).collect());
        finding
    };
    by_test.into_iter().map(finding).collect()
}

fn state(mind: &Mind) -> State {
    State {
        cell: mind.place.path.clone(),
        kind: Some(mind.place.kind),
        before: mind.place.before.clone(),
        after: mind.after.clone(),
        proved: Some(true),
        written: None,
        stack: vec![],
        read: None,
    }
}

fn by_place(minds: &[Mind], profiles: &[Profile]) -> Vec<Minded> {
    let mut places: BTreeMap<&str, Vec<&Mind>> = BTreeMap::new();
    minds.iter().for_each(|mind| places.entry(&mind.place.path).or_default().push(mind));
    let minded = |minds: &Vec<&Mind>| {
        let Place { path, kind, before, names, .. } = &minds[0].place;
        let may_read = |profile: &&Profile| names.iter().any(|name| profile.reads.contains(name));
        let victims: BTreeSet<TestIndex> = minds.iter().map(|mind| mind.step.test).collect();
        let after: BTreeSet<&String> = minds.iter().map(|mind| &mind.after).collect();
        Minded {
            place: path.clone(),
            kind: *kind,
            before: before.clone(),
            after: after.into_iter().cloned().collect(),
            victims: victims.into_iter().collect(),
            readers: profiles.iter().filter(may_read).count(),
        }
    };
    let mut minded: Vec<Minded> = places.values().map(minded).collect();
    minded.sort_by_key(|one| std::cmp::Reverse((one.readers, one.victims.len())));
    minded
}

//! The station of a hunt that runs one test right after another, from the fresh state.
//!
//! Knows how many pairs may run, and that differences go where those of sweeps go. Which pairs, `pairing` knows.
//!
//! A small suite has all its pairs run. Elsewhere tests are profiled, likely pairs run first, one test stands for all that
//! leave the same behind, and other pairs follow until the runs for pairs are used up. A quarter of these at most is for the
//! audit: 2 % of the pairs that were settled without a run do run, and where one contradicts, its effect is dissolved.

use std::collections::{BTreeMap, BTreeSet};

use anyorder_model::{Coverage, Halted, Oracle, Outcome, Profile, Purpose, Signature, Station, TestIndex};
use roaring::RoaringTreemap;

use crate::effects::Effects;
use crate::hunt::Hunt;
use crate::pairing::{Pairing, StandIn, TestPair};
use crate::profile::{Again, ProfileSettings};
use crate::seen::Seen;
use crate::settings::HuntSettings;
use crate::sight::Sight;

/// One in so many pairs that were settled by an effect runs.
const AUDITED: u64 = 50;
/// How many pairs are asked for at once.
const AT_ONCE: u64 = 256;
/// Pairs end when this share of the time is spent: the rest is for orders and verdicts.
const PAIRS_UNTIL: f64 = 0.35;

/// Profiles all tests and runs pairs of them, likely ones first: `settings.pair_runs` of them, and no orders.
pub fn pairs(oracle: &mut dyn Oracle, settings: &HuntSettings) -> PairReport {
    let mut hunt = Hunt::new(oracle, settings);
    let runs = settings.pair_runs(hunt.judge.asker().suite().len());
    let mut work = || {
        hunt.profile_tests(Wanted::All)?;
        hunt.rest_alone_and_again()?;
        hunt.guided_pairs(runs, Wanted::All)
    };
    let stopped_early = work().err();
    PairReport { coverage: hunt.coverage(), pairing: hunt.pairing, seen: hunt.seen, stopped_early }
}

/// What pairs have shown.
pub struct PairReport {
    /// How much was tried.
    pub coverage: Coverage,
    /// Why it ended early, if it did.
    pub stopped_early: Option<Halted>,
    pairing: Option<Pairing>,
    seen: Seen,
}

/// What is known about the second test of a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    /// Which of the runs of pairs settled it, from 0; none if it is the test alone.
    pub run: Option<usize>,
    /// Whether another test stood for the first one.
    pub is_inferred: bool,
    /// How it ended, if not as it does alone.
    pub change: Option<Change>,
}

/// How a test ended that does not end so alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// In what.
    pub outcome: Outcome,
    /// How.
    pub signature: Option<Signature>,
}

impl PairReport {
    /// What each test does by itself.
    pub fn profiles(&self) -> &[Profile] {
        self.pairing.as_ref().map_or(&[], |pairing| &pairing.profiles)
    }

    /// Which tests leave the same behind; nothing if there was no time to profile them.
    pub fn effects(&self) -> Option<&Effects> {
        self.pairing.as_ref().map(|pairing| &pairing.effects)
    }

    /// The pairs that ran, in that sequence.
    pub fn runs(&self) -> &[(TestIndex, TestIndex)] {
        self.pairing.as_ref().map_or(&[], |pairing| &pairing.runs)
    }

    /// How many pairs were run to see whether effects are what they seem, and how many effects were not.
    pub fn audit(&self) -> (u64, u64) {
        self.pairing.as_ref().map_or((0, 0), |pairing| pairing.audit)
    }

    /// The pairs that ran whose second test did not end as it does alone.
    pub fn changes(&self) -> impl Iterator<Item = ((TestIndex, TestIndex), Change)> {
        let changed = self.pairing.iter().flat_map(|pairing| &pairing.changed);
        changed.map(|(&pair, sight)| (pair, Change::from(sight)))
    }

    /// How a test ended by itself.
    pub(crate) fn sight_alone(&self, test: TestIndex) -> Option<&Sight> {
        self.seen.alone(test)
    }

    /// All pairs whose second test does not end as it does alone, and whether that was inferred.
    pub(crate) fn all_changes(&self) -> Vec<(TestPair, Sight, bool)> {
        self.pairing.as_ref().map_or_else(Vec::new, Pairing::all_changes)
    }

    /// Tells of a pair whether it is settled.
    pub(crate) fn settled_pairs(&self) -> impl Fn(TestPair) -> bool {
        let settled = self.pairing.as_ref().map(Pairing::settled).unwrap_or_default();
        move |pair| self.pairing.as_ref().is_some_and(|pairing| settled.contains(pairing.key(pair)))
    }

    /// What is known about each of these pairs; nothing where nothing is.
    pub fn settled(&self, pairs: &[(TestIndex, TestIndex)]) -> Vec<Option<Settled>> {
        let Some(pairing) = &self.pairing else { return vec![None; pairs.len()] };
        let numbers: BTreeMap<TestPair, usize> =
            pairing.runs.iter().enumerate().map(|(number, &pair)| (pair, number)).collect();
        let change = |pair: TestPair| pairing.changed.get(&pair).map(Change::from);
        let settled = |&(first, test): &TestPair| {
            if let Some(&run) = numbers.get(&(first, test)) {
                return Some(Settled { run: Some(run), is_inferred: false, change: change((first, test)) });
            }
            Some(match pairing.settled_by((first, test))? {
                StandIn::Nothing => Settled { run: None, is_inferred: true, change: None },
                StandIn::Test(other) => {
                    let pair = (other, test);
                    Settled { run: numbers.get(&pair).copied(), is_inferred: true, change: change(pair) }
                }
            })
        };
        pairs.iter().map(settled).collect()
    }
}

impl From<&Sight> for Change {
    fn from(sight: &Sight) -> Self {
        Change { outcome: sight.outcome, signature: sight.signature.clone() }
    }
}

/// Which tests are worth a run as the second of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// All of them.
    All,
    /// Those of which nothing is known yet: suspects have their partners looked for later.
    Unsuspected,
}

impl Hunt<'_> {
    /// Runs pairs, as many as are affordable.
    pub(crate) fn pair_up(&mut self) -> Result<(), Halted> {
        if self.wants_all_pairs() {
            return self.run_all_pairs();
        }
        self.profile_if_guided()?;
        let runs = self.judge.settings.pair_runs(self.judge.asker().scope().len());
        self.guided_pairs(runs, Wanted::Unsuspected)
    }

    fn wants_all_pairs(&mut self) -> bool {
        let (tests, settings) = (self.judge.asker().scope().len(), self.judge.settings);
        let is_narrow = self.affected.is_some();
        settings.has_all_pairs(tests)
            || is_narrow && self.all_pairs().len() as u64 <= settings.pair_runs(tests)
    }

    /// Profiles all tests where that says which pairs are likely, unless it was done.
    pub(crate) fn profile_if_guided(&mut self) -> Result<(), Halted> {
        let (tests, settings) = (self.judge.asker().scope().len(), self.judge.settings);
        let is_guided = settings.is_guided && !settings.is_dear && settings.rounds != Some(0);
        let has_pairs = settings.pair_runs(tests) > 0 && !self.wants_all_pairs();
        if self.pairing.is_none() && is_guided && has_pairs && self.judge.asker().can_watch() {
            self.profile_tests(Wanted::Unsuspected)?;
        }
        Ok(())
    }

    /// Watches each test, which also shows how it ends alone, and again, unless that is known. Who is red anywhere, or does not end
    /// alike, is left to a look without anybody watching.
    fn profile_tests(&mut self, wanted: Wanted) -> Result<(), Halted> {
        let tests: Vec<TestIndex> = self.judge.asker().scope().to_vec();
        self.judge.asker().begin(Station::Profile, Some(tests.len() as u64));
        let in_original_order = wanted == Wanted::All;
        let is_new = tests.iter().any(|&test| self.seen.alone(test).is_none());
        let again = if is_new { Again::IfBare } else { Again::No };
        let thoroughness = ProfileSettings { again, in_original_order, ..ProfileSettings::default() };
        let report = self.judge.asker().profiles(&tests, &thoroughness);
        let red = self.seen.red();
        for profile in report.profiles.iter().filter(|profile| report.alike_twice.contains(&profile.test)) {
            if self.seen.alone(profile.test).is_none() && red.binary_search(&profile.test).is_err() {
                self.seen.note_alone(profile.test, (&profile.alone).into());
            }
        }
        if let Some(halted) = report.stopped_early {
            return Err(halted);
        }
        let seed = self.judge.settings.seed;
        self.pairing = Some(Pairing::new(self.judge.asker().suite(), report.profiles, seed));
        Ok(())
    }

    /// Each test right after each other one, where that matters: then no single partner stays hidden.
    fn run_all_pairs(&mut self) -> Result<(), Halted> {
        let pairs = self.all_pairs();
        self.judge.asker().begin(Station::Pairs, Some(pairs.len() as u64));
        self.run_pairs(&pairs)?;
        self.has_all_pairs = true;
        Ok(())
    }

    fn all_pairs(&mut self) -> Vec<TestPair> {
        let tests: Vec<TestIndex> = self.judge.asker().scope().to_vec();
        let others = |&first: &TestIndex| tests.iter().map(move |&test| (first, test));
        let pairs = tests.iter().flat_map(others).filter(|(first, test)| first != test);
        pairs.filter(|&(first, test)| self.matters(&[first], test)).collect()
    }

    /// Whether a pair of one of `firsts`, which leave the same behind, and `test` matters.
    fn matters(&self, firsts: &[TestIndex], test: TestIndex) -> bool {
        self.affected.as_ref().is_none_or(|affected| {
            affected.contains(&test) || firsts.iter().any(|first| affected.contains(first))
        })
    }

    /// Runs pairs, likely ones first, if tests were profiled.
    fn guided_pairs(&mut self, runs: u64, wanted: Wanted) -> Result<(), Halted> {
        let Some(mut pairing) = self.pairing.take() else { return Ok(()) };
        let tests = self.judge.asker().scope().len();
        self.judge.asker().begin(Station::Pairs, Some(runs.min((tests * tests) as u64)));
        let mut work = || {
            let for_audit = runs / 4;
            let mut ran = self.run_waves(&mut pairing, runs - for_audit, wanted)?;
            ran += self.audit(&mut pairing, for_audit)?;
            self.run_waves(&mut pairing, runs.saturating_sub(ran), wanted)
        };
        let result = work();
        self.pairing = Some(pairing);
        result.map(|_| ())
    }

    /// Runs the next pairs, at most so many; how many there were.
    fn run_waves(&mut self, pairing: &mut Pairing, most: u64, wanted: Wanted) -> Result<u64, Halted> {
        let mut ran = 0;
        while ran < most && (wanted == Wanted::All || self.judge.asker().spent() < PAIRS_UNTIL) {
            let is_wanted = |firsts: &[TestIndex], test| {
                (wanted == Wanted::All || !self.is_suspect(test)) && self.matters(firsts, test)
            };
            let wave = pairing.next_pairs(AT_ONCE.min(most - ran), is_wanted);
            if wave.is_empty() {
                break;
            }
            ran += wave.len() as u64;
            self.run_and_note(pairing, &wave)?;
        }
        Ok(ran)
    }

    /// Whether it is known already that a test is not always the same.
    fn is_suspect(&self, test: TestIndex) -> bool {
        self.told.contains(&test) || self.judge.is_aside(test)
    }

    fn run_and_note(&mut self, pairing: &mut Pairing, pairs: &[TestPair]) -> Result<(), Halted> {
        for (pair, sight) in self.run_pairs(pairs)? {
            if let Some(alone) = self.seen.alone(pair.1) {
                pairing.note(pair, &sight, alone);
            }
        }
        Ok(())
    }

    /// Runs some of the pairs that were settled without a run, and dissolves the effects that they contradict.
    fn audit(&mut self, pairing: &mut Pairing, most: u64) -> Result<u64, Halted> {
        let settled = pairing.inferred().len();
        let wanted = settled.div_ceil(AUDITED).min(most);
        let sample = pairing.sample(wanted, |test| !self.is_suspect(test));
        let stand_ins: Vec<Option<StandIn>> = sample.iter().map(|&pair| pairing.settled_by(pair)).collect();
        self.run_and_note(pairing, &sample)?;
        pairing.runs.extend(&sample);
        let mut dissolved = BTreeSet::new();
        for (&pair, stand_in) in sample.iter().zip(stand_ins) {
            let Some((stand_in, effect)) = stand_in.zip(pairing.effects.of(pair.0)) else { continue };
            if !dissolved.contains(&effect)
                && !pairing.is_as_expected(pair, stand_in)
                && self.differs_again(pair, stand_in)?
            {
                dissolved.insert(effect);
            }
        }
        pairing.audit = (sample.len() as u64, dissolved.len() as u64);
        pairing.dissolve(&dissolved);
        Ok(sample.len() as u64)
    }

    /// Whether both run once more with different ends: a pair, and what seemed to settle it.
    fn differs_again(&mut self, (first, test): TestPair, stand_in: StandIn) -> Result<bool, Halted> {
        let other = match stand_in {
            StandIn::Nothing => vec![test],
            StandIn::Test(other) => vec![other, test],
        };
        let ends = self.judge.asker().ends(Purpose::Pairs, 1, vec![vec![first, test], other])?;
        Ok(ends.iter().all(Sight::is_evidence) && !ends[0].is_like(&ends[1]))
    }

    /// Runs pairs, those with the same first test from one state; how the second test of each ended.
    fn run_pairs(&mut self, pairs: &[TestPair]) -> Result<Vec<(TestPair, Sight)>, Halted> {
        let mut fans: BTreeMap<TestIndex, Vec<Vec<TestIndex>>> = BTreeMap::new();
        pairs.iter().for_each(|&(first, test)| fans.entry(first).or_default().push(vec![test]));
        let noted = self.seen.runs();
        let branches = fans.into_iter().map(|(first, tails)| (vec![first], tails)).collect();
        let mut ends = Vec::with_capacity(pairs.len());
        for record in self.judge.asker().fans(Purpose::Pairs, 0, branches)? {
            self.note_fan(&record);
            let first = record.prefix[0].test;
            let steps = record.tails.iter().filter_map(|tail| tail.steps.last());
            ends.extend(steps.map(|step| ((first, step.test), Sight::from(step))));
        }
        self.tell_suspects(noted);
        Ok(ends)
    }

    /// How much was tried, and what that settles.
    pub(crate) fn coverage(&mut self) -> Coverage {
        let asker = self.judge.asker();
        let Some(pairing) = &self.pairing else { return asker.coverage(&RoaringTreemap::new()) };
        let tried = asker.successions().keys();
        let (inferred, likely) = (pairing.inferred() - tried, pairing.likely());
        Coverage {
            pairs_likely: Some(likely.len()),
            pairs_likely_open: Some(((likely - tried) - &inferred).len()),
            pairs_inferred: Some(inferred.len()),
            ..asker.coverage(&inferred)
        }
    }
}

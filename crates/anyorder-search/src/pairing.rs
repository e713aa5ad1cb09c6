//! Which pairs have run, which ones that settles, and which to run next.
//!
//! Knows effects, and what was seen of pairs. Asks nothing.
//!
//! A test stands for another one before a third if both leave the same behind, and both or neither of them share a group
//! with the third: fixtures of that group stand, or do not.

use std::collections::{BTreeMap, BTreeSet};

use anyorder_model::{Profile, Suite, TestIndex};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use roaring::RoaringTreemap;

use crate::effects::Effects;
use crate::guide::Guide;
use crate::sight::Sight;
use crate::succession::key;

/// Two tests, the first right before the second.
pub(crate) type TestPair = (TestIndex, TestIndex);

/// What is known about pairs.
pub(crate) struct Pairing {
    pub(crate) profiles: Vec<Profile>,
    pub(crate) effects: Effects,
    seed: u64,
    /// The group of each test, as a number.
    groups: Vec<usize>,
    next: Box<dyn Iterator<Item = (usize, TestIndex)>>,
    /// Pairs that were asked for, in that sequence.
    pub(crate) runs: Vec<TestPair>,
    tried: RoaringTreemap,
    /// Pairs whose second test did not end as it does alone.
    pub(crate) changed: BTreeMap<TestPair, Sight>,
    /// How many pairs were audited, and how many effects that has dissolved.
    pub(crate) audit: (u64, u64),
}

/// What settles a pair that has not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StandIn {
    /// Its first test leaves nothing behind: the second one alone.
    Nothing,
    /// The second one after a test that stands for the first.
    Test(TestIndex),
}

/// How often the audit draws a pair before it believes that there is none left.
const DRAWS: u64 = 50;

impl Pairing {
    pub(crate) fn new(suite: &Suite, profiles: Vec<Profile>, seed: u64) -> Self {
        let effects = Effects::new(&profiles);
        let mut names: BTreeMap<&str, usize> = BTreeMap::new();
        let groups = suite.tests().iter().map(|test| {
            let number = names.len();
            *names.entry(&test.group).or_insert(number)
        });
        let groups = groups.collect();
        let next = Box::new(Guide::new(&profiles, &effects, seed).into_pairs());
        let (tried, changed) = (RoaringTreemap::new(), BTreeMap::new());
        Pairing { profiles, effects, seed, groups, next, runs: Vec::new(), tried, changed, audit: (0, 0) }
    }

    /// The next pairs to run, about so many; none when all have run.
    ///
    /// `is_wanted` is asked about tests that leave the same behind, and the test that is to run after one of them.
    pub(crate) fn next_pairs(
        &mut self,
        most: u64,
        is_wanted: impl Fn(&[TestIndex], TestIndex) -> bool,
    ) -> Vec<TestPair> {
        let mut pairs = Vec::new();
        while (pairs.len() as u64) < most {
            let Some((effect, test)) = self.next.next() else { break };
            if !is_wanted(self.effects.sharing(effect), test) {
                continue;
            }
            for first in self.standing_for(effect, test) {
                if self.tried.insert(self.key((first, test))) {
                    pairs.push((first, test));
                }
            }
        }
        self.runs.extend(&pairs);
        pairs
    }

    /// Notes how the second test of a pair ended, if that is not as it does alone.
    pub(crate) fn note(&mut self, pair: TestPair, seen: &Sight, alone: &Sight) {
        self.tried.insert(self.key(pair));
        if seen.is_evidence() && !seen.is_like(alone) {
            self.changed.insert(pair, seen.clone());
        }
    }

    /// The one test that stands for all of an effect outside the group of `test`, and the one inside.
    fn standing_for(&self, effect: usize, test: TestIndex) -> Vec<TestIndex> {
        let others = || self.effects.sharing(effect).iter().copied().filter(move |&other| other != test);
        let outside = others().find(|&other| !self.is_same_group(other, test));
        let inside = others().find(|&other| self.is_same_group(other, test));
        outside.into_iter().chain(inside).collect()
    }

    fn is_same_group(&self, one: TestIndex, other: TestIndex) -> bool {
        self.groups[one.at()] == self.groups[other.at()]
    }

    fn is_tried(&self, pair: TestPair) -> bool {
        self.tried.contains(self.key(pair))
    }

    /// Whether it is known how a pair ends, by a run or without one.
    pub(crate) fn is_settled(&self, pair: TestPair) -> bool {
        self.is_tried(pair) || self.settled_by(pair).is_some()
    }

    /// What settles a pair that has not run, if anything does.
    pub(crate) fn settled_by(&self, (first, test): TestPair) -> Option<StandIn> {
        let stand_in = self.stand_in((first, test)).filter(|_| !self.is_tried((first, test)))?;
        let is_known = |other: TestIndex| self.is_tried((other, test));
        Some(stand_in).filter(|stand_in| match stand_in {
            StandIn::Nothing => true,
            StandIn::Test(other) => is_known(*other),
        })
    }

    /// What stands for the first test of a pair, itself perhaps; nothing if it is not known what that leaves behind.
    pub(crate) fn stand_in(&self, (first, test): TestPair) -> Option<StandIn> {
        let effect = self.effects.of(first).filter(|_| first != test)?;
        if self.effects.is_nothing(effect) {
            return Some(StandIn::Nothing);
        }
        let is_inside = self.is_same_group(first, test);
        let mut standing = self.standing_for(effect, test).into_iter();
        standing.find(|&other| self.is_same_group(other, test) == is_inside).map(StandIn::Test)
    }

    /// All pairs that are settled and have not run, as keys of [`Successions`].
    pub(crate) fn inferred(&self) -> RoaringTreemap {
        let mut inferred = RoaringTreemap::new();
        for (effect, test) in self.effects_and_tests() {
            let tried =
                self.standing_for(effect, test).into_iter().filter(|&first| self.is_tried((first, test)));
            let tried: Vec<bool> = tried.map(|first| self.is_same_group(first, test)).collect();
            let is_settled = |first: TestIndex| {
                self.effects.is_nothing(effect) || tried.contains(&self.is_same_group(first, test))
            };
            let settled = self.effects.sharing(effect).iter().map(|&first| (first, test));
            let settled = settled.filter(|&(first, _)| first != test && is_settled(first));
            inferred.extend(settled.filter(|&pair| !self.is_tried(pair)).map(|pair| self.key(pair)));
        }
        inferred
    }

    /// All pairs whose second test does not end as it does alone, and whether that was inferred.
    pub(crate) fn all_changes(&self) -> Vec<(TestPair, Sight, bool)> {
        let mut changes = Vec::new();
        for (&(standing, test), sight) in &self.changed {
            changes.push(((standing, test), sight.clone(), false));
            let effect = self.effects.of(standing);
            let others = effect.map_or(&[][..], |effect| self.effects.sharing(effect));
            let stands_for =
                |&first: &TestIndex| self.settled_by((first, test)) == Some(StandIn::Test(standing));
            let inferred = others.iter().copied().filter(stands_for);
            changes.extend(inferred.map(|first| ((first, test), sight.clone(), true)));
        }
        changes
    }

    /// All pairs that are settled, by a run or without one.
    pub(crate) fn settled(&self) -> RoaringTreemap {
        self.inferred() | &self.tried
    }

    fn effects_and_tests(&self) -> impl Iterator<Item = (usize, TestIndex)> {
        let effects: BTreeSet<usize> =
            self.profiles.iter().filter_map(|profile| self.effects.of(profile.test)).collect();
        effects.into_iter().flat_map(|effect| self.profiles.iter().map(move |profile| (effect, profile.test)))
    }

    /// So many of the settled pairs, at random.
    pub(crate) fn sample(&self, wanted: u64, is_wanted: impl Fn(TestIndex) -> bool) -> Vec<TestPair> {
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        random.set_stream(self.runs.len() as u64);
        let tests = u32::try_from(self.groups.len()).unwrap_or(u32::MAX);
        let mut sample = Vec::new();
        let mut drawn = RoaringTreemap::new();
        for _ in 0..wanted * DRAWS {
            let pair = [(); 2].map(|()| TestIndex(random.random_range(0..tests)));
            let pair = (pair[0], pair[1]);
            let is_new = is_wanted(pair.1) && self.settled_by(pair).is_some();
            if is_new && drawn.insert(self.key(pair)) {
                sample.push(pair);
            }
            if sample.len() as u64 == wanted {
                break;
            }
        }
        sample
    }

    /// Whether a pair has ended as what had settled it.
    pub(crate) fn is_as_expected(&self, pair: TestPair, stand_in: StandIn) -> bool {
        let expected = match stand_in {
            StandIn::Nothing => None,
            StandIn::Test(other) => self.changed.get(&(other, pair.1)),
        };
        match (self.changed.get(&pair), expected) {
            (None, None) => true,
            (Some(seen), Some(expected)) => seen.is_like(expected),
            _ => false,
        }
    }

    /// Notes that tests that share one of these effects were seen to differ.
    pub(crate) fn dissolve(&mut self, effects: &BTreeSet<usize>) {
        if !effects.is_empty() {
            effects.iter().for_each(|&effect| self.effects.dissolve(effect));
            self.next = Box::new(Guide::new(&self.profiles, &self.effects, self.seed).into_pairs());
        }
    }

    /// The pairs that are likely to matter.
    pub(crate) fn likely(&self) -> RoaringTreemap {
        let mut likely = RoaringTreemap::new();
        for (effect, readers) in Guide::new(&self.profiles, &self.effects, self.seed).likely() {
            for &first in self.effects.sharing(effect) {
                let others = readers.iter().map(TestIndex).filter(|&test| test != first);
                likely.extend(others.map(|test| self.key((first, test))));
            }
        }
        likely
    }

    pub(crate) fn key(&self, (first, test): TestPair) -> u64 {
        key(self.groups.len(), first, test)
    }
}

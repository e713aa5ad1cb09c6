//! Effects: what tests leave behind, and which tests leave the same.
//!
//! Knows profiles. Two tests share an effect if they leave the same cells with the same contents, while the fixtures around
//! them stand and when these are torn down. That makes one as good as the other for one thing only: for what a test does
//! that runs right after it, from the fresh state. (`x = 1` and `x += 1` agree only once, and a test that puts the fresh
//! value back has no effect at all: so nothing here may be used for groups, cleaners or whole orders.)

use std::collections::BTreeMap;

use anyorder_model::{Outcome, Profile, TestIndex};

/// Which tests leave the same behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effects {
    /// The effect of each test that was profiled.
    of: BTreeMap<TestIndex, usize>,
    /// The tests of each effect, in the original order.
    members: Vec<Vec<TestIndex>>,
    /// The effect of those that leave nothing behind.
    nothing: Option<usize>,
}

impl Effects {
    /// The effects of profiled tests.
    pub fn new(profiles: &[Profile]) -> Self {
        let mut effects = Effects { of: BTreeMap::new(), members: Vec::new(), nothing: None };
        let mut known: BTreeMap<Vec<(&str, bool)>, usize> = BTreeMap::new();
        for profile in profiles {
            let contents = contents(profile);
            let effect = match contents {
                Some(contents) => *known.entry(contents).or_insert_with(|| effects.add()),
                None => effects.add(),
            };
            effects.join(profile.test, effect);
        }
        effects.nothing = known.get(&Vec::new()).copied();
        effects
    }

    fn add(&mut self) -> usize {
        self.members.push(Vec::new());
        self.members.len() - 1
    }

    fn join(&mut self, test: TestIndex, effect: usize) {
        self.of.insert(test, effect);
        self.members[effect].push(test);
    }

    /// How many different effects there are.
    pub fn count(&self) -> usize {
        self.members.iter().filter(|members| !members.is_empty()).count()
    }

    /// The tests that share an effect, for each.
    pub fn members(&self) -> impl Iterator<Item = &[TestIndex]> {
        self.members.iter().map(Vec::as_slice).filter(|members| !members.is_empty())
    }

    pub(crate) fn of(&self, test: TestIndex) -> Option<usize> {
        self.of.get(&test).copied()
    }

    pub(crate) fn sharing(&self, effect: usize) -> &[TestIndex] {
        &self.members[effect]
    }

    /// Whether tests with this effect leave nothing behind, as far as can be seen.
    pub(crate) fn is_nothing(&self, effect: usize) -> bool {
        self.nothing == Some(effect)
    }

    /// Gives each test of an effect one of its own, since two of them were seen to differ.
    pub(crate) fn dissolve(&mut self, effect: usize) {
        let mut members = std::mem::take(&mut self.members[effect]);
        self.nothing = self.nothing.filter(|&nothing| nothing != effect);
        for test in members.drain(..) {
            let own = self.add();
            self.join(test, own);
        }
    }
}

/// The contents of all cells that a test leaves changed, with whether they last; nothing if they can be equal to no others.
fn contents(profile: &Profile) -> Option<Vec<(&str, bool)>> {
    let ended = !matches!(profile.alone.outcome, Outcome::Crashed | Outcome::TimedOut | Outcome::NotReached);
    let writes = || profile.writes.iter().filter(|write| !write.is_elsewhere);
    if !ended || writes().any(|write| write.cell.key.is_empty() || write.is_unstable) {
        return None;
    }
    let mut contents: Vec<(&str, bool)> =
        writes().map(|write| (write.cell.key.as_str(), write.is_torn_down)).collect();
    contents.sort_unstable();
    Some(contents)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hunt_tests::suite;
    use crate::simulate::{Eyes, Op, SimFixture, SimSuite};
    use crate::{ProfileSettings, profile};
    use anyorder_model::Oracle;

    fn effects(suite: &mut SimSuite) -> (Vec<Profile>, Effects) {
        let tests: Vec<TestIndex> = suite.suite().indices().collect();
        let profiles = profile(suite, &tests, &ProfileSettings::default()).profiles;
        let effects = Effects::new(&profiles);
        (profiles, effects)
    }

    fn numbers(effects: &Effects) -> Vec<Vec<u32>> {
        effects.members().map(|members| members.iter().map(|test| test.0).collect()).collect()
    }

    #[test]
    fn tests_that_leave_the_same_share_an_effect() {
        let (set, bump, other) = (&[Op::Set(0, 1)][..], &[Op::Bump(0)][..], &[Op::Set(0, 2)][..]);
        let (_, effects) = effects(&mut suite(&[set, &[], bump, other, &[Op::Need(0, 1)]]));
        assert_eq!(numbers(&effects), [vec![0, 2], vec![1, 4], vec![3]]);
        assert!(effects.is_nothing(effects.of(TestIndex(4)).unwrap()));
    }

    #[test]
    fn what_a_tear_down_undoes_is_another_effect() {
        let fixture = SimFixture { cells: vec![0], need: None };
        let set = &[Op::Set(0, 1)][..];
        let (_, effects) = effects(&mut suite(&[set, set, &[], set]).with_fixture(0, fixture));
        assert_eq!(numbers(&effects), [vec![0, 1], vec![2], vec![3]]);
    }

    #[test]
    fn contents_that_cannot_be_looked_into_equal_no_others() {
        let (mut profiles, _) = effects(&mut suite(&[&[Op::Set(0, 1)], &[Op::Set(0, 1)]]));
        profiles.iter_mut().for_each(|profile| profile.writes[0].cell.key.clear());
        assert_eq!(Effects::new(&profiles).count(), 2);
    }

    #[test]
    fn a_dissolved_effect_leaves_each_test_its_own() {
        let mut suite = suite(&[&[Op::Set(0, 1)], &[], &[]]);
        suite.eyes = Some(Eyes { hidden: vec![0], ..Eyes::default() });
        let (_, mut effects) = effects(&mut suite);
        assert_eq!(effects.count(), 1);
        effects.dissolve(effects.of(TestIndex(0)).unwrap());
        assert_eq!(numbers(&effects), [[0], [1], [2]]);
        assert!((0..3).all(|test| !effects.is_nothing(effects.of(TestIndex(test)).unwrap())));
    }
}

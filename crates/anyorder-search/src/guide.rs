//! Which pairs of tests are worth a run: those where the first leaves something changed that the second may look at.
//!
//! Knows profiles and effects. Runs nothing, and leaves nothing out: reads can be missed, so profiles only rank.
//!
//! A place that few tests change and few look at suggests few pairs, and those are likely; one that everybody changes and
//! looks at suggests all pairs, which says nothing. So places are ranked by how many runs they suggest, times what makes
//! them less likely: caches and other things that fill up as they are used, and contents that differ between identical
//! runs. A pair of tests that change the very same cell is suggested by that, too.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use anyorder_model::{Cell, CellKind, Profile, TestIndex, Write};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use roaring::RoaringBitmap;

use crate::effects::Effects;

/// How much later pairs come that a cache, a registry or a module that was not loaded suggests.
const LAZY: u64 = 16;
/// How much later pairs come whose cell differs between identical runs.
const UNSTABLE: u64 = 4;
/// A container to which tests with more different effects than this only add is filled lazily.
const CROWD: usize = 8;

/// What is left in a cell is rare if so many times as many effects leave anything there.
const RARE: usize = 8;

/// Shorter words than this say nothing.
const SHORTEST: usize = 4;

/// A reason to run the tests of some effects before some tests.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Reason {
    effects: Vec<usize>,
    readers: Rc<[TestIndex]>,
}

/// What is known about one place.
struct Place<'a> {
    /// Nothing if everybody can look at it without a name.
    names: Option<BTreeSet<&'a str>>,
    is_lazy: bool,
    /// Whether tests only add to it.
    is_filled: bool,
    is_unstable: bool,
    effects: BTreeSet<usize>,
    /// The tests that change each of its cells.
    writers: BTreeMap<&'a str, BTreeSet<TestIndex>>,
    /// The effects that leave each contents in each of its cells.
    contents: BTreeMap<(&'a str, &'a str), BTreeSet<usize>>,
}

/// Pairs of an effect and a test, those that are likely to matter first.
pub(crate) struct Guide {
    /// By about how many runs they suggest, as a power of two.
    reasons: BTreeMap<u32, Vec<Reason>>,
    /// All pairs that can matter.
    all: Reason,
}

impl Guide {
    pub(crate) fn new(profiles: &[Profile], effects: &Effects, seed: u64) -> Self {
        let readers = Readers::new(profiles);
        let mut weights: BTreeMap<Reason, u64> = BTreeMap::new();
        for place in places(profiles, effects).values() {
            for reason in place.reasons(effects, &readers) {
                let weight = place.factor() * reason.len() as u64;
                let known = weights.entry(reason).or_insert(weight);
                *known = weight.min(*known);
            }
        }
        let mut reasons: BTreeMap<u32, Vec<Reason>> = BTreeMap::new();
        for (reason, weight) in weights.into_iter().filter(|(_, weight)| *weight > 0) {
            reasons.entry(weight.ilog2()).or_default().push(reason);
        }
        Guide { reasons, all: all(&readers.all, effects, seed) }
    }

    /// All pairs for which there is a reason, likely ones first; a pair for which there are several comes several times.
    /// Then all other pairs, except those of tests that leave nothing behind.
    pub(crate) fn into_pairs(self) -> impl Iterator<Item = (usize, TestIndex)> {
        self.reasons.into_values().chain([vec![self.all]]).flat_map(in_turns)
    }

    /// The tests that may look at what each effect has changed.
    pub(crate) fn likely(&self) -> BTreeMap<usize, RoaringBitmap> {
        let mut likely: BTreeMap<usize, RoaringBitmap> = BTreeMap::new();
        for reason in self.reasons.values().flatten() {
            let readers: RoaringBitmap = reason.readers.iter().map(|test| test.0).collect();
            for &effect in &reason.effects {
                *likely.entry(effect).or_default() |= &readers;
            }
        }
        likely
    }
}

/// Every effect that is something, before every test, in a random sequence.
fn all(tests: &[TestIndex], effects: &Effects, seed: u64) -> Reason {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let present: BTreeSet<usize> = tests.iter().filter_map(|&test| effects.of(test)).collect();
    let mut present: Vec<usize> = present.into_iter().filter(|&effect| !effects.is_nothing(effect)).collect();
    let mut tests = tests.to_vec();
    present.shuffle(&mut random);
    tests.shuffle(&mut random);
    Reason { effects: present, readers: tests.into() }
}

impl Reason {
    fn len(&self) -> usize {
        self.effects.len() * self.readers.len()
    }

    /// The pairs one by one, so that many of both sides have had a turn whenever somebody stops.
    fn pair(&self, at: usize) -> Option<(usize, TestIndex)> {
        let rows = self.effects.len();
        (at < self.len()).then(|| {
            let row = at % rows;
            (self.effects[row], self.readers[(at / rows + row) % self.readers.len()])
        })
    }
}

/// One pair of each reason, then the next of each.
fn in_turns(reasons: Vec<Reason>) -> impl Iterator<Item = (usize, TestIndex)> {
    let longest = reasons.iter().map(Reason::len).max().unwrap_or(0);
    let reasons: Rc<[Reason]> = reasons.into();
    (0..longest).flat_map(move |at| {
        let reasons = Rc::clone(&reasons);
        (0..reasons.len()).filter_map(move |which| reasons[which].pair(at))
    })
}

/// Everything that is changed by some test, by its place.
fn places<'a>(profiles: &'a [Profile], effects: &Effects) -> BTreeMap<&'a str, Place<'a>> {
    let mut places: BTreeMap<&str, Place<'_>> = BTreeMap::new();
    for profile in profiles {
        let Some(effect) = effects.of(profile.test) else { continue };
        for write in profile.writes.iter().filter(|write| !write.is_elsewhere) {
            places.entry(place(&write.cell)).or_insert_with(Place::new).note(profile.test, effect, write);
        }
    }
    places
}

/// Items of one container are one place, but a module that is gone has nothing to do with those that are loaded.
fn place(cell: &Cell) -> &str {
    if cell.kind == CellKind::Module && !is_lazy(cell) { &cell.path } else { cell.holder() }
}

impl<'a> Place<'a> {
    fn new() -> Self {
        Place {
            names: Some(BTreeSet::new()),
            is_lazy: true,
            is_filled: true,
            is_unstable: true,
            effects: BTreeSet::new(),
            writers: BTreeMap::new(),
            contents: BTreeMap::new(),
        }
    }

    fn note(&mut self, test: TestIndex, effect: usize, write: &'a Write) {
        if write.cell.names.is_empty() {
            self.names = None;
        }
        self.names.iter_mut().for_each(|names| names.extend(write.cell.names.iter().map(String::as_str)));
        self.is_lazy &= is_lazy(&write.cell);
        self.is_filled &= write.cell.before == "<absent>" && write.cell.kind == CellKind::Item;
        self.is_unstable &= write.is_unstable;
        self.effects.insert(effect);
        self.writers.entry(&write.cell.path).or_default().insert(test);
        self.contents.entry((&write.cell.path, &write.cell.key)).or_default().insert(effect);
    }

    /// Its readers may look at what its writers do; those who change the same cell may mind each other; and what few leave in
    /// a cell that most leave otherwise is likely to be minded: a fixture that is set up for everybody, say, and then changed. What needs no name is most
    /// likely minded by those who mention a word of it: `umask` by those who call `os.umask`.
    fn reasons(&self, effects: &Effects, readers: &Readers<'_>) -> Vec<Reason> {
        let shared = self.writers.values().filter(|writers| writers.len() > 1);
        let shared = shared.map(|writers| {
            let of_writers: BTreeSet<usize> = writers.iter().filter_map(|&test| effects.of(test)).collect();
            Reason { effects: of_writers.into_iter().collect(), readers: writers.iter().copied().collect() }
        });
        let all = Reason { effects: self.effects.iter().copied().collect(), readers: readers.of(self) };
        let rare = self.rare().map(|effects| Reason { effects, readers: Rc::clone(&all.readers) });
        let rare: Vec<Reason> = rare.collect();
        let alike = self.writers.keys().filter(|_| self.names.is_none());
        let alike =
            alike.map(|path| Reason { effects: all.effects.clone(), readers: readers.of_words(path) });
        let alike: Vec<Reason> = alike.collect();
        shared.chain(rare).chain(alike).chain([all]).collect()
    }

    /// Effects that leave in a cell what at most one in [`RARE`] of those leave who change it.
    fn rare(&self) -> impl Iterator<Item = Vec<usize>> {
        let mut changing: BTreeMap<&str, usize> = BTreeMap::new();
        for ((path, _), effects) in &self.contents {
            *changing.entry(path).or_default() += effects.len();
        }
        let is_rare = move |path: &str, effects: usize| effects * RARE <= changing[path];
        let rare = self.contents.iter().filter(move |((path, _), effects)| is_rare(path, effects.len()));
        rare.map(|(_, effects)| effects.iter().copied().collect())
    }

    /// What makes it less likely that it matters.
    fn factor(&self) -> u64 {
        let is_lazy = self.is_lazy || self.is_filled && self.effects.len() > CROWD;
        (if is_lazy { LAZY } else { 1 }) * (if self.is_unstable { UNSTABLE } else { 1 })
    }
}

/// Whether it looks like something that fills up as it is used, without anybody noticing.
fn is_lazy(cell: &Cell) -> bool {
    let path = cell.path.to_lowercase();
    let is_loaded = cell.kind == CellKind::Module && cell.before == "<absent>";
    is_loaded
        || cell.kind == CellKind::Cache
        || ["cache", "memo", "registry"].iter().any(|word| path.contains(word))
}

fn united<'a>(bitmaps: impl Iterator<Item = &'a RoaringBitmap>) -> Rc<[TestIndex]> {
    let all = bitmaps.fold(RoaringBitmap::new(), |all, some| all | some);
    all.into_iter().map(TestIndex).collect()
}

/// Who may look at what.
struct Readers<'a> {
    of_name: BTreeMap<&'a str, RoaringBitmap>,
    all: Rc<[TestIndex]>,
}

impl<'a> Readers<'a> {
    fn new(profiles: &'a [Profile]) -> Self {
        let mut of_name: BTreeMap<&str, RoaringBitmap> = BTreeMap::new();
        for profile in profiles {
            for name in &profile.reads {
                of_name.entry(name).or_default().insert(profile.test.0);
            }
        }
        Readers { of_name, all: profiles.iter().map(|profile| profile.test).collect() }
    }

    fn of(&self, place: &Place<'_>) -> Rc<[TestIndex]> {
        let Some(names) = &place.names else { return Rc::clone(&self.all) };
        united(names.iter().filter_map(|name| self.of_name.get(name)))
    }

    /// Those who mention a word of this path.
    fn of_words(&self, path: &str) -> Rc<[TestIndex]> {
        let words = path.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() >= SHORTEST);
        let words: Vec<String> = words.map(str::to_lowercase).collect();
        let has_word = |name: &str| {
            let name = name.rsplit('.').next().unwrap_or(name).to_lowercase();
            words.iter().any(|word| name.contains(word.as_str()))
        };
        united(self.of_name.iter().filter(|(name, _)| has_word(name)).map(|(_, readers)| readers))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::written::{profile, write};

    /// The places of pairs in the sequence that is suggested, by their tests.
    fn rank(profiles: &[Profile], first: u32, second: u32) -> usize {
        let effects = Effects::new(profiles);
        let wanted = (effects.of(TestIndex(first)).unwrap(), TestIndex(second));
        let mut pairs = Guide::new(profiles, &effects, 0).into_pairs();
        pairs.position(|pair| pair == wanted).expect("every pair is suggested at last")
    }

    #[test]
    fn what_few_write_and_few_read_comes_before_what_many_do() {
        let mut profiles = vec![
            profile(0, vec![write("m.rare", CellKind::Global)], &["m.common"]),
            profile(1, vec![], &["m.rare", "m.common"]),
        ];
        profiles.extend((2..6).map(|test| {
            let own = write(&format!("m.own{test}"), CellKind::Global);
            profile(test, vec![write("m.common", CellKind::Global), own], &["m.common"])
        }));
        assert_eq!(rank(&profiles, 0, 1), 0);
        assert!(rank(&profiles, 2, 1) > 0);
    }

    #[test]
    fn state_comes_before_caches_and_what_is_stable_before_what_is_not() {
        let unstable = Write { is_unstable: true, ..write("m.pid", CellKind::Global) };
        let profiles = [
            profile(0, vec![write("m.found", CellKind::Cache)], &[]),
            profile(1, vec![unstable], &[]),
            profile(2, vec![write("m.flag", CellKind::Global)], &[]),
            profile(3, vec![], &["m.found", "m.pid", "m.flag"]),
        ];
        assert_eq!([2, 1, 0].map(|first| rank(&profiles, first, 3)), [0, 1, 2]);
    }

    #[test]
    fn in_a_container_that_all_fill_those_who_write_the_same_item_come_first() {
        let item = |key: u32| write(&format!("m.known['{key}']"), CellKind::Item);
        let mut profiles: Vec<Profile> =
            (0..20).map(|test| profile(test, vec![item(test)], &["m.known"])).collect();
        profiles[7].writes = vec![item(3), write("m.more", CellKind::Global)];
        assert!(rank(&profiles, 3, 7) < 4 && rank(&profiles, 7, 3) < 4);
    }

    #[test]
    fn pairs_without_a_reason_come_last_and_tests_without_an_effect_never() {
        let profiles = [
            profile(0, vec![write("m.flag", CellKind::Global)], &[]),
            profile(1, vec![], &["m.flag"]),
            profile(2, vec![], &[]),
        ];
        assert!(rank(&profiles, 0, 1) < rank(&profiles, 0, 2));
        let effects = Effects::new(&profiles);
        let nothing = effects.of(TestIndex(1)).unwrap();
        assert!(Guide::new(&profiles, &effects, 0).into_pairs().all(|(effect, _)| effect != nothing));
    }
}

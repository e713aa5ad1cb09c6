//! Tests that are related cell by cell.
//!
//! An affected test may have become a victim of whoever writes what it reads: so one of each sort of these is related, where a
//! sort is all that leave the same in the cells that it reads; and one of each sort of those who write what *these* read, and
//! so on. It may have become a polluter of whoever reads what it leaves otherwise than before, unless another one left the same
//! already in all that this one reads; these may then leave something else as well, so whoever reads what they write is
//! related, and so on. A test whose state cannot be looked into is related to all affected ones.
//!
//! Tests that leave the same are the same for what runs right behind them, as far as can be seen; profiles see one step from
//! the fresh state. So this chooses what is looked at, and says nothing about what is there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyorder_model::{Cell, Profile, TestIndex, Why};
use anyorder_search::{Flow, Noise};
use roaring::{MultiOps, RoaringBitmap};

use crate::opaque::opaque;
use crate::profiles::Touched;
use crate::relate::Crowd;
use crate::unnamed::readers_of_unnamed;

/// What a test leaves in a place: digests of the contents. Nothing equals contents that cannot be looked into.
type Left<'a> = BTreeMap<&'a str, BTreeSet<Content<'a>>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Content<'a> {
    Known(&'a str),
    OnlyOf(TestIndex),
}

/// Tests that are related to those at the start, with the reasons.
///
/// `extensions` are files that import compiled code of the project.
pub(crate) fn by_cells(
    crowd: &Crowd<'_>,
    noise: &Noise,
    extensions: &BTreeSet<&str>,
    root: &Path,
) -> BTreeMap<TestIndex, Vec<Why>> {
    let touches = |profile: &Profile| {
        !extensions.is_empty()
            && Touched::new(profile, root).files().any(|file| extensions.contains(file.as_str()))
    };
    let web = Web::new(crowd, noise);
    let mut why: BTreeMap<TestIndex, Vec<Why>> = BTreeMap::new();
    for (test, place, with) in web.victims().into_iter().chain(web.polluters()) {
        let reasons = why.entry(test).or_default();
        if reasons.is_empty() {
            reasons.push(Why::Shares { cell: place.to_owned(), with: crowd.id(with).clone() });
        }
    }
    for (&test, known) in &crowd.profiles {
        if let Some(what) = known.both().find_map(|profile| opaque(profile, touches(profile))) {
            why.entry(test).or_default().push(Why::Opaque { what: what.to_owned() });
        }
    }
    why
}

/// Who leaves what, and who may look at it.
struct Web<'a> {
    crowd: &'a Crowd<'a>,
    /// What each test leaves now.
    left: BTreeMap<TestIndex, Left<'a>>,
    /// What affected and deleted tests left before.
    left_before: BTreeMap<TestIndex, Left<'a>>,
    /// The readers of each place.
    readers: BTreeMap<String, RoaringBitmap>,
}

/// A test, the place that relates it, and to whom.
type Step<'a> = (TestIndex, &'a str, TestIndex);

impl<'a> Web<'a> {
    fn new(crowd: &'a Crowd<'a>, noise: &Noise) -> Self {
        let counts = |cell: &Cell| !noise.has(cell) && !is_for_own_object(cell);
        let profiles =
            crowd.profiles.iter().flat_map(|(&test, known)| known.both().map(move |it| (test, it)));
        let all: RoaringBitmap = crowd.profiles.keys().map(|test| test.0).collect();
        let shared = Flow::of(profiles, counts).shared().into_iter().map(|shared| {
            let named = shared.readers.map(|readers| readers.into_iter().map(|test| test.0).collect());
            let readers =
                named.or_else(|| readers_of_unnamed(&shared.place, crowd)).unwrap_or_else(|| all.clone());
            (shared.place, readers)
        });
        let of = |profile: Option<&'a Profile>, test: TestIndex| left(profile, test, counts);
        let before = crowd.start.iter().filter_map(|test| Some((*test, crowd.profiles.get(test)?.old)));
        let deleted = |test: &TestIndex| test.at() >= crowd.suite.len();
        let now = crowd.profiles.iter().filter(|(test, _)| !deleted(test));
        Web {
            crowd,
            left: now.map(|(&test, known)| (test, of(known.latest(), test))).collect(),
            left_before: before.map(|(test, profile)| (test, of(profile, test))).collect(),
            readers: shared.collect(),
        }
    }

    /// Who reads what is left otherwise than before; and who reads what these leave, and so on.
    fn victims(&self) -> Vec<Step<'_>> {
        let mut steps = Vec::new();
        let mut waiting: Vec<TestIndex> = Vec::new();
        let mut seen: BTreeSet<TestIndex> = self.crowd.start.clone();
        let mut note = |place, writer, readers: RoaringBitmap, waiting: &mut Vec<TestIndex>| {
            for reader in readers.iter().map(TestIndex).filter(|&reader| seen.insert(reader)) {
                steps.push((reader, place, writer));
                waiting.push(reader);
            }
        };
        for &test in &self.crowd.start {
            for place in self.changed_places(test) {
                note(place, test, self.who_minds(test, place), &mut waiting);
            }
        }
        while let Some(test) = waiting.pop() {
            for &place in self.left.get(&test).into_iter().flat_map(BTreeMap::keys) {
                note(place, test, self.readers_of(place), &mut waiting);
            }
        }
        steps
    }

    /// The places that an affected or deleted test leaves otherwise than before.
    fn changed_places(&self, test: TestIndex) -> BTreeSet<&'a str> {
        let none = Left::new();
        let [before, now] = [&self.left_before, &self.left].map(|left| left.get(&test).unwrap_or(&none));
        let places = before.keys().chain(now.keys()).copied();
        places.filter(|place| before.get(place) != now.get(place) || has_unknown(now.get(place))).collect()
    }

    /// Those who read a place, but for those who have met what is left there now: as another test leaves it, beside the same in all
    /// else that they read.
    fn who_minds(&self, writer: TestIndex, place: &str) -> RoaringBitmap {
        let mut minds = self.readers_of(place);
        let before = self.left_before.get(&writer).and_then(|left| left.get(place));
        let Some(now) = self.left.get(&writer).filter(|now| now.contains_key(place) && before.is_none())
        else {
            return minds;
        };
        let others = self.left.iter().filter(|(test, left)| {
            !self.crowd.start.contains(test)
                && left.get(place).is_some_and(|contents| *contents == now[place])
        });
        for (other, left) in others {
            let places = left.keys().chain(now.keys()).filter(|place| left.get(**place) != now.get(**place));
            let mut unmet: RoaringBitmap = places.map(|place| self.readers_of(place)).union();
            // Whoever leaves something himself need not have met it.
            unmet.insert(other.0);
            minds &= unmet;
        }
        minds
    }

    /// One of each sort of those who write what affected tests read, and what these read, and so on.
    fn polluters(&self) -> Vec<Step<'_>> {
        let read: BTreeMap<TestIndex, Vec<&str>> = self.places_read();
        let mut steps = Vec::new();
        let mut seen: BTreeSet<TestIndex> = BTreeSet::new();
        let mut done: BTreeSet<&[&str]> = BTreeSet::new();
        let mut waiting: Vec<TestIndex> = self.crowd.start.iter().copied().collect();
        while let Some(reader) = waiting.pop() {
            let Some(places) = read.get(&reader).filter(|places| done.insert(places)) else { continue };
            for (place, sort) in self.sorts(places) {
                // A second one stands in where the first is the reader himself.
                for writer in sort.into_iter().take(2).filter(|&writer| seen.insert(writer)) {
                    steps.push((writer, place, reader));
                    waiting.push(writer);
                }
            }
        }
        steps
    }

    /// The places that each test may read, if somebody writes them.
    fn places_read(&self) -> BTreeMap<TestIndex, Vec<&str>> {
        let mut read: BTreeMap<TestIndex, Vec<&str>> = BTreeMap::new();
        for (place, readers) in &self.readers {
            readers.iter().for_each(|reader| read.entry(TestIndex(reader)).or_default().push(place));
        }
        read
    }

    /// The tests that leave something in these places, those together that leave the same; affected ones first.
    fn sorts<'b>(&'b self, places: &[&'b str]) -> Vec<(&'b str, Vec<TestIndex>)> {
        let mut sorts: BTreeMap<Vec<(&str, &BTreeSet<Content<'_>>)>, Vec<TestIndex>> = BTreeMap::new();
        for (&test, left) in &self.left {
            let seen: Vec<_> = places.iter().filter_map(|&place| Some((place, left.get(place)?))).collect();
            if !seen.is_empty() {
                sorts.entry(seen).or_default().push(test);
            }
        }
        let is_unaffected = |test: &TestIndex| !self.crowd.start.contains(test);
        let sorts = sorts.into_iter().map(|(seen, mut tests)| {
            tests.sort_by_key(is_unaffected);
            (seen[0].0, tests)
        });
        sorts.collect()
    }

    fn readers_of(&self, place: &str) -> RoaringBitmap {
        self.readers.get(place).cloned().unwrap_or_default()
    }
}

fn left(profile: Option<&Profile>, test: TestIndex, counts: impl Fn(&Cell) -> bool) -> Left<'_> {
    let mut left = Left::new();
    let writes = profile.into_iter().flat_map(|profile| &profile.writes);
    for cell in writes.map(|write| &write.cell).filter(|cell| counts(cell)) {
        let content = if cell.key.is_empty() { Content::OnlyOf(test) } else { Content::Known(&cell.key) };
        left.entry(cell.holder()).or_default().insert(content);
    }
    left
}

fn has_unknown(contents: Option<&BTreeSet<Content<'_>>>) -> bool {
    contents.is_some_and(|contents| contents.iter().any(|content| matches!(content, Content::OnlyOf(_))))
}

/// What is kept for an object by a weak reference to it: nobody else has the object, or nobody at all any more.
fn is_for_own_object(cell: &Cell) -> bool {
    let is_weak = |(open, close): (&str, &str)| cell.path.contains(open) && cell.path.contains(close);
    let is_dead = |item: &str| cell.path.contains(item);
    // Several of one sort are numbered: `... object>>] (2)`.
    let is_new = cell.before == "<absent>"
        && [("[<weak <", " object>>]"), ("{<weak <", " object>>}")].into_iter().any(is_weak);
    is_new || ["[<weak None>]", "{<weak None>}"].into_iter().any(is_dead)
}

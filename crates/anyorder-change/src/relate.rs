//! Which tests share state with those that a change concerns.
//!
//! Knows profiles, old and new. What one test writes and another may read makes the two related, in either direction, and so
//! on from there: who writes what an affected one reads, and who writes what that one reads; who reads what it writes, and so
//! on. A test whose state cannot be looked into is related to all affected ones.

use std::collections::{BTreeMap, BTreeSet};

use anyorder_model::{Profile, Selected, Suite, TestId, TestIndex, Why};
use anyorder_search::{Flow, Noise};
use roaring::RoaringBitmap;

use crate::by_class::by_class;
use crate::opaque::opaque;
use crate::{Affected, Imports, OldProfiles};

/// How related tests are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Select {
    /// Not at all: affected tests only.
    Affected,
    /// All tests of a group with an affected one, and of those that ran code of a module with globals, if it ran such code, too.
    Class,
    /// Those where writes meet reads, cell by cell.
    #[default]
    Cells,
    /// All other tests.
    All,
}

/// The tests that share state with affected or deleted ones, directly or by others, with the reasons; in the order of the
/// suite.
///
/// `new` are the profiles that were made after the change: of the affected tests, and of those that are `unknown`. A test
/// that has no profile at all is related by [`Select::Class`].
pub fn related(
    suite: &Suite,
    affected: &Affected,
    old: &OldProfiles,
    new: &[Profile],
    select: Select,
    imports: &Imports,
    noise: &Noise,
) -> Vec<Selected> {
    let crowd = Crowd::new(suite, affected, old, new);
    if crowd.start.is_empty() {
        return Vec::new();
    }
    let mut why = match select {
        Select::Affected => BTreeMap::new(),
        Select::Class => by_class(&crowd, old, imports),
        Select::Cells => {
            let mut why = by_cells(&crowd, noise);
            let unknown = by_class(&crowd, old, imports);
            why.extend(unknown.into_iter().filter(|(test, _)| !crowd.profiles.contains_key(test)));
            why
        }
        Select::All => {
            let all = || vec![Why::Everything { what: "--select all".to_owned() }];
            suite.indices().map(|test| (test, all())).collect()
        }
    };
    why.retain(|test, _| !crowd.start.contains(test) && test.at() < suite.len());
    why.into_iter().map(|(test, why)| Selected { test, why }).collect()
}

/// The tests of the suite, and behind them those that are deleted.
pub(crate) struct Crowd<'a> {
    pub(crate) suite: &'a Suite,
    deleted: &'a [TestId],
    /// Affected and deleted tests.
    pub(crate) start: BTreeSet<TestIndex>,
    /// Old and new ones of each test.
    pub(crate) profiles: BTreeMap<TestIndex, Vec<&'a Profile>>,
}

impl<'a> Crowd<'a> {
    fn new(suite: &'a Suite, affected: &'a Affected, old: &'a OldProfiles, new: &'a [Profile]) -> Self {
        let behind = u32::try_from(suite.len()).expect("fewer than four billion tests");
        let deleted = (behind..).map(TestIndex).zip(&affected.deleted);
        let mut start: BTreeSet<TestIndex> = affected.tests.iter().map(|selected| selected.test).collect();
        start.extend(deleted.clone().map(|(index, _)| index));
        let stale: BTreeSet<TestIndex> = affected.unknown.iter().copied().collect();
        let there = suite.indices().filter(|test| !stale.contains(test)).map(|test| (test, suite.id(test)));
        let mut profiles: BTreeMap<TestIndex, Vec<&Profile>> = BTreeMap::new();
        for (index, id) in there.chain(deleted) {
            let recorded = old.get(id).map(|recorded| &recorded.profile);
            recorded.into_iter().for_each(|profile| profiles.entry(index).or_default().push(profile));
        }
        new.iter().for_each(|profile| profiles.entry(profile.test).or_default().push(profile));
        Crowd { suite, deleted: &affected.deleted, start, profiles }
    }

    pub(crate) fn id(&self, test: TestIndex) -> &TestId {
        if test.at() < self.suite.len() {
            self.suite.id(test)
        } else {
            &self.deleted[test.at() - self.suite.len()]
        }
    }
}

fn by_cells(crowd: &Crowd<'_>, noise: &Noise) -> BTreeMap<TestIndex, Vec<Why>> {
    let observable = crowd.profiles.iter().flat_map(|(&test, profiles)| {
        profiles.iter().map(move |profile| {
            let mut profile = Profile { test, ..(*profile).clone() };
            profile.writes.retain(|write| !noise.has(&write.cell));
            profile
        })
    });
    let flow = Flow::new(&observable.collect::<Vec<_>>());
    let readers = flow.readers();
    let mut writers: BTreeMap<TestIndex, RoaringBitmap> = BTreeMap::new();
    for (writer, readers) in &readers {
        for reader in readers {
            writers.entry(TestIndex(reader)).or_default().insert(writer.0);
        }
    }
    let mut why: BTreeMap<TestIndex, Vec<Why>> = BTreeMap::new();
    let mut note = |test: TestIndex, cells: Vec<String>, with: TestIndex| {
        let with = crowd.id(with).clone();
        let shares = cells.into_iter().take(1).map(|cell| Why::Shares { cell, with: with.clone() });
        why.entry(test).or_default().extend(shares);
    };
    for (reader, writer) in steps_from(&crowd.start, &readers) {
        note(reader, flow.between(writer, reader), writer);
    }
    for (writer, reader) in steps_from(&crowd.start, &writers) {
        note(writer, flow.between(writer, reader), reader);
    }
    for (&test, profiles) in &crowd.profiles {
        if let Some(what) = profiles.iter().find_map(|profile| opaque(profile)) {
            why.entry(test).or_default().push(Why::Opaque { what: what.to_owned() });
        }
    }
    why
}

/// All that can be reached, each with the one before it.
fn steps_from(
    start: &BTreeSet<TestIndex>,
    next: &BTreeMap<TestIndex, RoaringBitmap>,
) -> Vec<(TestIndex, TestIndex)> {
    let mut seen: RoaringBitmap = start.iter().map(|test| test.0).collect();
    let mut steps = Vec::new();
    let mut waiting: Vec<TestIndex> = start.iter().copied().collect();
    while let Some(from) = waiting.pop() {
        let Some(after) = next.get(&from) else { continue };
        let found = after - &seen;
        seen |= &found;
        steps.extend(found.iter().map(|to| (TestIndex(to), from)));
        waiting.extend(found.iter().map(TestIndex));
    }
    steps
}

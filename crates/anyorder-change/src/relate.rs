//! Which tests share state with those that a change concerns.
//!
//! Knows profiles, old and new, and four ways to relate tests by them.

use std::collections::{BTreeMap, BTreeSet};

use anyorder_model::{Profile, Selected, Suite, TestId, TestIndex, Why};
use anyorder_search::Noise;

use crate::by_cells::by_cells;
use crate::by_class::by_class;
use crate::{Affected, Imports, OldProfiles};

/// How related tests are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Select {
    /// Not at all: affected tests only.
    Affected,
    /// All tests of a group with an affected one, and of those that ran code of a module with globals, if it ran such code, too.
    Class,
    /// Those where writes meet reads, cell by cell; of those that leave the same to be read, one.
    #[default]
    Cells,
    /// All other tests.
    All,
}

/// The tests that share state with affected or deleted ones, directly or by others, with the reasons; in the order of the
/// suite.
///
/// `new` are the profiles that were made after the change: of the affected tests, and of those that are `unknown`. For an
/// affected test without one, and for tests that have none at all, cells cannot be told, and it is as with [`Select::Class`].
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
        Select::Class => by_class(&crowd, &crowd.start, old, imports),
        Select::Cells => {
            let extensions = imports.new.users_of_extensions();
            let mut why = by_cells(&crowd, noise, &extensions, &old.root);
            let is_unseen = |test: &TestIndex| !crowd.profiles.contains_key(test);
            let by_class = |start| by_class(&crowd, start, old, imports).into_iter();
            let unseen = by_class(&crowd.start).filter(|(test, _)| is_unseen(test));
            for (test, reasons) in by_class(&crowd.unwatched()).chain(unseen) {
                why.entry(test).or_insert(reasons);
            }
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
    pub(crate) profiles: BTreeMap<TestIndex, Known<'a>>,
}

/// What is known of a test; one of the two at least.
#[derive(Clone, Copy, Default)]
pub(crate) struct Known<'a> {
    /// What it did before the change.
    pub(crate) old: Option<&'a Profile>,
    /// What it does now, if that was looked at.
    pub(crate) new: Option<&'a Profile>,
}

impl<'a> Known<'a> {
    pub(crate) fn both(self) -> impl Iterator<Item = &'a Profile> + Clone {
        self.old.into_iter().chain(self.new)
    }

    /// What it does now, as far as is known.
    pub(crate) fn latest(self) -> Option<&'a Profile> {
        self.new.or(self.old)
    }
}

impl<'a> Crowd<'a> {
    fn new(suite: &'a Suite, affected: &'a Affected, old: &'a OldProfiles, new: &'a [Profile]) -> Self {
        let behind = u32::try_from(suite.len()).expect("fewer than four billion tests");
        let deleted = (behind..).map(TestIndex).zip(&affected.deleted);
        let mut start: BTreeSet<TestIndex> = affected.tests.iter().map(|selected| selected.test).collect();
        start.extend(deleted.clone().map(|(index, _)| index));
        let stale: BTreeSet<TestIndex> = affected.unknown.iter().copied().collect();
        let there = suite.indices().filter(|test| !stale.contains(test)).map(|test| (test, suite.id(test)));
        let mut profiles: BTreeMap<TestIndex, Known<'_>> = BTreeMap::new();
        for (index, id) in there.chain(deleted) {
            if let Some(recorded) = old.get(id) {
                profiles.entry(index).or_default().old = Some(&recorded.profile);
            }
        }
        new.iter().for_each(|profile| profiles.entry(profile.test).or_default().new = Some(profile));
        Crowd { suite, deleted: &affected.deleted, start, profiles }
    }

    /// The affected tests of which it is not known what they do now.
    fn unwatched(&self) -> BTreeSet<TestIndex> {
        let is_known = |test: &TestIndex| self.profiles.get(test).is_some_and(|known| known.new.is_some());
        let there = self.start.iter().filter(|test| test.at() < self.suite.len());
        there.filter(|test| !is_known(test)).copied().collect()
    }

    pub(crate) fn id(&self, test: TestIndex) -> &TestId {
        if test.at() < self.suite.len() {
            self.suite.id(test)
        } else {
            &self.deleted[test.at() - self.suite.len()]
        }
    }
}

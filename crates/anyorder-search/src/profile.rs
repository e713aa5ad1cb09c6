//! Profiles: what each test does by itself, from what was seen when it was watched.
//!
//! Knows which watches a profile takes and how they become one. Does not know what profiles are good for.
//!
//! A test is watched alone from the fresh state; that is its profile. What it does behind other tests, which is all there
//! is to see of a test that dies at once when alone, is added and marked. Only what differs in the end is seen: a cell that
//! is written with what it held already is no write.

use std::collections::{BTreeMap, BTreeSet};

use anyorder_model::{
    Cell, Group, Halted, Oracle, Order, Outcome, Profile, Step, TestIndex, Watch, WatchRecord, Watched, Write,
};

use crate::unstable::{in_doubt, is_same, mark_unstable};

/// Whether a test runs once more behind itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Again {
    /// It does not.
    #[default]
    No,
    /// It does, when everything was torn down.
    Yes,
    /// It does if nothing was torn down that it could notice: then it runs as right after itself.
    IfBare,
}

/// How thoroughly tests are profiled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProfileSettings {
    /// Whether each test runs again behind itself.
    pub again: Again,
    /// Whether it is found out which cells are unstable.
    pub unstable: bool,
    /// Whether each test is watched in the original order too.
    pub in_original_order: bool,
    /// Tests that are red alone are watched once more behind each of these groups.
    pub setters: BTreeMap<TestIndex, Vec<Group>>,
}

impl ProfileSettings {
    /// All that can be seen, given the setters that are known.
    pub fn thorough(setters: BTreeMap<TestIndex, Vec<Group>>) -> Self {
        ProfileSettings { again: Again::Yes, unstable: true, in_original_order: true, setters }
    }
}

/// The profiles of some tests.
#[derive(Clone, Debug)]
pub struct ProfileReport {
    /// In the order asked for; as many as there was time for.
    pub profiles: Vec<Profile>,
    /// Tests that were not red, and ended alike when they ran again right after themselves; those behind which something was torn
    /// down that they could notice are not among them.
    pub alike_twice: BTreeSet<TestIndex>,
    /// Why it ended early, if it did.
    pub stopped_early: Option<Halted>,
}

/// How many tests are asked about at once: enough for many workers, and what they answer fits into memory.
const AT_ONCE: usize = 128;

/// Profiles these tests.
pub fn profile(oracle: &mut dyn Oracle, tests: &[TestIndex], settings: &ProfileSettings) -> ProfileReport {
    let profiles = Vec::with_capacity(tests.len());
    let mut report = ProfileReport { profiles, alike_twice: BTreeSet::new(), stopped_early: None };
    report.stopped_early = fill(oracle, tests, settings, &mut report).err();
    oracle.profiled(&report.profiles);
    report
}

fn fill(
    oracle: &mut dyn Oracle,
    tests: &[TestIndex],
    settings: &ProfileSettings,
    ProfileReport { profiles, alike_twice, .. }: &mut ProfileReport,
) -> Result<(), Halted> {
    let original = Order::original(oracle.suite()).0;
    let mut longest = settings.in_original_order.then(|| watch(&[], original));
    let mut seen_in_original_order = None;
    for some in tests.chunks(AT_ONCE) {
        let longest = longest.take();
        let alone = some.iter().map(|&test| watch_alone(test, settings.again));
        let mut records = oracle.watch(longest.iter().cloned().chain(alone).collect())?.into_iter();
        if longest.is_some() {
            seen_in_original_order = records.next();
        }
        let records: Vec<(TestIndex, WatchRecord)> = some.iter().copied().zip(records).collect();
        alike_twice
            .extend(records.iter().filter(|(_, record)| is_alike_twice(record)).map(|(test, _)| *test));
        let mut new: Vec<Profile> =
            records.into_iter().map(|(test, record)| profile_of(test, record)).collect();
        add_behind_setters(oracle, &mut new, settings)?;
        profiles.append(&mut new);
    }
    let doubtful =
        if settings.unstable { in_doubt(profiles, seen_in_original_order.as_ref()) } else { vec![] };
    seen_in_original_order.into_iter().for_each(|record| add_in_original_order(profiles, record));
    for some in doubtful.chunks(AT_ONCE) {
        let again = some.iter().map(|&at| Watch { traces: false, ..watch(&[], vec![profiles[at].test]) });
        let records = ask(oracle, again.collect())?;
        some.iter().zip(records).for_each(|(&at, record)| mark_unstable(&mut profiles[at], record));
    }
    Ok(())
}

fn ask(oracle: &mut dyn Oracle, watches: Vec<Watch>) -> Result<Vec<WatchRecord>, Halted> {
    if watches.is_empty() { Ok(Vec::new()) } else { oracle.watch(watches) }
}

fn watch(prefix: &[TestIndex], tests: Vec<TestIndex>) -> Watch {
    Watch::new(Order(prefix.to_vec()), Order(tests))
}

/// A test by itself, and perhaps once more behind it.
fn watch_alone(test: TestIndex, again: Again) -> Watch {
    let then = Order(if again == Again::No { vec![] } else { vec![test] });
    Watch { then, only_bare: again == Again::IfBare, ..watch(&[], vec![test]) }
}

fn add_behind_setters(
    oracle: &mut dyn Oracle,
    profiles: &mut [Profile],
    settings: &ProfileSettings,
) -> Result<(), Halted> {
    let red = profiles.iter_mut().filter(|profile| profile.alone.outcome.is_red());
    let groups_of = |profile: &Profile| settings.setters.get(&profile.test).map_or(&[][..], Vec::as_slice);
    let mut red: Vec<&mut Profile> = red.collect();
    let behind = |profile: &&mut Profile| {
        let test = profile.test;
        groups_of(profile).iter().map(move |group| watch(group, vec![test]))
    };
    let mut records = ask(oracle, red.iter().flat_map(behind).collect())?.into_iter();
    for profile in &mut red {
        let watched = records.by_ref().take(groups_of(profile).len()).flat_map(|record| record.watched);
        watched.for_each(|seen| add_elsewhere(profile, seen));
    }
    Ok(())
}

fn add_in_original_order(profiles: &mut [Profile], record: WatchRecord) {
    let mut watched: BTreeMap<TestIndex, Watched> =
        record.watched.into_iter().map(|seen| (seen.step.test, seen)).collect();
    for profile in profiles {
        watched.remove(&profile.test).into_iter().for_each(|seen| add_elsewhere(profile, seen));
    }
}

fn is_alike_twice(WatchRecord { watched, is_bare, then, .. }: &WatchRecord) -> bool {
    let [Watched { step: first, .. }] = &watched[..] else { return false };
    *is_bare && !first.outcome.is_red() && then.iter().map(|second| second.outcome).eq([first.outcome])
}

/// What was seen of a test alone.
fn profile_of(test: TestIndex, record: WatchRecord) -> Profile {
    let again = record.then.first().map(|step| step.outcome);
    let seen = record.watched.into_iter().next().unwrap_or_else(|| nothing_seen(test));
    let mut profile = Profile {
        test,
        alone: seen.step,
        again,
        writes: writes(seen.writes, record.in_the_end),
        reads: seen.reads,
        code: seen.code,
        opened: seen.opened,
    };
    profile.writes.sort_by(|one, other| one.cell.path.cmp(&other.cell.path));
    profile.code.sort_unstable();
    profile.code.dedup();
    profile
}

fn nothing_seen(test: TestIndex) -> Watched {
    let step = Step::bare(test, Outcome::NotReached);
    Watched { step, writes: Vec::new(), reads: BTreeSet::new(), code: Vec::new(), opened: None }
}

/// What a test left while fixtures stood, and what was left when they were torn down. A cell that a tear-down changes to
/// yet other contents is there twice.
pub(crate) fn writes(standing: Vec<Cell>, in_the_end: Option<Vec<Cell>>) -> Vec<Write> {
    let write = |cell, is_torn_down| Write { cell, is_torn_down, is_unstable: false, is_elsewhere: false };
    let Some(in_the_end) = in_the_end else {
        return standing.into_iter().map(|cell| write(cell, false)).collect();
    };
    let undone = standing.into_iter().filter(|cell| !in_the_end.iter().any(|last| is_same(cell, last)));
    let mut writes: Vec<Write> = undone.map(|cell| write(cell, true)).collect();
    writes.extend(in_the_end.iter().cloned().map(|cell| write(cell, false)));
    writes
}

/// What a test does behind others: whatever was not seen yet.
fn add_elsewhere(profile: &mut Profile, seen: Watched) {
    let known: BTreeSet<&str> = profile.writes.iter().map(|write| write.cell.path.as_str()).collect();
    let new = seen.writes.into_iter().filter(|cell| !known.contains(cell.path.as_str()));
    let new: Vec<Write> =
        new.map(|cell| Write { cell, is_torn_down: false, is_unstable: false, is_elsewhere: true }).collect();
    profile.writes.extend(new);
    profile.reads.extend(seen.reads);
    if let Some(opened) = &mut profile.opened {
        opened.extend(seen.opened.into_iter().flatten());
    }
    profile.code.extend(seen.code);
    profile.code.sort_unstable();
    profile.code.dedup();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hunt_tests::{ONE, ZERO, suite};
    use crate::simulate::{Op, SimFixture, SimSuite};

    fn profiles(suite: &mut SimSuite, settings: &ProfileSettings) -> Vec<Profile> {
        let tests: Vec<TestIndex> = suite.suite().indices().collect();
        let report = profile(suite, &tests, settings);
        assert_eq!(report.stopped_early, None);
        report.profiles
    }

    fn paths(profile: &Profile, wanted: impl Fn(&Write) -> bool) -> Vec<&str> {
        profile.writes.iter().filter(|write| wanted(write)).map(|write| write.cell.path.as_str()).collect()
    }

    #[test]
    fn what_a_test_leaves_and_looks_at_is_its_profile() {
        let mut suite = suite(&[&[Op::Set(0, 1), Op::Need(1, ZERO)], &[Op::Bump(0)], &[Op::Set(0, 0)]]);
        let profiles = profiles(&mut suite, &ProfileSettings::default());
        assert_eq!(paths(&profiles[0], |_| true), ["shared.c0"]);
        assert_eq!(profiles[0].reads.iter().collect::<Vec<_>>(), ["shared.c1"]);
        assert_eq!(profiles[1].writes[0].cell.key, profiles[0].writes[0].cell.key);
        assert_eq!((profiles[2].writes.len(), profiles[2].again), (0, None));
    }

    #[test]
    fn what_a_tear_down_undoes_is_marked() {
        let fixture = SimFixture { cells: vec![0], need: None };
        let mut suite = suite(&[&[Op::Set(0, 1), Op::Set(1, 1)]]).with_fixture(0, fixture);
        let profiles = profiles(&mut suite, &ProfileSettings::default());
        assert_eq!(paths(&profiles[0], |write| write.is_torn_down), ["shared.c0"]);
        assert_eq!(paths(&profiles[0], |write| !write.is_torn_down), ["shared.c1"]);
    }

    #[test]
    fn random_contents_are_unstable_and_the_outcome_again_is_known() {
        let mut suite = suite(&[&[Op::Need(0, ZERO), Op::Set(0, 1)]]);
        let thorough = ProfileSettings::thorough(BTreeMap::new());
        let steady = profiles(&mut suite, &thorough).remove(0);
        assert_eq!((steady.alone.outcome, steady.again), (Outcome::Passed, Some(Outcome::Failed)));
        assert_eq!(paths(&steady, |write| write.is_unstable), [] as [&str; 0]);
        let mut tests = suite.tests().to_vec();
        tests[0].rate = Some(0.5);
        let random = profiles(&mut SimSuite::new(tests, 1), &thorough).remove(0);
        assert_eq!(paths(&random, |write| write.is_unstable), ["random"]);
    }

    #[test]
    fn a_test_that_dies_when_alone_shows_what_it_does_in_the_original_order_or_behind_its_setters() {
        let tests: [&[Op]; 3] =
            [&[Op::Set(0, 1)], &[Op::Need(0, ONE), Op::Need(1, ZERO), Op::Set(2, 1)], &[Op::Set(0, 1)]];
        let in_original = ProfileSettings { in_original_order: true, ..ProfileSettings::default() };
        let setters = BTreeMap::from([(TestIndex(1), vec![vec![TestIndex(2)]])]);
        for settings in [in_original, ProfileSettings { setters, ..ProfileSettings::default() }] {
            let profiles = profiles(&mut suite(&tests), &settings);
            assert_eq!(profiles[1].alone.outcome, Outcome::Failed);
            assert_eq!(paths(&profiles[1], |write| write.is_elsewhere), ["shared.c2"]);
            assert_eq!(profiles[1].reads.len(), 2);
        }
    }

    #[test]
    fn what_there_was_time_for_is_kept() {
        let mut suite = suite(&vec![&[][..]; 300]);
        suite.limit = 200;
        let tests: Vec<TestIndex> = suite.suite().indices().collect();
        let report = profile(&mut suite, &tests, &ProfileSettings::default());
        assert_eq!((report.profiles.len(), report.stopped_early), (128, Some(Halted::Budget)));
    }
}

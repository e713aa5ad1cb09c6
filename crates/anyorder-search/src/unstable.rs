//! Unstable cells: two identical runs of a test leave other things in them, as a random number or the time.
//!
//! Knows which tests have to run a second time to tell. What another test has left in the same place, in a process of its own, is
//! not random: so only those run again that have left something nobody else has.

use std::collections::{BTreeMap, BTreeSet};

use anyorder_model::{Cell, Profile, WatchRecord, Write};

use crate::noise::Noise;
use crate::profile::writes;

type Contents<'a> = (&'a str, &'a str);

/// Places of profiles with contents that were seen once only. Cells that nobody can observe are left out, and those whose
/// contents cannot be compared.
pub(crate) fn in_doubt(profiles: &[Profile], in_original_order: Option<&WatchRecord>) -> Vec<usize> {
    let noise = Noise::default();
    let by_themselves = profiles.iter().map(|profile| alone(profile).map(contents).collect::<BTreeSet<_>>());
    let watched = in_original_order.iter().flat_map(|record| &record.watched);
    let original = watched.map(|watched| watched.writes.iter().map(contents).collect());
    let mut seen: BTreeMap<Contents<'_>, u32> = BTreeMap::new();
    for contents in by_themselves.chain(original).flatten() {
        *seen.entry(contents).or_default() += 1;
    }
    let is_doubtful = |cell: &Cell| seen[&contents(cell)] < 2 && !cell.key.is_empty() && !noise.has(cell);
    (0..profiles.len()).filter(|&at| alone(&profiles[at]).any(is_doubtful)).collect()
}

fn alone(profile: &Profile) -> impl Iterator<Item = &Cell> {
    profile.writes.iter().filter(|write| !write.is_elsewhere).map(|write| &write.cell)
}

fn contents(cell: &Cell) -> Contents<'_> {
    (&cell.path, &cell.key)
}

/// Marks what a second run of the same test has left otherwise.
pub(crate) fn mark_unstable(profile: &mut Profile, record: WatchRecord) {
    let standing = record.watched.into_iter().flat_map(|watched| watched.writes).collect();
    let second: Vec<Cell> = writes(standing, record.in_the_end).into_iter().map(|write| write.cell).collect();
    let first: Vec<Cell> = alone(profile).cloned().collect();
    for cell in differing(&first, &second) {
        add_unstable(&mut profile.writes, cell);
    }
    profile.writes.sort_by(|one, other| one.cell.path.cmp(&other.cell.path));
}

/// The cells that two identical runs left otherwise.
fn differing(one: &[Cell], other: &[Cell]) -> Vec<Cell> {
    let only_in = |one: &[Cell], other: &[Cell]| -> Vec<Cell> {
        one.iter().filter(|cell| !other.iter().any(|same| is_same(cell, same))).cloned().collect()
    };
    [only_in(one, other), only_in(other, one)].concat()
}

/// Marks the writes to a cell as unstable; it may be one that the first run did not write at all.
fn add_unstable(writes: &mut Vec<Write>, cell: Cell) {
    let mut same: Vec<&mut Write> = writes.iter_mut().filter(|write| write.cell.path == cell.path).collect();
    same.iter_mut().for_each(|write| write.is_unstable = true);
    if same.is_empty() {
        writes.push(Write { cell, is_torn_down: false, is_unstable: true, is_elsewhere: false });
    }
}

/// The same place with the same contents, as far as that can be told.
pub(crate) fn is_same(one: &Cell, other: &Cell) -> bool {
    one.path == other.path && one.key == other.key
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hunt_tests::suite;
    use crate::simulate::{Op, SimSuite};
    use crate::{ProfileSettings, profile};
    use anyorder_model::{Oracle, TestIndex};

    fn forks(suite: &mut SimSuite, in_original_order: bool) -> u64 {
        let tests: Vec<TestIndex> = suite.suite().indices().collect();
        let settings = ProfileSettings { unstable: true, in_original_order, ..ProfileSettings::default() };
        profile(suite, &tests, &settings);
        suite.forks
    }

    #[test]
    fn what_another_test_leaves_as_well_needs_no_second_run() {
        let tests: [&[Op]; 4] = [&[Op::Set(0, 1)], &[Op::Bump(0)], &[Op::Set(1, 1)], &[]];
        assert_eq!(forks(&mut suite(&tests), false), 4 + 1);
    }

    #[test]
    fn what_a_test_leaves_in_the_original_order_as_well_needs_no_second_run() {
        let tests: [&[Op]; 2] = [&[Op::Set(0, 1)], &[Op::Set(1, 1)]];
        assert_eq!(forks(&mut suite(&tests), true), 2 + 1);
    }

    #[test]
    fn what_only_some_runs_leave_is_unstable_though_the_first_did_not() {
        let tests: [&[Op]; 1] = [&[Op::Set(0, 1)]];
        let mut profile =
            profile(&mut suite(&tests), &[TestIndex(0)], &ProfileSettings::default()).profiles.remove(0);
        let other = Cell { path: "shared.c1".to_owned(), ..profile.writes[0].cell.clone() };
        let second = WatchRecord {
            watched: vec![],
            is_bare: true,
            in_the_end: Some(vec![profile.writes[0].cell.clone(), other]),
            then: vec![],
        };
        mark_unstable(&mut profile, second);
        let unstable: Vec<(&str, bool)> =
            profile.writes.iter().map(|write| (write.cell.path.as_str(), write.is_unstable)).collect();
        assert_eq!(unstable, [("shared.c0", false), ("shared.c1", true)]);
    }
}

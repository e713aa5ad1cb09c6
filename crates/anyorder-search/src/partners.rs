//! Single partners: every test that by itself makes the difference for a suspect.
//!
//! Knows how to look at many suspects at once: a candidate runs once, and each suspect runs from the state it leaves.
//! *Each* candidate by itself is the whole truth, for as many forks as there are candidates and suspects. Where that is much, and
//! tests were profiled, one candidate of each *sort* runs: one of those that leave the same behind, and the others only if that
//! one is a partner; a partner is missed then that leaves something which nobody sees. Where that is too much, too, candidates run
//! in *blocks*, forwards and backwards, and only the tests of blocks that show something run by themselves; a partner is missed then
//! if in both directions the block undoes what it did.

use anyorder_model::{Group, Halted, Purpose, TestIndex};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::asker::{Asker, Branches};
use crate::case::Case;
use crate::pairing::Pairing;
use crate::seen::{Seen, Sighting};
use crate::settings::HuntSettings;
use crate::sight::Sight;
use crate::sorts::Sorts;

/// What is left out where not all tests are candidates.
const OUTSIDE: &str = "partners and cleaners among the tests that the change has nothing to do with";

/// A scan that takes one part in so many of what is affordable need not be made cheaper.
const LITTLE: u64 = 4;

/// How candidates are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scan {
    /// Each by itself.
    Each,
    /// One of those that leave the same behind.
    Sorts,
    /// So many in a row.
    Blocks(usize),
    /// Not at all.
    No,
}

/// What scans would cost, in forks.
pub(crate) struct Costs {
    pub(crate) tests: usize,
    pub(crate) suspects: usize,
    /// Pairs of which is known how they end.
    pub(crate) known: usize,
    /// Pairs of one test of each sort with a suspect; nothing if sorts are not known.
    pub(crate) sorts: Option<usize>,
}

impl Costs {
    fn of(&self, scan: Scan) -> Option<usize> {
        let branches = if self.suspects > 1 { self.suspects + 1 } else { self.suspects };
        Some(match scan {
            Scan::Each => (self.tests * branches).saturating_sub(self.known),
            // Where nobody leaves anything that is seen, all have to run.
            Scan::Sorts => self.sorts.filter(|&pairs| pairs > 0)? * branches / self.suspects.max(1),
            Scan::Blocks(size) => 2 * self.tests.div_ceil(size) * branches + self.suspects * size,
            Scan::No => 0,
        })
    }

    /// The most thorough scan that costs at most so many forks; sorts will do if each by itself would cost a good part of them.
    pub(crate) fn choose(&self, forks: u64) -> Scan {
        let scans = [
            (Scan::Each, forks / LITTLE),
            (Scan::Sorts, forks),
            (Scan::Each, forks),
            (Scan::Blocks(8), forks),
            (Scan::Blocks(16), forks),
            (Scan::Blocks(32), forks),
        ];
        let is_affordable = |scan: Scan, most: u64| self.of(scan).is_some_and(|cost| cost as u64 <= most);
        let found = scans.into_iter().find(|&(scan, most)| is_affordable(scan, most));
        found.map_or(Scan::No, |(scan, _)| scan)
    }
}

/// Finds single partners of all `cases`, in what was `seen` where it can; adds them to their groups.
pub(crate) fn scan(
    asker: &mut Asker<'_>,
    cases: &mut [Case],
    seen: &Seen,
    pairing: Option<&Pairing>,
    settings: &HuntSettings,
) -> Result<(), Halted> {
    let tests: Vec<TestIndex> = asker.scope().to_vec();
    if asker.is_narrow() {
        cases.iter_mut().for_each(|case| case.leave_out(OUTSIDE));
    }
    let known = cases.iter_mut().map(|case| note_seen(case, seen, &tests)).sum();
    let sorts = pairing.map(|pairing| Sorts { pairing, tests: &tests });
    let firsts = sorts.as_ref().map(|sorts| sorts.firsts(cases));
    let costs = Costs { tests: tests.len(), suspects: cases.len(), known, sorts: firsts };
    let result = match (costs.choose(settings.forks(tests.len())), sorts) {
        (Scan::No, _) => {
            for case in cases.iter_mut() {
                let word = case.partner_word();
                case.not_searched
                    .push(format!("other {word}: there are too many suspects to try every test"));
            }
            Ok(())
        }
        (Scan::Sorts, Some(sorts)) => sorts.try_one_of_each(asker, cases, seen, settings),
        (Scan::Each | Scan::Sorts, _) => {
            let all: Vec<usize> = (0..cases.len()).collect();
            let each: Vec<_> = tests.iter().map(|&test| (test, all.clone())).collect();
            try_each(asker, cases, seen, &each)
        }
        (Scan::Blocks(size), _) => {
            let each = try_blocks(asker, cases, &tests, size, settings.seed)?;
            for case in cases.iter_mut() {
                let word = case.partner_word();
                case.leave_out(format!(
                    "{word} that the tests around them undo: tests were tried {size} in a row, forwards and backwards"
                ));
            }
            try_each(asker, cases, seen, &each)
        }
    };
    cases.iter_mut().for_each(|case| case.groups.sort_by_key(|group| (group.len(), group.clone())));
    result
}

/// Adds the partners that were seen to be one; how many tests were seen to be one or none.
fn note_seen(case: &mut Case, seen: &Seen, tests: &[TestIndex]) -> usize {
    let ends = tests.iter().filter_map(|&test| Some((test, seen.after_one(test, case.test)?)));
    let ends: Vec<(TestIndex, Sight)> = ends.filter(|(_, end)| end.is_evidence()).collect();
    let partners = ends.iter().filter(|(_, end)| case.target.is_met(end)).map(|(test, _)| vec![*test]);
    let partners: Vec<Group> = partners.filter(|partner| !case.groups.contains(partner)).collect();
    case.groups.extend(partners);
    ends.len()
}

/// A candidate, and the cases that it is one for, by their places.
pub(crate) type Row = (TestIndex, Vec<usize>);

/// Runs each candidate and, from the state it leaves, the cases that it is a candidate for.
pub(crate) fn try_each(
    asker: &mut Asker<'_>,
    cases: &mut [Case],
    seen: &Seen,
    candidates: &[Row],
) -> Result<(), Halted> {
    let wanted = |(test, wanted): &Row| -> Vec<usize> {
        let is_seen = |case: &Case| seen.after_one(*test, case.test).is_some_and(|end| end.is_evidence());
        let is_new = |&at: &usize| {
            cases[at].test != *test && !cases[at].groups.contains(&vec![*test]) && !is_seen(&cases[at])
        };
        wanted.iter().copied().filter(is_new).collect()
    };
    let rows: Vec<Row> =
        candidates.iter().map(|row| (row.0, wanted(row))).filter(|(_, wanted)| !wanted.is_empty()).collect();
    let branches = rows.iter().map(|(test, wanted)| (vec![*test], tails(cases, wanted))).collect();
    let ends = asker.branch_ends(Purpose::Minimise, 0, branches)?;
    for ((test, wanted), ends) in rows.iter().zip(&ends) {
        for (&at, end) in wanted.iter().zip(ends) {
            if cases[at].target.is_met(end) {
                cases[at].groups.push(vec![*test]);
            }
        }
    }
    Ok(())
}

/// Runs blocks; which tests are worth a run by themselves, and for which cases.
fn try_blocks(
    asker: &mut Asker<'_>,
    cases: &mut [Case],
    tests: &[TestIndex],
    size: usize,
    seed: u64,
) -> Result<Vec<Row>, Halted> {
    let mut shuffled = tests.to_vec();
    shuffled.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    let blocks: Vec<Vec<TestIndex>> = shuffled
        .chunks(size)
        .flat_map(|block| [block.to_vec(), block.iter().rev().copied().collect()])
        .collect();
    let others = |block: &[TestIndex]| {
        (0..cases.len()).filter(|&at| !block.contains(&cases[at].test)).collect::<Vec<_>>()
    };
    let rows: Vec<Vec<usize>> = blocks.iter().map(|block| others(block)).collect();
    let branches: Vec<Branches> =
        blocks.iter().zip(&rows).map(|(block, row)| (block.clone(), tails(cases, row))).collect();
    let kept: Vec<usize> = (0..blocks.len()).filter(|&at| !rows[at].is_empty()).collect();
    let ends = asker.branch_ends(Purpose::Minimise, 0, branches)?;
    let mut each: Vec<Row> = shuffled.iter().map(|&test| (test, Vec::new())).collect();
    for (&number, ends) in kept.iter().zip(&ends) {
        let first = number / 2 * size;
        for (&at, end) in rows[number].iter().zip(ends) {
            if cases[at].target.is_met(end) {
                let before = blocks[number].clone();
                cases[at].sightings.insert(0, Sighting { before, sight: end.clone() });
                each.iter_mut().skip(first).take(size).for_each(|(_, wanted)| wanted.push(at));
            }
        }
    }
    // A suspect's own block says nothing about it: its neighbours run by themselves.
    for (at, case) in cases.iter().enumerate() {
        let own = shuffled.iter().position(|&test| test == case.test).unwrap_or(0) / size * size;
        each.iter_mut().skip(own).take(size).for_each(|(_, wanted)| wanted.push(at));
    }
    for (_, wanted) in &mut each {
        wanted.sort_unstable();
        wanted.dedup();
    }
    Ok(each)
}

fn tails(cases: &[Case], wanted: &[usize]) -> Vec<Vec<TestIndex>> {
    wanted.iter().map(|&at| vec![cases[at].test]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_thorough_scan_is_chosen_that_is_affordable() {
        let costs = |suspects, sorts| Costs { tests: 400, suspects, known: 0, sorts };
        assert_eq!(costs(1, Some(20)).choose(2_000), Scan::Each);
        assert_eq!(costs(1, Some(20)).choose(1_000), Scan::Sorts);
        assert_eq!(costs(1, None).choose(1_000), Scan::Each);
        assert_eq!(costs(16, Some(16 * 20)).choose(1_000), Scan::Sorts);
        assert_eq!(costs(16, None).choose(1_000), Scan::Blocks(32));
        assert_eq!(costs(16, Some(16 * 400)).choose(100), Scan::No);
        // Nobody leaves anything that is seen.
        assert_eq!(costs(1, Some(0)).choose(0), Scan::No);
    }
}

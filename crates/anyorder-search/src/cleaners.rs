//! Cleaners: tests that, run between a polluter and its victim, let the victim pass.
//!
//! Knows the polluters already. Every test is a candidate, the polluter and the victim themselves included. If there
//! are forks enough, each runs by itself. Otherwise one group of polluters of every victim runs, then a block of
//! tests, then each victim from that state, and only the tests of blocks that clean run by themselves; polluters and
//! victims stay out of blocks. Such a block hides a cleaner only from victims that something behind it pollutes.
//! Where no test cleans by itself, several may do so together.

use std::collections::{BTreeMap, BTreeSet};

use anyorder_model::{ByPolluter, Group, Halted, Purpose, TestIndex};

use crate::asker::Asker;
use crate::case::Case;
use crate::seen::Seen;
use crate::settings::Allowance;
use crate::shrink::{Shrunk, shrink};
use crate::sight::{Sight, Target};

/// How many tests run in a row when there are too many to try each.
const BLOCK: usize = 16;
/// What is left out where it would take too much.
const TOGETHER: &str = "cleaners that work only together, after every polluter";

/// Finds the cleaners of all `cases`, which are victims.
pub(crate) fn find_cleaners(
    asker: &mut Asker<'_>,
    cases: &mut [&mut Case],
    seen: &Seen,
    allowance: &mut Allowance,
) -> Result<(), Halted> {
    let tests: Vec<TestIndex> = asker.scope().to_vec();
    let groups = victims_of_groups(cases);
    let branches = |victims: usize| if victims > 1 { victims as u64 + 1 } else { 1 };
    let cost: u64 = groups.values().map(|victims| tests.len() as u64 * branches(victims.len())).sum();
    if cost <= allowance.forks {
        for (group, victims) in groups {
            let found = clean(asker, cases, &group, &victims, &singly(&tests))?;
            for (at, cleaners) in victims.into_iter().zip(found) {
                note(cases[at], &group, cleaners);
            }
        }
    } else {
        in_layers(asker, cases, &tests, allowance)?;
    }
    for case in cases.iter_mut() {
        clean_together(asker, case, seen, allowance)?;
    }
    Ok(())
}

/// Each group of polluters, with the cases that suffer from it.
fn victims_of_groups(cases: &[&mut Case]) -> BTreeMap<Group, Vec<usize>> {
    let mut victims: BTreeMap<Group, Vec<usize>> = BTreeMap::new();
    for (at, case) in cases.iter().enumerate() {
        for group in &case.groups {
            victims.entry(group.clone()).or_default().push(at);
        }
    }
    victims
}

/// The first group of every victim, then the second, while there are forks; the rest with known cleaners only.
fn in_layers(
    asker: &mut Asker<'_>,
    cases: &mut [&mut Case],
    tests: &[TestIndex],
    allowance: &mut Allowance,
) -> Result<(), Halted> {
    let loud: BTreeSet<TestIndex> =
        cases.iter().flat_map(|case| case.groups.iter().flatten().copied().chain([case.test])).collect();
    let quiet: Vec<TestIndex> = tests.iter().copied().filter(|test| !loud.contains(test)).collect();
    let blocks: Vec<Group> = quiet.chunks(BLOCK).map(<[TestIndex]>::to_vec).collect();
    let deepest = cases.iter().map(|case| case.groups.len()).max().unwrap_or(0);
    for layer in 0..deepest {
        let victims: Vec<usize> = (0..cases.len()).filter(|&at| cases[at].groups.len() > layer).collect();
        let cost = blocks.len() * (victims.len() + 1) + victims.len() * (loud.len() + BLOCK);
        let is_cheap = cost as u64 <= allowance.forks || layer == 0;
        allowance.forks = allowance.forks.saturating_sub(cost as u64);
        let open = if is_cheap { try_blocks(asker, cases, layer, &victims, &blocks)? } else { vec![] };
        for (row, &at) in victims.iter().enumerate() {
            let known =
                cases[at].by_polluter.iter().flatten().filter_map(|row| row.cleaners.clone()).flatten();
            let mut candidates: BTreeSet<Group> = known.collect();
            if is_cheap {
                candidates.extend(singly(&open[row]));
                candidates.extend(loud.iter().map(|&test| vec![test]));
            }
            let group = cases[at].groups[layer].clone();
            let candidates: Vec<Group> = candidates.into_iter().collect();
            let cleaners = clean(asker, cases, &group, &[at], &candidates)?.pop().unwrap_or_default();
            note(cases[at], &group, cleaners);
            cases[at].leave_out(if is_cheap {
                "cleaners that the tests around them undo: tests were tried 16 in a row"
            } else {
                "cleaners of all polluters: some were tried with the cleaners of others only"
            });
        }
    }
    Ok(())
}

/// For each victim, the tests of blocks that clean after its group of this layer; all blocks if they cannot be told.
fn try_blocks(
    asker: &mut Asker<'_>,
    cases: &[&mut Case],
    layer: usize,
    victims: &[usize],
    blocks: &[Group],
) -> Result<Vec<Vec<TestIndex>>, Halted> {
    let mut polluters: Vec<TestIndex> =
        victims.iter().flat_map(|&at| cases[at].groups[layer].clone()).collect();
    let mut known = BTreeSet::new();
    polluters.retain(|&test| known.insert(test));
    let tails: Vec<Vec<TestIndex>> = victims.iter().map(|&at| vec![cases[at].test]).collect();
    let after = |block: &[TestIndex]| ([polluters.as_slice(), block].concat(), tails.clone());
    let branches = [after(&[])].into_iter().chain(blocks.iter().map(|block| after(block))).collect();
    let ends = asker.branch_ends(Purpose::Clean, 0, branches)?;
    let (joint, ends) = ends.split_first().expect("polluters with no block behind them were asked for");
    let mut open = Vec::new();
    for (column, &at) in victims.iter().enumerate() {
        open.push(if cases[at].target.is_met(&joint[column]) {
            let rows = blocks.iter().zip(ends).filter(|(_, row)| is_clean(cases[at], &row[column]));
            rows.flat_map(|(block, _)| block.clone()).collect()
        } else {
            // The polluters of other victims clean up after this one's.
            let group = &cases[at].groups[layer];
            clean(asker, cases, group, &[at], blocks)?.into_iter().flatten().flatten().collect()
        });
    }
    Ok(open)
}

fn singly(tests: &[TestIndex]) -> Vec<Group> {
    tests.iter().map(|&test| vec![test]).collect()
}

/// For each victim, which of `candidates` clean when they run between the group and it.
fn clean(
    asker: &mut Asker<'_>,
    cases: &[&mut Case],
    group: &Group,
    victims: &[usize],
    candidates: &[Group],
) -> Result<Vec<Vec<Group>>, Halted> {
    let tests: Vec<TestIndex> = victims.iter().map(|&at| cases[at].test).collect();
    let ends: Vec<Vec<Sight>> = if let [victim] = *tests {
        let tails = candidates.iter().map(|candidate| [candidate.as_slice(), &[victim]].concat()).collect();
        let ends = asker.branch_ends(Purpose::Clean, 0, vec![(group.clone(), tails)])?;
        ends.into_iter().flatten().map(|end| vec![end]).collect()
    } else {
        let after = |candidate: &Group| [group.as_slice(), candidate].concat();
        let branches = candidates.iter().map(|candidate| (after(candidate), singly(&tests))).collect();
        asker.branch_ends(Purpose::Clean, 0, branches)?
    };
    let of_victim = |(column, &at): (usize, &usize)| {
        let rows = candidates.iter().zip(&ends).filter(|(_, row)| is_clean(cases[at], &row[column]));
        rows.map(|(candidate, _)| candidate.clone()).collect()
    };
    Ok(victims.iter().enumerate().map(of_victim).collect())
}

/// The victim passes; or at least it fails in no other part than the tear-down of something above it.
fn is_clean(case: &Case, end: &Sight) -> bool {
    if case.target == Target::Torn { end.is_pass() } else { Target::Passes.is_met(end) }
}

/// Looks for tests that clean only together, for every group of polluters after which no test cleans by itself.
fn clean_together(
    asker: &mut Asker<'_>,
    case: &mut Case,
    seen: &Seen,
    allowance: &mut Allowance,
) -> Result<(), Halted> {
    for place in 0..case.by_polluter.as_ref().map_or(0, Vec::len) {
        let row = &case.by_polluter.as_ref().expect("it has rows")[place];
        if row.cleaners.as_ref().is_some_and(Vec::is_empty) {
            let group = case.groups[row.group].clone();
            let found = cleaner_group(asker, case, &group, seen, allowance)?;
            case.by_polluter.as_mut().expect("it has rows")[place].cleaners =
                Some(found.into_iter().collect());
        }
    }
    Ok(())
}

/// Several tests that clean only together, from an order in which the victim passed in spite of the polluters; or, if
/// there is none, from all tests that do not pollute.
fn cleaner_group(
    asker: &mut Asker<'_>,
    case: &mut Case,
    group: &Group,
    seen: &Seen,
    allowance: &mut Allowance,
) -> Result<Option<Group>, Halted> {
    let between = seen.passing_between(group, case.test).unwrap_or_else(|| {
        let is_loud =
            |test: &TestIndex| *test == case.test || case.groups.iter().flatten().any(|other| other == test);
        asker.scope().iter().copied().filter(|test| !is_loud(test)).collect()
    });
    if between.len() < 2 {
        return Ok(None);
    }
    if !allowance.take_runs(2 * between.len()) {
        case.leave_out(TOGETHER);
        return Ok(None);
    }
    let mut cleans = |list: &[TestIndex]| {
        let order = [group.as_slice(), list, &[case.test]].concat();
        Ok(is_clean(case, &asker.ends(Purpose::Clean, 0, vec![order])?[0]))
    };
    if !cleans(&between)? {
        return Ok(None);
    }
    Ok(match shrink(&between, allowance.questions, cleans)? {
        Shrunk::Minimal(group) => Some(group),
        Shrunk::Unfinished(_) => {
            case.leave_out(TOGETHER);
            None
        }
    })
}

fn note(case: &mut Case, group: &Group, cleaners: Vec<Group>) {
    let place = case.groups.iter().position(|other| other == group).expect("it is one of the case's groups");
    let rows = case.by_polluter.get_or_insert_default();
    let row = ByPolluter { group: place, cleaners: Some(cleaners) };
    rows.insert(rows.partition_point(|other| other.group < place), row);
}

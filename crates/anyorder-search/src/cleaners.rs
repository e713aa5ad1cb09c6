//! Cleaners: tests that, run between a polluter and its victim, let the victim pass.
//!
//! Knows the polluters already. Every test is a candidate, the polluter and the victim themselves included. Each runs
//! by itself while the forks last; then the ones that pollute nothing run in blocks, which hide a cleaner only if
//! something behind it pollutes together with it; then only cleaners of other polluters are tried.

use std::collections::BTreeMap;

use anyorder_model::{ByPolluter, Group, Halted, Purpose, TestIndex};

use crate::asker::Asker;
use crate::case::Case;
use crate::seen::Seen;
use crate::shrink::{Shrunk, shrink};
use crate::sight::Target;

/// How many tests run in a row when there are too many to try each.
const BLOCK: usize = 16;

/// Finds the cleaners of all victims among `cases`, for at most about `forks` forks.
pub(crate) fn find_cleaners(
    asker: &mut Asker<'_>,
    cases: &mut [&mut Case],
    seen: &Seen,
    forks: u64,
    questions: usize,
) -> Result<(), Halted> {
    let mut left = forks;
    for (group, victims) in victims_of_groups(cases) {
        let tests = asker.suite().len() as u64;
        let branches = if victims.len() > 1 { victims.len() as u64 + 1 } else { 1 };
        let (each, blocks) = (tests * branches, (tests / BLOCK as u64 + 2 * BLOCK as u64) * branches);
        let effort = [(each, Effort::Each), (blocks, Effort::Blocks), (0, Effort::Known)];
        let (cost, effort) =
            effort.into_iter().find(|(cost, _)| *cost <= left).expect("the last costs nothing");
        left -= cost;
        let found = candidates(asker, cases, &group, &victims, effort)?;
        for (at, mut cleaners) in victims.into_iter().zip(found) {
            if cleaners.is_empty() && effort != Effort::Known {
                cleaners.extend(cleaner_group(asker, cases[at], &group, seen, questions)?);
            }
            note(cases[at], &group, cleaners, effort);
        }
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Effort {
    Each,
    Blocks,
    Known,
}

/// Each group of polluters, with the cases that suffer from it; those with most victims first.
fn victims_of_groups(cases: &[&mut Case]) -> Vec<(Group, Vec<usize>)> {
    let mut victims: BTreeMap<Group, Vec<usize>> = BTreeMap::new();
    for (at, case) in cases.iter().enumerate() {
        for group in &case.groups {
            victims.entry(group.clone()).or_default().push(at);
        }
    }
    let mut victims: Vec<(Group, Vec<usize>)> = victims.into_iter().collect();
    victims.sort_by_key(|(_, victims)| std::cmp::Reverse(victims.len()));
    victims
}

/// The single cleaners of each victim.
fn candidates(
    asker: &mut Asker<'_>,
    cases: &[&mut Case],
    group: &Group,
    victims: &[usize],
    effort: Effort,
) -> Result<Vec<Vec<Group>>, Halted> {
    let tests: Vec<TestIndex> = asker.suite().indices().collect();
    match effort {
        Effort::Each => clean(asker, cases, group, victims, &singly(&tests)),
        Effort::Known => {
            let known =
                |at: &usize| cases[*at].by_polluter.iter().flatten().filter_map(|row| row.cleaners.clone());
            let mut known: Vec<Group> = victims.iter().flat_map(known).flatten().collect();
            known.sort();
            known.dedup();
            clean(asker, cases, group, victims, &known)
        }
        Effort::Blocks => {
            let pollutes = |test: &TestIndex| {
                victims.iter().any(|&at| {
                    cases[at].groups.iter().flatten().any(|member| member == test) || cases[at].test == *test
                })
            };
            let (apart, quiet): (Vec<TestIndex>, Vec<TestIndex>) = tests.into_iter().partition(pollutes);
            let blocks: Vec<Group> = quiet.chunks(BLOCK).map(<[TestIndex]>::to_vec).collect();
            let cleaning = clean(asker, cases, group, victims, &blocks)?;
            let mut open: Vec<TestIndex> = apart;
            open.extend(
                blocks.iter().filter(|block| cleaning.iter().any(|found| found.contains(block))).flatten(),
            );
            clean(asker, cases, group, victims, &singly(&open))
        }
    }
}

fn singly(tests: &[TestIndex]) -> Vec<Group> {
    tests.iter().map(|&test| vec![test]).collect()
}

/// Which of `candidates`, run between the group and each victim, let it end as it does alone.
fn clean(
    asker: &mut Asker<'_>,
    cases: &[&mut Case],
    group: &Group,
    victims: &[usize],
    candidates: &[Group],
) -> Result<Vec<Vec<Group>>, Halted> {
    let after = |prefix: &Group, at: usize| -> Vec<TestIndex> {
        [prefix, &vec![cases[at].test]].map(|part| part.as_slice()).concat()
    };
    let is_clean = |at: usize, end: &crate::sight::Sight| is_clean(cases[at], end);
    if let [at] = *victims {
        let tails = candidates.iter().map(|candidate| after(candidate, at)).collect();
        let ends =
            asker.branch_ends(Purpose::Clean, 0, vec![(group.clone(), tails)])?.pop().unwrap_or_default();
        let cleaners = candidates.iter().zip(&ends).filter(|(_, end)| is_clean(at, end));
        return Ok(vec![cleaners.map(|(candidate, _)| candidate.clone()).collect()]);
    }
    let tails: Vec<Vec<TestIndex>> = victims.iter().map(|&at| vec![cases[at].test]).collect();
    let branches =
        candidates.iter().map(|candidate| ([group.as_slice(), candidate].concat(), tails.clone())).collect();
    let ends = asker.branch_ends(Purpose::Clean, 0, branches)?;
    let of_victim = |column: usize, at: usize| {
        let rows = candidates.iter().zip(&ends).filter(|(_, row)| is_clean(at, &row[column]));
        rows.map(|(candidate, _)| candidate.clone()).collect()
    };
    Ok(victims.iter().enumerate().map(|(column, &at)| of_victim(column, at)).collect())
}

/// The victim passes; or at least it fails in no other part than the tear-down of something above it.
fn is_clean(case: &Case, end: &crate::sight::Sight) -> bool {
    if case.target == Target::Torn { end.is_pass() } else { Target::Passes.is_met(end) }
}

/// Several tests that clean only together, from an order in which the victim passed in spite of the polluters; or, if
/// there is none, from all tests that do not pollute.
fn cleaner_group(
    asker: &mut Asker<'_>,
    case: &Case,
    group: &Group,
    seen: &Seen,
    questions: usize,
) -> Result<Option<Group>, Halted> {
    let quiet = |asker: &Asker<'_>| {
        let loud =
            |test: &TestIndex| *test == case.test || case.groups.iter().flatten().any(|other| other == test);
        asker.suite().indices().filter(|test| !loud(test)).collect::<Vec<_>>()
    };
    let between = seen.passing_between(group, case.test).unwrap_or_else(|| quiet(asker));
    let mut cleans = |list: &[TestIndex]| {
        let order = [group.as_slice(), list, &[case.test]].concat();
        Ok(is_clean(case, &asker.ends(Purpose::Clean, 0, vec![order])?[0]))
    };
    if between.len() < 2 || !cleans(&between)? {
        return Ok(None);
    }
    Ok(match shrink(&between, questions, cleans)? {
        Shrunk::Minimal(group) => Some(group),
        Shrunk::Unfinished(_) => None,
    })
}

fn note(case: &mut Case, group: &Group, cleaners: Vec<Group>, effort: Effort) {
    let place = case.groups.iter().position(|other| other == group).expect("it is one of the case's groups");
    let row = ByPolluter { group: place, cleaners: Some(cleaners) };
    let rows = case.by_polluter.get_or_insert_default();
    rows.insert(rows.partition_point(|other| other.group < place), row);
    let missing = match effort {
        Effort::Each => return,
        Effort::Blocks => "cleaners of some polluters that the tests around them undo".to_owned(),
        Effort::Known => "cleaners of some polluters, other than those of the rest".to_owned(),
    };
    if !case.not_searched.contains(&missing) {
        case.not_searched.push(missing);
    }
}

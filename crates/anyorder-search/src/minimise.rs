//! Groups of tests that make the difference only together, and a first partner where trying each test is too much.
//!
//! Knows how to get from an order that showed a difference to minimal groups. Does not know single partners that
//! `partners` has not found, nor what undoes them.

use std::collections::BTreeSet;

use anyorder_model::{Group, Halted, News, Purpose, TestIndex};

use crate::asker::Asker;
use crate::case::Case;
use crate::halve::halve;
use crate::narrow::{LOOKS, beginnings, narrow};
use crate::settings::{Allowance, HuntSettings};
use crate::shrink::{Shrunk, shrink};
use crate::sight::Sight;

/// What came of the search for a first group.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum First {
    /// It is among the case's groups.
    Found,
    /// The order that showed the difference did not show it again.
    NotAgain,
    /// A time limit, or an error behind the test, kept us from seeing it again.
    Hidden,
    /// The questions ran out.
    Unfinished,
}

/// How many groups are looked for beyond the first.
const FURTHER: usize = 3;

/// Finds one minimal group of `case` in what was seen, if it has none.
pub(crate) fn first_group(
    asker: &mut Asker<'_>,
    case: &mut Case,
    settings: &HuntSettings,
) -> Result<First, Halted> {
    let before = case.sightings[0].before.clone();
    if settings.wants_one_group() {
        // Nobody has tried each test by itself.
        let single = halve(&before, |list| meets(asker, case, list, 0))?;
        case.groups.extend(single.map(|test| vec![test]));
        if !case.groups.is_empty() {
            return Ok(First::Found);
        }
    }
    let looks = beginnings(&before, if settings.is_dear { 1 } else { LOOKS });
    let ends = asker.ends(Purpose::Minimise, 1, looks.iter().map(|list| case.after(list)).collect())?;
    if let Some(end) = ends.last().filter(|end| !case.target.is_met(end)) {
        let is_silent = !end.is_evidence() || case.target.is_hidden(end);
        return Ok(if is_silent { First::Hidden } else { First::NotAgain });
    }
    let seen = ends.iter().map(|end| case.target.is_met(end)).collect();
    let left = narrow(&before, seen, |lists| {
        let orders = lists.iter().map(|list| case.after(list)).collect();
        let ends = asker.ends(Purpose::Minimise, 0, orders)?;
        Ok(ends.iter().map(|end| case.target.is_met(end)).collect())
    })?;
    asker.tell(News::Shrunk { test: case.test, left: left.len() });
    Ok(match group_in(asker, case, &left, settings.questions)? {
        Shrunk::Minimal(group) => {
            case.groups.push(group);
            First::Found
        }
        Shrunk::Unfinished(left) => {
            case.sightings[0].before = left;
            case.leave_out(format!("a smallest group of {}: the questions ran out", case.partner_word()));
            First::Unfinished
        }
    })
}

/// Tries a group on other cases; adds it to those where it makes the difference too, and nothing less does.
pub(crate) fn share_group(asker: &mut Asker<'_>, cases: &mut [Case], group: &Group) -> Result<(), Halted> {
    let is_open = |case: &Case| !group.contains(&case.test) && !case.groups.contains(group);
    let open: Vec<usize> = (0..cases.len()).filter(|&at| is_open(&cases[at])).collect();
    let tails: Vec<Vec<TestIndex>> = open.iter().map(|&at| vec![cases[at].test]).collect();
    let lists = if group.len() == 1 { vec![group.clone()] } else { fewer_and_all(group) };
    let ends = asker.branch_ends(
        Purpose::Minimise,
        0,
        lists.into_iter().map(|list| (list, tails.clone())).collect(),
    )?;
    let Some((all, fewer)) = ends.split_last() else { return Ok(()) };
    for (column, at) in open.into_iter().enumerate() {
        let is_met = |row: &Vec<Sight>| cases[at].target.is_met(&row[column]);
        if is_met(all) && !fewer.iter().any(is_met) {
            cases[at].groups.push(group.clone());
        }
    }
    Ok(())
}

fn fewer_and_all(group: &Group) -> Vec<Vec<TestIndex>> {
    let fewer = (0..group.len()).map(|at| {
        let mut fewer = group.clone();
        fewer.remove(at);
        fewer
    });
    fewer.chain([group.clone()]).collect()
}

/// Looks for more groups where a difference was seen: takes the known ones out, and sees whether it is still there.
pub(crate) fn further_groups(
    asker: &mut Asker<'_>,
    case: &mut Case,
    allowance: &mut Allowance,
) -> Result<(), Halted> {
    for sighting in 0..case.sightings.len() {
        let mut left = FURTHER;
        while let Some(rest) = without_known(case, sighting) {
            if !allowance.take_runs(rest.len()) {
                leave_out_groups(case);
                return Ok(());
            }
            if !meets(asker, case, &rest, 0)? {
                break;
            }
            if left == 0 {
                leave_out_groups(case);
                break;
            }
            left -= 1;
            let Shrunk::Minimal(group) = group_in(asker, case, &rest, allowance.questions)? else {
                leave_out_groups(case);
                break;
            };
            case.groups.push(group);
        }
    }
    Ok(())
}

fn leave_out_groups(case: &mut Case) {
    let word = case.partner_word();
    case.leave_out(format!("groups of {word} that work only together, in every order that was seen"));
}

/// What ran before the case in a sighting, without one test of each known group; `None` if nothing is left of it.
fn without_known(case: &Case, sighting: usize) -> Option<Vec<TestIndex>> {
    let known: BTreeSet<TestIndex> = case.groups.iter().filter_map(|group| group.last().copied()).collect();
    let rest = case.sightings[sighting].before.iter().copied().filter(|test| !known.contains(test));
    let rest: Vec<TestIndex> = rest.collect();
    (rest.len() > 1).then_some(rest)
}

/// Shrinks `before`, after which the case is known to meet its target.
fn group_in(
    asker: &mut Asker<'_>,
    case: &Case,
    before: &[TestIndex],
    questions: usize,
) -> Result<Shrunk<TestIndex>, Halted> {
    let mut left = before.len();
    shrink(before, questions, |list| {
        let holds = meets(asker, case, list, 0)?;
        if holds && list.len() < left {
            left = list.len();
            asker.tell(News::Shrunk { test: case.test, left });
        }
        Ok(holds)
    })
}

fn meets(asker: &mut Asker<'_>, case: &Case, before: &[TestIndex], repetition: u32) -> Result<bool, Halted> {
    let ends = asker.ends(Purpose::Minimise, repetition, vec![case.after(before)])?;
    Ok(case.target.is_met(&ends[0]))
}

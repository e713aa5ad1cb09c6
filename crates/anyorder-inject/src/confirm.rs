//! Looks into one suspect of one mutant in forks: is it order, and which tests are behind it.

use anyorder_model::{Group, Halted, Kind, Order, Signature, TestIndex};
use anyorder_search::{Shrunk, shrink};

use crate::judge::{Judge, last_ends};
use crate::trial::{End, Trial};
use crate::{Fate, Flaky};

/// How many questions a group of several partners may take.
const MOST_QUESTIONS: usize = 60;

/// So many tests are tried at once between a polluter and its victim.
const BETWEEN: usize = 12;

/// Looks into a test that has both passed and failed: what the mutant is because of it, as far as forks can tell.
pub(crate) fn confirm(judge: &mut Judge<'_>, trial: &mut Trial<'_>, test: TestIndex) -> Result<Fate, Halted> {
    let by_chance = Ok(Fate::NonDeterministic(vec![test]));
    let alone = Order(vec![test]);
    let ends = judge.repeat(trial, &alone)?;
    let Some(kind) = kind_of(&ends, trial, test) else { return by_chance };
    let seen = trial.seen(test);
    let other = match kind {
        Kind::NonIdempotent => Some(Order(vec![test, test])),
        Kind::Victim => seen.failing.map(|(order, _)| order),
        _ => seen.passing,
    };
    let Some(other) = other else { return by_chance };
    let ends = judge.repeat(trial, &other)?;
    if !ends.iter().all(|end| is_shown(kind, end)) {
        return by_chance;
    }
    let groups = partners(judge, trial, test, kind, &other)?;
    if groups.is_empty() {
        return by_chance;
    }
    let Some((mut partners, shown)) = its_own(judge, test, groups)? else {
        return Ok(Fate::Inherited(vec![test]));
    };
    if kind == Kind::NonIdempotent {
        partners.clear();
    }
    let cleaners = match kind {
        Kind::Victim if trial.wants_cleaners() => Some(cleaners(judge, trial, test, &partners)?),
        _ => None,
    };
    let (passing, failing) = if kind == Kind::Brittle { (shown, alone) } else { (alone, shown) };
    let failure = failure(judge, trial, &failing)?;
    let found = Flaky { test, kind, partners, cleaners, failure, passing, failing, confirmed: false };
    Ok(Fate::Unconfirmed(vec![found]))
}

/// What the suspect is, by how it ends alone; nothing if that differs.
fn kind_of(alone: &[End], trial: &Trial<'_>, test: TestIndex) -> Option<Kind> {
    let seen = trial.seen(test);
    let passes = alone.iter().all(|end| *end == End::Passed);
    let fails = alone.iter().all(|end| matches!(end, End::Failed(_)));
    match (passes, fails) {
        (true, _) if seen.failing.is_some() => Some(Kind::Victim),
        (true, _) if seen.failed_again.is_some() => Some(Kind::NonIdempotent),
        (_, true) => Some(Kind::Brittle),
        _ => None,
    }
}

/// Whether an order that ends so shows what the suspect is.
pub(crate) fn is_shown(kind: Kind, end: &End) -> bool {
    match kind {
        Kind::Brittle => *end == End::Passed,
        _ => matches!(end, End::Failed(_)),
    }
}

/// The groups that make the difference; none if it does not show itself again.
fn partners(
    judge: &mut Judge<'_>,
    trial: &mut Trial<'_>,
    test: TestIndex,
    kind: Kind,
    shown: &Order,
) -> Result<Vec<Group>, Halted> {
    if kind == Kind::NonIdempotent {
        return Ok(vec![vec![test]]);
    }
    // Two tests that are as they were end as they did.
    let may_matter = if trial.tests.contains(&test) { &trial.judged } else { &trial.tests };
    let others: Vec<TestIndex> = may_matter.iter().copied().filter(|&other| other != test).collect();
    let pairs = others.iter().map(|&other| Order(vec![other, test])).collect();
    let ends = last_ends(&judge.run(trial, pairs)?);
    let singles = others.iter().zip(&ends).filter(|(_, end)| is_shown(kind, end));
    let singles: Vec<Group> = singles.map(|(&other, _)| vec![other]).collect();
    if !singles.is_empty() {
        return Ok(singles);
    }
    let before = &shown.tests()[..shown.len() - 1];
    let mut holds = |group: &[TestIndex]| {
        let order = behind(group, test);
        Ok(last_ends(&judge.run(trial, vec![order])?).iter().all(|end| is_shown(kind, end)))
    };
    if !holds(before)? {
        return Ok(vec![]);
    }
    let (Shrunk::Minimal(group) | Shrunk::Unfinished(group)) = shrink(before, MOST_QUESTIONS, holds)?;
    Ok(vec![group])
}

/// The groups behind which the test passes without the mutant, and an order that shows it; nothing if there are none.
fn its_own(
    judge: &mut Judge<'_>,
    test: TestIndex,
    groups: Vec<Group>,
) -> Result<Option<(Vec<Group>, Order)>, Halted> {
    let orders: Vec<Order> = groups.iter().map(|group| behind(group, test)).collect();
    let pass = judge.pass_as_is(&orders)?;
    let own: Vec<Group> =
        groups.into_iter().zip(pass).filter(|(_, passes)| *passes).map(|(group, _)| group).collect();
    let shown = own.first().map(|group| behind(group, test));
    Ok(shown.map(|shown| (own, shown)))
}

fn behind(group: &[TestIndex], test: TestIndex) -> Order {
    group.iter().copied().chain([test]).collect()
}

/// The tests that, between the first group of polluters and the victim, let it pass.
///
/// None of those that are asked is a polluter by itself, so one that cleans does so among others, too: only where several
/// of them let the victim pass is each one tried.
fn cleaners(
    judge: &mut Judge<'_>,
    trial: &mut Trial<'_>,
    test: TestIndex,
    partners: &[Group],
) -> Result<Vec<TestIndex>, Halted> {
    let Some(polluters) = partners.first() else { return Ok(vec![]) };
    let is_free = |other: &TestIndex| *other != test && !partners.iter().any(|group| group.contains(other));
    let others: Vec<TestIndex> = trial.judged.iter().copied().filter(is_free).collect();
    let mut clean = |between: &[Vec<TestIndex>]| {
        let order =
            |between: &Vec<TestIndex>| polluters.iter().chain(between).copied().chain([test]).collect();
        let records = judge.run(trial, between.iter().map(order).collect())?;
        let ends = last_ends(&records).into_iter().zip(between);
        Ok(ends.filter(|(end, _)| *end == End::Passed).flat_map(|(_, between)| between.clone()).collect())
    };
    let chunks = |tests: &[TestIndex], size| tests.chunks(size).map(<[_]>::to_vec).collect::<Vec<_>>();
    let some: Vec<TestIndex> = clean(&chunks(&others, BETWEEN))?;
    clean(&chunks(&some, 1))
}

fn failure(judge: &mut Judge<'_>, trial: &mut Trial<'_>, failing: &Order) -> Result<Signature, Halted> {
    let ends = last_ends(&judge.run(trial, vec![failing.clone()])?);
    Ok(match ends.into_iter().next() {
        Some(End::Failed(signature)) => signature,
        _ => Signature::default(),
    })
}

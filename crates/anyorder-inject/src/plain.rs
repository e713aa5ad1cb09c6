//! Asks the plain runner whether tests depend on order as forks have shown, on the mutant's tree.
//!
//! A plain run costs as much as dozens of orders in forks, so tests with the same partners share theirs: all of them behind
//! the partners, and all of them without. Where forks show that they disturb each other, each has runs of its own.

use anyorder_model::{Halted, Kind, Order, RunRecord, TestIndex};

use crate::bench::Ask;
use crate::confirm::is_shown;
use crate::judge::Judge;
use crate::trial::{End, Trial};
use crate::{Fate, Flaky};

/// What a mutant is because of these tests.
pub(crate) fn plainly(
    judge: &mut Judge<'_>,
    trial: &mut Trial<'_>,
    found: Vec<Flaky>,
) -> Result<Fate, Halted> {
    let mut asked: Vec<Flaky> = Vec::new();
    for mut party in parties(found) {
        if party.len() > 1 && fits(judge, trial, &party)? {
            let shown = shown_plainly(judge, trial, &party)?;
            party.iter_mut().zip(shown).for_each(|(flaky, shown)| flaky.confirmed = shown);
        }
        for flaky in party.iter_mut().filter(|flaky| !flaky.confirmed) {
            flaky.confirmed = shown_plainly(judge, trial, std::slice::from_ref(flaky))? == [true];
        }
        asked.extend(party);
    }
    asked.sort_by_key(|flaky| flaky.test);
    let (confirmed, others): (Vec<Flaky>, Vec<Flaky>) = asked.into_iter().partition(|flaky| flaky.confirmed);
    let fate = if others.is_empty() { Fate::Equivalent } else { Fate::Unconfirmed(others) };
    Ok(if confirmed.is_empty() { fate } else { fate.and(Fate::OrderDependent(confirmed)) })
}

/// Tests of the same kind behind the same partners.
fn parties(found: Vec<Flaky>) -> Vec<Vec<Flaky>> {
    let mut parties: Vec<Vec<Flaky>> = Vec::new();
    for flaky in found {
        let is_alike = |party: &&mut Vec<Flaky>| {
            party[0].kind == flaky.kind && partners_of(&party[0]) == partners_of(&flaky)
        };
        match parties.iter_mut().find(is_alike) {
            Some(party) => party.push(flaky),
            None => parties.push(vec![flaky]),
        }
    }
    parties
}

/// The tests that make the difference, in the order that shows it.
fn partners_of(flaky: &Flaky) -> &[TestIndex] {
    let shown = if flaky.kind == Kind::Brittle { &flaky.passing } else { &flaky.failing };
    &shown.tests()[..shown.len() - 1]
}

/// All of them without their partners, and behind them.
fn orders(party: &[Flaky]) -> Vec<Order> {
    let tests = || party.iter().map(|flaky| flaky.test);
    vec![tests().collect(), partners_of(&party[0]).iter().copied().chain(tests()).collect()]
}

/// Whether each of them ends otherwise behind the partners than without, with all the others around it.
fn shown_in(party: &[Flaky], records: &[RunRecord]) -> Vec<bool> {
    let before = partners_of(&party[0]).len();
    let [without, behind] = records else { return vec![false; party.len()] };
    let end = |record: &RunRecord, at: usize| record.steps.get(at).map_or(End::Unseen, End::from);
    let is_so = |(at, flaky): (usize, &Flaky)| {
        let (without, behind) = (end(without, at), end(behind, before + at));
        let differs = match flaky.kind {
            Kind::Brittle => matches!(without, End::Failed(_)),
            _ => without == End::Passed,
        };
        differs && is_shown(flaky.kind, &behind)
    };
    party.iter().enumerate().map(is_so).collect()
}

/// Whether forks show all of them at once.
fn fits(judge: &mut Judge<'_>, trial: &mut Trial<'_>, party: &[Flaky]) -> Result<bool, Halted> {
    let records = judge.run(trial, orders(party))?;
    Ok(shown_in(party, &records).into_iter().all(|shown| shown))
}

fn shown_plainly(judge: &mut Judge<'_>, trial: &Trial<'_>, party: &[Flaky]) -> Result<Vec<bool>, Halted> {
    let asked = [Ask::of(trial.mutant, orders(party))];
    let records = judge.bench.run_plain(&asked)?.pop().unwrap_or_default();
    let is_faithful = records.iter().all(RunRecord::is_faithful);
    Ok(shown_in(party, &records).into_iter().map(|shown| shown && is_faithful).collect())
}

//! All accepted candidates together: random orders of the whole suite, and the user's own runner.

use std::collections::{BTreeMap, BTreeSet};

use anyorder_model::{
    Change, Finding, Halted, NoPatch, Oracle, Order, Outcome, PlainAsk, PlainSeen, Rung, Suite, TestIndex,
};
use anyorder_search::{Strategy, batches};

use crate::bench::Bench;
use crate::problem::Claim;
use crate::screen::{AGAIN, is_alike, places, run};
use crate::workshop::Unopened;

/// So many claims are confirmed by the user's own runner, and one of each patch at least.
const PLAIN: usize = 12;

/// Tries everything that was accepted together; then what is safe without the rest, because that may be applied without it; then
/// each by itself, as it is shown. What does not hold without another one is shown with it.
pub(crate) fn verify(bench: &mut Bench<'_>) -> Result<(), Halted> {
    let suite = bench.workshop.as_is().suite().clone();
    let orders: Vec<Order> =
        batches(Strategy::Random, &suite, bench.settings.sweeps, bench.settings.seed).flatten().collect();
    together(bench, &suite, &orders)?;
    while bench.accepted.len() > 1 {
        let needs = match safe_that_needs(bench, &suite, &orders)? {
            None => one_that_needs(bench)?,
            needs => needs,
        };
        match needs {
            None => break,
            Some((one, Some(other))) => bench.join(one, other),
            Some((_, None)) => bench.join_all(),
        }
    }
    if bench.accepted.len() == 1 && !holds(bench, &[0])? {
        // What it was tried on top of is gone.
        bench.take_back(0, NoPatch::DoesNotHelp);
    }
    Ok(())
}

/// One of the accepted that does not hold by itself, and another one with which it does, if there is one.
type Needs = Option<(usize, Option<usize>)>;

/// Among the safe ones without the rest.
fn safe_that_needs(bench: &mut Bench<'_>, suite: &Suite, orders: &[Order]) -> Result<Needs, Halted> {
    let (safe, others): (Vec<usize>, Vec<usize>) =
        (0..bench.accepted.len()).partition(|&at| bench.accepted[at].is_safe());
    if safe.is_empty() || others.is_empty() {
        return Ok(None);
    }
    let choice = bench.choice(|_, accepted| accepted.is_safe());
    let Some(fault) = swept(bench, suite, &choice, orders)? else { return Ok(None) };
    let failing = fault.tests();
    let Some(one) = safe.into_iter().find(|&at| is_for(bench, at, &failing)) else {
        return Ok(Some((0, None)));
    };
    let orders: Vec<Order> = fault.orders.iter().map(|(order, _)| order.clone()).collect();
    for other in others {
        let choice = bench.choice(|at, accepted| accepted.is_safe() || at == other);
        if swept(bench, suite, &choice, &orders)?.is_none() {
            return Ok(Some((one, Some(other))));
        }
    }
    Ok(Some((one, None)))
}

/// Among all of them.
fn one_that_needs(bench: &mut Bench<'_>) -> Result<Needs, Halted> {
    for one in 0..bench.accepted.len() {
        if holds(bench, &[one])? {
            continue;
        }
        for other in (0..bench.accepted.len()).filter(|&other| other != one) {
            if holds(bench, &[one, other])? {
                return Ok(Some((one, Some(other))));
            }
        }
        return Ok(Some((one, None)));
    }
    Ok(None)
}

/// Whether all that these of the accepted claim holds without the rest.
fn holds(bench: &mut Bench<'_>, places: &[usize]) -> Result<bool, Halted> {
    let choice = bench.choice(|at, _| places.contains(&at));
    let claims: Vec<Claim> = places.iter().flat_map(|&at| bench.accepted[at].claims.clone()).collect();
    let screened = bench.screened(&choice.changes, &claims)?;
    Ok(screened.is_some_and(|screened| screened.cures_all(&claims)))
}

/// Whether one of the accepted is for findings of these tests.
fn is_for(bench: &Bench<'_>, at: usize, tests: &BTreeSet<TestIndex>) -> bool {
    bench.accepted[at].findings().iter().any(|&finding| tests.contains(&bench.findings[finding].test))
}

/// Tries everything that was accepted together; takes back what is to blame until nothing is wrong.
fn together(bench: &mut Bench<'_>, suite: &Suite, orders: &[Order]) -> Result<(), Halted> {
    while !bench.accepted.is_empty() {
        let all = bench.choice(|_, _| true);
        if let Some(fault) = swept(bench, suite, &all, orders)? {
            let guilty = guilty(bench, suite, &fault)?;
            bench.take_back(guilty, NoPatch::BreaksOthers);
            continue;
        }
        let confirmed = confirmed(bench, suite, &all)?;
        let Some(guilty) = confirmed.iter().rposition(Option::is_none) else {
            for (accepted, plain) in bench.accepted.iter_mut().zip(confirmed.into_iter().flatten()) {
                (accepted.verified.sweeps, accepted.verified.plain) = (orders.len(), plain);
            }
            return Ok(());
        };
        bench.take_back(guilty, NoPatch::NotConfirmed);
    }
    Ok(())
}

/// Some of the accepted candidates, and what they are for.
pub(crate) struct Choice {
    pub(crate) changes: Vec<Change>,
    /// Tests of findings that they cure.
    pub(crate) cured: BTreeSet<TestIndex>,
    /// Tests of findings that are still there.
    pub(crate) uncured: BTreeSet<TestIndex>,
}

/// Orders in which tests end badly because of candidates; none if the suite cannot be run with them.
#[derive(Default)]
struct Fault {
    orders: Vec<(Order, BTreeSet<TestIndex>)>,
}

impl Fault {
    /// Who ends badly.
    fn tests(&self) -> BTreeSet<TestIndex> {
        self.orders.iter().flat_map(|(_, tests)| tests.clone()).collect()
    }

    /// What is wrong both times; nothing if nothing is.
    fn and(mut self, other: &Fault) -> Option<Fault> {
        let cannot_run = self.orders.is_empty();
        for (order, tests) in &mut self.orders {
            let before = other.orders.iter().find(|(same, _)| same == order);
            tests.retain(|test| before.is_some_and(|(_, tests)| tests.contains(test)));
        }
        self.orders.retain(|(_, tests)| !tests.is_empty());
        (cannot_run || !self.orders.is_empty()).then_some(self)
    }
}

type Ended = Vec<(TestIndex, Outcome)>;

/// What is wrong in these orders with the chosen candidates, each time that they run: what chance has done does not come again
/// and again.
fn swept(
    bench: &mut Bench<'_>,
    suite: &Suite,
    choice: &Choice,
    orders: &[Order],
) -> Result<Option<Fault>, Halted> {
    let mut known = seen(bench, suite, choice, orders, 0)?;
    for repetition in 1..=AGAIN {
        let Some(fault) = known.take_if(|fault| !fault.orders.is_empty()) else { break };
        let orders: Vec<Order> = fault.orders.iter().map(|(order, _)| order.clone()).collect();
        known = seen(bench, suite, choice, &orders, repetition)?.and_then(|again| again.and(&fault));
    }
    Ok(known)
}

fn seen(
    bench: &mut Bench<'_>,
    suite: &Suite,
    choice: &Choice,
    orders: &[Order],
    repetition: u32,
) -> Result<Option<Fault>, Halted> {
    let mut ended = None;
    let opened = bench.workshop.with(&choice.changes, &mut |oracle| {
        ended = Some(in_changed(oracle, suite, orders, repetition));
    });
    match opened {
        Err(Unopened::Halted(halted)) => return Err(halted),
        Err(Unopened::Refused(_)) => return Ok(Some(Fault::default())),
        Ok(()) => {}
    }
    match ended.expect("work was done")? {
        None => Ok(Some(Fault::default())),
        Some(swept) => fault(bench, choice, orders, &swept, repetition),
    }
}

/// How the changed suite ends in these orders, told in places of the suite as it is; nothing if it is another suite.
fn in_changed(
    oracle: &mut dyn Oracle,
    suite: &Suite,
    orders: &[Order],
    repetition: u32,
) -> Result<Option<Vec<Ended>>, Halted> {
    let Some(places) = places(suite, oracle.suite()) else { return Ok(None) };
    let back: BTreeMap<TestIndex, TestIndex> = places.iter().map(|(&test, &place)| (place, test)).collect();
    let here = |order: &Order| order.tests().iter().map(|test| places[test]).collect::<Order>();
    let swept = run(oracle, &orders.iter().map(here).collect::<Vec<_>>(), repetition)?;
    let told = |steps: Ended| steps.into_iter().map(|(test, ended)| (back[&test], ended)).collect();
    Ok(Some(swept.into_iter().map(told).collect()))
}

/// Cured tests must not fail at all, others not in orders in which they pass without the candidates.
fn fault(
    bench: &mut Bench<'_>,
    choice: &Choice,
    orders: &[Order],
    swept: &[Ended],
    repetition: u32,
) -> Result<Option<Fault>, Halted> {
    let known = bench.baseline.original().clone();
    let fails = |&(test, outcome): &(TestIndex, Outcome)| {
        let is_another = known.get(&test).is_some_and(|&was| !is_alike(was, outcome));
        outcome != Outcome::Passed
            && !choice.uncured.contains(&test)
            && (is_another || choice.cured.contains(&test))
    };
    let doubtful = |(order, steps): (&Order, &Ended)| {
        let tests: BTreeSet<TestIndex> = steps.iter().filter(|step| fails(step)).map(|step| step.0).collect();
        (!tests.is_empty()).then(|| (order.clone(), tests))
    };
    let mut doubtful: Vec<(Order, BTreeSet<TestIndex>)> =
        orders.iter().zip(swept).filter_map(doubtful).collect();
    if doubtful.iter().any(|(_, tests)| tests.iter().any(|test| !choice.cured.contains(test))) {
        let asked: Vec<Order> = doubtful.iter().map(|(order, _)| order.clone()).collect();
        let as_is = run(bench.workshop.as_is(), &asked, repetition)?;
        for ((_, tests), steps) in doubtful.iter_mut().zip(&as_is) {
            let passed = |test: &TestIndex| steps.contains(&(*test, Outcome::Passed));
            tests.retain(|test| choice.cured.contains(test) || passed(test));
        }
        doubtful.retain(|(_, tests)| !tests.is_empty());
    }
    Ok((!doubtful.is_empty()).then_some(Fault { orders: doubtful }))
}

/// The one without which nothing is wrong: first of those that are not for the tests that fail, the last first.
fn guilty(bench: &mut Bench<'_>, suite: &Suite, fault: &Fault) -> Result<usize, Halted> {
    let failing = fault.tests();
    let orders: Vec<Order> = fault.orders.iter().map(|(order, _)| order.clone()).collect();
    let last = bench.accepted.len() - 1;
    let (own, others): (Vec<usize>, Vec<usize>) =
        (0..=last).rev().partition(|&at| is_for(bench, at, &failing));
    if last == 0 {
        return Ok(last);
    }
    for &at in others.iter().chain(&own) {
        let choice = bench.choice(|other, _| other != at);
        if swept(bench, suite, &choice, &orders)?.is_none() {
            return Ok(at);
        }
    }
    Ok(own.first().copied().unwrap_or(last))
}

/// For each of the accepted, how many plain runs agree; nothing for one with which some do not.
fn confirmed(bench: &mut Bench<'_>, suite: &Suite, choice: &Choice) -> Result<Vec<Option<usize>>, Halted> {
    let claims = chosen(bench);
    let rungs: Vec<Option<Rung>> =
        claims.iter().map(|(_, claim)| rung(&bench.findings[claim.finding])).collect();
    let mut passed = None;
    let opened = bench.workshop.with(&choice.changes, &mut |oracle| {
        passed = Some(in_plain_runs(oracle, suite, &claims, &rungs));
    });
    if let Err(Unopened::Halted(halted)) = opened {
        return Err(halted);
    }
    let passed = passed.transpose()?.unwrap_or_else(|| vec![false; claims.len()]);
    let of = |at: usize| claims.iter().zip(&passed).filter(move |((owner, _), _)| *owner == at);
    let plain = |at: usize| of(at).all(|(_, passed)| *passed).then(|| of(at).count());
    Ok((0..bench.accepted.len()).map(plain).collect())
}

/// Claims with the places of those that they belong to: one of each patch, and then one of each finding.
fn chosen(bench: &Bench<'_>) -> Vec<(usize, Claim)> {
    let owned = |(at, accepted): (usize, &crate::accepted::Accepted)| {
        let mut known = BTreeSet::new();
        let claims = accepted.claims.iter().filter(|claim| known.insert(claim.finding));
        claims.enumerate().map(|(rank, claim)| (rank, at, claim.clone())).collect::<Vec<_>>()
    };
    let mut claims: Vec<(usize, usize, Claim)> = bench.accepted.iter().enumerate().flat_map(owned).collect();
    claims.sort_by_key(|&(rank, at, _)| (rank, at));
    claims.truncate(PLAIN.max(bench.accepted.len()));
    claims.into_iter().map(|(_, at, claim)| (at, claim)).collect()
}

/// How the runner has to be told, because a finding has shown itself only so.
fn rung(finding: &Finding) -> Option<Rung> {
    finding.evidence.as_ref().and_then(|evidence| evidence.confirmed).filter(|&rung| rung > Rung::Plain)
}

/// Whether each claim holds when the user's own runner runs it.
fn in_plain_runs(
    oracle: &mut dyn Oracle,
    suite: &Suite,
    claims: &[(usize, Claim)],
    rungs: &[Option<Rung>],
) -> Result<Vec<bool>, Halted> {
    let Some(places) = places(suite, oracle.suite()) else { return Ok(vec![false; claims.len()]) };
    let here = |order: &Order| order.tests().iter().map(|test| places[test]).collect::<Order>();
    let ask = |(number, ((_, claim), &rung)): (u32, (&(usize, Claim), &Option<Rung>))| PlainAsk {
        order: here(&claim.order),
        repetition: 0,
        hash_seed: number + 1,
        rung,
    };
    let seen = oracle.run_plain((0..).zip(claims.iter().zip(rungs)).map(ask).collect())?;
    let passed = |seen: &PlainSeen| {
        seen.is_as_asked && seen.steps.last().is_some_and(|step| step.outcome == Outcome::Passed)
    };
    let mut passed: Vec<bool> = seen.iter().map(passed).collect();
    passed.resize(claims.len(), false);
    Ok(passed)
}

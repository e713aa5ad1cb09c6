//! All accepted candidates together: random orders of the whole suite, and the user's own runner.

use std::collections::{BTreeMap, BTreeSet};

use anyorder_model::{Halted, NoPatch, Oracle, Order, Outcome, PlainAsk, TestIndex};
use anyorder_search::{Strategy, batches};

use crate::bench::Bench;
use crate::problem::Claim;
use crate::screen::{places, run};
use crate::workshop::Unopened;

/// So many claims are confirmed by the user's own runner.
const PLAIN: usize = 12;

/// What the whole has shown.
struct Seen {
    /// Why it cannot stay as it is.
    fault: Option<NoPatch>,
    plain: usize,
}

/// Tries everything that was accepted together, then each by itself, as it is shown. If one does not hold by itself, all are
/// shown as one.
pub(crate) fn verify(bench: &mut Bench<'_>) -> Result<(), Halted> {
    together(bench)?;
    if bench.accepted.len() < 2 {
        return Ok(());
    }
    for accepted in bench.accepted.clone() {
        let changes = accepted.alone(&bench.tree).unwrap_or_default();
        let screened = bench.screened(&changes, &accepted.claims)?;
        if !screened.is_some_and(|screened| screened.cures_all(&accepted.claims)) {
            bench.join_all();
            return Ok(());
        }
    }
    Ok(())
}

/// Tries everything that was accepted together; takes some back, the last first, until nothing is wrong.
fn together(bench: &mut Bench<'_>) -> Result<(), Halted> {
    while !bench.accepted.is_empty() {
        let seen = look(bench)?;
        let Some(fault) = seen.fault else {
            let sweeps = usize::try_from(bench.settings.sweeps).unwrap_or(usize::MAX);
            for accepted in &mut bench.accepted {
                (accepted.verified.sweeps, accepted.verified.plain) = (sweeps, seen.plain);
            }
            return Ok(());
        };
        bench.take_back(fault);
    }
    Ok(())
}

fn look(bench: &mut Bench<'_>) -> Result<Seen, Halted> {
    let suite = bench.workshop.as_is().suite().clone();
    let orders: Vec<Order> =
        batches(Strategy::Random, &suite, bench.settings.sweeps, bench.settings.seed).flatten().collect();
    let claims: Vec<Claim> = chosen(bench);
    let mut answers = None;
    let opened = bench.workshop.with(&bench.tree.changes(), &mut |oracle| {
        answers = Some(asked(oracle, &suite, &orders, &claims));
    });
    match opened {
        Err(Unopened::Halted(halted)) => return Err(halted),
        Err(Unopened::Refused(_)) => return Ok(Seen { fault: Some(NoPatch::BreaksOthers), plain: 0 }),
        Ok(()) => {}
    }
    let (swept, confirmed) = answers.expect("work was done")?;
    let harmed = harmed(bench, &orders, &swept)?;
    let fault = if harmed { Some(NoPatch::BreaksOthers) } else { None };
    let fault = fault.or(if confirmed < claims.len() { Some(NoPatch::NotConfirmed) } else { None });
    Ok(Seen { fault, plain: confirmed })
}

/// One claim for each finding that a patch is for, so that each patch has one at least.
fn chosen(bench: &Bench<'_>) -> Vec<Claim> {
    let mut known = BTreeSet::new();
    let claims = bench.accepted.iter().flat_map(|accepted| &accepted.claims);
    claims.filter(|claim| known.insert(claim.finding)).take(PLAIN).cloned().collect()
}

type Ended = Vec<(TestIndex, Outcome)>;

/// How the changed suite ends in these orders, told in places of the suite as it is, and how many claims the plain runner confirms.
fn asked(
    oracle: &mut dyn Oracle,
    suite: &anyorder_model::Suite,
    orders: &[Order],
    claims: &[Claim],
) -> Result<(Vec<Ended>, usize), Halted> {
    let Some(places) = places(suite, oracle.suite()) else { return Ok((vec![], 0)) };
    let back: BTreeMap<TestIndex, TestIndex> = places.iter().map(|(&test, &place)| (place, test)).collect();
    let here = |order: &Order| order.tests().iter().map(|test| places[test]).collect::<Order>();
    let swept = run(oracle, &orders.iter().map(here).collect::<Vec<_>>(), 0)?;
    let swept =
        swept.into_iter().map(|steps| steps.into_iter().map(|(test, ended)| (back[&test], ended)).collect());
    let ask = |(number, claim): (u32, &Claim)| PlainAsk {
        order: here(&claim.order),
        repetition: 0,
        hash_seed: number + 1,
        rung: None,
    };
    let plain = oracle.run_plain((0..).zip(claims).map(ask).collect())?;
    let passed = |seen: &&anyorder_model::PlainSeen| {
        seen.is_as_asked && seen.steps.last().is_some_and(|step| step.outcome == Outcome::Passed)
    };
    Ok((swept.collect(), plain.iter().filter(passed).count()))
}

/// Whether some test fails in an order in which it passes without the patches.
fn harmed(bench: &mut Bench<'_>, orders: &[Order], swept: &[Ended]) -> Result<bool, Halted> {
    if swept.len() < orders.len() {
        return Ok(true);
    }
    let (cured, uncured) = (bench.cured_tests(), bench.uncured_tests());
    let known = bench.baseline.original().clone();
    let fails = |&(test, outcome): &(TestIndex, Outcome)| {
        let well = known.get(&test);
        outcome != Outcome::Passed && well.is_some_and(|&well| well != outcome) && !uncured.contains(&test)
    };
    let doubtful = |(order, steps): (&Order, &Ended)| {
        let tests: BTreeSet<TestIndex> = steps.iter().filter(|step| fails(step)).map(|step| step.0).collect();
        (!tests.is_empty()).then(|| (order.clone(), tests))
    };
    let doubtful: Vec<(Order, BTreeSet<TestIndex>)> = orders.iter().zip(swept).filter_map(doubtful).collect();
    if doubtful.is_empty() {
        return Ok(false);
    }
    if doubtful.iter().any(|(_, tests)| !tests.is_disjoint(&cured)) {
        return Ok(true);
    }
    let asked: Vec<Order> = doubtful.iter().map(|(order, _)| order.clone()).collect();
    let as_is = run(bench.workshop.as_is(), &asked, 0)?;
    Ok(doubtful.iter().zip(&as_is).any(|((_, tests), steps)| {
        steps.iter().any(|(test, outcome)| tests.contains(test) && *outcome == Outcome::Passed)
    }))
}

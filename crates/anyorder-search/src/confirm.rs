//! Confirmation: does order alone decide?
//!
//! Knows how to ask for pairs of runs, alternating, first through forks and then in new processes of the user's own
//! runner, where each pair has a hash seed of its own. Does not search for other orders.
//!
//! The test is sequential and strict: the first pair that disagrees with the pairs before it ends it, since a test
//! that differs between runs of one order is non-deterministic by definition. So a test that fails at the same rate r
//! in every order is believed only if all pairs show a pass and a failure in the right places, which has the chance
//! `(r (1 - r)) ^ pairs`, at most `4 ^ -pairs`: for 3 pairs through forks and 5 plain ones, 0.000015. Forks of one
//! process may share what they leave to chance; then only the plain pairs count, `4 ^ -5` is 0.001, and a test of that
//! sort seems to have many partners, or several that work only together. There, 8 plain pairs are asked for.

use anyorder_model::{After, Halted, Order, Purpose, Rate, TestIndex};

use crate::asker::Asker;
use crate::case::{Case, Confirmed};
use crate::fisher;
use crate::pair::{Count, Pair};
use crate::plain_trial::{PlainTrial, run_trials};
use crate::sight::Sight;
use crate::together::shared_pairs;

/// What pairs of runs say about a case.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// Order alone decides, as far as was asked.
    OrderDecides(Confirmed),
    /// Runs of one order differ.
    NonDeterministic(After),
    /// The plain runner does not show it.
    NotShown(&'static str),
}

/// Pairs that make rates, once a test is known to be non-deterministic.
pub(crate) const RATE_PAIRS: u32 = 10;
/// Repetitions from here on are for rates: runs that raised the suspicion must not count.
pub(crate) const FOR_RATES: u32 = 100;
/// How unlikely chance must be before order has a part in it.
const LEVEL: f64 = 0.001;

/// Whether each case shows its difference in all of so many pairs through forks, after its first group; `None` if the
/// pairs say nothing.
pub(crate) fn in_forks(
    asker: &mut Asker<'_>,
    cases: &[&Case],
    pairs: u32,
) -> Result<Vec<Option<bool>>, Halted> {
    let asked: Vec<Pair> = cases.iter().map(|case| Pair::new(case, &case.groups[0])).collect();
    let mut counts = vec![Count::default(); cases.len()];
    let orders: Vec<Vec<TestIndex>> = asked.into_iter().flat_map(|pair| [pair.odd, pair.base]).collect();
    for ends in asker.repeated_ends(Purpose::Confirm, 0..pairs, &orders)? {
        for ((case, count), ends) in cases.iter().zip(&mut counts).zip(ends.chunks(2)) {
            count.note(case, &ends[0], &ends[1]);
        }
    }
    Ok(counts.iter().map(|count| (count.pairs > 0).then(|| count.is_unanimous())).collect())
}

/// How often a test fails in each order of a pair, from fresh runs through forks.
pub(crate) fn rates_in_forks(asker: &mut Asker<'_>, pair: Pair) -> Result<After, Halted> {
    let mut rates = [Rate::default(); 2];
    let orders = [pair.odd.clone(), pair.base];
    for ends in asker.repeated_ends(Purpose::Confirm, FOR_RATES..FOR_RATES + RATE_PAIRS, &orders)? {
        for (rate, end) in rates.iter_mut().zip(&ends).filter(|(_, end)| end.is_evidence()) {
            *rate = rate.with(end.outcome.is_red());
        }
    }
    Ok(after(pair.odd, rates[0], rates[1]))
}

pub(crate) fn after(order: Vec<TestIndex>, rate: Rate, reference: Rate) -> After {
    let chance = fisher::chance(rate, reference);
    After { order: Order(order), rate, reference, chance, is_correlated: chance < LEVEL }
}

/// The verdict of the plain runner on each case, after its first group.
pub(crate) fn plainly(asker: &mut Asker<'_>, cases: &[&Case], pairs: u32) -> Result<Vec<Verdict>, Halted> {
    let shared = shared_pairs(asker, cases)?;
    let trials = cases.iter().zip(shared);
    let mut trials: Vec<PlainTrial> =
        trials.map(|(case, shared)| PlainTrial::new(case, shared, pairs)).collect();
    run_trials(asker, &mut trials)?;
    let verdicts = trials.into_iter().map(|trial| trial.verdict(asker));
    verdicts.collect()
}

/// How the last execution of a test ended.
pub(crate) fn sight_of(steps: &[anyorder_model::Step], test: TestIndex) -> Sight {
    let not_reached = || anyorder_model::Step::bare(test, anyorder_model::Outcome::NotReached);
    (&steps.iter().rfind(|step| step.test == test).cloned().unwrap_or_else(not_reached)).into()
}

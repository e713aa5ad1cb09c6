//! Does chance have a part in it? Runs of new processes, each with a hash seed of its own, that no verdict on order rests on.
//!
//! Forks of one process share its hash seed and the state of its random numbers, so what they agree on may be chance all
//! the same. Knows broken tests and rates. Does not compare orders.

use anyorder_model::{Finding, Halted, Kind, Order, Outcome, PlainAsk, Rate, TestIndex};

use crate::confirm::{FOR_RATES, sight_of};
use crate::judge::{Judge, NO_RESULT};
use crate::sight::Sight;

/// How often a test that is always red fails in new processes before it is called broken.
const BROKEN_RUNS: u32 = 2;
/// How many such tests run by themselves in new processes.
const BROKEN_ALONE: usize = 20;

/// An order for a new process, apart from all pairs.
pub(crate) fn plain_ask(order: Vec<TestIndex>, number: u32) -> PlainAsk {
    let repetition = FOR_RATES + number;
    PlainAsk { order: Order(order), repetition, hash_seed: repetition + 1, rung: None }
}

/// An outcome as the plain runner's results tell it, which know no unexpected passes.
pub(crate) fn in_plain_terms(outcome: Outcome) -> Outcome {
    if outcome == Outcome::Xpassed { Outcome::Passed } else { outcome }
}

impl Judge<'_> {
    /// Calls those of `tests` broken that fail in new processes too. All of them share runs; those that do not fail in
    /// each of these run by themselves.
    pub(crate) fn confirm_broken(&mut self, tests: Vec<(TestIndex, Sight)>) -> Result<(), Halted> {
        let together: Vec<TestIndex> = tests.iter().map(|(test, _)| *test).collect();
        let shared = if together.len() > 1 { self.plain_rates(&[together], &tests)? } else { vec![] };
        let is_red = |rate: &Rate| *rate == Rate(BROKEN_RUNS, BROKEN_RUNS);
        let mut open = Vec::new();
        for (at, (test, sight)) in tests.into_iter().enumerate() {
            if shared.get(at).is_some_and(is_red) {
                self.found_broken(test, &sight);
            } else {
                open.push((test, sight));
            }
        }
        for (test, sight) in open.split_off(open.len().min(BROKEN_ALONE)) {
            self.doubt_broken(
                test,
                &sight,
                "too many tests end otherwise in new processes to ask about each",
            );
        }
        let alone: Vec<Vec<TestIndex>> = open.iter().map(|(test, _)| vec![*test]).collect();
        let rates = self.plain_rates(&alone, &open)?;
        for ((test, sight), rate) in open.into_iter().zip(rates) {
            if is_red(&rate) {
                self.found_broken(test, &sight);
            } else if rate.is_mixed() {
                self.set_aside(test).alone = Some(rate);
            } else {
                let why = if rate.1 == 0 { NO_RESULT } else { "it fails in forks only" };
                self.doubt_broken(test, &sight, why);
            }
        }
        Ok(())
    }

    /// How often each test was red in some runs of each of these orders.
    fn plain_rates(
        &mut self,
        orders: &[Vec<TestIndex>],
        tests: &[(TestIndex, Sight)],
    ) -> Result<Vec<Rate>, Halted> {
        let asked = (0..BROKEN_RUNS)
            .flat_map(|number| orders.iter().map(move |order| plain_ask(order.clone(), number)));
        let seen = self.asker().plain(asked.collect())?;
        let rate = |(test, _): &(TestIndex, Sight)| {
            let sights = seen.iter().map(|seen| sight_of(&seen.steps, *test)).filter(Sight::is_evidence);
            sights.fold(Rate::default(), |rate, sight| rate.with(sight.outcome.is_red()))
        };
        Ok(tests.iter().map(rate).collect())
    }

    fn found_broken(&mut self, test: TestIndex, sight: &Sight) {
        let finding = self.broken(test, sight);
        self.found(finding);
    }

    fn broken(&mut self, test: TestIndex, sight: &Sight) -> Finding {
        let mut finding = Finding::new(Kind::Broken, test, self.asker().suite().id(test));
        finding.signature.clone_from(&sight.signature);
        finding
    }

    fn doubt_broken(&mut self, test: TestIndex, sight: &Sight, why: &str) {
        let finding = self.broken(test, sight);
        self.doubt_finding(finding, why);
    }
}

//! Does chance have a part in it? Runs of new processes, each with a hash seed of its own, that no verdict on order rests on.
//!
//! Forks of one process share its hash seed and the state of its random numbers, so what they agree on may be chance all
//! the same. Knows broken tests and rates. Gives no verdict on order.

use std::ops::Range;
use std::slice::from_ref;

use anyorder_model::{Finding, Halted, Kind, Order, Outcome, PlainAsk, Rate, TestIndex};

use crate::confirm::{self, FOR_RATES, sight_of};
use crate::judge::{Judge, NO_RESULT};
use crate::sight::Sight;

/// How often a test that is always red fails in new processes before it is called broken.
const BROKEN_RUNS: u32 = 2;
/// How many such tests run by themselves in new processes.
const BROKEN_ALONE: usize = 20;

/// Runs of a non-deterministic test by itself, for its rate; and how many tests are measured so.
const ALONE_RUNS: Range<u32> = 0..5;
const ALONE_TESTS: usize = 10;
/// Runs of the original order and alone, for a test that differed between runs of the original order; how many tests are
/// compared so, and how many tests may run for it. Those that raised the suspicion must not count.
const COMPARED_RUNS: Range<u32> = 10..18;
const COMPARED_TESTS: usize = 4;
const COMPARED_COST: usize = 1_000;
/// Rates are measured as long as this share of the time is not spent.
const RATES_UNTIL: f64 = 0.9;

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
        let is_shared = together.len() > 1;
        let shared =
            if is_shared { self.rates_in(from_ref(&together), 0..BROKEN_RUNS, &together)? } else { vec![] };
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
        let alone: Vec<TestIndex> = open.iter().map(|(test, _)| *test).collect();
        let rates = self.rates_alone(&alone, 0..BROKEN_RUNS)?;
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

    /// How often each test was red in runs of these orders, as many as there are numbers.
    fn rates_in(
        &mut self,
        orders: &[Vec<TestIndex>],
        numbers: Range<u32>,
        tests: &[TestIndex],
    ) -> Result<Vec<Rate>, Halted> {
        let asked =
            numbers.flat_map(|number| orders.iter().map(move |order| plain_ask(order.clone(), number)));
        let seen = self.asker().plain(asked.collect())?;
        let rate = |&test: &TestIndex| {
            let sights = seen.iter().map(|seen| sight_of(&seen.steps, test)).filter(Sight::is_evidence);
            sights.fold(Rate::default(), |rate, sight| rate.with(sight.outcome.is_red()))
        };
        Ok(tests.iter().map(rate).collect())
    }

    /// Measures how often the tests fail that were set aside, as far as that is cheap.
    pub(crate) fn rate_aside(&mut self) -> Result<(), Halted> {
        if self.asker().spent() > RATES_UNTIL {
            return Ok(());
        }
        self.compare_with_alone()?;
        let open = self.aside.iter().filter(|(_, rates)| rates.after.is_none()).map(|(&test, _)| test);
        let open: Vec<TestIndex> = open.take(ALONE_TESTS).collect();
        let alone = self.rates_alone(&open, ALONE_RUNS)?;
        for (test, alone) in open.into_iter().zip(alone) {
            self.set_aside(test).alone = Some(alone);
        }
        Ok(())
    }

    /// Does order have a part in what differed between runs of the original order?
    fn compare_with_alone(&mut self) -> Result<(), Halted> {
        let original: Vec<TestIndex> = self.asker().suite().indices().collect();
        let is_cheap = |test: TestIndex| (test.at() + 1) * COMPARED_RUNS.len() <= COMPARED_COST;
        let open = self.aside.iter().filter(|(test, rates)| {
            rates.suite.is_some() && rates.after.is_none() && test.at() > 0 && is_cheap(**test)
        });
        let open: Vec<TestIndex> = open.map(|(&test, _)| test).take(COMPARED_TESTS).collect();
        let Some(last) = open.last() else { return Ok(()) };
        let before = self.rates_in(&[original[..=last.at()].to_vec()], COMPARED_RUNS, &open)?;
        let alone = self.rates_alone(&open, COMPARED_RUNS)?;
        for ((test, before), alone) in open.into_iter().zip(before).zip(alone) {
            let rates = self.set_aside(test);
            rates.alone = Some(alone);
            rates.after = Some(confirm::after(original[..=test.at()].to_vec(), before, alone));
        }
        Ok(())
    }

    fn rates_alone(&mut self, tests: &[TestIndex], numbers: Range<u32>) -> Result<Vec<Rate>, Halted> {
        let orders: Vec<Vec<TestIndex>> = tests.iter().map(|&test| vec![test]).collect();
        self.rates_in(&orders, numbers, tests)
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

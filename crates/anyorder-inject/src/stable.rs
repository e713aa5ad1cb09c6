//! Which tests are stable: they pass alone every time, twice in a row, and in every order that mutants are tried in.
//!
//! Only stable tests are changed and judged, so what a mutant shows is the mutant's doing.

use std::collections::{BTreeMap, BTreeSet};

use anyorder_model::{Halted, Order, Outcome, RunRecord, TestIndex};
use serde::{Deserialize, Serialize};

use crate::bench::{Ask, Bench};
use crate::orders;
use crate::scope::Scope;

/// Why a test is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unstable {
    /// It does not pass alone.
    NotPassing,
    /// It does not end alike each time.
    NonDeterministic,
    /// It fails in some order already.
    OrderDependent,
}

/// What is tried, and how often.
#[derive(Clone, Copy, Debug)]
pub struct InjectSettings {
    /// In which orders mutants are tried.
    pub scope: Scope,
    /// How often a test has to pass alone before it counts as stable.
    pub reruns: u32,
    /// How many random orders of a class are tried.
    pub orders: u32,
    /// How often a dependence has to show itself.
    pub times: u32,
    /// The seed of everything random.
    pub seed: u64,
}

impl Default for InjectSettings {
    fn default() -> Self {
        InjectSettings { scope: Scope::Class, reruns: 20, orders: 20, times: 3, seed: 0 }
    }
}

/// The tests that are left out, with the reason.
pub type Leavings = BTreeMap<TestIndex, Unstable>;

/// How much there is to run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    /// Orders.
    pub orders: u64,
    /// Tests in them.
    pub tests: u64,
}

/// What it takes to tell stable tests, if all are.
pub fn amount(classes: &BTreeSet<Vec<TestIndex>>, settings: InjectSettings) -> Amount {
    let alone = classes.iter().flatten().collect::<BTreeSet<_>>().len() as u64;
    let mut amount = Amount {
        orders: alone * (u64::from(settings.reruns) + 1),
        tests: alone * (u64::from(settings.reruns) + 2),
    };
    for class in classes.iter().filter(|class| class.len() > 1) {
        let orders = u64::from(settings.orders) + BOTH_WAYS;
        amount.orders += orders;
        amount.tests += orders * class.len() as u64;
    }
    amount
}

/// A class runs as it is written, and backwards, besides its random orders.
const BOTH_WAYS: u64 = 2;

/// How often the rest is tried again without those that failed.
const MOST_ROUNDS: usize = 10;

/// Looks at all tests of these classes; those in `known` have failed in an order before, and are left out if they still do.
pub fn unstable(
    bench: &mut dyn Bench,
    classes: &BTreeSet<Vec<TestIndex>>,
    known: &BTreeMap<TestIndex, Order>,
    settings: InjectSettings,
) -> Result<Leavings, Halted> {
    let tests: BTreeSet<TestIndex> = classes.iter().flatten().copied().collect();
    let mut left_out = Leavings::new();
    let asked: Vec<(TestIndex, &Order)> =
        known.iter().filter(|(test, _)| tests.contains(*test)).map(|(&test, order)| (test, order)).collect();
    let records = as_is(bench, asked.iter().map(|(_, order)| order.tests().to_vec()))?;
    for ((test, _), record) in asked.into_iter().zip(records) {
        let mut steps = record.steps.iter().filter(|step| step.test == test);
        if !steps.all(|step| step.outcome == Outcome::Passed) {
            left_out.insert(test, Unstable::OrderDependent);
        }
    }
    alone(bench, &tests, settings.reruns, &mut left_out)?;
    twice(bench, &tests, &mut left_out)?;
    for _ in 0..MOST_ROUNDS {
        let known = left_out.len();
        in_orders(bench, classes, settings, &mut left_out)?;
        if left_out.len() == known {
            break;
        }
    }
    Ok(left_out)
}

/// The tests of a class that are stable.
pub(crate) fn stable_of(class: &[TestIndex], left_out: &Leavings) -> Vec<TestIndex> {
    class.iter().copied().filter(|test| !left_out.contains_key(test)).collect()
}

/// Each test once; those that pass as often as it takes.
fn alone(
    bench: &mut dyn Bench,
    tests: &BTreeSet<TestIndex>,
    reruns: u32,
    left_out: &mut Leavings,
) -> Result<(), Halted> {
    let asked: Vec<TestIndex> = tests.iter().copied().filter(|test| !left_out.contains_key(test)).collect();
    for (&test, record) in asked.iter().zip(as_is(bench, asked.iter().map(|&test| vec![test]))?) {
        if !passes(&record) {
            left_out.insert(test, Unstable::NotPassing);
        }
    }
    let asked: Vec<TestIndex> = asked.into_iter().filter(|test| !left_out.contains_key(test)).collect();
    let again =
        asked.iter().flat_map(|&test| std::iter::repeat_n(vec![test], reruns.saturating_sub(1) as usize));
    for record in as_is(bench, again)? {
        if !passes(&record) {
            left_out.insert(record.asked.tests()[0], Unstable::NonDeterministic);
        }
    }
    Ok(())
}

fn twice(bench: &mut dyn Bench, tests: &BTreeSet<TestIndex>, left_out: &mut Leavings) -> Result<(), Halted> {
    let asked = stable_of(&tests.iter().copied().collect::<Vec<_>>(), left_out);
    for record in as_is(bench, asked.into_iter().map(|test| vec![test, test]))? {
        if !passes(&record) {
            left_out.insert(record.asked.tests()[0], Unstable::OrderDependent);
        }
    }
    Ok(())
}

fn in_orders(
    bench: &mut dyn Bench,
    classes: &BTreeSet<Vec<TestIndex>>,
    settings: InjectSettings,
    left_out: &mut Leavings,
) -> Result<(), Halted> {
    let stable: BTreeSet<Vec<TestIndex>> =
        classes.iter().map(|class| stable_of(class, left_out)).filter(|class| class.len() > 1).collect();
    let mut asked: Vec<Vec<TestIndex>> = Vec::new();
    for class in &stable {
        let both_ways = orders::with_last(class, &[]);
        let random = orders::random(bench.suite(), class, settings.orders, settings.seed);
        asked.extend(both_ways.into_iter().chain(random).map(|order| order.0));
    }
    for record in as_is(bench, asked.into_iter())? {
        let red = record.steps.iter().filter(|step| step.outcome != Outcome::Passed);
        // Those behind one that has taken its process along were not reached; they are looked at again without it.
        for step in red.filter(|step| step.outcome != Outcome::NotReached) {
            left_out.insert(step.test, Unstable::OrderDependent);
        }
    }
    Ok(())
}

/// Orders of the suite as it is, each by itself.
fn as_is(
    bench: &mut dyn Bench,
    orders: impl Iterator<Item = Vec<TestIndex>>,
) -> Result<Vec<RunRecord>, Halted> {
    let ask = |order: Vec<TestIndex>| Ask::as_is(vec![Order(order)]);
    let asked: Vec<Ask<'_>> = orders.map(ask).collect();
    Ok(bench.run(&asked)?.into_iter().flatten().collect())
}

fn passes(record: &RunRecord) -> bool {
    record.steps.iter().all(|step| step.outcome == Outcome::Passed)
}

//! The metrics of the FLAKER paper's Table I, and the statistics of its third question.

use std::collections::{BTreeMap, BTreeSet};

use anyorder_model::{Kind, TestIndex};
use serde::Serialize;

use super::Injection;
use super::statistics::{Tested, cliffs_delta, mann_whitney, spearman};
use crate::verdict::{Fate, Flaky};

/// What a data set comes to. Shares are in percent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Metrics {
    /// Tests of the suite.
    pub tests: usize,
    /// Tests that were looked at and are stable.
    pub stable_tests: usize,
    /// Mutants that were tried.
    pub mutants: usize,
    /// Those that compile and are collected.
    pub valid_mutants: usize,
    /// Mutants by what became of them.
    pub fates: BTreeMap<&'static str, usize>,
    /// Order-dependent mutants.
    pub od_mutants: usize,
    /// Their share of valid mutants.
    pub od_mutants_of_valid: f64,
    /// The share of all tests that some mutant has made order-dependent.
    pub od_tests: f64,
    /// The share of all classes that have such a test.
    pub od_classes: f64,
    /// The share of order-dependent mutants with a test that fails alone.
    pub brittles: f64,
    /// The share of those with a test that passes alone and fails behind others.
    pub victims: f64,
    /// The share of those with a test that passes once and then fails.
    pub non_idempotent: f64,
    /// The share of those with a test that fails by an assertion.
    pub assertion: f64,
    /// The share of those with a test that fails by another exception.
    pub exceptions: f64,
    /// Orders of mutants that have run.
    pub orders: u64,
    /// The same by operator.
    pub operators: BTreeMap<&'static str, OperatorMetrics>,
    /// What may explain it.
    pub explaining: Explaining,
}

/// What one operator has come to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct OperatorMetrics {
    /// Mutants that were tried.
    pub mutants: usize,
    /// Those that compile and are collected.
    pub valid: usize,
    /// Order-dependent ones.
    pub order_dependent: usize,
}

/// How the number of order-dependent mutants of a class goes with what the class is like.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explaining {
    /// Classes with mutants.
    pub classes: usize,
    /// Tests in the class.
    pub class_size: Option<Tested>,
    /// Names that its tests share.
    pub shared_names: Option<Tested>,
    /// Classes with fixtures against those without.
    pub fixtures: Option<Tested>,
    /// How large that difference is.
    pub fixtures_delta: Option<f64>,
}

pub(super) fn metrics(injection: &Injection<'_>) -> Metrics {
    let verdicts = || injection.verdicts.iter().map(|verdict| &verdict.fate);
    let valid = verdicts().filter(|fate| !matches!(fate, Fate::Invalid(_))).count();
    let flaky: Vec<&[Flaky]> = verdicts().filter_map(flaky_of).collect();
    let od = flaky.len();
    let has = |is_so: &dyn Fn(&Flaky) -> bool| {
        percent(flaky.iter().filter(|flaky| flaky.iter().any(is_so)).count(), od)
    };
    let tests: BTreeSet<TestIndex> = flaky.iter().copied().flatten().map(|flaky| flaky.test).collect();
    let classes =
        injection.classes.iter().filter(|class| class.tests.iter().any(|test| tests.contains(test)));
    let mut fates = BTreeMap::new();
    verdicts().for_each(|fate| *fates.entry(fate.name()).or_default() += 1);
    Metrics {
        tests: injection.suite.len(),
        stable_tests: injection.looked_at.saturating_sub(injection.left_out.len()),
        mutants: injection.mutants.len(),
        valid_mutants: valid,
        fates,
        od_mutants: od,
        od_mutants_of_valid: percent(od, valid),
        od_tests: percent(tests.len(), injection.suite.len()),
        od_classes: percent(classes.count(), injection.classes.len()),
        brittles: has(&|flaky| flaky.kind == Kind::Brittle),
        victims: has(&|flaky| flaky.kind == Kind::Victim),
        non_idempotent: has(&|flaky| flaky.kind == Kind::NonIdempotent),
        assertion: has(&Flaky::is_assertion),
        exceptions: has(&|flaky| !flaky.is_assertion()),
        orders: injection.verdicts.iter().map(|verdict| verdict.orders).sum(),
        operators: by_operator(injection),
        explaining: explaining(injection),
    }
}

/// What a mutant has made order-dependent.
pub(super) fn flaky_of(fate: &Fate) -> Option<&[Flaky]> {
    match fate {
        Fate::OrderDependent(flaky) => Some(flaky),
        _ => None,
    }
}

fn by_operator(injection: &Injection<'_>) -> BTreeMap<&'static str, OperatorMetrics> {
    let mut operators: BTreeMap<&'static str, OperatorMetrics> = BTreeMap::new();
    for (mutant, verdict) in injection.mutants.iter().zip(injection.verdicts) {
        let metrics = operators.entry(mutant.operator.name()).or_default();
        metrics.mutants += 1;
        metrics.valid += usize::from(!matches!(verdict.fate, Fate::Invalid(_)));
        metrics.order_dependent += usize::from(flaky_of(&verdict.fate).is_some());
    }
    operators
}

/// For each class how many mutants it has, and how many of them make one of its own tests order-dependent.
pub(super) fn counts(injection: &Injection<'_>) -> Vec<(usize, usize)> {
    let mut class_of: BTreeMap<TestIndex, usize> = BTreeMap::new();
    for (at, class) in injection.classes.iter().enumerate() {
        class_of.extend(class.tests.iter().map(|&test| (test, at)));
    }
    let mut counts = vec![(0, 0); injection.classes.len()];
    for (mutant, verdict) in injection.mutants.iter().zip(injection.verdicts) {
        let touched: BTreeSet<usize> =
            mutant.tests.iter().filter_map(|test| class_of.get(test).copied()).collect();
        let flaky = flaky_of(&verdict.fate).unwrap_or_default().iter();
        let shown: BTreeSet<usize> = flaky.filter_map(|flaky| class_of.get(&flaky.test).copied()).collect();
        for at in touched {
            counts[at].0 += 1;
            counts[at].1 += usize::from(shown.contains(&at));
        }
    }
    counts
}

fn explaining(injection: &Injection<'_>) -> Explaining {
    let counts = counts(injection);
    let tried: Vec<_> =
        injection.classes.iter().zip(&counts).filter(|(_, (mutants, _))| *mutants > 0).collect();
    let pairs = |value: &dyn Fn(&crate::Class) -> usize| -> Vec<(f64, f64)> {
        tried.iter().map(|(class, (_, od))| (value(class) as f64, *od as f64)).collect()
    };
    let od_where = |has_fixture: bool| -> Vec<f64> {
        let there = tried.iter().filter(|(class, _)| class.has_fixture == has_fixture);
        there.map(|(_, (_, od))| *od as f64).collect()
    };
    let (with, without) = (od_where(true), od_where(false));
    Explaining {
        classes: tried.len(),
        class_size: spearman(&pairs(&|class| class.tests.len())),
        shared_names: spearman(&pairs(&|class| class.shared_names)),
        fixtures: mann_whitney(&with, &without),
        fixtures_delta: cliffs_delta(&with, &without),
    }
}

fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { (part as f64 * 10_000.0 / whole as f64).round() / 100.0 }
}

//! Guided pairs on simulated suites: what they settle is so, and they find what orders miss.

use anyorder_model::{Kind, Oracle, TestIndex};
use proptest::prelude::{ProptestConfig, any, prop_assert_eq, proptest};

use crate::hunt_tests::{ZERO, kinds, suite};
use crate::simulate::{Eyes, Mix, Op, SimSuite, faults, pair_trial, passes, random_suite};
use crate::{HuntSettings, PairReport, hunt, pairs};

/// A polluter, its victim, and nothing but cleaners around them.
fn crowded(cleaners: usize) -> SimSuite {
    let mut tests: Vec<&[Op]> = vec![&[Op::Set(0, 0)]; cleaners];
    tests.insert(cleaners / 3, &[Op::Set(0, 1)]);
    tests.insert(cleaners / 2, &[Op::Need(0, ZERO)]);
    suite(&tests)
}

fn all_pairs(suite: &mut SimSuite) -> PairReport {
    pairs(suite, &HuntSettings { pair_runs: Some(u64::MAX), ..HuntSettings::default() })
}

#[test]
fn a_victim_that_twenty_orders_miss_among_cleaners_is_found_by_a_likely_pair() {
    let settings = HuntSettings { rounds: Some(20), ..HuntSettings::default() };
    let unguided = HuntSettings { is_guided: false, ..settings.clone() };
    assert_eq!(kinds(&hunt(&mut crowded(300), &unguided)), []);
    let mut suite = crowded(300);
    let report = hunt(&mut suite, &settings);
    assert_eq!(kinds(&report), [(Kind::Victim, 150)]);
    assert_eq!(faults(&suite, &report), [] as [String; 0]);
}

#[test]
fn a_quiet_suite_costs_few_runs_and_eight_orders() {
    let mut suite = suite(&vec![&[][..]; 200]);
    let report = hunt(&mut suite, &HuntSettings::default());
    assert_eq!(kinds(&report), []);
    // Twice in the original order, twice in a row, watched, in eight orders; and a quarter of 600 pairs for the audit.
    assert!(suite.runs < 200 * 15, "{}", suite.runs);
    assert_eq!(report.coverage.pairs_inferred.unwrap() + report.coverage.pairs_tried, report.coverage.pairs);
    assert_eq!(report.coverage.pairs_likely, Some(0));
}

#[test]
fn likely_pairs_that_there_were_no_runs_for_are_counted() {
    let mut tests: Vec<&[Op]> = vec![&[Op::Bump(0), Op::SkipUnless(0, !ZERO)]; 30];
    tests.extend([&[Op::Set(0, 2)][..], &[Op::Set(0, 3)]]);
    let settings = HuntSettings { pair_runs: Some(10), rounds: Some(1), ..HuntSettings::default() };
    let coverage = hunt(&mut suite(&tests), &settings).coverage;
    assert_eq!(coverage.pairs_likely, Some(32 * 31));
    assert!(coverage.pairs_likely_open.unwrap() > 0);
}

#[test]
fn an_audit_dissolves_an_effect_that_is_none() {
    let mut tests: Vec<&[Op]> = vec![&[Op::Need(0, ZERO)]; 20];
    tests.extend(vec![&[Op::Set(0, 1)][..]; 20]);
    let mut suite = suite(&tests);
    suite.eyes = Some(Eyes { hidden: vec![0], ..Eyes::default() });
    let report = all_pairs(&mut suite);
    assert_eq!(report.audit().1, 1);
    assert_eq!(report.effects().unwrap().count(), 40);
    assert_eq!(report.changes().count(), 400);
}

#[test]
fn what_was_settled_without_a_run_says_so() {
    let tests: [&[Op]; 7] =
        [&[Op::Set(0, 1)], &[], &[], &[Op::Set(0, 1)], &[Op::Set(0, 1)], &[], &[Op::Need(0, ZERO)]];
    let report = all_pairs(&mut suite(&tests));
    let pair = |first| (TestIndex(first), TestIndex(6));
    let settled = report.settled(&[pair(0), pair(3), pair(1)]);
    let is_inferred = |at: usize| settled[at].as_ref().unwrap().is_inferred;
    assert!(!is_inferred(0) && is_inferred(1) && is_inferred(2));
    assert_eq!(settled[1].as_ref().unwrap().change, settled[0].as_ref().unwrap().change);
    assert_eq!((settled[2].as_ref().unwrap().run, &settled[2].as_ref().unwrap().change), (None, &None));
}

#[test]
fn what_changes_an_outcome_is_settled_within_a_tenth_of_the_runs() {
    let trial = pair_trial(Mix::Deterministic, 120, 150, true);
    assert!(trial.changing > 100, "{trial:?}");
    assert_eq!((trial.right, trial.wrong), (trial.changing, 0));
    assert!(trial.in_first_tenth * 100 >= trial.changing * 99, "{trial:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn tests_with_one_effect_are_one_to_whoever_comes_next(seed in any::<u64>()) {
        let mut suite = random_suite(seed, Mix::Deterministic, 30);
        suite.eyes = Some(Eyes::default());
        let report = all_pairs(&mut suite);
        let tests: Vec<TestIndex> = suite.suite().indices().collect();
        for members in report.effects().unwrap().members() {
            for &test in &tests {
                let group = &suite.suite().test(test).group;
                let is_outside = |first: &&TestIndex| suite.suite().test(**first).group != *group;
                let outside = members.iter().filter(is_outside);
                let mut after: Vec<_> = outside.map(|&first| passes(&suite, &[first, test])).collect();
                after.dedup();
                prop_assert_eq!(after.len().min(1), after.len());
            }
        }
    }
}

//! Dependencies of simulated suites: PRADET's examples, and random suites where all is known.

use anyorder_model::{Dependencies, Oracle, Order, Outcome, TestIndex};
use proptest::prelude::{ProptestConfig, any, prop_assert, prop_assert_eq, proptest};

use crate::hunt_tests::{ONE, ZERO, suite};
use crate::simulate::{Eyes, Mix, Op, SimFixture, SimSuite, passes, random_suite};
use crate::{DepsSettings, deps};

fn order(tests: &[u32]) -> Order {
    tests.iter().copied().map(TestIndex).collect()
}

fn deps_of(suite: &SimSuite, references: &[&[u32]]) -> Dependencies {
    let references = references.iter().map(|tests| order(tests)).collect();
    let report = deps(&mut suite.clone(), &DepsSettings { references, ..DepsSettings::default() });
    assert_eq!(report.stopped_early, None);
    report.dependencies
}

/// Which test has to run before which.
fn manifest(dependencies: &Dependencies) -> Vec<(u32, u32)> {
    dependencies.manifest.iter().map(|one| (one.before.0, one.after.0)).collect()
}

fn untestable(dependencies: &Dependencies) -> Vec<(u32, u32)> {
    dependencies.untestable.iter().map(|edge| (edge.writer.0, edge.reader.0)).collect()
}

/// `DataSourceTest` of the paper: the field is the first cell, its clone string the second. The first test makes it, the
/// second needs its clone string and sets another, the third sets all of it. `reads` is what the third may look at besides.
fn data_source(reads: &[Op]) -> SimSuite {
    let third = [&[Op::Need(0, ONE), Op::Set(1, 3)], reads].concat();
    suite(&[&[Op::Set(0, 1), Op::Set(1, 1)], &[Op::Need(0, ONE), Op::Need(1, ONE), Op::Set(1, 2)], &third])
}

#[test]
fn both_tests_of_the_data_source_need_the_one_that_sets_the_field() {
    let suite = data_source(&[]);
    for references in [&[][..], &[&[0, 1, 2][..]], &[&[0, 1, 2], &[2, 1, 0]]] {
        let found = deps_of(&suite, references);
        assert_eq!(manifest(&found), [(0, 1), (0, 2)], "{references:?}");
        assert_eq!(found.schedule, order(&[0, 1, 2]));
        assert_eq!((found.parallel.len(), found.unexpected.as_deref()), (1, Some(&[][..])));
    }
}

#[test]
fn the_clone_string_is_a_further_dependency_where_the_third_test_is_seen_to_read_it() {
    let found = deps_of(&data_source(&[Op::Need(1, 8)]), &[&[0, 1, 2]]);
    assert_eq!((manifest(&found), untestable(&found)), (vec![(0, 1), (1, 2)], vec![(0, 2)]));
    let victim = &found.manifest[1];
    assert_eq!((victim.test, victim.otherwise), (TestIndex(1), Outcome::Failed));
    assert_eq!(victim.cells, ["shared.c1"]);
}

#[test]
fn the_expected_outcome_may_be_a_failure() {
    let found = deps_of(&data_source(&[]), &[&[0, 2, 1]]);
    assert_eq!((manifest(&found), untestable(&found)), (vec![(0, 2), (2, 1)], vec![(0, 1)]));
    let failure = &found.manifest[1];
    assert_eq!((failure.expected, failure.otherwise), (Outcome::Failed, Outcome::Passed));
}

#[test]
fn a_test_that_another_one_initialises_for_it_needs_only_that_one() {
    let suite = suite(&[
        &[Op::Set(0, 1)],
        &[Op::When(0, ZERO, 0, 1), Op::Set(1, 1)],
        &[Op::Need(0, ONE), Op::Need(1, ONE)],
    ]);
    let found = deps_of(&suite, &[&[0, 1, 2]]);
    assert_eq!((manifest(&found), found.benign, found.open), (vec![(1, 2)], 2, 0));
    assert_eq!(untestable(&found), []);
    assert_eq!(manifest(&deps_of(&suite, &[])), [(1, 2)]);
}

#[test]
fn parts_that_nothing_connects_are_refined_side_by_side() {
    let pair: [&[Op]; 2] = [&[Op::Set(0, 1)], &[Op::Need(0, ONE)]];
    let other: [&[Op]; 2] = [&[Op::Set(1, 1)], &[Op::Need(1, 3)]];
    let mut suite = suite(&[pair, other].concat());
    suite.questions = Some(vec![]);
    let references = vec![Order::original(suite.suite())];
    let report = deps(&mut suite, &DepsSettings { references, ..DepsSettings::default() });
    assert_eq!((manifest(&report.dependencies), report.dependencies.benign), (vec![(0, 1)], 1));
    let questions = suite.questions.unwrap();
    assert_eq!(questions[1].tails, [order(&[1, 0]), order(&[3, 2])]);
}

#[test]
fn of_the_edges_of_one_test_the_one_that_splits_its_part_is_turned_first() {
    let mut suite = suite(&[
        &[Op::Set(0, 1)],
        &[Op::Need(0, u8::MAX), Op::Set(1, 1)],
        &[Op::Set(2, 1)],
        &[Op::Need(2, u8::MAX), Op::Set(3, 1)],
        &[Op::Need(1, u8::MAX), Op::Need(2, u8::MAX), Op::Need(3, u8::MAX)],
    ]);
    suite.questions = Some(vec![]);
    let references = vec![Order::original(suite.suite())];
    let found = deps(&mut suite, &DepsSettings { references, ..DepsSettings::default() }).dependencies;
    assert_eq!((found.benign, found.manifest.len(), found.open), (5, 0, 0));
    let questions = suite.questions.unwrap();
    assert_eq!(questions[1].tails, [order(&[0, 2, 3, 4, 1])]);
    assert_eq!(questions[2].tails.len(), 2);
}

#[test]
fn edges_that_there_were_no_runs_for_are_open_and_not_untestable() {
    let tests: Vec<&[Op]> = vec![&[Op::Bump(0)]; 8];
    let references = vec![order(&[0, 1, 2, 3, 4, 5, 6, 7])];
    let settings = DepsSettings { references, edge_runs: Some(3), ..DepsSettings::default() };
    let found = deps(&mut suite(&tests), &settings).dependencies;
    assert_eq!((found.benign, found.open, found.untestable.len()), (3, 4, 0));
}

#[test]
fn an_error_in_a_tear_down_that_hides_a_skip_is_no_change() {
    let tests: [&[Op]; 4] = [&[Op::SkipUnless(0, ONE)], &[], &[], &[Op::Set(0, 1)]];
    let suite = suite(&tests).with_fixture(0, SimFixture { cells: vec![], need: Some((1, ONE)) });
    assert_eq!(manifest(&deps_of(&suite, &[])), []);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn pairs_that_decide_an_outcome_are_manifest_and_no_others(seed in any::<u64>()) {
        let mut suite = random_suite(seed, Mix::Deterministic, 20);
        suite.eyes = Some(Eyes::default());
        let found = deps_of(&suite, &[]);
        for first in suite.suite().indices() {
            for test in suite.suite().indices().filter(|&test| test != first) {
                let is_it = |one: &&anyorder_model::Manifest| {
                    one.test == test && [one.before, one.after].contains(&first)
                };
                let (alone, after) = (passes(&suite, &[test]), passes(&suite, &[first, test]));
                if alone.is_some() && after.is_some() {
                    prop_assert_eq!(found.manifest.iter().any(|one| is_it(&one)), alone != after);
                }
            }
        }
    }

    #[test]
    fn a_schedule_has_every_test_once_and_respects_what_does_not_conflict(seed in any::<u64>(), reversed in any::<bool>()) {
        let suite = random_suite(seed, Mix::Deterministic, 40);
        let mut reference: Vec<u32> = (0..u32::try_from(suite.tests().len()).unwrap()).collect();
        if reversed {
            reference.reverse();
        }
        for references in [&[][..], &[reference.as_slice()]] {
            let found = deps_of(&suite, references);
            let at = |test: TestIndex| found.schedule.0.iter().position(|&other| other == test).unwrap();
            prop_assert_eq!(found.schedule.len(), suite.tests().len());
            prop_assert_eq!(found.parallel.iter().map(Vec::len).sum::<usize>(), suite.tests().len());
            for one in found.manifest.iter().filter(|one| !found.conflicts.contains(one)) {
                prop_assert!(at(one.before) < at(one.after));
            }
        }
    }
}

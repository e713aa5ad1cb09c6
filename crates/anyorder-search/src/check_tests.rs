//! Checks of simulated suites after a change to one test: what hunts find that concerns it, and what checks find of that.

use std::collections::BTreeSet;

use anyorder_model::{
    Finding, Group, Halted, Kind, Oracle, Order, Profile, Selected, Selection, TestId, TestIndex, Why,
};
use proptest::prelude::{ProptestConfig, any, prop_assert, prop_assert_eq, proptest};

use crate::hunt_tests::{ONE, ZERO, kinds, suite, the};
use crate::simulate::{Eyes, Mix, Op, SimSuite, faults, passes, random_suite};
use crate::{HuntReport, HuntSettings, Known, ProfileSettings, check, hunt, profile};

fn chosen(tests: impl IntoIterator<Item = u32>) -> Vec<Selected> {
    let one = |test| Selected { test: TestIndex(test), why: vec![Why::New] };
    tests.into_iter().map(one).collect()
}

fn selection(affected: &[u32], related: &[u32]) -> Selection {
    Selection {
        affected: chosen(affected.iter().copied()),
        related: chosen(related.iter().copied()),
        ..Selection::default()
    }
}

fn check_in(suite: &mut SimSuite, selection: &Selection) -> HuntReport {
    let settings = HuntSettings { baseline_runs: 1, ..HuntSettings::default() };
    let report = check(suite, selection, &settings);
    assert_eq!(faults(suite, &report), [] as [String; 0]);
    report
}

/// Forty tests that do nothing, but for some.
fn large(some: &[(usize, &[Op])]) -> SimSuite {
    let mut tests: Vec<&[Op]> = vec![&[]; 40];
    some.iter().for_each(|(at, ops)| tests[*at] = ops);
    suite(&tests)
}

#[test]
fn where_a_change_concerns_nothing_nothing_runs() {
    let mut suite = suite(&[&[Op::Set(0, 1)], &[Op::Need(0, ZERO)]]);
    let report = check_in(&mut suite, &Selection::default());
    assert_eq!((report.findings.len(), suite.runs, suite.forks), (0, 0, 0));
}

#[test]
fn a_new_polluter_and_a_new_victim_are_found_among_related_tests_only() {
    let some: [(usize, &[Op]); 3] =
        [(5, &[Op::Need(0, ZERO)]), (20, &[Op::Set(0, 1), Op::Set(1, 1)]), (30, &[Op::Need(1, ZERO)])];
    for affected in [20, 5] {
        let mut suite = large(&some);
        let report = check_in(&mut suite, &selection(&[affected], &[5, 20]));
        // 30 shows itself in the original order, concerned or not.
        assert_eq!(kinds(&report), [(Kind::Victim, 5), (Kind::Victim, 30)]);
        assert_eq!(the(&report, Kind::Victim, 5).polluters, Some(vec![vec![TestIndex(20)]]));
    }
}

#[test]
fn pairs_of_tests_that_did_not_change_do_not_run() {
    let mut suite = large(&[(1, &[Op::Set(0, 1)]), (2, &[Op::Set(0, 0)])]);
    suite.questions = Some(vec![]);
    check_in(&mut suite, &selection(&[3], &[1, 2, 4]));
    let asked = suite.questions.unwrap();
    let orders = asked.iter().filter(|fan| fan.purpose == anyorder_model::Purpose::Pairs);
    let pairs: BTreeSet<(u32, u32)> = orders
        .flat_map(|fan| fan.tails.iter().map(|tail| (fan.prefix.tests()[0].0, tail.tests()[0].0)))
        .collect();
    assert_eq!(pairs, BTreeSet::from([(1, 3), (2, 3), (4, 3), (3, 1), (3, 2), (3, 4)]));
}

#[test]
fn a_changed_test_that_minds_being_run_twice_is_found_and_one_that_did_not_change_is_not_asked() {
    let twice: &[Op] = &[Op::Need(0, ZERO), Op::Set(0, 1)];
    let other: &[Op] = &[Op::Need(1, ZERO), Op::Set(1, 1)];
    let report = check_in(&mut large(&[(7, twice), (9, other)]), &selection(&[7], &[9]));
    assert_eq!(kinds(&report), [(Kind::NonIdempotent, 7)]);
}

#[test]
fn where_a_cleaner_is_gone_the_original_order_shows_its_victim() {
    let mut suite = large(&[(3, &[Op::Set(0, 1)]), (9, &[Op::Need(0, ZERO)])]);
    let gone = Selection { deleted: vec![TestId("g2.py::gone".to_owned())], ..selection(&[], &[]) };
    let report = check_in(&mut suite, &gone);
    assert_eq!(kinds(&report), [(Kind::Victim, 9)]);
}

#[test]
fn a_chain_through_two_tests_is_found_in_orders_of_all_that_are_concerned() {
    let some: [(usize, &[Op]); 3] =
        [(30, &[Op::Set(0, 1)]), (20, &[Op::When(0, ONE, 1, 1)]), (10, &[Op::Need(1, ZERO)])];
    let report = check_in(&mut large(&some), &selection(&[30], &[10, 20]));
    let group = vec![TestIndex(30), TestIndex(20)];
    assert_eq!(the(&report, Kind::Victim, 10).polluters, Some(vec![group]));
}

#[test]
fn known_findings_that_the_change_does_not_concern_are_not_tried_again() {
    let known = |test: u32, polluter: u32| Known {
        kind: Kind::Victim,
        test: TestIndex(test),
        passing: Order(vec![TestIndex(test)]),
        failing: Order(vec![TestIndex(polluter), TestIndex(test)]),
    };
    let mut suite = large(&[(3, &[Op::Set(0, 1)]), (1, &[Op::Need(0, ZERO)])]);
    suite.questions = Some(vec![]);
    let settings = HuntSettings { known: vec![known(1, 3), known(11, 13)], ..HuntSettings::default() };
    check(&mut suite, &selection(&[3], &[1]), &settings);
    let asked = suite.questions.unwrap();
    let again = asked.iter().filter(|fan| fan.purpose == anyorder_model::Purpose::Known);
    assert_eq!(again.flat_map(|fan| &fan.tails).count(), 2);
}

#[test]
fn a_check_that_has_to_end_early_says_so() {
    let mut suite = large(&[(3, &[Op::Set(0, 1)]), (1, &[Op::Need(0, ZERO)])]);
    suite.limit = 60;
    let report = check(&mut suite, &selection(&[3], &[1]), &HuntSettings::default());
    assert_eq!(report.stopped_early, Some(Halted::Budget));
}

fn profiles(suite: &SimSuite) -> Vec<Profile> {
    let tests: Vec<TestIndex> = suite.suite().indices().collect();
    profile(&mut suite.clone(), &tests, &ProfileSettings::default()).profiles
}

/// Whether one of two tests writes what the other reads or writes.
fn meet(one: &Profile, other: &Profile) -> bool {
    let names = |profile: &Profile| -> BTreeSet<String> {
        profile.writes.iter().map(|write| write.cell.path.clone()).collect()
    };
    let (mine, theirs) = (names(one), names(other));
    !mine.is_disjoint(&theirs) || !mine.is_disjoint(&other.reads) || !theirs.is_disjoint(&one.reads)
}

/// The changed test, and all that share state with it in its old or its new form, directly or by others.
fn concerned(old: &[Profile], new: &[Profile], changed: TestIndex) -> Selection {
    let mut reached = BTreeSet::from([changed]);
    let mut waiting = vec![&old[changed.at()], &new[changed.at()]];
    while let Some(one) = waiting.pop() {
        let found = new.iter().filter(|other| meet(one, other) && reached.insert(other.test));
        waiting.extend(found.collect::<Vec<_>>());
    }
    reached.remove(&changed);
    Selection { related: chosen(reached.iter().map(|test| test.0)), ..selection(&[changed.0], &[]) }
}

/// A random suite in which one test does what another does, backwards; and which one, and what the change concerns.
fn changed_suite(seed: u64, which: u32, donor: u32) -> (SimSuite, TestIndex, Selection) {
    let mut before = random_suite(seed, Mix::Deterministic, 60);
    before.eyes = Some(Eyes::default());
    let size = u32::try_from(before.tests().len()).unwrap();
    let changed = TestIndex(which % size);
    let mut tests = before.tests().to_vec();
    tests[changed.at()].ops = tests[(donor % size) as usize].ops.iter().rev().copied().collect();
    let after = SimSuite::new(tests, seed);
    let selection = concerned(&profiles(&before), &profiles(&after), changed);
    (after, changed, selection)
}

/// Whether a finding has to do with a test.
fn involves(finding: &Finding, test: TestIndex) -> bool {
    let mut groups = finding.polluters.iter().chain(&finding.setters).flatten();
    finding.kind.is_order_dependent()
        && (finding.test == test || groups.any(|group| is_part(finding, group, test)))
}

/// Whether a test is one of those that show a finding with this group.
fn is_part(finding: &Finding, group: &Group, test: TestIndex) -> bool {
    finding.test == test || group.contains(&test)
}

/// What is missed takes several tests together: no order that ran has shown it, or its test was not selected.
#[test]
fn a_check_finds_nearly_all_that_a_hunt_finds_and_that_has_to_do_with_the_change() {
    let (mut wanted, mut found) = (0, 0);
    for seed in 0..400_u32 {
        let (mut suite, changed, selection) = changed_suite(seed.into(), 7 * seed, 3 + seed);
        let whole = hunt(&mut suite.clone(), &HuntSettings::default());
        let report = check_in(&mut suite, &selection);
        for finding in whole.findings.iter().filter(|finding| involves(finding, changed)) {
            let is_found = report.findings.iter().any(|other| other.id == finding.id);
            let groups = finding.polluters.iter().chain(&finding.setters).flatten();
            let takes_several =
                groups.filter(|group| is_part(finding, group, changed)).all(|group| group.len() > 1);
            assert!(is_found || takes_several, "seed {seed}: {finding:?}");
            wanted += 1;
            found += u32::from(is_found);
        }
    }
    assert!(wanted > 250 && found * 100 >= wanted * 97, "{found} of {wanted}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn whatever_pair_a_changed_test_is_part_of_is_judged(seed in any::<u64>(), which in any::<u32>(), donor in any::<u32>()) {
        let (mut after, changed, selection) = changed_suite(seed, which, donor);
        let report = check(&mut after, &selection, &HuntSettings { baseline_runs: 1, ..HuntSettings::default() });
        prop_assert_eq!(faults(&after, &report), [] as [String; 0]);
        let is_told = |test: TestIndex| report.findings.iter().any(|finding| finding.test == test);
        for other in after.suite().indices().filter(|&other| other != changed) {
            for (first, test) in [(changed, other), (other, changed)] {
                let ends = passes(&after, &[test]).zip(passes(&after, &[first, test]));
                let differs = ends.is_some_and(|(alone, behind)| alone != behind);
                prop_assert!(!differs || is_told(test), "{first:?} {test:?}");
            }
        }
    }
}

//! Verdicts on mutants of made-up suites.

use anyorder_model::{Kind, Order, TestIndex};

use crate::scope::Scope;
use crate::stable::{InjectSettings, Leavings, Unstable, unstable};
use crate::toy::{LOST, Toy, flaky, judged, judged_as, mutant, of_fixture};
use crate::verdict::Fate;
use crate::{Judge, Mutant};

#[test]
fn a_mutant_that_fails_everywhere_pays_for_three_orders_and_no_more() {
    let mut toy = Toy::new(6, |changed, _, test| !(changed && test == 0));
    let verdict = judged(&mut toy);
    assert!(matches!(verdict.fate, Fate::Killed(_)));
    assert_eq!((verdict.orders, toy.orders, toy.plain), (3, 3, 0));
}

#[test]
fn a_test_that_only_ever_ran_behind_its_polluter_is_tried_alone() {
    // Of thirty tests that run what was changed, the twentieth passes alone only.
    let mut toy = Toy::new(30, |changed, before, test| !changed || test != 19 || before.is_empty());
    let tests: Vec<u32> = (0..30).collect();
    let mutant = of_fixture(&toy.suite, &tests, &[&tests]);
    let verdict = judged_as(&mut toy, &mutant);
    assert_eq!(flaky(&verdict).test, TestIndex(19));
}

#[test]
fn an_unchanged_test_that_fails_in_all_orders_kills_a_mutant() {
    let verdict = judged(&mut Toy::new(4, |changed, _, test| !(changed && test == 2)));
    assert!(matches!(verdict.fate, Fate::Killed(_)), "{verdict:?}");
}

#[test]
fn a_mutant_that_nobody_notices_is_equivalent() {
    let verdict = judged(&mut Toy::new(4, |_, _, _| true));
    assert_eq!(verdict.fate, Fate::Equivalent);
}

#[test]
fn a_changed_test_that_needs_another_one_is_brittle_with_its_setter() {
    let mut toy = Toy::new(5, |changed, before, test| !(changed && test == 0) || before.contains(&3));
    let verdict = judged(&mut toy);
    let flaky = flaky(&verdict);
    assert_eq!(
        (flaky.kind, flaky.test, &flaky.partners),
        (Kind::Brittle, TestIndex(0), &vec![vec![TestIndex(3)]])
    );
    assert_eq!(flaky.failing, Order(vec![TestIndex(0)]));
    assert!(flaky.confirmed);
}

#[test]
fn a_changed_test_that_another_one_disturbs_is_a_victim_with_its_cleaners() {
    let mut toy = Toy::new(5, |changed, before, test| {
        let last = before.iter().rposition(|&test| test == 2);
        let is_clean = last.is_none_or(|last| before[last..].contains(&4));
        !(changed && test == 0) || is_clean
    });
    let verdict = judged(&mut toy);
    let flaky = flaky(&verdict);
    assert_eq!((flaky.kind, &flaky.partners), (Kind::Victim, &vec![vec![TestIndex(2)]]));
    assert_eq!(flaky.cleaners, Some(vec![TestIndex(4)]));
}

#[test]
fn cleaners_are_found_among_many_tests_without_an_order_for_each() {
    let orders_with = |law: fn(bool, &[u32], u32) -> bool| {
        let mut toy = Toy::new(100, law);
        let verdict = judged(&mut toy);
        (flaky(&verdict).cleaners.clone().unwrap(), verdict.orders)
    };
    let (cleaners, orders) = orders_with(|changed, before, test| {
        let last = before.iter().rposition(|&test| test == 0);
        let is_clean = last.is_none_or(|last| before[last..].iter().any(|test| [40, 44, 99].contains(test)));
        !(changed && test == 7) || is_clean
    });
    assert_eq!(cleaners, [40, 44, 99].map(TestIndex));
    let (none, fewer) = orders_with(|changed, before, test| !(changed && test == 7 && before.contains(&0)));
    assert_eq!(none, []);
    // One for each of nine blocks; two of these, with twelve and two tests in them, have cleaners.
    assert_eq!(orders - fewer, 12 + 2);
}

#[test]
fn two_polluters_that_only_work_together_are_one_group() {
    let mut toy = Toy::new(5, |changed, before, test| {
        !(changed && test == 0 && before.contains(&2) && before.contains(&3))
    });
    let verdict = judged(&mut toy);
    let mut group = flaky(&verdict).partners[0].clone();
    group.sort();
    assert_eq!(group, [TestIndex(2), TestIndex(3)]);
}

#[test]
fn a_changed_test_may_be_the_polluter_of_others() {
    // A change that has been made is seen by all that run behind the changed test.
    let mut toy = Toy::new(4, |changed, before, test| !(changed && test == 3 && before.contains(&0)));
    let verdict = judged(&mut toy);
    let flaky = flaky(&verdict);
    assert_eq!(
        (flaky.test, flaky.kind, &flaky.partners),
        (TestIndex(3), Kind::Victim, &vec![vec![TestIndex(0)]])
    );
}

#[test]
fn victims_of_one_polluter_share_their_plain_runs() {
    let mut toy = Toy::new(6, |changed, before, test| !(changed && test > 2 && before.contains(&0)));
    let Fate::OrderDependent(found) = judged(&mut toy).fate else { panic!("three victims") };
    assert_eq!(found.iter().map(|flaky| flaky.test.0).collect::<Vec<_>>(), [3, 4, 5]);
    assert!(found.iter().all(|flaky| flaky.confirmed));
    assert_eq!(toy.plain, 1);
}

#[test]
fn victims_that_showed_themselves_in_one_order_share_its_repetitions() {
    let orders_for = |law: fn(bool, &[u32], u32) -> bool| judged(&mut Toy::new(40, law)).orders;
    let one = orders_for(|changed, before, test| !(changed && test == 31 && before.contains(&0)));
    let four =
        orders_for(|changed, before, test| !(changed && (31..35).contains(&test) && before.contains(&0)));
    // Three more are each run alone three times, behind the changed test, and once more for how they fail; cleaners are
    // looked for twice, in four blocks; and two orders tell that all four can share plain runs.
    let each_order_repeated_anew = 3 * (3 + 3 + 1 + 1) + 4 + 2;
    assert!(four - one < each_order_repeated_anew, "{four} {one}");
}

#[test]
fn victims_that_clean_up_for_each_other_have_plain_runs_of_their_own() {
    let mut toy = Toy::new(6, |changed, before, test| {
        let last = before.iter().rposition(|&test| test == 0);
        let is_dirty = last.is_some_and(|last| before[last..].iter().all(|&test| test < 3));
        !(changed && test > 2 && is_dirty)
    });
    let Fate::OrderDependent(found) = judged(&mut toy).fate else { panic!("three victims") };
    assert_eq!((found.len(), toy.plain), (3, 3));
}

#[test]
fn what_the_shared_plain_run_does_not_show_is_asked_again_by_itself() {
    let mut toy = Toy::new(6, |changed, before, test| !(changed && test > 2 && before.contains(&0)));
    // New processes show two of the three only.
    toy.plain_law = |changed, before, test| !(changed && test > 3 && before.contains(&0));
    let Fate::OrderDependent(found) = judged(&mut toy).fate else { panic!("two victims") };
    assert_eq!(found.iter().map(|flaky| flaky.test.0).collect::<Vec<_>>(), [4, 5]);
    assert_eq!(toy.plain, 2);
}

#[test]
fn a_test_that_fails_the_second_time_is_non_idempotent() {
    let mut toy = Toy::new(3, |changed, before, test| !(changed && test == 0 && before.contains(&0)));
    assert_eq!(flaky(&judged(&mut toy)).kind, Kind::NonIdempotent);
}

#[test]
fn what_the_suite_shows_without_the_mutant_does_not_count() {
    let mut toy = Toy::new(4, |_, before, test| !(test == 0 && before.contains(&2)));
    let verdict = judged(&mut toy);
    assert_eq!(verdict.fate, Fate::Inherited(vec![TestIndex(0)]));
    assert_eq!(toy.plain, 0);
}

#[test]
fn partners_that_the_suite_has_without_the_mutant_are_not_the_mutant_s() {
    // The first one disturbs with or without the mutant, the second one only with it.
    let mut toy = Toy::new(4, |changed, before, test| {
        test != 0 || !(before.contains(&1) || changed && before.contains(&2))
    });
    assert_eq!(flaky(&judged(&mut toy)).partners, [[TestIndex(2)]]);
}

#[test]
fn a_mutant_that_is_lost_in_every_order_is_killed_and_pays_for_no_further_order() {
    for red in LOST {
        let mut toy = Toy { red, ..Toy::new(6, |changed, _, test| !(changed && test == 0)) };
        let verdict = judged(&mut toy);
        assert!(matches!(verdict.fate, Fate::Killed(_)), "{verdict:?}");
        assert_eq!(verdict.orders, 3);
    }
}

#[test]
fn a_mutant_that_is_lost_in_some_orders_only_depends_on_order() {
    for red in LOST {
        let mut toy = Toy {
            red,
            ..Toy::new(5, |changed, before, test| !(changed && test == 0 && before.contains(&2)))
        };
        let verdict = judged(&mut toy);
        let flaky = flaky(&verdict);
        assert_eq!((flaky.kind, &flaky.partners[..]), (Kind::Victim, &[vec![TestIndex(2)]][..]));
    }
}

#[test]
fn a_fixture_kills_only_if_all_of_its_tests_fail_and_not_just_the_first_ones() {
    // Of ten tests that use it, the last one passes alone and fails behind its neighbour.
    let mut toy = Toy::new(10, |changed, before, test| !changed || test == 9 && !before.contains(&8));
    let all: Vec<u32> = (0..10).collect();
    let mutant = of_fixture(&toy.suite, &all, &[&all]);
    let verdict = judged_as(&mut toy, &mutant);
    assert_eq!((flaky(&verdict).test, flaky(&verdict).kind), (TestIndex(9), Kind::Victim));
}

#[test]
fn a_fixture_of_several_files_is_judged_in_each_of_them_and_what_order_decides_counts_first() {
    let mut toy = Toy::new(6, |changed, before, test| match test {
        0..=2 => !changed,
        4 => !changed || !before.contains(&3),
        _ => true,
    });
    let mutant = of_fixture(&toy.suite, &[0, 1, 2, 4], &[&[0, 1, 2], &[3, 4, 5]]);
    let verdict = judged_as(&mut toy, &mutant);
    assert_eq!(flaky(&verdict).partners, [[TestIndex(3)]]);
}

#[test]
fn a_test_that_some_parameters_fail_whatever_the_order_is_killed() {
    let mut toy = Toy::new(4, |changed, _, test| !(changed && test == 1));
    let mutant = Mutant { tests: vec![TestIndex(0), TestIndex(1)], ..mutant(&toy.suite) };
    let verdict = judged_as(&mut toy, &mutant);
    assert!(matches!(verdict.fate, Fate::Killed(_)), "{verdict:?}");
}

#[test]
fn what_the_plain_runner_does_not_show_is_unconfirmed() {
    let mut toy = Toy::new(4, |changed, before, test| !(changed && test == 0 && before.contains(&2)));
    toy.plain_law = |_, _, _| true;
    assert!(matches!(judged(&mut toy).fate, Fate::Unconfirmed(_)));
}

#[test]
fn tests_that_depend_on_order_already_are_left_out_with_their_reason() {
    let mut toy = Toy::new(5, |_, before, test| match test {
        1 => !before.contains(&2),
        3 => false,
        4 => !before.contains(&4),
        _ => true,
    });
    let classes = [toy.suite.indices().collect()].into();
    let left_out = unstable(&mut toy, &classes, &[].into(), InjectSettings::default()).unwrap();
    let expected = [(1, Unstable::OrderDependent), (3, Unstable::NotPassing), (4, Unstable::OrderDependent)];
    assert_eq!(left_out, expected.map(|(test, why)| (TestIndex(test), why)).into());
}

#[test]
fn a_hunt_that_finds_nothing_leaves_a_failing_mutant_killed_and_another_equivalent() {
    let settings = InjectSettings { scope: Scope::Suite, ..InjectSettings::default() };
    let left_out = Leavings::new();
    let mut toy = Toy::new(3, |_, _, _| true);
    let mutant = mutant(&toy.suite);
    let verdict = Judge::new(&mut toy, settings, &left_out).judge(&[&mutant]).unwrap().remove(0);
    assert_eq!(verdict.fate, Fate::Equivalent);
}

#[test]
fn all_pairs_with_the_changed_test_show_who_depends_on_order_because_of_it() {
    // 0 is changed: it needs 3, disturbs 2, and 1 disturbs 4 in any case.
    let mut toy = Toy::new(6, |changed, before, test| match test {
        0 => !changed || before.contains(&3),
        2 => !(changed && before.contains(&0)),
        4 => !before.contains(&1),
        _ => true,
    });
    let mutant = mutant(&toy.suite);
    let tests: Vec<TestIndex> = toy.suite.indices().collect();
    let left_out = Leavings::new();
    let found = Judge::new(&mut toy, InjectSettings::default(), &left_out).paired(&mutant, &tests).unwrap();
    assert_eq!(found, [TestIndex(0), TestIndex(2)].into());
}

#[test]
fn a_mutant_that_disturbs_many_has_the_first_ones_looked_into_and_names_the_others() {
    let mut toy = Toy::new(20, |changed, before, test| !(changed && test > 3 && before.contains(&0)));
    let verdict = judged(&mut toy);
    let Fate::OrderDependent(flaky) = &verdict.fate else { panic!("{verdict:?}") };
    let partners: Vec<_> = flaky.iter().map(|flaky| flaky.partners.clone()).collect();
    assert_eq!(partners, vec![vec![vec![TestIndex(0)]]; 8]);
    assert_eq!(flaky.iter().filter(|flaky| flaky.cleaners.is_some()).count(), 2);
    assert_eq!(verdict.not_looked_into, (12..20).map(TestIndex).collect::<Vec<_>>());
}

#[test]
fn a_test_that_was_found_before_is_left_out_only_if_it_still_shows_itself() {
    let mut toy = Toy::new(4, |_, before, test| !(test == 1 && before.contains(&3)));
    let tests: Vec<TestIndex> = [0, 1, 2].map(TestIndex).to_vec();
    let known = [(TestIndex(1), 3), (TestIndex(2), 3)];
    let known = known.map(|(test, partner)| (test, Order(vec![TestIndex(partner), test]))).into();
    let left_out = unstable(&mut toy, &[tests].into(), &known, InjectSettings::default()).unwrap();
    assert_eq!(left_out, [(TestIndex(1), Unstable::OrderDependent)].into());
}

//! Explanations of simulated suites: always right, always minimal.

use anyorder_model::{Cause, Evidence, Finding, Halted, Kind, Order, Reason, TestId, TestIndex};
use proptest::prelude::*;

use crate::simulated::{End, TEST, Table, World, path_of};
use crate::{ExplainSettings, explain};

fn finding(kind: Kind) -> Finding {
    let group = vec![TestIndex(0)];
    let mut finding = Finding::new(kind, TEST, &TestId("t.py::test".to_owned()));
    match kind {
        Kind::Victim => finding.polluters = Some(vec![group]),
        Kind::Brittle => finding.setters = Some(vec![group]),
        _ => {
            finding.evidence = Some(Evidence {
                passing: Some(Order(vec![TEST])),
                failing: Order(vec![TEST, TEST]),
                confirmed: None,
                plain_pairs: 0,
            });
        }
    }
    finding
}

fn explained(world: &mut World, kind: Kind) -> (Finding, Option<Halted>) {
    let mut findings = [finding(kind)];
    let halted = explain(world, &mut findings, &ExplainSettings::default());
    let [finding] = findings;
    (finding, halted)
}

fn cause(world: &mut World, kind: Kind) -> Cause {
    explained(world, kind).0.causes.expect("it was looked for").remove(0)
}

/// A table in which the test fails while it `minds` what still differs.
fn table(cells: u128, minds: impl Fn(u128) -> bool) -> Table {
    Table::Ends(
        (0..1 << cells).map(|differing| if minds(differing) { End::Fail } else { End::Pass }).collect(),
    )
}

fn cures(sets: &[&[usize]]) -> Vec<Vec<String>> {
    sets.iter().map(|set| set.iter().map(|&at| path_of(at)).collect()).collect()
}

#[test]
fn one_cell_among_many_is_named_and_proved() {
    for kind in [Kind::Victim, Kind::NonIdempotent] {
        let cause = cause(&mut World::new(6, table(6, |differing| differing & 0b100 != 0)), kind);
        assert_eq!(cause.cures, cures(&[&[2]]));
        assert!(cause.is_proved() && cause.state[0].proved == Some(true));
        assert_eq!((cause.effort.cells_seen, cause.effort.cells_differing), (1000, 6));
    }
}

#[test]
fn a_brittle_needs_the_cell_that_its_setter_leaves() {
    let cause = cause(&mut World::new(6, table(6, |differing| differing & 0b100 == 0)), Kind::Brittle);
    assert_eq!(cause.cures, cures(&[&[2]]));
    assert!(cause.is_proved());
}

#[test]
fn either_of_two_and_both_of_two_are_told_apart() {
    let either = cause(&mut World::new(5, table(5, |differing| differing & 0b11 == 0b11)), Kind::Victim);
    assert_eq!((either.cures.clone(), either.is_proved()), (cures(&[&[0], &[1]]), true));
    let both = cause(&mut World::new(5, table(5, |differing| differing & 0b11 != 0)), Kind::Victim);
    assert_eq!((both.cures.clone(), both.is_proved()), (cures(&[&[0, 1]]), true));
}

#[test]
fn one_place_with_two_paths_is_one_cause() {
    let mut world = World::new(3, table(3, |differing| differing & 0b10 != 0));
    world.aliased = 0b111;
    let cause = cause(&mut world, Kind::Victim);
    assert_eq!((cause.cures.clone(), cause.is_proved()), (cures(&[&[1]]), true));
    assert_eq!(cause.effort.cells_differing, 3);
}

#[test]
fn a_cell_that_cannot_be_put_back_is_said_to_be_left() {
    let mut world = World::new(3, table(3, |differing| differing & 0b10 != 0));
    world.stuck = 0b110;
    let cause = cause(&mut world, Kind::Victim);
    assert_eq!(cause.reason, Some(Reason::NotRestorable));
    assert!(cause.left.iter().any(|left| left.path == path_of(1)));
}

#[test]
fn what_is_not_in_cells_is_outside_of_the_process() {
    let mut world = World::new(3, table(4, |differing| differing & 0b1000 != 0));
    world.seen = 3;
    let cause = cause(&mut world, Kind::Victim);
    assert_eq!((cause.reason, cause.cures.len()), (Some(Reason::OutsideTheProcess), 0));
}

#[test]
fn a_skip_or_another_failure_is_not_a_cure() {
    for end in [End::Skip, End::OtherFailure] {
        let mut world = World::new(2, Table::Ends(vec![End::Pass, end, End::Fail, End::Fail]));
        let cause = cause(&mut world, Kind::Victim);
        assert_eq!((cause.cures.clone(), cause.is_proved()), (cures(&[&[0, 1]]), true), "{end:?}");
    }
}

#[test]
fn what_does_not_come_again_is_not_proved() {
    for passes_from in [0, 1, 2] {
        let mut world = World::new(3, table(3, |differing| differing & 1 != 0));
        world.passes_from = passes_from;
        let cause = cause(&mut world, Kind::Victim);
        assert_eq!(cause.reason, Some(Reason::NotReproduced));
        assert!(cause.state.iter().all(|state| state.proved == Some(false)));
    }
}

#[test]
fn a_budget_that_ends_is_the_reason_and_the_end() {
    for patience in 0..12 {
        let mut world = World::new(4, table(4, |differing| differing & 1 != 0));
        world.patience = patience;
        let (finding, halted) = explained(&mut world, Kind::Victim);
        let cause = &finding.causes.as_ref().expect("it was looked for")[0];
        assert_eq!(
            (halted, cause.reason),
            (Some(Halted::Budget), Some(Reason::OutOfResources)),
            "{patience}"
        );
    }
}

#[test]
fn cells_far_down_the_list_are_found_in_blocks_alone_and_together() {
    for cells in [&[119][..], &[70], &[60, 119]] {
        let mask = cells.iter().fold(0, |mask, at| mask | 1 << at);
        let mut world = World::new(120, Table::FailsWhile(mask, 120));
        world.patience = 120;
        let cause = cause(&mut world, Kind::Victim);
        assert_eq!((cause.cures.clone(), cause.is_proved()), (cures(&[cells]), true));
        assert!(cause.effort.cells_tried < 80, "{}", cause.effort.cells_tried);
    }
}

/// How the test ends when, of the cells that matter, exactly these are as in the passing order.
fn end_with(world: &World, kind: Kind, set: u128) -> End {
    let restored = if kind == Kind::Brittle { !set } else { set };
    world.end(world.without(restored))
}

fn end_without(world: &World, kind: Kind, set: u128) -> End {
    let restored = if kind == Kind::Brittle { set } else { !set };
    world.end(world.without(restored))
}

fn mask(cure: &[String]) -> u128 {
    cure.iter().map(|path| path["shop.c".len()..].parse::<u128>().unwrap()).fold(0, |mask, at| mask | 1 << at)
}

/// What is wrong with a cause.
fn faults(world: &World, kind: Kind, cause: &Cause) -> Vec<String> {
    let mut faults = Vec::new();
    let passes = |set: u128| end_with(world, kind, set) == End::Pass;
    let masks: Vec<u128> = cause.cures.iter().map(|cure| mask(cure)).collect();
    for &cure in &masks {
        if !passes(cure) {
            faults.push(format!("{cure:b} is no cure"));
        }
        let smaller = (0..8).filter(|at| cure >> at & 1 == 1).map(|at| cure & !(1 << at));
        faults.extend(smaller.filter(|&set| passes(set)).map(|set| format!("{set:b} would do for {cure:b}")));
    }
    let is_searched = kind != Kind::Brittle || end_with(world, kind, 0) == End::Fail;
    let singles =
        (0..world.seen).map(|at| 1 << at).filter(|set| set & world.restorable() != 0 && is_searched);
    faults.extend(
        singles.filter(|&set| passes(set) && !masks.contains(&set)).map(|set| format!("{set:b} is missing")),
    );
    let union = masks.iter().fold(0, |all, mask| all | mask);
    let converse = end_without(world, kind, union);
    let expected = match converse {
        _ if masks.is_empty() && world.stuck == 0 => Some(Reason::OutsideTheProcess),
        _ if masks.is_empty() => Some(Reason::NotRestorable),
        End::Fail => None,
        End::Pass => Some(Reason::OutOfResources),
        End::OtherFailure | End::Skip => Some(Reason::NotRestorable),
    };
    if cause.reason != expected {
        faults.push(format!("the reason is {:?}, not {expected:?}", cause.reason));
    }
    let full = end_with(world, kind, world.restorable());
    if masks.is_empty() && is_searched && full == End::Pass {
        faults.push("all together cure, and nothing was found".to_owned());
    }
    faults
}

/// Monotone worlds, worlds with masks, and worlds without any rule.
fn any_world() -> impl Strategy<Value = (World, Kind)> {
    let sizes = (1..8_usize, 0..2_usize, any::<u128>(), any::<u128>());
    let sets = prop::collection::vec(any::<u128>(), 1..4);
    let ends = prop::collection::vec(0..8_u8, 1 << 9);
    (sizes, sets, ends, 0..3_u8, any::<bool>()).prop_map(
        |((seen, outside, stuck, aliased), sets, ends, rule, is_brittle)| {
            let all = (1_u128 << (seen + outside)) - 1;
            let end = |restored: u128| {
                let has_cure = sets.iter().any(|set| set & all & restored == set & all && set & all != 0);
                let is_masked = rule == 1 && restored != all && sets[0] >> 16 & restored != 0;
                match (rule, ends[usize::try_from(restored).unwrap()]) {
                    (0 | 1, _) if has_cure && !is_masked => End::Pass,
                    (2, 0..3) => End::Pass,
                    (2, 3) => End::OtherFailure,
                    (2, 4) => End::Skip,
                    _ => End::Fail,
                }
            };
            let mut table: Vec<End> = (0..=all)
                .map(|differing| end(if is_brittle { differing } else { all & !differing }))
                .collect();
            let (fresh, behind) = if is_brittle { (End::Fail, End::Pass) } else { (End::Pass, End::Fail) };
            let last = table.len() - 1;
            (table[0], table[last]) = (fresh, behind);
            let mut world = World::new(seen, Table::Ends(table));
            world.stuck = if stuck % 3 == 0 { stuck >> 8 & ((1 << seen) - 1) } else { 0 };
            world.aliased = aliased;
            (world, if is_brittle { Kind::Brittle } else { Kind::Victim })
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn whatever_the_world_causes_are_right_minimal_and_complete((mut world, kind) in any_world()) {
        let cause = cause(&mut world, kind);
        let faults = faults(&world, kind, &cause);
        prop_assert!(faults.is_empty(), "{faults:?}\n{cause:?}\n{:?}", world.table);
    }
}

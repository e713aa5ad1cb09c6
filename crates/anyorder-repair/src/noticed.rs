//! Whether tests still notice when what they check is wrong, once a candidate has changed them.

use std::collections::BTreeSet;

use anyorder_model::{Change, Halted, Order, Placement, TestIndex};

use crate::bench::Bench;
use crate::candidate::Candidate;
use crate::problem::Problem;
use crate::screen::{has_passed, places, run};
use crate::workshop::Unopened;

/// So many tests of each candidate are looked at.
const TESTS: usize = 3;

/// Whether a test that fails with its last check spoilt does not with the candidates for some problems.
pub(crate) fn weakens(
    bench: &mut Bench<'_>,
    candidates: &[&Candidate],
    problems: &[&Problem],
) -> Result<bool, Halted> {
    let is_at_them =
        |candidate: &&Candidate| matches!(candidate.placement, Placement::Test | Placement::File);
    let at_them = candidates.iter().any(is_at_them).then_some(problems);
    let sufferers = at_them.into_iter().flatten().flat_map(|problem| &problem.sufferers);
    let edited = candidates.iter().flat_map(|candidate| &candidate.edited);
    let tests: BTreeSet<TestIndex> = edited.chain(sufferers).copied().collect();
    let tests: Vec<TestIndex> = tests.into_iter().take(TESTS * candidates.len()).collect();
    let suite = bench.workshop.as_is().suite().clone();
    let mut tree = bench.tree.clone();
    if tests.is_empty() || candidates.iter().any(|candidate| candidate.recipe.apply(&mut tree).is_err()) {
        return Ok(false);
    }
    let (spoilt, checked) = bench.language.mutated(&tree, &suite, &tests);
    let unnoticed = passing_alone(bench, &spoilt, &checked)?;
    if unnoticed.is_empty() {
        return Ok(false);
    }
    // A test that fails by itself as it is would fail with any check. One whose check nothing comes to, or anything satisfies, was
    // no better before.
    let passing = passing_alone(bench, &bench.tree.changes(), &unnoticed)?;
    let (spoilt, checked) = bench.language.mutated(&bench.tree, &suite, &passing);
    let before = passing_alone(bench, &spoilt, &checked)?;
    Ok(checked.iter().any(|test| !before.contains(test)))
}

/// Which of these tests pass by themselves in a changed suite.
fn passing_alone(
    bench: &mut Bench<'_>,
    changes: &[Change],
    tests: &[TestIndex],
) -> Result<Vec<TestIndex>, Halted> {
    if tests.is_empty() {
        return Ok(vec![]);
    }
    let suite = bench.workshop.as_is().suite().clone();
    let mut ended = None;
    let opened = bench.workshop.with(changes, &mut |oracle| {
        let Some(places) = places(&suite, oracle.suite()) else { return };
        let orders: Vec<Order> = tests.iter().map(|test| Order(vec![places[test]])).collect();
        ended = Some(run(oracle, &orders, 0));
    });
    match (opened, ended) {
        (Err(Unopened::Halted(halted)), _) => Err(halted),
        (Ok(()), Some(ended)) => {
            let ended = ended?;
            let passed = tests.iter().zip(&ended).filter(|(_, steps)| has_passed(steps));
            Ok(passed.map(|(&test, _)| test).collect())
        }
        // What cannot be collected is noticed.
        _ => Ok(vec![]),
    }
}

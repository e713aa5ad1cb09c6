//! Problems that have no patch each by itself: what would cure one harms tests of another.
//!
//! A test that cleans up behind itself takes from others what they had counted on; they can do without only once they set that up
//! themselves. So candidates that fail for that reason alone are kept, and tried together.

use std::collections::{BTreeMap, BTreeSet};

use anyorder_model::{Halted, Order, TestIndex};

use crate::bench::Bench;
use crate::candidate::Candidate;
use crate::noticed::weakens;
use crate::problem::{Claim, Problem};
use crate::screen::{has_passed, run};

/// So many groups are looked at, until one of them is solved.
const GROUPS: usize = 32;

/// So many pairs of tests are looked at.
const PAIRS: usize = 100;

/// A problem without a patch.
pub(crate) struct Rejected {
    pub(crate) problem: Problem,
    /// How many patches there were when that was found out.
    pub(crate) known: usize,
    /// What would be one, but for the harm that it does.
    pub(crate) halves: Vec<Half>,
}

/// A candidate that cures its problem, and harms tests.
pub(crate) struct Half {
    pub(crate) candidate: Candidate,
    /// Tests that have to do with the harm.
    pub(crate) harmed: BTreeSet<TestIndex>,
}

impl Rejected {
    /// Whether what would cure this one harms tests of the other.
    fn harms(&self, other: &Rejected) -> bool {
        let theirs = |test| other.problem.sufferers.contains(test) || other.problem.polluters.contains(test);
        self.halves.iter().any(|half| half.harmed.iter().any(theirs))
    }
}

/// Looks for candidates that cure several problems together, each of which has none by itself.
pub(crate) fn solve_together(bench: &mut Bench<'_>) -> Result<(), Halted> {
    let mut rejected = std::mem::take(&mut bench.rejected);
    // What somebody should look at comes behind what nobody has to.
    rejected.iter_mut().for_each(|one| one.halves.sort_by_key(|half| half.candidate.strength));
    while let Some(solved) = solve_one(bench, &mut rejected)? {
        let mut at = 0..;
        rejected.retain(|_| at.next().is_some_and(|at| !solved.contains(&at)));
    }
    Ok(())
}

/// Solves one group of problems, and says which; nothing if there is no more to solve.
fn solve_one(bench: &mut Bench<'_>, rejected: &mut [Rejected]) -> Result<Option<BTreeSet<usize>>, Halted> {
    // What has harmed others may not do so any more, since these were cured.
    for at in 0..rejected.len() {
        let is_news = std::mem::replace(&mut rejected[at].known, bench.accepted.len()) < bench.accepted.len();
        let group = BTreeSet::from([at]);
        if is_news && solve_group(bench, rejected, &group)? {
            return Ok(Some(group));
        }
    }
    for group in groups(rejected).into_iter().take(GROUPS) {
        if solve_group(bench, rejected, &group)? {
            return Ok(Some(group));
        }
    }
    Ok(None)
}

/// Problems that have to do with each other, by their places: first those next to each other, then all that hang together.
fn groups(rejected: &[Rejected]) -> Vec<BTreeSet<usize>> {
    let is_near = |one: usize, other: usize| {
        one == other || rejected[one].harms(&rejected[other]) || rejected[other].harms(&rejected[one])
    };
    let places: Vec<usize> = (0..rejected.len()).filter(|&at| !rejected[at].halves.is_empty()).collect();
    let with_near = |group: &BTreeSet<usize>| -> BTreeSet<usize> {
        places.iter().copied().filter(|&at| group.iter().any(|&one| is_near(one, at))).collect()
    };
    let mut groups = BTreeSet::new();
    for &at in &places {
        let mut group = BTreeSet::from([at]);
        loop {
            let wider = with_near(&group);
            if wider.len() == group.len() {
                break;
            }
            groups.insert(wider.clone());
            group = wider;
        }
    }
    let mut groups: Vec<BTreeSet<usize>> = groups.into_iter().collect();
    groups.sort_by_key(BTreeSet::len);
    groups
}

/// Tries one candidate of each problem with one of each other; whether some of them hold together.
fn solve_group(
    bench: &mut Bench<'_>,
    rejected: &[Rejected],
    group: &BTreeSet<usize>,
) -> Result<bool, Halted> {
    let members: Vec<&Rejected> = group.iter().map(|&at| &rejected[at]).collect();
    let problems: Vec<&Problem> = members.iter().map(|member| &member.problem).collect();
    let sizes: Vec<usize> = members.iter().map(|member| member.halves.len()).collect();
    let cured = problems.iter().flat_map(|problem| &problem.claims).cloned();
    let claims: Vec<Claim> = cured.chain(passing_pairs(bench, &problems)?).collect();
    for choice in choices(&sizes, bench.settings.tries) {
        let chosen: Vec<&Candidate> =
            members.iter().zip(choice).map(|(one, at)| &one.halves[at].candidate).collect();
        let chosen = different(bench, &chosen);
        for problem in &problems {
            bench.count(problem, |repair| {
                repair.generated += 1;
                repair.tried += 1;
            });
        }
        let screened = bench.try_out(&chosen, &claims)?.ok();
        let Some(screened) = screened.filter(|screened| screened.cures_all(&claims)) else { continue };
        if weakens(bench, &chosen, &problems)? {
            continue;
        }
        let owned = problems.into_iter().cloned().collect();
        bench.accept_together(chosen.into_iter().cloned().collect(), owned, screened.passing);
        return Ok(true);
    }
    Ok(false)
}

/// One of each, by their places: those that come first in all together first, so many at most.
fn choices(sizes: &[usize], most: usize) -> Vec<Vec<usize>> {
    let mut choices: Vec<Vec<usize>> = vec![vec![]];
    for &size in sizes {
        let longer = |choice: &Vec<usize>| {
            let choice = choice.clone();
            (0..size).map(move |at| [&choice[..], &[at]].concat()).collect::<Vec<_>>()
        };
        choices = choices.iter().flat_map(longer).collect();
        choices.sort_by_key(|choice| choice.iter().sum::<usize>());
        choices.truncate(most * most);
    }
    choices.truncate(most);
    choices
}

/// What one test leaves may be what another one had not to find: pairs of the problems' tests that pass as they are.
fn passing_pairs(bench: &mut Bench<'_>, problems: &[&Problem]) -> Result<Vec<Claim>, Halted> {
    let tests: BTreeSet<TestIndex> = problems
        .iter()
        .flat_map(|problem| problem.sufferers.iter().chain(&problem.polluters))
        .copied()
        .collect();
    let claims = problems.iter().flat_map(|problem| &problem.claims);
    let ends: BTreeMap<TestIndex, usize> =
        claims.filter_map(|claim| Some((*claim.order.tests().last()?, claim.finding))).collect();
    let pairs: Vec<Claim> = tests
        .iter()
        .flat_map(|&first| ends.iter().map(move |(&last, &finding)| (Order(vec![first, last]), finding)))
        .map(|(order, finding)| Claim { finding, order })
        .take(PAIRS)
        .collect();
    let orders: Vec<Order> = pairs.iter().map(|pair| pair.order.clone()).collect();
    let ended = run(bench.workshop.as_is(), &orders, 0)?;
    Ok(pairs.into_iter().zip(&ended).filter(|(_, steps)| has_passed(steps)).map(|(pair, _)| pair).collect())
}

/// The candidates without those that change files as another one does.
fn different<'c>(bench: &Bench<'_>, chosen: &[&'c Candidate]) -> Vec<&'c Candidate> {
    let mut known = vec![];
    let mut different = vec![];
    for candidate in chosen {
        let mut tree = bench.tree.clone();
        let changes = candidate.recipe.apply(&mut tree).map(|()| tree.changes());
        if !known.contains(&changes) {
            known.push(changes);
            different.push(*candidate);
        }
    }
    different
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::rc::Rc;

    use anyorder_model::{PatchSource, Placement, Strength};

    use crate::candidate::{CannotApply, Leaves, Recipe};
    use crate::workshop::Tree;

    struct Nothing;

    impl Recipe for Nothing {
        fn apply(&self, _: &mut Tree<'_>) -> Result<(), CannotApply> {
            Ok(())
        }
    }

    /// A problem of one test, with what would cure it if it did not harm these.
    fn rejected(test: u32, harmed: &[u32]) -> Rejected {
        let problem = Problem { sufferers: BTreeSet::from([TestIndex(test)]), ..Problem::default() };
        let candidate = Candidate {
            recipe: Rc::new(Nothing),
            source: PatchSource::Restore,
            placement: Placement::Test,
            strength: Strength::Safe,
            summary: String::new(),
            edited: vec![],
            leaves: Leaves::NoMore,
        };
        let half = Half { candidate, harmed: harmed.iter().copied().map(TestIndex).collect() };
        Rejected {
            problem,
            known: 0,
            halves: Some(half).into_iter().filter(|_| !harmed.is_empty()).collect(),
        }
    }

    #[test]
    fn problems_next_to_each_other_come_before_all_that_hang_together() {
        let rejected = [rejected(0, &[1]), rejected(1, &[0]), rejected(2, &[1]), rejected(3, &[3])];
        assert_eq!(
            groups(&rejected),
            [BTreeSet::from([0, 1]), BTreeSet::from([1, 2]), BTreeSet::from([0, 1, 2])]
        );
    }

    #[test]
    fn a_problem_that_nothing_would_cure_is_in_no_group() {
        assert_eq!(groups(&[rejected(0, &[1]), rejected(1, &[])]), []);
    }

    #[test]
    fn what_comes_first_in_all_is_tried_first() {
        assert_eq!(choices(&[2, 2], 9), [vec![0, 0], vec![0, 1], vec![1, 0], vec![1, 1]]);
        assert_eq!(choices(&[3, 3, 3], 4).len(), 4);
        assert_eq!(choices(&[3, 0], 4), Vec::<Vec<usize>>::new());
    }
}

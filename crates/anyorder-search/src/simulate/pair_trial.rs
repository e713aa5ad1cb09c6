//! All ordered pairs of simulated suites: how many that change an outcome does the guided search settle, and how soon?

use anyorder_model::{Step, TestIndex};

use super::{Mix, SimSuite, random_suite};
use crate::sight::Sight;
use crate::{HuntSettings, pairs};

/// What a trial has counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PairTrial {
    /// Ordered pairs that there are.
    pub pairs: u64,
    /// Those whose second test ends otherwise than alone.
    pub changing: u64,
    /// Of these, the ones that were settled rightly.
    pub right: u64,
    /// Of these, the ones that were settled within as many runs as a tenth of all pairs.
    pub in_first_tenth: u64,
    /// Pairs that were settled wrongly, changing or not.
    pub wrong: u64,
    /// Pairs that ran.
    pub runs: u64,
    /// Tests.
    pub tests: u64,
    /// Different effects.
    pub effects: u64,
    /// Effects that the audit has dissolved.
    pub dissolved: u64,
}

/// A tenth of the pairs of a smaller suite is too few to say anything.
const SMALLEST: usize = 50;

/// Settles all pairs of those of so many random suites that have from 50 to `largest` tests. Pairs where a tear-down of a
/// group fails do not count: that error comes behind whichever test is last.
pub fn pair_trial(mix: Mix, largest: usize, suites: u64, can_see_all: bool) -> PairTrial {
    let mut trial = PairTrial::default();
    for seed in 0..suites {
        let mut suite = random_suite(seed, mix, largest);
        if suite.tests().len() < SMALLEST {
            continue;
        }
        if can_see_all {
            suite.eyes = Some(super::Eyes::default());
        }
        let settings = HuntSettings { seed, pair_runs: Some(u64::MAX), ..HuntSettings::default() };
        let report = pairs(&mut suite, &settings);
        trial.tests += suite.tests().len() as u64;
        trial.runs += report.runs().len() as u64;
        trial.effects += report.effects().map_or(0, |effects| effects.count() as u64);
        trial.dissolved += report.audit().1;
        let all = all_pairs(suite.tests().len());
        trial.pairs += all.len() as u64;
        for (&pair, settled) in all.iter().zip(report.settled(&all)) {
            let Some(change) = change(&suite, pair) else { continue };
            trial.changing += u64::from(change.is_some());
            let Some(settled) = settled else { continue };
            let is_right = settled.change.as_ref().map(|change| change.outcome)
                == change.as_ref().map(|change| change.outcome);
            trial.wrong += u64::from(!is_right);
            if change.is_some() && is_right {
                trial.right += 1;
                trial.in_first_tenth += u64::from(settled.run.is_some_and(|run| run < all.len() / 10));
            }
        }
    }
    trial
}

fn all_pairs(tests: usize) -> Vec<(TestIndex, TestIndex)> {
    let tests = || (0..).take(tests).map(TestIndex);
    tests().flat_map(|first| tests().map(move |test| (first, test))).filter(|(one, two)| one != two).collect()
}

/// How the second test of a pair really ends, if that is not as it does alone; nothing at all if a tear-down fails.
#[expect(clippy::option_option, reason = "no change is an answer, too")]
fn change(suite: &SimSuite, (first, test): (TestIndex, TestIndex)) -> Option<Option<Step>> {
    let last = |order: &[TestIndex]| suite.truth(order).pop();
    let (after, alone) = (last(&[first, test])?, last(&[test])?);
    let [seen, reference] = [&after, &alone].map(Sight::from);
    let is_torn = seen.is_torn() || reference.is_torn();
    (!is_torn).then(|| (!seen.is_like(&reference)).then_some(after))
}

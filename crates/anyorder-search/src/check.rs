//! After a change: the stations of a hunt, for the tests that the change concerns.
//!
//! Knows affected and related tests. Does not know why a test is among them.
//!
//! Affected tests run twice, all others that are concerned once by themselves. Pairs run if one of their tests is affected,
//! in both directions; orders of all that are concerned show what takes more than two. The original order of the whole
//! suite runs too: a test that is gone may have cleaned up for others, and that makes no new pair.

use anyorder_model::{Halted, Oracle, Selection, TestIndex};

use crate::hunt::{Hunt, HuntReport};
use crate::settings::{HuntSettings, Known};

/// How many orders of so many concerned tests run when nobody says: a third of what a hunt would do with as many.
fn default_rounds(tests: usize) -> u64 {
    (2_000 / tests.max(1) as u64).clamp(3, 20)
}

/// Looks for tests that a change has made order-dependent.
///
/// Where it concerns all tests this is a hunt, and where it concerns none nothing is run.
pub fn check(oracle: &mut dyn Oracle, selection: &Selection, settings: &HuntSettings) -> HuntReport {
    let affected: Vec<TestIndex> = selection.affected.iter().map(|selected| selected.test).collect();
    let related: Vec<TestIndex> = selection.related.iter().map(|selected| selected.test).collect();
    let mut scope = [affected.as_slice(), &related].concat();
    scope.sort_unstable();
    scope.dedup();
    let settings = HuntSettings {
        rounds: settings.rounds.or_else(|| Some(default_rounds(scope.len()))),
        known: settings.known.iter().filter(|known| is_concerned(known, &scope)).cloned().collect(),
        ..settings.clone()
    };
    Hunt::new(oracle, &settings).report(|hunt| {
        if scope.is_empty() && selection.deleted.is_empty() {
            return Ok(());
        }
        hunt.judge.asker().narrow_to(scope);
        hunt.affected = Some(affected.iter().copied().collect());
        hunt.replay_known()?;
        hunt.baseline()?;
        hunt.alone_and_again(affected)?;
        hunt.alone_if_unknown(&related)?;
        hunt.alone_if_red()?;
        hunt.pair_up()?;
        hunt.sweep()?;
        hunt.open_suspects()?;
        hunt.find_companions()?;
        hunt.judge_cases()
    })
}

/// Whether a finding has to do with one of these tests.
fn is_concerned(known: &Known, scope: &[TestIndex]) -> bool {
    let mut tests = known.failing.tests().iter().chain(known.passing.tests());
    tests.any(|test| scope.binary_search(test).is_ok())
}

impl Hunt<'_> {
    fn alone_if_unknown(&mut self, tests: &[TestIndex]) -> Result<(), Halted> {
        let unknown = tests.iter().copied().filter(|&test| self.seen.alone(test).is_none());
        let unknown: Vec<TestIndex> = unknown.collect();
        self.alone(&unknown)
    }

    /// A test that is red in the original order may have been kept from failing by one that is gone.
    fn alone_if_red(&mut self) -> Result<(), Halted> {
        let red = self.seen.red();
        self.alone_if_unknown(&red)?;
        self.tell_suspects(0);
        Ok(())
    }
}

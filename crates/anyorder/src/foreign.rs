//! Runs of other machines: from a file of results to an order that a hunt replays.
//!
//! Knows what is worth replaying. How results are written is the driver's business.

use std::collections::BTreeSet;

use anyorder_engine::Engine;
use anyorder_model::{ForeignRun, Order, Step, Suite, TestId};
use anyorder_store::{Store, StoreError, digest_of};

use crate::memory::{packed, unpacked};

/// The order of a run, up to the last test that failed in it; nothing if none did. A test that ran twice counts the first time.
pub(crate) fn failing_order(run: &ForeignRun) -> Option<Order> {
    let last = run.steps.iter().rposition(|step| step.outcome.is_red())?;
    let mut seen = BTreeSet::new();
    Some(run.steps[..=last].iter().map(|step: &Step| step.test).filter(|test| seen.insert(*test)).collect())
}

/// Notes an order for the next hunt.
pub(crate) fn import(store: &mut Store, engine: &Engine, order: &Order) -> Result<(), StoreError> {
    let ids = serde_json::to_vec(&order.ids(engine.suite())).expect("a list of ids has a JSON form");
    let digest = digest_of(&ids);
    store.import(session(engine), &digest, &packed(ids))
}

/// Orders that no hunt has replayed yet, as far as the suite still has their tests.
pub(crate) fn to_replay(store: &Store, engine: &Engine) -> Result<Vec<Order>, StoreError> {
    let runs = store.to_replay(session(engine))?;
    Ok(runs.into_iter().filter_map(|run| order(engine.suite(), run)).collect())
}

fn order(suite: &Suite, run: Vec<u8>) -> Option<Order> {
    let ids: Vec<TestId> = serde_json::from_slice(&unpacked(run)?).ok()?;
    Some(ids.iter().filter_map(|id| suite.index_of(id)).collect())
}

/// Which of the suites of a command it is.
pub(crate) fn session(engine: &Engine) -> u32 {
    u32::try_from(engine.session()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use anyorder_model::{Outcome, TestIndex};

    use super::*;

    fn run(steps: &[(u32, Outcome)]) -> ForeignRun {
        let steps = steps.iter().map(|&(test, outcome)| Step::bare(TestIndex(test), outcome)).collect();
        ForeignRun { steps, ..ForeignRun::default() }
    }

    #[test]
    fn an_order_ends_with_its_last_failure_and_has_each_test_once() {
        let (passed, failed) = (Outcome::Passed, Outcome::Failed);
        let ran = run(&[(2, passed), (0, failed), (2, failed), (1, failed), (3, passed)]);
        assert_eq!(failing_order(&ran), Some(Order([2, 0, 1].map(TestIndex).to_vec())));
        assert_eq!(failing_order(&run(&[(2, passed), (0, Outcome::Skipped)])), None);
    }
}

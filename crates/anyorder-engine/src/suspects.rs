//! Tests that end the process which their own was forked from.
//!
//! That process may be the one that other orders were to start from. Those are run again from the fresh state; a test
//! that was running when it happened is run by itself under a stand-in, to see whether it is the one. One that is gets
//! stand-ins from then on.

use std::collections::BTreeSet;
use std::sync::Mutex;

use anyorder_model::TestIndex;

use crate::error::EngineError;
use crate::lab::Lab;
use crate::lock::Locked;
use crate::settings::Isolation;

#[derive(Debug, Default)]
pub(crate) struct Suspects {
    open: Mutex<BTreeSet<TestIndex>>,
    guilty: Mutex<BTreeSet<TestIndex>>,
}

impl Suspects {
    /// The process that ran `test` has lost its parent meanwhile.
    pub(crate) fn note(&self, test: TestIndex) {
        if !self.guilty.locked().contains(&test) {
            self.open.locked().insert(test);
        }
    }

    /// Whether one of the tests that are `planned` is known to end its parent.
    pub(crate) fn are_in(&self, planned: impl Fn(TestIndex) -> bool) -> bool {
        self.guilty.locked().iter().any(|&test| planned(test))
    }

    /// Runs those that nobody has looked at yet; gives the guilty ones.
    pub(crate) fn examine(&self, lab: &Lab, desk: usize) -> Result<Vec<TestIndex>, EngineError> {
        let open = std::mem::take(&mut *self.open.locked());
        let mut guilty = Vec::new();
        for test in open {
            if ends_its_parent(lab, desk, test)? && self.guilty.locked().insert(test) {
                guilty.push(test);
            }
        }
        Ok(guilty)
    }
}

fn ends_its_parent(lab: &Lab, desk: usize, test: TestIndex) -> Result<bool, EngineError> {
    let stand_in = lab.fresh(Isolation::Fork, desk)?.into_parent();
    let Ok(node) = stand_in.fork(lab) else { return Ok(false) };
    node.run(lab, &[test], true);
    Ok(node.is_orphan())
}

//! Processes in the fresh state that remember it.
//!
//! The mark is made once, in a fork of the zygote that is kept for others to be forked from, so that orders that nobody
//! watches pay nothing for it.

use anyorder_model::Order;

use crate::disk::DiskState;
use crate::error::EngineError;
use crate::lab::Lab;
use crate::node::Node;
use crate::settings::Isolation;

/// A process in the fresh state that remembers it, for `order` to run in.
pub(crate) fn marked_process(lab: &Lab, desk: usize, order: &Order) -> Result<Node, EngineError> {
    const TRIES: u32 = 3;
    if lab.isolation_of(order) == Isolation::Process {
        return with_mark(lab, lab.launch_again(desk)?);
    }
    for _ in 0..TRIES {
        let marked = || Ok(with_mark(lab, lab.fresh(Isolation::Fork, desk)?)?.into_parent());
        let parent = lab.marked[desk].holder(marked)?;
        lab.bring_back(desk, DiskState::Fresh)?;
        let is_guarded = lab.suspects.are_in(|test| order.tests().contains(&test));
        match parent.fork_behind(lab, is_guarded) {
            Ok(node) => return Ok(node),
            Err(_) if lab.halt.is_called() => return Err(EngineError::Cancelled),
            // It is well, but its children are not.
            Err(_) if parent.answers() => return with_mark(lab, lab.launch_again(desk)?),
            Err(_) => lab.marked[desk].vacate(&parent),
        }
    }
    Err(EngineError::ZygoteLost(TRIES))
}

fn with_mark(lab: &Lab, node: Node) -> Result<Node, EngineError> {
    match node.mark(lab) {
        Ok(()) => Ok(node),
        Err(_) if lab.halt.is_called() => Err(EngineError::Cancelled),
        Err(lost) => {
            let said: String = format!("{lost:?}").chars().take(2000).collect();
            Err(EngineError::Agent(format!("asked to remember the shared state, it said {said}")))
        }
    }
}

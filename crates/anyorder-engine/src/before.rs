//! The state right before a test, behind others: how it is reached, and kept for as long as questions are about it.
//!
//! Where it cannot be forked, what led to it runs again, in a new process that has marked the fresh state.

use std::sync::{Arc, Mutex};

use anyorder_model::{Signature, Suspect, Treatment, Written};

use crate::error::EngineError;
use crate::lab::Lab;
use crate::leg::LegEnd;
use crate::lock::Locked;
use crate::marked::marked_process;
use crate::node::{Node, Permit};
use crate::settings::Isolation;
use crate::wire::Gained;

/// The last state that was kept at a desk; those who ask often ask about the same state again.
#[derive(Default)]
pub(crate) struct LastState(Mutex<Option<Arc<Kept>>>);

impl LastState {
    pub(crate) fn clear(&self) {
        *self.0.locked() = None;
    }
}

/// A state that is only forked.
struct Kept {
    /// What led there: a treatment without its remedies.
    way: Treatment,
    /// Whether it was looked at.
    is_seen: bool,
    node: Arc<Node>,
    sight: Sight,
}

/// What there is to see right before a test.
#[derive(Clone, Debug)]
pub(crate) struct Sight {
    pub(crate) differing: Vec<Suspect>,
    /// The error in the tear-down that had waited for the test.
    pub(crate) late: Option<Signature>,
    /// Where the prefix has written what is followed.
    pub(crate) written: Vec<Written>,
}

/// Where processes right before the test of a treatment come from.
pub(crate) struct Before<'a> {
    lab: &'a Arc<Lab>,
    desk: usize,
    treatment: &'a Treatment,
    kept: Option<Arc<Kept>>,
    at_hand: Option<Node>,
}

impl<'a> Before<'a> {
    /// Reaches the state; nothing if the prefix does not come to its end.
    pub(crate) fn reach(
        lab: &'a Arc<Lab>,
        desk: usize,
        treatment: &'a Treatment,
    ) -> Result<Option<(Self, Sight)>, EngineError> {
        let mut before = Before { lab, desk, treatment, kept: None, at_hand: None };
        if let Some(kept) = before.last_state() {
            let mut sight = kept.sight.clone();
            if !treatment.looks {
                sight.differing.clear();
            }
            before.kept = Some(kept);
            return Ok(Some((before, sight)));
        }
        let Some(Arrived { node, gained, late, written }) = before.arrive()? else { return Ok(None) };
        let cells = if treatment.looks { node.diff(lab, false) } else { Ok(vec![]) };
        let Ok(differing) = cells.map(Suspect::all) else { return Ok(None) };
        let sight = Sight { differing, late, written };
        before.keep(node, gained, &sight);
        Ok(Some((before, sight)))
    }

    /// A process in this state, for one run of the test; nothing if it is not reached again.
    pub(crate) fn process(&mut self) -> Result<Option<Node>, EngineError> {
        if let Some(node) = self.at_hand.take() {
            return Ok(Some(node));
        }
        let lab = self.lab;
        if let Some(Kept { node: state, .. }) = self.kept.as_deref() {
            lab.bring_back(self.desk, state.disk_state())?;
            let is_guarded = lab.suspects.are_in(|test| test == self.treatment.test);
            match state.fork_behind(lab, is_guarded) {
                Ok(node) => return Ok(Some(node)),
                Err(_) if lab.halt.is_called() => return Err(EngineError::Cancelled),
                Err(_) => self.forget(),
            }
        }
        Ok(self.arrive()?.map(|arrived| arrived.node))
    }

    /// Runs what leads to the test.
    fn arrive(&self) -> Result<Option<Arrived>, EngineError> {
        let Before { lab, desk, treatment, .. } = *self;
        let node = marked_process(lab, desk, &treatment.order())?;
        let followed = treatment.lines.as_ref().map_or(&[][..], |lines| &lines.written);
        if !followed.is_empty() && node.follow_cells(followed).is_err() {
            return Ok(None);
        }
        if treatment.prefix.is_empty() {
            return Ok(Some(Arrived { node, gained: None, late: None, written: vec![] }));
        }
        let leg = node.run(lab, treatment.prefix.tests(), false);
        let LegEnd::Ran(gained) = leg.end else { return Ok(None) };
        let approached = node.approach(lab, treatment.test).ok();
        Ok(approached.map(|late| Arrived { node, gained, late, written: leg.written }))
    }

    /// Keeps the state if that can be done and somebody may ask for it.
    fn keep(&mut self, node: Node, gained: Option<Gained>, sight: &Sight) {
        let Before { lab, desk, treatment, .. } = *self;
        let can_be_kept = treatment.lines.is_none()
            && lab.isolation_of(&treatment.order()) == Isolation::Fork
            && lab.may_keep(gained);
        match can_be_kept.then(|| lab.disk.snapshot(desk)) {
            Some(Ok(disk)) => {
                let node = node.keep(Permit::new(lab), disk);
                let is_seen = treatment.looks;
                let kept = Arc::new(Kept { way: self.way(), is_seen, node, sight: sight.clone() });
                *lab.before[desk].0.locked() = Some(Arc::clone(&kept));
                self.kept = Some(kept);
            }
            _ => self.at_hand = Some(node),
        }
    }

    fn way(&self) -> Treatment {
        Treatment { remedies: vec![], looks: false, places: false, about: vec![], ..self.treatment.clone() }
    }

    fn last_state(&self) -> Option<Arc<Kept>> {
        let last = self.lab.before[self.desk].0.locked();
        let is_same = |kept: &Arc<Kept>| {
            kept.way == self.way() && (kept.is_seen || !self.treatment.looks) && kept.node.answers()
        };
        last.clone().filter(is_same)
    }

    /// The state cannot be forked any more.
    fn forget(&mut self) {
        self.kept = None;
        self.lab.before[self.desk].clear();
    }
}

/// A process right before the test.
struct Arrived {
    node: Node,
    gained: Option<Gained>,
    late: Option<Signature>,
    written: Vec<Written>,
}

//! Carries out treatments: a test from one state several times, each time with other cells put back first.
//!
//! The state right before the test is kept, and forked for each remedy. Where it cannot be forked, what led to it runs
//! again for each remedy, in a new process that has marked the fresh state.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use anyorder_model::{
    NotRestored, Outcome, Remedy, Signature, Step, Suspect, Treated, Treatment, TreatmentRecord, Written,
};

use crate::crew;
use crate::error::EngineError;
use crate::lab::Lab;
use crate::leg::LegEnd;
use crate::marked::marked_process;
use crate::node::{Node, Permit};
use crate::pool::Update;
use crate::settings::Isolation;
use crate::wire::Gained;

/// Carries out all of `asked`; tells `hear` of each. `Break` ends everything that is going on.
pub(crate) fn run(
    lab: &Arc<Lab>,
    asked: &[Treatment],
    hear: impl FnMut(Update<TreatmentRecord>) -> ControlFlow<()>,
) -> Result<(), EngineError> {
    crew::run(lab, asked, carry_out, hear)
}

/// Whatever the tests do ends up in the record; an error means that nothing can be run any more.
fn carry_out(lab: &Arc<Lab>, desk: usize, treatment: &Treatment) -> Result<TreatmentRecord, EngineError> {
    let begun = Instant::now();
    let place = Place { lab, desk, treatment };
    let mut record = TreatmentRecord {
        seen: 0,
        differing: None,
        late: None,
        treated: vec![],
        written: vec![],
        seconds: 0.0,
    };
    if let Some(mut before) = place.before()? {
        record.late = before.late.take();
        record.written = std::mem::take(&mut before.written);
        record.differing = before.node.diff(lab, false).ok().map(Suspect::all);
        if record.differing.is_some() {
            record.treated = place.treat_all(before)?;
        }
    }
    record.seen = lab.objects.load(Ordering::Relaxed);
    record.seconds = begun.elapsed().as_secs_f64();
    Ok(record)
}

/// Where a treatment is carried out.
struct Place<'a> {
    lab: &'a Arc<Lab>,
    desk: usize,
    treatment: &'a Treatment,
}

/// A process right before the test.
struct Before {
    node: Node,
    gained: Option<Gained>,
    late: Option<Signature>,
    written: Vec<Written>,
}

impl Place<'_> {
    /// A process in which the prefix has run; nothing if it does not come to its end.
    fn before(&self) -> Result<Option<Before>, EngineError> {
        let Place { lab, desk, treatment } = *self;
        let node = marked_process(lab, desk, &treatment.order())?;
        let followed = treatment.lines.as_ref().map_or(&[][..], |lines| &lines.written);
        if !followed.is_empty() && node.follow_cells(followed).is_err() {
            return Ok(None);
        }
        let leg = node.run(lab, treatment.prefix.tests(), false);
        let LegEnd::Ran(gained) = leg.end else { return Ok(None) };
        let approached = node.approach(lab, treatment.test).ok();
        Ok(approached.map(|late| Before { node, gained, late, written: leg.written }))
    }

    fn treat_all(&self, before: Before) -> Result<Vec<Treated>, EngineError> {
        let (mut kept, mut at_hand) = (None, None);
        match self.can_keep(&before).then(|| self.lab.disk.snapshot(self.desk)) {
            Some(Ok(disk)) => kept = Some(before.node.keep(Permit::new(self.lab), disk)),
            _ => at_hand = Some(before.node),
        }
        let mut treated = Vec::with_capacity(self.treatment.remedies.len());
        for remedy in &self.treatment.remedies {
            let node = match at_hand.take() {
                Some(node) => Some(node),
                None => self.process(&mut kept)?,
            };
            let Some(node) = node else { break };
            treated.push(self.treat(&node, remedy));
        }
        Ok(treated)
    }

    fn can_keep(&self, before: &Before) -> bool {
        let Place { lab, treatment, .. } = *self;
        treatment.remedies.len() > 1
            && lab.isolation_of(&treatment.order()) == Isolation::Fork
            && lab.may_keep(before.gained)
    }

    /// A process right before the test: a fork of the kept state, or one that has come the same way again.
    fn process(&self, kept: &mut Option<Arc<Node>>) -> Result<Option<Node>, EngineError> {
        let lab = self.lab;
        if let Some(state) = kept {
            lab.bring_back(self.desk, state.disk_state())?;
            let is_guarded = lab.suspects.are_in(|test| test == self.treatment.test);
            let child = state.fork(lab);
            match if is_guarded { child.and_then(|child| child.into_parent().fork(lab)) } else { child } {
                Ok(node) => return Ok(Some(node)),
                Err(_) if lab.halt.is_called() => return Err(EngineError::Cancelled),
                Err(_) => *kept = None,
            }
        }
        Ok(self.before()?.map(|before| before.node))
    }

    fn treat(&self, node: &Node, remedy: &Remedy) -> Treated {
        let Place { lab, treatment, .. } = *self;
        let Ok(failed) = node.restore(lab, remedy) else { return lost(treatment, remedy) };
        let names = treatment.lines.as_ref().map_or(&[][..], |lines| &lines.read);
        if !names.is_empty() && node.sight(names).is_err() {
            return lost(treatment, remedy);
        }
        let mut leg = node.run_last(lab, treatment.test, treatment.lines.is_some());
        let step = leg.steps.pop().unwrap_or_else(|| Step::bare(treatment.test, Outcome::NotReached));
        Treated { step, failed, read: leg.read }
    }
}

/// The process did not survive the remedy.
fn lost(treatment: &Treatment, remedy: &Remedy) -> Treated {
    let why = "the process ended when it was put back";
    let failed = match remedy {
        Remedy::Only(paths) => {
            paths.iter().map(|path| NotRestored { path: path.clone(), why: why.to_owned() }).collect()
        }
        Remedy::AllBut(_) => vec![],
    };
    Treated { step: Step::bare(treatment.test, Outcome::NotReached), failed, read: vec![] }
}

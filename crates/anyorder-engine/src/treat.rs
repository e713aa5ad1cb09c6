//! Carries out treatments: a test from one state several times, each time with other cells put back or changed first.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use anyorder_model::{NotRestored, Outcome, Remedy, Step, Treated, Treatment, TreatmentRecord};

use crate::before::{Before, Sight};
use crate::crew;
use crate::error::EngineError;
use crate::lab::Lab;
use crate::link::Lost;
use crate::node::Node;
use crate::pool::Update;

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
    let mut record = TreatmentRecord {
        seen: 0,
        differing: None,
        late: None,
        treated: vec![],
        written: vec![],
        places: vec![],
        about: vec![],
        seconds: 0.0,
    };
    if let Some((mut before, sight)) = Before::reach(lab, desk, treatment)? {
        let Sight { differing, late, written } = sight;
        if treatment.places {
            let node = before.process()?;
            record.places = node.and_then(|node| node.places(lab).ok()).unwrap_or_default();
        }
        for remedy in &treatment.remedies {
            let Some(node) = before.process()? else { break };
            record.treated.push(treat(lab, &node, treatment, remedy));
        }
        record = TreatmentRecord { differing: Some(differing), late, written, ..record };
    }
    record.seen = lab.objects.load(Ordering::Relaxed);
    record.seconds = begun.elapsed().as_secs_f64();
    Ok(record)
}

fn treat(lab: &Lab, node: &Node, treatment: &Treatment, remedy: &Remedy) -> Treated {
    let Ok((failed, after)) = apply(lab, node, remedy) else { return lost(treatment, remedy) };
    let names = treatment.lines.as_ref().map_or(&[][..], |lines| &lines.read);
    if !names.is_empty() && node.sight(names).is_err() {
        return lost(treatment, remedy);
    }
    let mut leg = node.run_last(lab, treatment.test, treatment.lines.is_some());
    let step = leg.steps.pop().unwrap_or_else(|| Step::bare(treatment.test, Outcome::NotReached));
    Treated { step, failed, after, read: leg.read }
}

/// Does what the remedy says: what could not be put back, and what a changed cell holds now.
fn apply(lab: &Lab, node: &Node, remedy: &Remedy) -> Result<(Vec<NotRestored>, Option<String>), Lost> {
    match remedy {
        Remedy::Only(cells) if cells.is_empty() => Ok((vec![], None)),
        Remedy::Only(cells) => Ok((node.restore(lab, cells, false)?, None)),
        Remedy::AllBut(cells) => Ok((node.restore(lab, cells, true)?, None)),
        Remedy::Perturb(perturbation) => Ok((vec![], Some(node.perturb(lab, perturbation)?))),
        Remedy::Run(_) => Err(Lost::Closed),
    }
}

/// The process did not survive the remedy.
fn lost(treatment: &Treatment, remedy: &Remedy) -> Treated {
    let why = "the process ended when it was put back";
    let failed = match remedy {
        Remedy::Only(paths) => {
            paths.iter().map(|path| NotRestored { path: path.clone(), why: why.to_owned() }).collect()
        }
        Remedy::AllBut(_) | Remedy::Perturb(_) | Remedy::Run(_) => vec![],
    };
    Treated { step: Step::bare(treatment.test, Outcome::NotReached), failed, after: None, read: vec![] }
}

//! Carries out treatments: a test from one state several times, each time with other cells put back or changed first.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use anyorder_model::{NotRestored, Outcome, Remedy, Step, TestIndex, Treated, Treatment, TreatmentRecord};

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
    let mut record = TreatmentRecord::default();
    if let Some((mut before, sight)) = Before::reach(lab, desk, treatment)? {
        let Sight { differing, late, written } = sight;
        if treatment.places {
            let node = before.process()?;
            record.places = node.and_then(|node| node.places(lab).ok()).unwrap_or_default();
        }
        if !treatment.about.is_empty() {
            let node = before.process()?;
            record.about = node.and_then(|node| node.about(lab, &treatment.about).ok()).unwrap_or_default();
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
    let test = treatment.test;
    let not_reached =
        |failed| Treated { step: Step::bare(test, Outcome::NotReached), failed, after: None, read: vec![] };
    let (failed, after) = match apply(lab, node, test, remedy) {
        Ok((failed, _)) if matches!(remedy, Remedy::Run(_)) && !failed.is_empty() => {
            return not_reached(failed);
        }
        Ok(applied) => applied,
        Err(lost) => return not_reached(in_vain(remedy, &lost)),
    };
    let names = treatment.lines.as_ref().map_or(&[][..], |lines| &lines.read);
    if !names.is_empty()
        && let Err(lost) = node.sight(names)
    {
        return not_reached(in_vain(remedy, &lost));
    }
    let mut leg = node.run_last(lab, test, treatment.lines.is_some());
    let step = leg.steps.pop().unwrap_or_else(|| Step::bare(test, Outcome::NotReached));
    Treated { step, failed, after, read: leg.read }
}

/// Does what the remedy says: what could not be done, and what a changed cell holds now.
fn apply(
    lab: &Lab,
    node: &Node,
    test: TestIndex,
    remedy: &Remedy,
) -> Result<(Vec<NotRestored>, Option<String>), Lost> {
    match remedy {
        Remedy::Only(cells) if cells.is_empty() => Ok((vec![], None)),
        Remedy::Only(cells) => Ok((node.restore(lab, cells, false)?, None)),
        Remedy::AllBut(cells) => Ok((node.restore(lab, cells, true)?, None)),
        Remedy::Perturb(perturbation) => Ok((vec![], Some(node.perturb(lab, perturbation)?))),
        Remedy::Run(snippet) => {
            let why = node.attempt(lab, snippet, lab.limit_for(test))?;
            Ok((why.map(of_snippet).into_iter().collect(), None))
        }
    }
}

fn of_snippet(why: String) -> NotRestored {
    NotRestored { path: "snippet".to_owned(), why }
}

/// What was not done because the process did not survive the remedy.
fn in_vain(remedy: &Remedy, lost: &Lost) -> Vec<NotRestored> {
    match remedy {
        Remedy::Only(paths) => {
            let why = "the process ended when it was put back";
            paths.iter().map(|path| NotRestored { path: path.clone(), why: why.to_owned() }).collect()
        }
        Remedy::Run(_) => {
            let verdict = if let Lost::Stopped(stop) = lost { stop.verdict() } else { None };
            let why = verdict.map(|(_, signature)| signature.message);
            vec![of_snippet(why.unwrap_or_else(|| "the process ended".to_owned()))]
        }
        Remedy::AllBut(_) | Remedy::Perturb(_) => vec![],
    }
}

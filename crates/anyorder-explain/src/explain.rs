//! One group of tests and the test behind it, from the first look to the proof.

use std::collections::BTreeSet;

use anyorder_model::{
    Cause, Effort, Group, Halted, NotRestored, Oracle, Order, Reason, State, Suspect, TestIndex,
};

use crate::case::{Answer, Case, Ended, Set, Stop};
use crate::cures::{self, Found, SINGLES};
use crate::likely::Likely;
use crate::{lines, proof};

/// What a group of tests does to the test behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The test fails behind them: polluters.
    Harms,
    /// The test passes behind them: setters.
    Helps,
}

/// A group that makes a difference.
pub(crate) struct Question<'a> {
    pub(crate) role: Role,
    /// Its place among the groups of the finding.
    pub(crate) group: usize,
    /// What runs before the test where it ends as usual.
    pub(crate) base: Order,
    /// What runs before the test where it ends otherwise.
    pub(crate) prefix: Order,
    pub(crate) test: TestIndex,
    /// Tests that undo it in between.
    pub(crate) cleaners: &'a [Group],
}

/// What came of a question.
pub(crate) struct Explained {
    pub(crate) cause: Cause,
    /// The full text of the failure behind the group.
    pub(crate) failure: Option<String>,
    /// Why nothing more can be asked.
    pub(crate) halted: Option<Halted>,
}

/// Looks for the state that a group leaves and the test minds.
pub(crate) fn explain_group(
    oracle: &mut dyn Oracle,
    question: &Question<'_>,
    likely: &Likely,
    questions: usize,
) -> Explained {
    let cause = Cause {
        group: question.group,
        state: vec![],
        cures: vec![],
        reason: None,
        left: vec![],
        resets: vec![],
        effort: Effort::default(),
    };
    let mut explained = Explained { cause, failure: None, halted: None };
    let stop = inquire(oracle, question, likely, questions, &mut explained).err();
    let reason = stop.map(|stop| match stop {
        Stop::Halted(_) | Stop::Questions => Reason::OutOfResources,
        Stop::Lost => Reason::NotReproduced,
    });
    if let Some(Stop::Halted(halted)) = stop {
        explained.halted = Some(halted);
    }
    let cause = &mut explained.cause;
    cause.reason = cause.reason.or(reason.filter(|_| !is_proved(cause)));
    explained
}

/// Lines that could not be found out take nothing from a proof.
fn is_proved(cause: &Cause) -> bool {
    cause.state.iter().any(|state| state.proved == Some(true))
}

fn inquire(
    oracle: &mut dyn Oracle,
    question: &Question<'_>,
    likely: &Likely,
    questions: usize,
    explained: &mut Explained,
) -> Result<(), Stop> {
    let Some(mut case) = Case::open(oracle, question, questions)? else {
        explained.cause.reason = Some(Reason::NotReproduced);
        return Ok(());
    };
    let result = search(&mut case, question, likely, explained);
    explained.cause.effort.seconds = case.seconds;
    result
}

fn search(
    case: &mut Case<'_>,
    question: &Question<'_>,
    likely: &Likely,
    explained: &mut Explained,
) -> Result<(), Stop> {
    let ([placebo, everything], record) = case.look()?;
    let mut suspects = record.differing.unwrap_or_default();
    let cause = &mut explained.cause;
    cause.effort.cells_seen = record.seen;
    cause.effort.cells_differing = suspects.len();
    if placebo.ended != case.untreated() {
        cause.reason = Some(Reason::NotReproduced);
        return Ok(());
    }
    // Where all are tried anyway, it does not matter which go first.
    let reads = if suspects.len() > SINGLES { case.reads()? } else { BTreeSet::new() };
    likely.sort(&mut suspects, &reads);
    let stuck = take_stuck(&mut suspects, &everything);
    let is_undone = everything.ended == case.undone();
    let mut found = Found::default();
    // Where setters still help with everything put back, keeping any one cell would seem to do it.
    if is_undone || question.role == Role::Harms {
        let all = if question.role == Role::Harms { everything.ended } else { placebo.ended };
        let searched = cures::find(case, &suspects, all, &mut found);
        note(cause, &suspects, &found);
        searched?;
    }
    if found.cures.is_empty() {
        cause.reason = Some(unexplained(&everything));
        cause.left = stuck;
        return Ok(());
    }
    cause.reason = doubt(case, &suspects, &found)?;
    let is_proved = cause.reason.is_none();
    cause.state.iter_mut().for_each(|state| state.proved = Some(is_proved));
    explained.failure = lines::tell(case, &suspects, &found, question.cleaners, cause)?;
    Ok(())
}

/// Takes out the suspects that cannot be put back, and says why.
fn take_stuck(suspects: &mut Vec<Suspect>, everything: &Answer) -> Vec<NotRestored> {
    let why = |suspect: &Suspect| {
        let of = |failed: &&NotRestored| suspect.paths().any(|path| *path == failed.path);
        everything.failed.iter().find(of).cloned()
    };
    let stuck = suspects.iter().filter_map(why).collect();
    suspects.retain(|suspect| why(suspect).is_none());
    stuck
}

/// Writes down what was found, not proved yet.
fn note(cause: &mut Cause, suspects: &[Suspect], found: &Found) {
    let path = |&at: &usize| suspects[at].cell.path.clone();
    cause.effort.cells_tried = found.tried;
    cause.cures = found.cures.iter().map(|cure: &Set| cure.iter().map(path).collect()).collect();
    let state = |at: usize| State { proved: Some(false), ..State::from(&suspects[at].cell) };
    cause.state = found.cells().into_iter().map(state).collect();
}

/// Why what was found is not proved, if it is not.
fn doubt(case: &mut Case<'_>, suspects: &[Suspect], found: &Found) -> Result<Option<Reason>, Stop> {
    Ok(match found.converse {
        Some(Ended::Fails) if proof::holds(case, suspects, found)? => None,
        Some(Ended::Fails) => Some(Reason::NotReproduced),
        Some(Ended::Otherwise) => Some(Reason::NotRestorable),
        Some(Ended::Passes) | None => Some(Reason::OutOfResources),
    })
}

/// Why putting cells back has shown nothing.
fn unexplained(everything: &Answer) -> Reason {
    if everything.failed.is_empty() && !everything.is_lost {
        Reason::OutsideTheProcess
    } else {
        Reason::NotRestorable
    }
}

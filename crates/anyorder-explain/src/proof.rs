//! The proof: placebo, cure and converse, each time in new processes.

use anyorder_model::{Remedy, Suspect};

use crate::case::{Case, Ended, Stop, paths};
use crate::cures::Found;

/// How often each has to be seen. The search has seen each once.
const TIMES: u32 = 3;

/// Whether nothing put back leaves the outcome as it is, each set decides it, and all others do not.
pub(crate) fn holds(case: &mut Case<'_>, suspects: &[Suspect], found: &Found) -> Result<bool, Stop> {
    let cures = found.cures.iter().map(|cure| case.with(paths(suspects, cure)));
    let converse = case.without(paths(suspects, &found.cells()));
    let remedies: Vec<Remedy> = [Remedy::PLACEBO].into_iter().chain(cures).chain([converse]).collect();
    let cures = std::iter::repeat_n(Ended::Passes, found.cures.len());
    let expected: Vec<Ended> = [case.untreated()].into_iter().chain(cures).chain([Ended::Fails]).collect();
    let answers = case.ask_again(1..TIMES, &remedies)?;
    Ok(answers.iter().all(|answers| answers.iter().map(|answer| answer.ended).eq(expected.iter().copied())))
}

//! The line from findings to patches: problem by problem, candidate by candidate, until something holds.

use anyorder_model::{Change, Finding, Halted, NoPatch, Patch, Repair};

use crate::bench::{Bench, unrepaired};
use crate::problem::problems;
use crate::together::solve_together;
use crate::verify;
use crate::workshop::{Files, Workshop};

/// How much is tried.
#[derive(Clone, Copy, Debug)]
pub struct RepairSettings {
    /// Candidates of one problem that are tried, at most.
    pub tries: usize,
    /// Random orders of the whole suite that the chosen patches have to survive together.
    pub sweeps: u64,
    /// The seed of these.
    pub seed: u64,
    /// Whether tests whose order the author has fixed get patches, too.
    pub declared: bool,
}

impl Default for RepairSettings {
    fn default() -> Self {
        RepairSettings { tries: 24, sweeps: 20, seed: 0, declared: false }
    }
}

impl RepairSettings {
    /// Why nothing is to be looked for.
    pub(crate) fn reason_against(self, finding: &Finding) -> Option<NoPatch> {
        (finding.declared && !self.declared).then_some(NoPatch::Declared)
    }
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct Repaired {
    /// Each by itself.
    pub patches: Vec<Patch>,
    /// All of them together.
    pub together: Vec<Change>,
    /// Those that are safe together, without the others.
    pub safe: Vec<Change>,
    /// One for each finding that order alone decides.
    pub repairs: Vec<Repair>,
    /// Why nothing more was tried.
    pub halted: Option<Halted>,
}

/// Looks for patches of these findings. Where tests of other findings pass, they go on passing.
pub fn repair(
    workshop: &mut dyn Workshop,
    files: &dyn Files,
    findings: &[Finding],
    others: &[Finding],
    settings: RepairSettings,
) -> Repaired {
    if !findings.iter().any(|finding| finding.kind.is_order_dependent()) {
        return Repaired::default();
    }
    let mut bench = match Bench::new(workshop, files, findings, others, settings) {
        Ok(bench) => bench,
        Err(halted) => return unfinished(findings, halted),
    };
    let is_wanted = |finding: &Finding| settings.reason_against(finding).is_none();
    let mut problems = problems(findings, is_wanted).into_iter();
    let solved = problems
        .try_for_each(|problem| bench.solve(problem))
        .and_then(|()| bench.look_again())
        .and_then(|()| solve_together(&mut bench));
    // Who was not looked at is not cured by half of what it takes.
    problems.for_each(|problem| bench.reject(problem, NoPatch::OutOfResources, vec![]));
    bench.settle();
    // Patches that were found in time are not lost because they have to be verified, too.
    bench.workshop.take_time();
    let verified = verify::verify(&mut bench);
    if verified.is_err() {
        // What was not verified to its end is no patch.
        bench.accepted.clear();
    }
    published(bench, solved.and(verified).err())
}

fn unfinished(findings: &[Finding], halted: Halted) -> Repaired {
    let chosen = findings.iter().filter(|finding| finding.kind.is_order_dependent());
    let repairs = chosen.map(|finding| unrepaired(finding, Some(NoPatch::OutOfResources))).collect();
    Repaired { repairs, halted: Some(halted), ..Repaired::default() }
}

fn published(bench: Bench<'_>, halted: Option<Halted>) -> Repaired {
    let patches: Vec<Patch> =
        bench.accepted.iter().filter_map(|accepted| accepted.patch(bench.findings, &bench.tree)).collect();
    let together = if patches.is_empty() { vec![] } else { bench.tree.changes() };
    let safe = bench.choice(|_, accepted| accepted.is_safe()).changes;
    let mut repairs = bench.repairs;
    for repair in &mut repairs {
        repair.patch = patches.iter().position(|patch| patch.cures.contains(&repair.finding));
        let why = if halted.is_some() { NoPatch::OutOfResources } else { NoPatch::DoesNotHelp };
        repair.reason = if repair.patch.is_some() { None } else { repair.reason.or(Some(why)) };
    }
    Repaired { patches, together, safe, repairs, halted }
}

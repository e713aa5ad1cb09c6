//! The line from findings to patches: problem by problem, candidate by candidate, until something holds.

use std::collections::BTreeSet;

use anyorder_model::{
    Change, Finding, FindingId, Halted, News, NoPatch, Patch, Repair, Station, TestIndex, Verified,
};

use crate::candidate::Candidate;
use crate::language::{Language, STAGES};
use crate::problem::{Claim, Problem, problems};
use crate::screen::{Baseline, Screened};
use crate::verify;
use crate::workshop::{Files, Tree, Unopened, Workshop};
use crate::writes::{Left, gains, left_by};

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

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct Repaired {
    /// Each by itself.
    pub patches: Vec<Patch>,
    /// All of them together.
    pub together: Vec<Change>,
    /// One for each finding that order alone decides.
    pub repairs: Vec<Repair>,
    /// Why nothing more was tried.
    pub halted: Option<Halted>,
}

/// Looks for patches of these findings.
pub fn repair(
    workshop: &mut dyn Workshop,
    files: &dyn Files,
    findings: &[Finding],
    settings: RepairSettings,
) -> Repaired {
    let mut bench = match Bench::new(workshop, files, findings, settings) {
        Ok(bench) => bench,
        Err(halted) => return unfinished(findings, halted),
    };
    let mut halted = None;
    for problem in problems(bench.findings) {
        if let Err(stop) = bench.solve(problem) {
            halted = Some(stop);
            break;
        }
    }
    let verified = if bench.accepted.is_empty() { Ok(()) } else { bench.verify() };
    let halted = halted.or(verified.err());
    if verified_is_missing(halted, &bench) {
        bench.accepted.clear();
    }
    bench.result(halted)
}

/// What was not verified to its end is no patch.
fn verified_is_missing(halted: Option<Halted>, bench: &Bench<'_>) -> bool {
    halted.is_some() && bench.accepted.iter().any(|accepted| accepted.verified.sweeps == 0)
}

fn unfinished(findings: &[Finding], halted: Halted) -> Repaired {
    let repair = |finding: &Finding| Repair {
        finding: finding.id.clone(),
        patch: None,
        reason: Some(NoPatch::OutOfResources),
        generated: 0,
        tried: 0,
    };
    let chosen = findings.iter().filter(|finding| finding.kind.is_order_dependent());
    Repaired { repairs: chosen.map(repair).collect(), halted: Some(halted), ..Repaired::default() }
}

/// A candidate that holds.
pub(crate) struct Accepted {
    pub(crate) candidate: Candidate,
    /// The claims that hold because of it.
    pub(crate) claims: Vec<Claim>,
    pub(crate) verified: Verified,
}

/// What is known while patches are looked for.
pub(crate) struct Bench<'a> {
    pub(crate) workshop: &'a mut dyn Workshop,
    pub(crate) findings: &'a [Finding],
    pub(crate) settings: RepairSettings,
    pub(crate) baseline: Baseline,
    language: Language,
    /// The files with everything that was accepted.
    pub(crate) tree: Tree<'a>,
    pub(crate) accepted: Vec<Accepted>,
    /// Claims that nothing has made hold.
    open: Vec<Claim>,
    repairs: Vec<Repair>,
}

impl<'a> Bench<'a> {
    fn new(
        workshop: &'a mut dyn Workshop,
        files: &'a dyn Files,
        findings: &'a [Finding],
        settings: RepairSettings,
    ) -> Result<Self, Halted> {
        let chosen = findings.iter().filter(|finding| finding.kind.is_order_dependent());
        let repair = |finding: &Finding| Repair {
            finding: finding.id.clone(),
            patch: None,
            reason: None,
            generated: 0,
            tried: 0,
        };
        let repairs: Vec<Repair> = chosen.map(repair).collect();
        workshop.as_is().tell(News::Began(Station::Repair, Some(repairs.len() as u64)));
        let baseline = Baseline::new(workshop.as_is(), findings)?;
        let language = Language::of(workshop.as_is().suite());
        let (tree, accepted, open) = (Tree::new(files), vec![], vec![]);
        Ok(Bench { workshop, findings, settings, baseline, language, tree, accepted, open, repairs })
    }

    fn solve(&mut self, mut problem: Problem) -> Result<(), Halted> {
        if !self.settings.declared {
            problem.claims.retain(|claim| !self.findings[claim.finding].declared);
        }
        if problem.claims.is_empty() {
            self.reject(&problem, NoPatch::Declared);
            return Ok(());
        }
        let mut best: Option<(Candidate, Screened)> = None;
        let mut reason = if problem.cells.is_empty() { NoPatch::NoCause } else { NoPatch::NoReset };
        let mut left = self.settings.tries;
        for stage in 0..STAGES {
            let candidates = self.language.candidates(
                stage,
                &mut *self.workshop,
                &self.tree,
                &mut problem,
                self.findings,
            )?;
            self.count(&problem, |repair| repair.generated += candidates.len());
            for candidate in candidates {
                if left == 0 {
                    break;
                }
                left -= 1;
                let screened = match self.try_out(&candidate, &problem)? {
                    Ok(screened) => screened,
                    Err(why) => {
                        reason = reason.max(why);
                        continue;
                    }
                };
                if screened.holds.len() == problem.claims.len() {
                    self.accept(candidate, &problem, &screened);
                    return Ok(());
                }
                let most = best.as_ref().map_or(0, |(_, best)| best.holds.len());
                if screened.holds.len() > most {
                    best = Some((candidate, screened));
                }
            }
        }
        match best {
            Some((candidate, screened)) => self.accept(candidate, &problem, &screened),
            None => self.reject(&problem, reason),
        }
        Ok(())
    }

    /// Which claims hold with this candidate on top of what was accepted; if it is none to take, why.
    fn try_out(
        &mut self,
        candidate: &Candidate,
        problem: &Problem,
    ) -> Result<Result<Screened, NoPatch>, Halted> {
        let mut tree = self.tree.clone();
        if candidate.recipe.apply(&mut tree).is_err() {
            return Ok(Err(NoPatch::NotEditable));
        }
        let changes = tree.changes();
        let weakens = |change: &Change| {
            let before = change.before.as_deref().unwrap_or_default();
            self.language.is_weaker(before, &change.after)
        };
        if changes.iter().any(weakens) {
            return Ok(Err(NoPatch::NotEditable));
        }
        self.count(problem, |repair| repair.tried += 1);
        let kept = self.accepted.iter().flat_map(|accepted| &accepted.claims);
        let claims: Vec<Claim> = problem.claims.iter().chain(kept).cloned().collect();
        let before = left_by(self.workshop.as_is(), &candidate.edited)?;
        let (baseline, workshop) = (&self.baseline, &mut *self.workshop);
        let mut seen = None;
        let opened = workshop.with(&changes, &mut |oracle| {
            seen = Some(baseline.screen(oracle, &claims).and_then(|screened| {
                let here = baseline.here(oracle.suite(), &candidate.edited);
                let after = if screened.is_good() { left_by(oracle, &here)? } else { Left::new() };
                Ok((screened, baseline.back(oracle.suite(), after)))
            }));
        });
        match opened {
            Err(Unopened::Halted(halted)) => return Err(halted),
            Err(Unopened::Refused(_)) => return Ok(Err(NoPatch::BreaksOthers)),
            Ok(()) => {}
        }
        let (mut screened, after) = seen.expect("work was done")?;
        let mine = problem.claims.len();
        let keeps_all = (mine..claims.len()).all(|claim| screened.holds.contains(&claim));
        screened.holds.retain(|&claim| claim < mine);
        Ok(if screened.holds.is_empty() {
            Err(NoPatch::DoesNotHelp)
        } else if screened.harm.is_some() || !keeps_all || gains(&before, &after) {
            Err(NoPatch::BreaksOthers)
        } else {
            Ok(screened)
        })
    }

    fn accept(&mut self, candidate: Candidate, problem: &Problem, screened: &Screened) {
        candidate.recipe.apply(&mut self.tree).expect("it was applied before");
        let (held, open): (Vec<_>, Vec<_>) =
            problem.claims.iter().enumerate().partition(|(at, _)| screened.holds.contains(at));
        self.open.extend(open.into_iter().map(|(_, claim)| claim.clone()));
        let claims: Vec<Claim> = held.into_iter().map(|(_, claim)| claim.clone()).collect();
        let verified = Verified { failing: claims.len(), passing: screened.passing, ..Verified::default() };
        self.accepted.push(Accepted { candidate, claims, verified });
    }

    fn reject(&mut self, problem: &Problem, reason: NoPatch) {
        self.open.extend(problem.claims.iter().cloned());
        self.count(problem, |repair| repair.reason = Some(reason));
    }

    fn count(&mut self, problem: &Problem, change: impl Fn(&mut Repair)) {
        let ids: Vec<&FindingId> = problem.findings().into_iter().map(|at| &self.findings[at].id).collect();
        self.repairs.iter_mut().filter(|repair| ids.contains(&&repair.finding)).for_each(change);
    }

    /// Tests of findings that are still there.
    pub(crate) fn uncured(&self) -> BTreeSet<TestIndex> {
        self.open.iter().map(|claim| self.findings[claim.finding].test).collect()
    }

    /// Takes the last accepted candidate back.
    pub(crate) fn take_back(&mut self, reason: NoPatch) {
        let Some(accepted) = self.accepted.pop() else { return };
        for claim in accepted.claims {
            let id = &self.findings[claim.finding].id;
            let repair = self.repairs.iter_mut().find(|repair| repair.finding == *id);
            repair.into_iter().for_each(|repair| repair.reason = Some(reason));
            self.open.push(claim);
        }
        self.tree = self.tree.untouched();
        for accepted in &self.accepted {
            let _ = accepted.candidate.recipe.apply(&mut self.tree);
        }
    }

    fn verify(&mut self) -> Result<(), Halted> {
        verify::together(self)
    }

    fn result(self, halted: Option<Halted>) -> Repaired {
        let open: BTreeSet<usize> = self.open.iter().map(|claim| claim.finding).collect();
        let mut repairs = self.repairs;
        let mut patches: Vec<Patch> = vec![];
        for accepted in self.accepted {
            let findings: BTreeSet<usize> = accepted.claims.iter().map(|claim| claim.finding).collect();
            let cured: Vec<usize> = findings.into_iter().filter(|finding| !open.contains(finding)).collect();
            let mut alone = self.tree.untouched();
            if cured.is_empty() || accepted.candidate.recipe.apply(&mut alone).is_err() {
                continue;
            }
            let cures: Vec<FindingId> = cured.iter().map(|&at| self.findings[at].id.clone()).collect();
            for repair in repairs.iter_mut().filter(|repair| cures.contains(&repair.finding)) {
                repair.patch.get_or_insert(patches.len());
                repair.reason = None;
            }
            let Candidate { source, placement, strength, summary, .. } = accepted.candidate;
            let (changes, verified) = (alone.changes(), accepted.verified);
            patches.push(Patch { cures, source, placement, strength, summary, changes, verified });
        }
        let unsolved = |repair: &&mut Repair| repair.patch.is_none() && repair.reason.is_none();
        let why = if halted.is_some() { NoPatch::OutOfResources } else { NoPatch::DoesNotHelp };
        repairs.iter_mut().filter(unsolved).for_each(|repair| repair.reason = Some(why));
        let together = if patches.is_empty() { vec![] } else { self.tree.changes() };
        Repaired { patches, together, repairs, halted }
    }
}

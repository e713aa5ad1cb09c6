//! What is known while patches are looked for, and one problem after the other.

use std::collections::BTreeSet;

use anyorder_model::{
    Change, Finding, FindingId, Halted, News, NoPatch, Repair, Station, Strength, TestIndex,
};

use crate::accepted::{Accepted, as_one, merged};
use crate::candidate::{Candidate, Leaves};
use crate::language::{Language, STAGES};
use crate::noticed::weakens;
use crate::problem::{Claim, Problem};
use crate::repair::RepairSettings;
use crate::screen::{Baseline, Screened};
use crate::together::{Half, Rejected};
use crate::verify::Choice;
use crate::workshop::{Files, Tree, Unopened, Workshop};
use crate::writes::{Left, leaves_more, left_by};

/// What is known while patches are looked for.
pub(crate) struct Bench<'a> {
    pub(crate) workshop: &'a mut dyn Workshop,
    pub(crate) findings: &'a [Finding],
    pub(crate) settings: RepairSettings,
    pub(crate) baseline: Baseline,
    pub(crate) language: Language,
    /// The files with everything that was accepted.
    pub(crate) tree: Tree<'a>,
    pub(crate) accepted: Vec<Accepted>,
    /// Claims that nothing has made hold.
    open: Vec<Claim>,
    /// Problems without a patch.
    pub(crate) rejected: Vec<Rejected>,
    pub(crate) repairs: Vec<Repair>,
}

/// What a search has found.
#[derive(Default)]
struct Found {
    /// The candidate under which most claims hold.
    best: Option<(Candidate, Screened)>,
    halves: Vec<Half>,
}

impl<'a> Bench<'a> {
    pub(crate) fn new(
        workshop: &'a mut dyn Workshop,
        files: &'a dyn Files,
        findings: &'a [Finding],
        others: &[Finding],
        settings: RepairSettings,
    ) -> Result<Self, Halted> {
        let chosen = findings.iter().filter(|finding| finding.kind.is_order_dependent());
        let repairs: Vec<Repair> =
            chosen.map(|finding| unrepaired(finding, settings.reason_against(finding))).collect();
        workshop.as_is().tell(News::Began(Station::Repair, None));
        let baseline = Baseline::new(workshop.as_is(), &[findings, others].concat())?;
        let language = Language::of(workshop.as_is().suite());
        let (tree, accepted, open, rejected) = (Tree::new(files), vec![], vec![], vec![]);
        Ok(Bench {
            workshop,
            findings,
            settings,
            baseline,
            language,
            tree,
            accepted,
            open,
            rejected,
            repairs,
        })
    }

    /// Looks for a candidate that cures a problem, and takes it; the best of those that were found in time.
    pub(crate) fn solve(&mut self, mut problem: Problem) -> Result<(), Halted> {
        let mut found = Found::default();
        let searched = match self.is_cured_already(&problem) {
            Ok(true) => return Ok(()),
            Ok(false) => self.search(&mut problem, &mut found),
            Err(halted) => Err(halted),
        };
        let reason = searched.unwrap_or(NoPatch::OutOfResources);
        match found.best {
            Some((candidate, screened)) => self.accept(candidate, &problem, &screened),
            None => self.reject(problem, reason, found.halves),
        }
        searched.map(|_| ())
    }

    /// Tries candidates until one is good; why there is none, if there is none.
    fn search(&mut self, problem: &mut Problem, found: &mut Found) -> Result<NoPatch, Halted> {
        let mut reason = if problem.cells.is_empty() { NoPatch::NoCause } else { NoPatch::NoReset };
        let mut left = self.settings.tries;
        for stage in 0..STAGES {
            if left == 0 {
                break;
            }
            let candidates = self.language.candidates(stage, &mut *self.workshop, &self.tree, problem)?;
            self.count(problem, |repair| repair.generated += candidates.len());
            for candidate in candidates {
                if left == 0 {
                    break;
                }
                left -= 1;
                match self.judge(candidate, problem, found)? {
                    Err(why) => reason = reason.max(why),
                    Ok(true) => return Ok(reason),
                    Ok(false) => {}
                }
            }
        }
        Ok(reason)
    }

    /// Tries one candidate, and notes it if it is the best so far, or would be good but for others that it harms. Whether nothing
    /// better is to be looked for; if it is none to take, why.
    fn judge(
        &mut self,
        candidate: Candidate,
        problem: &Problem,
        found: &mut Found,
    ) -> Result<Result<bool, NoPatch>, Halted> {
        let tried = self.try_out(&[&candidate], &problem.claims)?;
        let is_tried = !matches!(tried, Err(NoPatch::NotEditable | NoPatch::Weakens));
        self.count(problem, |repair| repair.tried += usize::from(is_tried));
        let screened = match tried {
            Ok(screened) => screened,
            Err(why) => return Ok(Err(why)),
        };
        let holds_all = screened.holds.len() == problem.claims.len();
        if !screened.harm.is_none() {
            let half = Half { candidate, harmed: screened.harm.tests() };
            found.halves.extend(Some(half).filter(|_| holds_all));
            return Ok(Err(NoPatch::BreaksOthers));
        }
        if weakens(self, &[&candidate], &[problem])? {
            return Ok(Err(NoPatch::Weakens));
        }
        // What is wrong in the code under test is told, not hidden by a fixture.
        let is_good = holds_all && candidate.strength != Strength::Unsafe;
        let most = found.best.as_ref().map_or(0, |(_, best)| best.holds.len());
        if is_good || screened.holds.len() > most {
            found.best = Some((candidate, screened));
        }
        Ok(Ok(is_good))
    }

    /// Whether what was accepted for one problem cures others that came before it, and have no patch.
    pub(crate) fn look_again(&mut self) -> Result<(), Halted> {
        for rejected in std::mem::take(&mut self.rejected) {
            if self.is_cured_since(&rejected.problem, rejected.known)? {
                self.close(&rejected.problem);
            } else {
                self.rejected.push(rejected);
            }
        }
        Ok(())
    }

    /// A problem that had no patch has one.
    fn close(&mut self, problem: &Problem) {
        self.open.retain(|claim| !problem.claims.contains(claim));
        self.count(problem, |repair| repair.reason = None);
    }

    /// Whether one of those that were accepted so far cures this problem, too.
    fn is_cured_already(&mut self, problem: &Problem) -> Result<bool, Halted> {
        self.is_cured_since(problem, 0)
    }

    /// The same, without the first so many of them.
    fn is_cured_since(&mut self, problem: &Problem, known: usize) -> Result<bool, Halted> {
        for at in (known..self.accepted.len()).rev() {
            if !self.accepted[at].may_concern(problem, self.baseline.suite()) {
                continue;
            }
            let Ok(changes) = self.accepted[at].alone(&self.tree) else { continue };
            let screened = self.screened(&changes, &problem.claims)?;
            if screened.is_some_and(|screened| screened.cures_all(&problem.claims)) {
                self.accepted[at].claim(&problem.claims);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Which claims hold with these changes, and what ends worse; nothing if the suite cannot be run with them.
    pub(crate) fn screened(
        &mut self,
        changes: &[Change],
        claims: &[Claim],
    ) -> Result<Option<Screened>, Halted> {
        let baseline = &self.baseline;
        let mut screened = None;
        let opened =
            self.workshop.with(changes, &mut |oracle| screened = Some(baseline.screen(oracle, claims)));
        match opened {
            Err(Unopened::Halted(halted)) => Err(halted),
            Err(Unopened::Refused(_)) => Ok(None),
            Ok(()) => screened.transpose(),
        }
    }

    /// Which claims hold with these candidates on top of what was accepted, and whom they harm; if they are none to take, why.
    pub(crate) fn try_out(
        &mut self,
        candidates: &[&Candidate],
        claims: &[Claim],
    ) -> Result<Result<Screened, NoPatch>, Halted> {
        let mut tree = self.tree.clone();
        if candidates.iter().any(|candidate| candidate.recipe.apply(&mut tree).is_err()) {
            return Ok(Err(NoPatch::NotEditable));
        }
        let changes = tree.changes();
        let weakens = |change: &Change| {
            let before = change.before.as_deref().unwrap_or_default();
            self.language.is_weaker(before, &change.after)
        };
        if changes.iter().any(weakens) {
            return Ok(Err(NoPatch::Weakens));
        }
        let kept = self.accepted.iter().flat_map(|accepted| &accepted.claims);
        let all: Vec<Claim> = claims.iter().chain(kept).cloned().collect();
        let watched = candidates.iter().filter(|candidate| candidate.leaves != Leaves::Anything);
        let edited: Vec<TestIndex> = watched.flat_map(|candidate| &candidate.edited).copied().collect();
        let before = left_by(self.workshop.as_is(), &edited)?;
        let (baseline, workshop) = (&self.baseline, &mut *self.workshop);
        let mut seen = None;
        let opened = workshop.with(&changes, &mut |oracle| {
            seen = Some(baseline.screen(oracle, &all).and_then(|screened| {
                let here = baseline.here(oracle.suite(), &edited);
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
        let mine = claims.len();
        let keeps_all = (mine..all.len()).all(|claim| screened.holds.contains(&claim));
        screened.holds.retain(|&claim| claim < mine);
        Ok(if screened.holds.is_empty() {
            Err(NoPatch::DoesNotHelp)
        } else if !keeps_all || candidates.iter().any(|one| leaves_more(one, &before, &after, &changes)) {
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
        let claims = held.into_iter().map(|(_, claim)| claim.clone()).collect();
        self.accepted.push(Accepted::new(vec![candidate], claims, screened.passing));
    }

    /// Takes candidates that hold together, for problems that had no patch.
    pub(crate) fn accept_together(
        &mut self,
        candidates: Vec<Candidate>,
        problems: Vec<Problem>,
        passing: usize,
    ) {
        for candidate in &candidates {
            candidate.recipe.apply(&mut self.tree).expect("it was applied before");
        }
        problems.iter().for_each(|problem| self.close(problem));
        let claims = problems.into_iter().flat_map(|problem| problem.claims).collect();
        self.accepted.push(Accepted::new(candidates, claims, passing));
    }

    /// Leaves a problem open.
    pub(crate) fn reject(&mut self, problem: Problem, reason: NoPatch, halves: Vec<Half>) {
        self.open.extend(problem.claims.iter().cloned());
        self.count(&problem, |repair| repair.reason = Some(reason));
        self.rejected.push(Rejected { problem, known: self.accepted.len(), halves });
    }

    pub(crate) fn count(&mut self, problem: &Problem, change: impl Fn(&mut Repair)) {
        let ids: Vec<&FindingId> = problem.findings().into_iter().map(|at| &self.findings[at].id).collect();
        self.repairs.iter_mut().filter(|repair| ids.contains(&&repair.finding)).for_each(change);
    }

    /// The places of findings that are still there.
    fn uncured(&self) -> BTreeSet<usize> {
        self.open.iter().map(|claim| claim.finding).collect()
    }

    /// Those of the accepted that are to be kept, by their places.
    pub(crate) fn choice(&self, is_kept: impl Fn(usize, &Accepted) -> bool) -> Choice {
        let mut uncured = self.uncured();
        let (mut tree, mut cured) = (self.tree.untouched(), BTreeSet::new());
        for (at, accepted) in self.accepted.iter().enumerate() {
            let mut with = tree.clone();
            // What cannot be done without another one does nothing without it.
            if !is_kept(at, accepted) || accepted.apply(&mut with).is_err() {
                uncured.extend(accepted.findings());
            } else {
                cured.extend(accepted.findings());
                tree = with;
            }
        }
        let tests = |findings: &BTreeSet<usize>| findings.iter().map(|&at| self.findings[at].test).collect();
        let uncured: BTreeSet<TestIndex> = tests(&uncured);
        let cured: BTreeSet<TestIndex> = tests(&cured);
        Choice { changes: tree.changes(), cured: &cured - &uncured, uncured }
    }

    /// Leaves out what cures no finding as a whole, and puts together what only cures one together.
    pub(crate) fn settle(&mut self) {
        let uncured = self.uncured();
        let mut accepted = merged(std::mem::take(&mut self.accepted));
        accepted.retain(|group| !group.findings().is_subset(&uncured));
        accepted.iter_mut().for_each(|group| group.disclaim(&uncured));
        self.accepted = accepted;
        self.rebuild();
    }

    /// Publishes one with another, or all as one where that would change what all of them make of the files.
    pub(crate) fn join(&mut self, one: usize, other: usize) {
        let (known, changes) = (self.accepted.clone(), self.tree.changes());
        let joined = self.accepted.remove(one.max(other));
        self.accepted[one.min(other)].join(joined);
        self.rebuild();
        if self.accepted.len() + 1 < known.len() || self.tree.changes() != changes {
            self.accepted = known;
            self.rebuild();
            self.join_all();
        }
    }

    /// Publishes everything as one.
    pub(crate) fn join_all(&mut self) {
        self.accepted = as_one(std::mem::take(&mut self.accepted));
    }

    /// Takes one of those that were accepted back.
    pub(crate) fn take_back(&mut self, at: usize, reason: NoPatch) {
        let accepted = self.accepted.remove(at);
        for claim in accepted.claims {
            let id = &self.findings[claim.finding].id;
            let repair = self.repairs.iter_mut().find(|repair| repair.finding == *id);
            repair.into_iter().for_each(|repair| repair.reason = Some(reason));
            self.open.push(claim);
        }
        self.rebuild();
    }

    fn rebuild(&mut self) {
        let mut tree = self.tree.untouched();
        self.accepted.retain(|accepted| {
            let mut with = tree.clone();
            let is_applied = accepted.apply(&mut with).is_ok();
            if is_applied {
                tree = with;
            }
            is_applied
        });
        self.tree = tree;
    }
}

/// A finding that nothing is known against yet but this.
pub(crate) fn unrepaired(finding: &Finding, reason: Option<NoPatch>) -> Repair {
    Repair { finding: finding.id.clone(), patch: None, reason, generated: 0, tried: 0 }
}

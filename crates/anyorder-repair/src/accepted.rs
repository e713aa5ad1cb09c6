//! Candidates that hold, and what is published of them.

use std::collections::BTreeSet;

use anyorder_model::{Change, Finding, Patch, Placement, Strength, Suite, TestIndex, Verified};

use crate::candidate::{Candidate, CannotApply};
use crate::problem::{Claim, Problem};
use crate::workshop::Tree;

/// Candidates that hold, and belong together: some finding needs all of them.
#[derive(Clone)]
pub(crate) struct Accepted {
    candidates: Vec<Candidate>,
    /// The claims that hold because of them.
    pub(crate) claims: Vec<Claim>,
    pub(crate) verified: Verified,
}

impl Accepted {
    pub(crate) fn new(candidates: Vec<Candidate>, claims: Vec<Claim>, passing: usize) -> Self {
        let verified = Verified { failing: claims.len(), passing, ..Verified::default() };
        Accepted { candidates, claims, verified }
    }

    /// The places of the findings that it is for.
    pub(crate) fn findings(&self) -> BTreeSet<usize> {
        self.claims.iter().map(|claim| claim.finding).collect()
    }

    /// Whether it may help with another problem: it stands around many tests, or concerns a function of one of the problem's.
    pub(crate) fn may_concern(&self, problem: &Problem, suite: &Suite) -> bool {
        let is_narrow = |placement| matches!(placement, Placement::Polluter | Placement::Test);
        let function = |test: &TestIndex| suite.id(*test).0.split('[').next().unwrap_or_default().to_owned();
        let theirs: BTreeSet<String> =
            problem.polluters.iter().chain(&problem.sufferers).map(function).collect();
        let mut tests = self.claims.iter().flat_map(|claim| claim.order.tests());
        !self.candidates.iter().all(|candidate| is_narrow(candidate.placement))
            || tests.any(|test| theirs.contains(&function(test)))
    }

    /// These claims hold because of it, too.
    pub(crate) fn claim(&mut self, claims: &[Claim]) {
        self.claims.extend(claims.iter().cloned());
        self.verified.failing = self.claims.len();
    }

    /// It cures none of these as a whole.
    pub(crate) fn disclaim(&mut self, findings: &BTreeSet<usize>) {
        self.claims.retain(|claim| !findings.contains(&claim.finding));
        self.verified.failing = self.claims.len();
    }

    pub(crate) fn apply(&self, tree: &mut Tree<'_>) -> Result<(), CannotApply> {
        self.candidates.iter().try_for_each(|candidate| candidate.recipe.apply(tree))
    }

    /// The files with nothing but this.
    pub(crate) fn alone(&self, tree: &Tree<'_>) -> Result<Vec<Change>, CannotApply> {
        let mut alone = tree.untouched();
        self.apply(&mut alone)?;
        Ok(alone.changes())
    }

    /// Makes one of two.
    pub(crate) fn join(&mut self, other: Accepted) {
        self.candidates.extend(other.candidates);
        self.claim(&other.claims);
        self.verified.passing = self.verified.passing.max(other.verified.passing);
        self.verified.plain += other.verified.plain;
    }

    /// The strength of the weakest.
    fn strength(&self) -> Strength {
        self.candidates.iter().map(|candidate| candidate.strength).max().unwrap_or(Strength::Safe)
    }

    /// Whether it may be applied without a further look.
    pub(crate) fn is_safe(&self) -> bool {
        self.strength() == Strength::Safe
    }

    /// What the user gets, for those of its findings that are cured.
    pub(crate) fn patch(&self, findings: &[Finding], tree: &Tree<'_>) -> Option<Patch> {
        let first = self.candidates.first()?;
        let summaries: Vec<&str> =
            self.candidates.iter().map(|candidate| candidate.summary.as_str()).collect();
        Some(Patch {
            cures: self.findings().iter().map(|&at| findings[at].id.clone()).collect(),
            source: first.source,
            placement: first.placement,
            strength: self.strength(),
            summary: summaries.join("; "),
            changes: self.alone(tree).ok()?,
            verified: self.verified,
        })
    }
}

/// Those that are for a common finding, together.
pub(crate) fn merged(accepted: Vec<Accepted>) -> Vec<Accepted> {
    let mut groups: Vec<Accepted> = vec![];
    for one in accepted {
        let findings = one.findings();
        let (related, mut others): (Vec<Accepted>, Vec<Accepted>) =
            groups.into_iter().partition(|group| !group.findings().is_disjoint(&findings));
        let mut related = related.into_iter().chain([one]);
        let mut group = related.next().expect("it has one at least");
        related.for_each(|other| group.join(other));
        others.push(group);
        groups = others;
    }
    groups
}

/// All of them as one.
pub(crate) fn as_one(accepted: Vec<Accepted>) -> Vec<Accepted> {
    let mut all = accepted.into_iter();
    let Some(mut one) = all.next() else { return vec![] };
    all.for_each(|other| one.join(other));
    vec![one]
}

//! Which language the suite is written in decides who writes candidates.

use anyorder_model::{Change, Halted, Suite, TestIndex};

use crate::candidate::Candidate;
use crate::problem::Problem;
use crate::python;
use crate::workshop::{Tree, Workshop};

/// Candidates come in so many stages: what people would write first, first.
pub(crate) const STAGES: usize = 4;

/// Who writes candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Python,
    /// Nobody can, yet.
    Other,
}

impl Language {
    pub(crate) fn of(suite: &Suite) -> Self {
        if suite.driver == "pytest" { Language::Python } else { Language::Other }
    }

    /// The candidates of one stage, best first.
    pub(crate) fn candidates(
        self,
        stage: usize,
        workshop: &mut dyn Workshop,
        tree: &Tree<'_>,
        problem: &mut Problem,
    ) -> Result<Vec<Candidate>, Halted> {
        match self {
            Language::Python => python::candidates(stage, workshop, tree, problem),
            Language::Other => Ok(vec![]),
        }
    }

    /// The files with the last check of each of these tests spoilt, and the tests that have one.
    pub(crate) fn mutated(
        self,
        tree: &Tree<'_>,
        suite: &Suite,
        tests: &[TestIndex],
    ) -> (Vec<Change>, Vec<TestIndex>) {
        match self {
            Language::Python => python::mutated(tree, suite, tests),
            Language::Other => (vec![], vec![]),
        }
    }

    /// Whether an edit of a file takes something from what tests check.
    pub(crate) fn is_weaker(self, before: &[u8], after: &[u8]) -> bool {
        match self {
            Language::Python => python::is_weaker(before, after),
            Language::Other => true,
        }
    }
}

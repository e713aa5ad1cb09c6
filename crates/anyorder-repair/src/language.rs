//! Which language the suite is written in decides who writes candidates.

use anyorder_model::{Halted, Suite};

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

    /// Whether an edit of a file takes something from what tests check.
    pub(crate) fn is_weaker(self, before: &[u8], after: &[u8]) -> bool {
        match self {
            Language::Python => python::is_weaker(before, after),
            Language::Other => true,
        }
    }
}

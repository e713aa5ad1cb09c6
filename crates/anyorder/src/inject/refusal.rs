//! Why a suite was not opened, and whether what is in its files may be to blame.

use anyorder_engine::EngineError;

use crate::failure::Failure;

/// Why a suite on a changed tree was not opened.
pub(super) enum Refusal {
    Engine(EngineError),
    Failure(Failure),
}

impl From<EngineError> for Refusal {
    fn from(error: EngineError) -> Self {
        Refusal::Engine(error)
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Refusal::Failure(failure)
    }
}

/// Whether a suite may have failed to start because of what is in its files, rather than because of the machine.
pub(super) fn may_be_the_mutant(error: &EngineError) -> bool {
    use EngineError::{CollectedDifferently, NotCollected, Silent};
    matches!(error, Silent { .. } | NotCollected { .. } | CollectedDifferently { .. })
}

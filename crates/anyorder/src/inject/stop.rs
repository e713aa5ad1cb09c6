//! Why there is no data set.

use std::io;
use std::path::Path;

use anyorder_model::Halted;

use super::WORK;
use crate::failure::Failure;

/// Why there is no data set.
pub(crate) enum Stop {
    Halted(Halted),
    Failed(Failure),
}

impl From<Halted> for Stop {
    fn from(halted: Halted) -> Self {
        Stop::Halted(halted)
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Stop::Failed(failure)
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        let hint = "free some space, and type the same again: what is known is kept";
        Stop::Failed(Failure::unwritable(Path::new(WORK), &error, hint))
    }
}

//! Which tests share state with those that a change concerns.

use anyorder_model::{Profile, Selected, Suite};
use anyorder_search::Noise;

use crate::{Affected, Imports, OldProfiles};

/// How related tests are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Select {
    /// Not at all: affected tests only.
    Affected,
    /// Those that reach a module with globals which an affected one reaches, too.
    Class,
    /// Those where writes meet reads, cell by cell.
    #[default]
    Cells,
    /// All other tests.
    All,
}

/// The tests that share state with affected or deleted ones, directly or by others, with the reasons.
///
/// `new` are the profiles that were made after the change: of the affected tests, and of those that are `unknown`.
pub fn related(
    _suite: &Suite,
    _affected: &Affected,
    _old: &OldProfiles,
    _new: &[Profile],
    _select: Select,
    _imports: &Imports,
    _noise: &Noise,
) -> Vec<Selected> {
    Vec::new()
}

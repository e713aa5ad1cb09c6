//! Which tests may do something else than before.

use anyorder_model::{Selected, Suite, TestId, TestIndex};

use crate::{Changes, Imports, OldProfiles};

/// How affected tests are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rts {
    /// By the code that each test ran when it was profiled; without a profile that holds, by imports.
    #[default]
    Dynamic,
    /// By imports alone.
    Static,
}

/// Tests that may do something else than before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Affected {
    /// In the order of the suite.
    pub tests: Vec<Selected>,
    /// What makes all of them affected, if something does.
    pub everything: Option<String>,
    /// Tests that have a profile and are no longer there.
    pub deleted: Vec<TestId>,
    /// Tests that are not affected, but have no profile that holds: to be profiled before [`crate::related`] is asked.
    pub unknown: Vec<TestIndex>,
}

/// The tests of the suite that a change may concern, with the reasons.
pub fn affected(
    _suite: &Suite,
    _changes: &Changes,
    _old: &OldProfiles,
    _rts: Rts,
    _imports: &Imports,
) -> Affected {
    Affected::default()
}

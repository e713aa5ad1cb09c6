//! Which tests a change may have made order-dependent, and why each is among them.

use serde::{Deserialize, Serialize};

use crate::{TestId, TestIndex};

/// What has to be looked at after a change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Selection {
    /// What makes all tests affected, where something does: a lock file, another interpreter.
    pub everything: Option<String>,
    /// Tests that may do something else than before, in the order of the suite.
    pub affected: Vec<Selected>,
    /// Tests that share state with those, directly or by others, in the order of the suite.
    pub related: Vec<Selected>,
    /// Tests that are no longer there.
    pub deleted: Vec<TestId>,
}

impl Selection {
    /// Why a test is affected, if it is.
    pub fn why_affected(&self, test: TestIndex) -> Option<&[Why]> {
        let found = self.affected.iter().find(|selected| selected.test == test);
        found.map(|selected| selected.why.as_slice())
    }
}

/// One test of a selection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Selected {
    /// Which test.
    pub test: TestIndex,
    /// Why, the strongest reason first; never empty.
    pub why: Vec<Why>,
}

/// A reason to look at a test.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(tag = "reason", rename_all = "kebab-case")]
pub enum Why {
    /// It was not there before.
    New,
    /// It ran a function that changed.
    Touches {
        /// The function, class or constant, for example `shop.cart.total`.
        element: String,
        /// Where it stands now, or stood.
        at: Spot,
    },
    /// What runs when a module is imported changed, and its imports reach that module.
    Imports {
        /// What changed, for example `shop.settings`.
        element: String,
        /// Where it stands now, or stood.
        at: Spot,
    },
    /// It opened a file that changed, or may have.
    Data {
        /// The file, relative to the root.
        file: String,
    },
    /// A class differs that may be loaded for it.
    Loads {
        /// Its name.
        class: String,
    },
    /// It concerns all tests.
    Everything {
        /// For example `poetry.lock` or `Python 3.12.1`.
        what: String,
    },
    /// One of the two writes what the other may read.
    Shares {
        /// The cell.
        cell: String,
        /// The other test, which may be deleted.
        with: TestId,
    },
    /// It has state that nobody can look into.
    Opaque {
        /// For example `subprocess` or `socket`.
        what: String,
    },
}

/// Whether a finding was there before a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Age {
    /// It was not, as far as that was looked for.
    New,
    /// It was.
    Before,
}

/// Somebody's word that a finding is known and may stay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Acceptance {
    /// Why.
    pub reason: String,
    /// The last day, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<String>,
    /// Whether that day is over.
    pub is_expired: bool,
}

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Spot {
    /// Relative to the root.
    pub file: String,
    /// From 1.
    pub line: u32,
}

//! Code that is tried before a test, and what somebody has to know who writes code about a cell.

use serde::{Deserialize, Serialize};

use crate::{CellKind, TestIndex};

/// Code that is run right before a test.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Snippet {
    /// Statements.
    pub text: String,
    /// A test whose module's names the statements see; what they assign stays with them.
    pub beside: TestIndex,
}

/// What there is to know about a cell for somebody who writes code about it. Nothing where it is not known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// The path that was asked for.
    pub path: String,
    /// What sort of place.
    #[serde(default)]
    pub kind: Option<CellKind>,
    /// The module that owns it, as it is imported.
    #[serde(default)]
    pub module: Option<String>,
    /// Where that module's source is: relative to the root where it is below that, else absolute.
    #[serde(default)]
    pub file: Option<String>,
    /// The class of what was there at the mark, as `module.Class`.
    #[serde(default)]
    pub class: Option<String>,
    /// The class of what holds it, as `module.Class`; for an item that of the container.
    #[serde(default)]
    pub holder: Option<String>,
    /// An expression for what holds it, with `module` imported: `shop.settings.FLAGS` for `shop.settings.FLAGS['beta']`,
    /// `shop.settings` for `shop.settings.CURRENCY`.
    #[serde(default)]
    pub expression: Option<String>,
    /// Its key as source, for an item: `'beta'`, `0`; its name, for an attribute.
    #[serde(default)]
    pub key: Option<String>,
    /// The whole value at the mark as source, if it is made of literals and at most 400 characters long.
    #[serde(default)]
    pub literal: Option<String>,
}

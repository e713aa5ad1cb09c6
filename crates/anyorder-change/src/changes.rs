//! What differs between two trees, down to functions.

use anyorder_model::Spot;

use crate::Tree;

/// What differs between two trees.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Files that concern all tests: lock files, settings, compiled code. By name, sorted.
    pub everything: Vec<String>,
    /// Functions, and code that runs at import. Sorted by file and line.
    pub elements: Vec<Changed>,
    /// Other files that changed, came or went, sorted.
    pub data: Vec<String>,
    /// Files that were there under another name: the old one and the new one. Their elements are deleted and added.
    pub renamed: Vec<(String, String)>,
}

/// An element that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// As a person would call it: `shop.cart.Cart.total`; the module itself for what runs at import.
    pub element: String,
    /// Its qualified name in the file, as Python says it; nothing for what runs at import.
    pub function: Option<String>,
    /// How it differs.
    pub how: How,
    /// Where it stands now, or stood.
    pub at: Spot,
}

/// How an element differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum How {
    /// It is not the same as before.
    Changed,
    /// It was not there.
    Added,
    /// It is gone.
    Deleted,
}

impl Changes {
    /// Whether nothing differs that a test could notice.
    pub fn is_empty(&self) -> bool {
        self.everything.is_empty() && self.elements.is_empty() && self.data.is_empty()
    }
}

/// What differs between two trees. Comments and formatting do not count.
pub fn changes(_old: &Tree, _new: &Tree) -> Changes {
    Changes::default()
}

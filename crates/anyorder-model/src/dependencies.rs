//! Which tests depend on which: through what, and whether it matters.

use serde::{Deserialize, Serialize};

use crate::{Group, Order, Outcome, TestIndex};

/// All that is known about dependencies between the tests of a suite.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dependencies {
    /// Shared state that some tests change and others may look at.
    pub data: Vec<SharedPlace>,
    /// How many ordered pairs of different tests are connected by that: the first writes, the second reads.
    pub data_pairs: u64,
    /// Dependencies that were seen to decide an outcome.
    pub manifest: Vec<Manifest>,
    /// Data dependencies that no order can try without breaking another one.
    pub untestable: Vec<DataEdge>,
    /// How many were tried, and no outcome changed.
    pub benign: u64,
    /// How many were not tried.
    pub open: u64,
    /// All tests in an order that respects the manifest ones.
    pub schedule: Order,
    /// Manifest ones that it cannot respect, since others say the opposite.
    pub conflicts: Vec<Manifest>,
    /// Tests that did not end as expected when the schedule was tried; nothing if it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unexpected: Option<Vec<TestIndex>>,
    /// Tests that have to stay together, in their order; different groups may run at the same time.
    pub parallel: Vec<Group>,
}

/// State that some tests change and others may look at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedPlace {
    /// Its name; that of the container for items.
    pub place: String,
    /// The tests that leave it changed.
    pub writers: Vec<TestIndex>,
    /// The tests that may look at it; nothing if everybody may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub readers: Option<Vec<TestIndex>>,
}

/// A test that may look at what another one has written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataEdge {
    /// Who writes.
    pub writer: TestIndex,
    /// Who reads.
    pub reader: TestIndex,
    /// What: some of the cells.
    pub cells: Vec<String>,
}

/// Two tests whose order decides an outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// This one has to run first.
    pub before: TestIndex,
    /// And this one later.
    pub after: TestIndex,
    /// Whose outcome it is that changes.
    pub test: TestIndex,
    /// How it ends if they do.
    pub expected: Outcome,
    /// How it ends if they do not.
    pub otherwise: Outcome,
    /// What carries it: some of the cells that both have to do with.
    pub cells: Vec<String>,
    /// Whether not these two were seen, but another test that leaves the same behind.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_inferred: bool,
}

//! An order: which tests, one after the other, in one process.

use serde::{Deserialize, Serialize};

use crate::{Suite, TestId, TestIndex};

/// Tests to be run in one process from the fresh state. Repeats are allowed.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Order(pub Vec<TestIndex>);

impl Order {
    /// The order in which the framework collected the suite.
    pub fn original(suite: &Suite) -> Self {
        Order(suite.indices().collect())
    }

    /// The tests, first to last.
    pub fn tests(&self) -> &[TestIndex] {
        &self.0
    }

    /// How many executions this order asks for.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it asks for none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The names, first to last.
    pub fn ids<'suite>(&self, suite: &'suite Suite) -> Vec<&'suite TestId> {
        self.0.iter().map(|&test| suite.id(test)).collect()
    }
}

impl FromIterator<TestIndex> for Order {
    fn from_iter<I: IntoIterator<Item = TestIndex>>(tests: I) -> Self {
        Order(tests.into_iter().collect())
    }
}

//! A suite: its tests in the framework's own order.

use std::collections::HashMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// The name by which the framework's own runner knows a test.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TestId(pub String);

impl fmt::Display for TestId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

/// A test's place in its suite's original order. Means nothing without the [`Suite`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TestIndex(pub u32);

impl TestIndex {
    /// For indexing a table that has one row per test.
    pub fn at(self) -> usize {
        self.0 as usize
    }
}

/// One runnable item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Test {
    /// Its name.
    pub id: TestId,
    /// The file or class that holds it.
    pub group: String,
    /// The source file, relative to the suite's root.
    pub file: String,
    /// The line in that file, from 1.
    pub line: u32,
    /// Names of the markers or annotations on it.
    #[serde(default)]
    pub markers: Vec<String>,
}

impl Test {
    /// A test of which little more is known than its file, which is its group too.
    pub fn in_file(id: impl Into<String>, file: impl Into<String>) -> Self {
        let file = file.into();
        Test { id: TestId(id.into()), group: file.clone(), file, line: 1, markers: vec![] }
    }
}

/// Something that the framework could not collect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CollectionError {
    /// The file or directory.
    pub at: String,
    /// The last line of what the framework said.
    pub message: String,
}

/// The tests of one project, as its framework collects them.
#[derive(Clone, Debug)]
pub struct Suite {
    /// `pytest` or `junit`.
    pub driver: String,
    /// Framework with version, for example `pytest 8.4.2`.
    pub framework: String,
    /// Language with version, for example `python 3.12.4`.
    pub language: String,
    /// The directory that ids are relative to.
    pub root: String,
    /// What could not be collected; the rest of the suite is usable all the same.
    pub errors: Vec<CollectionError>,
    /// Ids that more than one item answers to; only the first item of each is part of the suite.
    pub duplicates: Vec<TestId>,
    tests: Vec<Test>,
    by_id: HashMap<TestId, TestIndex>,
}

impl Suite {
    /// A suite with these tests in their original order. Ids must be distinct.
    pub fn new(driver: &str, tests: Vec<Test>) -> Self {
        let by_id = tests.iter().zip(0..).map(|(test, index)| (test.id.clone(), TestIndex(index))).collect();
        Suite {
            driver: driver.to_owned(),
            framework: String::new(),
            language: String::new(),
            root: ".".to_owned(),
            errors: Vec::new(),
            duplicates: Vec::new(),
            tests,
            by_id,
        }
    }

    /// How many tests there are.
    pub fn len(&self) -> usize {
        self.tests.len()
    }

    /// Whether there is no test at all.
    pub fn is_empty(&self) -> bool {
        self.tests.is_empty()
    }

    /// The tests in the original order.
    pub fn tests(&self) -> &[Test] {
        &self.tests
    }

    /// Every index in the original order.
    pub fn indices(&self) -> impl Iterator<Item = TestIndex> + use<> {
        (0..u32::try_from(self.tests.len()).expect("fewer than four billion tests")).map(TestIndex)
    }

    /// The test at `index`.
    pub fn test(&self, index: TestIndex) -> &Test {
        &self.tests[index.at()]
    }

    /// The name of the test at `index`.
    pub fn id(&self, index: TestIndex) -> &TestId {
        &self.tests[index.at()].id
    }

    /// Where the test with this name stands.
    pub fn index_of(&self, id: &TestId) -> Option<TestIndex> {
        self.by_id.get(id).copied()
    }
}

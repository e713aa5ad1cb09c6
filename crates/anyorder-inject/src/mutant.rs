//! A mutant: one change to one file of the suite, and the tests that it concerns.

use std::ops::Range;
use std::sync::Arc;

use anyorder_model::{Order, Swap, TestIndex};

use crate::Operator;

/// A suite with one change.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// Its place among all mutants of the suite that the chosen operators make, from 1.
    pub number: usize,
    /// What was done.
    pub operator: Operator,
    /// The changed file, relative to the suite's root.
    pub file: String,
    /// The line of what was changed.
    pub line: usize,
    /// What was changed, in bytes of the file's text.
    pub range: Range<usize>,
    /// What stood there.
    pub words: String,
    /// The function that was changed, behind the names of the classes around it.
    pub function: Vec<String>,
    /// The file as it is.
    pub before: Arc<[u8]>,
    /// The file with the change.
    pub after: Vec<u8>,
    /// The changed function, if nothing else is changed and it can be compiled by itself.
    pub swap: Option<Arc<Swap>>,
    /// Whether the changed function is a test, which nobody runs but the framework.
    pub is_of_test: bool,
    /// The tests that run the changed function.
    pub tests: Vec<TestIndex>,
    /// The tests that may notice, those together of which orders are made: of the same class or file, or of each file.
    pub judged: Vec<Vec<TestIndex>>,
}

impl Mutant {
    /// Its name in the data set.
    pub fn id(&self) -> String {
        format!("m{:05}", self.number)
    }

    /// The place of the first test that runs what was changed, or may do so.
    pub fn first_use(&self, order: &Order) -> Option<usize> {
        if !self.is_of_test {
            return Some(0);
        }
        order.tests().iter().position(|test| self.tests.contains(test))
    }

    /// The change as `git apply` takes it.
    pub fn diff(&self) -> Vec<u8> {
        anyorder_source::diff(&self.file, Some(&self.before), &self.after)
    }
}

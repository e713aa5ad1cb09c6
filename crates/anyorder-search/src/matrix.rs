//! Which pairs were tried and inferred, by name: what a report draws.
//!
//! Knows keys of pairs. Many tests are counted by their files, since nobody looks at a million squares.

use std::collections::BTreeMap;

use anyorder_model::{PairMatrix, Suite};
use roaring::RoaringTreemap;

/// Up to so many tests are named one by one.
const NAMED: usize = 100;

/// Counts pairs by their keys, see [`crate::succession::key`].
pub(crate) fn matrix(suite: &Suite, tried: &RoaringTreemap, inferred: &RoaringTreemap) -> PairMatrix {
    let (by, names, places) = named(suite);
    let mut tests = vec![0_u64; names.len()];
    places.iter().for_each(|&place| tests[place] += 1);
    let mut counts: BTreeMap<(usize, usize), [u64; 2]> = BTreeMap::new();
    for (which, keys) in [tried, inferred].into_iter().enumerate() {
        for key in keys {
            let key = usize::try_from(key).expect("keys are made from places in a table");
            let pair = (places[key / suite.len()], places[key % suite.len()]);
            counts.entry(pair).or_default()[which] += 1;
        }
    }
    let row = |((first, second), [tried, inferred]): ((usize, usize), [u64; 2])| {
        let pairs = tests[first] * (tests[second] - u64::from(first == second));
        [first as u64, second as u64, pairs, tried, inferred]
    };
    PairMatrix { by, names, rows: counts.into_iter().map(row).collect() }
}

/// What the rows and columns are, and which of them each test belongs to.
fn named(suite: &Suite) -> (&'static str, Vec<String>, Vec<usize>) {
    if suite.len() <= NAMED {
        let names = suite.tests().iter().map(|test| test.id.0.clone()).collect();
        return ("test", names, (0..suite.len()).collect());
    }
    let mut names: Vec<String> = Vec::new();
    let mut by_name: BTreeMap<&str, usize> = BTreeMap::new();
    let places = suite.tests().iter().map(|test| {
        *by_name.entry(&test.file).or_insert_with(|| {
            names.push(test.file.clone());
            names.len() - 1
        })
    });
    let places = places.collect();
    ("file", names, places)
}

#[cfg(test)]
mod tests {
    use anyorder_model::{Test, TestId, TestIndex};

    use super::*;
    use crate::succession::key;

    /// So many tests, two in each file.
    fn suite(tests: usize) -> Suite {
        let test = |at: usize| Test {
            id: TestId(format!("{}.py::t{at}", at / 2)),
            group: String::new(),
            file: format!("{}.py", at / 2),
            line: 1,
            markers: vec![],
        };
        Suite::new("pytest", (0..tests).map(test).collect())
    }

    fn keys(tests: usize, pairs: &[(u32, u32)]) -> RoaringTreemap {
        pairs.iter().map(|&(first, second)| key(tests, TestIndex(first), TestIndex(second))).collect()
    }

    #[test]
    fn few_tests_are_named_one_by_one() {
        let matrix = matrix(&suite(3), &keys(3, &[(0, 1)]), &keys(3, &[(2, 1)]));
        assert_eq!((matrix.by, matrix.names.len()), ("test", 3));
        assert_eq!(matrix.rows, [[0, 1, 1, 1, 0], [2, 1, 1, 0, 1]]);
    }

    #[test]
    fn many_tests_are_counted_by_file_and_no_test_is_paired_with_itself() {
        let matrix = matrix(&suite(102), &keys(102, &[(0, 1), (0, 2), (1, 3)]), &keys(102, &[(1, 2)]));
        assert_eq!((matrix.by, matrix.names.len()), ("file", 51));
        assert_eq!(matrix.rows, [[0, 0, 2, 1, 0], [0, 1, 4, 2, 1]]);
    }
}

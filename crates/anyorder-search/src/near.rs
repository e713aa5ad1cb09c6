//! Where a partner of a test most likely is: near it.
//!
//! Knows which tests stand near which. Does not know what they do to each other.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use anyorder_model::{Suite, TestIndex};

/// In how many pieces a list is cut at most.
const PIECES: usize = 8;
/// How many tests a piece has at least: to start from the fresh state costs as much as some tests.
const AT_LEAST: usize = 16;

/// Cuts `others` into pieces, those near `test` first; in each, tests stand as they did. Nothing where that is not worth it.
pub(crate) fn pieces(suite: &Suite, others: &[TestIndex], test: TestIndex) -> Vec<Vec<TestIndex>> {
    let size = others.len().div_ceil(PIECES).max(AT_LEAST);
    if others.len() <= size {
        return Vec::new();
    }
    let places: BTreeMap<TestIndex, usize> =
        others.iter().enumerate().map(|(at, &other)| (other, at)).collect();
    let mut nearest = others.to_vec();
    nearest.sort_by_key(|&other| (Reverse(shared(suite, other, test)), other.0.abs_diff(test.0)));
    let piece = |some: &[TestIndex]| {
        let mut piece = some.to_vec();
        piece.sort_by_key(|other| places[other]);
        piece
    };
    nearest.chunks(size).map(piece).collect()
}

/// How many directories two tests have in common; a common file is one more.
fn shared(suite: &Suite, one: TestIndex, other: TestIndex) -> usize {
    let [one, other] = [one, other].map(|test| suite.test(test).file.split('/'));
    one.zip(other).take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests {
    use anyorder_model::Test;

    use super::*;

    fn suite(files: &[(&str, usize)]) -> Suite {
        let test = |file: &str, number: usize| Test::in_file(format!("{file}::{number}"), file);
        let tests = files.iter().flat_map(|&(file, count)| (0..count).map(move |number| test(file, number)));
        Suite::new("made up", tests.collect())
    }

    #[test]
    fn tests_of_the_same_file_come_first_then_those_of_the_same_directory() {
        let suite = suite(&[("a/x.py", 20), ("b/y.py", 20), ("b/z.py", 20)]);
        let others: Vec<TestIndex> = (0..60).rev().filter(|&number| number != 50).map(TestIndex).collect();
        let pieces = pieces(&suite, &others, TestIndex(50));
        assert_eq!(pieces.iter().map(Vec::len).collect::<Vec<_>>(), [16, 16, 16, 11]);
        assert!(
            pieces[0].iter().all(|test| test.0 >= 40) && pieces[0].is_sorted_by(|one, other| one > other)
        );
        assert!(pieces[1].iter().all(|test| test.0 >= 20) && pieces[3].iter().all(|test| test.0 < 20));
    }

    #[test]
    fn a_short_list_stays_whole() {
        let suite = suite(&[("x.py", 17)]);
        let others: Vec<TestIndex> = suite.indices().skip(1).collect();
        assert_eq!(pieces(&suite, &others, TestIndex(0)), [] as [Vec<TestIndex>; 0]);
    }
}

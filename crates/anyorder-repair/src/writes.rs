//! What edited tests leave changed: a patch takes cells away, and adds none.

use std::collections::{BTreeMap, BTreeSet};

use anyorder_model::{Halted, Oracle, Order, TestIndex, Watch};
use anyorder_search::Noise;

/// For each test, the paths of the cells that it leaves changed when all is torn down.
pub(crate) type Left = BTreeMap<TestIndex, BTreeSet<String>>;

/// What tests leave by themselves; nothing where that cannot be seen.
pub(crate) fn left_by(oracle: &mut dyn Oracle, tests: &[TestIndex]) -> Result<Left, Halted> {
    if tests.is_empty() || !oracle.can_watch() {
        return Ok(Left::new());
    }
    let watch =
        |&test: &TestIndex| Watch { traces: false, ..Watch::new(Order::default(), Order(vec![test])) };
    let records = oracle.watch(tests.iter().map(watch).collect())?;
    let noise = Noise::default();
    let left = tests.iter().zip(records).filter_map(|(&test, record)| {
        let cells = record.in_the_end?;
        let paths = cells.into_iter().filter(|cell| !noise.has(cell)).map(|cell| cell.path).collect();
        Some((test, paths))
    });
    Ok(left.collect())
}

/// Where a decorator of `unittest.mock` remembers what it puts back: nobody else looks there.
const REMEMBERED: &str = "<closure self>._original";

/// Whether some test leaves more than before.
pub(crate) fn gains(before: &Left, after: &Left) -> bool {
    let is_new =
        |known: &BTreeSet<String>, path: &String| !known.contains(path) && !path.contains(REMEMBERED);
    after.iter().any(|(test, paths)| {
        before.get(test).is_some_and(|known| paths.iter().any(|path| is_new(known, path)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewer_cells_are_no_gain_and_another_one_is() {
        let left = |paths: &[&str]| {
            let paths = paths.iter().map(|&path| path.to_owned()).collect();
            Left::from([(TestIndex(0), paths)])
        };
        assert!(!gains(&left(&["a", "b"]), &left(&["a"])));
        assert!(gains(&left(&["a"]), &left(&["b"])));
        assert!(!gains(&Left::new(), &left(&["b"])));
        assert!(!gains(&left(&[]), &left(&["tests.test_a.test_b.<closure self>._original['x']"])));
    }
}

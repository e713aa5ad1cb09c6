//! What edited tests leave changed: a patch takes cells away, and adds none.

use std::collections::{BTreeMap, BTreeSet};

use anyorder_model::{Change, Halted, Oracle, Order, TestIndex, Watch};
use anyorder_search::Noise;

use crate::candidate::{Candidate, Leaves};
use crate::words::words;

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

/// Whether a test that the candidate edits leaves what it must not.
pub(crate) fn leaves_more(candidate: &Candidate, before: &Left, after: &Left, changes: &[Change]) -> bool {
    let of_edited = |left: &Left| -> Left {
        let of = |test: &TestIndex| Some((*test, left.get(test)?.clone()));
        candidate.edited.iter().filter_map(of).collect()
    };
    match &candidate.leaves {
        Leaves::NoMore => gains(&of_edited(before), &of_edited(after), changes),
        Leaves::Without(cells) => {
            of_edited(after).values().any(|left| cells.iter().any(|cell| left.contains(cell)))
        }
        Leaves::Anything => false,
    }
}

/// Whether some test leaves more than before, but for names that only these changes have.
fn gains(before: &Left, after: &Left, changes: &[Change]) -> bool {
    let is_new = |known: &BTreeSet<String>, path: &String| {
        !known.contains(path)
            && !path.contains(REMEMBERED)
            && !changes.iter().any(|change| is_own(change, path))
    };
    after.iter().any(|(test, paths)| {
        before.get(test).is_some_and(|known| paths.iter().any(|path| is_new(known, path)))
    })
}

/// Whether only the changed file has such a name, and did not have it before: a set-up keeps something there for its tear-down.
fn is_own(change: &Change, path: &str) -> bool {
    let texts = [change.before.as_deref().unwrap_or_default(), &change.after];
    let [was, is] = texts.map(|text| String::from_utf8_lossy(text));
    let Some((holder, name)) = path.rsplit_once('.') else { return false };
    let file = change.path.rsplit('/').next().unwrap_or_default();
    let module = file.split('.').next().unwrap_or_default();
    let has = |text: &str| words(text).any(|word| word == name);
    holder.split('.').any(|part| part == module) && has(&is) && !has(&was)
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
        assert!(!gains(&left(&["a", "b"]), &left(&["a"]), &[]));
        assert!(gains(&left(&["a"]), &left(&["b"]), &[]));
        assert!(!gains(&Left::new(), &left(&["b"]), &[]));
        assert!(!gains(&left(&[]), &left(&["tests.test_a.test_b.<closure self>._original['x']"]), &[]));
    }

    #[test]
    fn a_name_that_only_the_patch_has_is_no_gain() {
        let change = Change {
            path: "tests/test_a.py".to_owned(),
            before: Some(b"import app\nUNIT = app.UNIT".to_vec()),
            after: b"import app\nUNIT = app.UNIT\nsaved_unit = app.UNIT".to_vec(),
        };
        let is_gain = |path: &str| {
            let left = |paths: &[&str]| {
                Left::from([(TestIndex(0), paths.iter().map(|&path| path.to_owned()).collect())])
            };
            gains(&left(&[]), &left(&[path]), std::slice::from_ref(&change))
        };
        assert!(!is_gain("tests.test_a.saved_unit"));
        assert!(!is_gain("test_a.TestUnit.saved_unit"));
        assert!(is_gain("tests.test_a.UNIT"));
        assert!(is_gain("app.saved_unit"));
        assert!(is_gain("app.units['saved_unit']"));
    }
}

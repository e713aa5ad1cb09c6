//! What tests of this crate tell about: a suite of one file.

use anyorder_model::{Suite, Test, TestId};

/// A suite with tests of these names.
pub(crate) fn suite(names: &[&str]) -> Suite {
    let test = |name: &&str| Test {
        id: TestId(format!("t.py::{name}")),
        group: "t.py".to_owned(),
        file: "t.py".to_owned(),
        line: 1,
        markers: vec![],
    };
    Suite::new("pytest", names.iter().map(test).collect())
}

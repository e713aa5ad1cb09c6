//! Profiles as tests write them down.

use anyorder_model::{Cell, CellKind, Outcome, Profile, Step, TestIndex, Write};

/// Something new in this cell, which code mentions by the name of what holds it.
pub(crate) fn write(path: &str, kind: CellKind) -> Write {
    let cell = Cell {
        path: path.to_owned(),
        kind,
        before: "<absent>".to_owned(),
        after: "1".to_owned(),
        names: vec![path.split('[').next().unwrap().to_owned()],
        key: path.to_owned(),
        place: String::new(),
    };
    Write { cell, is_torn_down: false, is_unstable: false, is_elsewhere: false }
}

/// A test that passes.
pub(crate) fn profile(test: u32, writes: Vec<Write>, reads: &[&str]) -> Profile {
    Profile {
        test: TestIndex(test),
        alone: Step::bare(TestIndex(test), Outcome::Passed),
        again: None,
        writes,
        reads: reads.iter().map(|&name| name.to_owned()).collect(),
        code: vec![],
        opened: None,
    }
}

//! The ways to make a suite worse: each takes something away that keeps tests apart.
//!
//! Pure: a function of a file becomes changes to that file. Whether a change makes anything depend on order is for
//! others to find out.

mod alias;
mod cleanup;
mod delete;
mod hoist;
mod restore;
mod scope;

use std::ops::Range;

use anyorder_source::{Editor, Function, Source};
use serde::{Deserialize, Serialize};

use crate::role::Role;

/// A way to make a suite worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operator {
    /// A statement of a test is taken out.
    DelStatement,
    /// A statement of a set-up is taken out, or of a fixture before its `yield`.
    DelSetup,
    /// A statement of a tear-down is taken out, or of a fixture behind its `yield`.
    DelTeardown,
    /// What would have been put back stays.
    DropRestore,
    /// All of a clean-up is taken out.
    DropCleanup,
    /// A fixture is shared by more tests.
    WidenScope,
    /// A local value becomes one of the module.
    HoistLocal,
    /// A copy becomes the thing itself.
    AliasCopy,
}

impl Operator {
    /// All of them, the paper's first.
    pub const ALL: [Operator; 8] = [
        Operator::DelStatement,
        Operator::DelSetup,
        Operator::DelTeardown,
        Operator::DropRestore,
        Operator::DropCleanup,
        Operator::WidenScope,
        Operator::HoistLocal,
        Operator::AliasCopy,
    ];

    /// What the FLAKER paper does.
    pub const PAPER: [Operator; 1] = [Operator::DelStatement];

    /// Its name on the command line and in tables.
    pub fn name(self) -> &'static str {
        match self {
            Operator::DelStatement => "del_statement",
            Operator::DelSetup => "del_setup",
            Operator::DelTeardown => "del_teardown",
            Operator::DropRestore => "drop_restore",
            Operator::DropCleanup => "drop_cleanup",
            Operator::WidenScope => "widen_scope",
            Operator::HoistLocal => "hoist_local",
            Operator::AliasCopy => "alias_copy",
        }
    }

    /// What it does, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Operator::DelStatement => "takes a statement out of a test, but no assertion",
            Operator::DelSetup => "takes a statement out of a set-up, or of a fixture before its `yield`",
            Operator::DelTeardown => {
                "takes a statement out of a tear-down, or of a fixture behind its `yield`"
            }
            Operator::DropRestore => "changes for good what `monkeypatch` or `patch` would have put back",
            Operator::DropCleanup => "takes all of a tear-down, a `finally` or the part behind a `yield` out",
            Operator::WidenScope => "lets more tests share a fixture",
            Operator::HoistLocal => "makes a value of a test once, for the whole module",
            Operator::AliasCopy => "uses the thing itself where a test had a copy",
        }
    }

    /// Before and after, in a line each.
    pub fn example(self) -> (&'static str, &'static str) {
        match self {
            Operator::DelStatement => ("Endpoint.reset()", ""),
            Operator::DelSetup => ("self.queue.clear()", ""),
            Operator::DelTeardown => ("registry.clear()", ""),
            Operator::DropRestore => {
                ("monkeypatch.setattr(settings, \"DEBUG\", True)", "settings.DEBUG = True")
            }
            Operator::DropCleanup => ("def tearDown(self): registry.clear()", "def tearDown(self): pass"),
            Operator::WidenScope => ("@pytest.fixture", "@pytest.fixture(scope=\"module\")"),
            Operator::HoistLocal => ("cart = Cart()", "cart = _hoisted_cart"),
            Operator::AliasCopy => ("flags = dict(DEFAULTS)", "flags = DEFAULTS"),
        }
    }

    /// The operator of this name.
    pub fn named(name: &str) -> Option<Self> {
        Operator::ALL.into_iter().find(|operator| operator.name() == name)
    }

    /// What it does to a function, in the order in which it is written.
    pub(crate) fn changes(self, source: &Source, function: &Function, role: Role) -> Vec<Proposal> {
        match self {
            Operator::DelStatement => delete::in_test(source, function, role),
            Operator::DelSetup => delete::in_set_up(source, function, role),
            Operator::DelTeardown => delete::in_tear_down(source, function, role),
            Operator::DropRestore => restore::dropped(source, function),
            Operator::DropCleanup => cleanup::dropped(source, function, role),
            Operator::WidenScope => scope::widened(source, function, role),
            Operator::HoistLocal => hoist::hoisted(source, function, role),
            Operator::AliasCopy => alias::aliased(source, function),
        }
    }
}

/// A change to a file.
#[derive(Clone, Debug)]
pub(crate) struct Proposal {
    /// What is changed, in bytes of the file's text.
    pub(crate) range: Range<usize>,
    /// Its line.
    pub(crate) line: usize,
    /// What stood there.
    pub(crate) words: String,
    /// The change.
    pub(crate) editor: Editor,
    /// Whether nothing but the function's own statements is changed.
    pub(crate) stays_inside: bool,
}

#[cfg(test)]
pub(crate) mod testing {
    use super::*;
    use crate::role::Role;

    /// The lines that each change of the last function of a text takes out and puts in.
    pub(crate) fn changed(operator: Operator, text: &str, role: Role) -> Vec<String> {
        let source = Source::parse(text).unwrap();
        let function = source.functions().last().unwrap();
        let show = |proposal: &Proposal| {
            let after = proposal.editor.finish().unwrap();
            let diff = anyorder_source::diff("t.py", Some(text.as_bytes()), &after);
            let diff = String::from_utf8(diff).unwrap();
            let lines = diff.lines().skip(3).filter(|line| line.starts_with(['-', '+']));
            let lines = lines.map(|line| format!("{}{}", &line[..1], line[1..].trim()));
            lines.collect::<Vec<_>>().join(" ")
        };
        operator.changes(&source, function, role).iter().map(show).collect()
    }
}

//! Exit codes. They are part of the interface: docs/exit-codes.md lists them, and each has a test.

use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Nothing was found.
    Nothing = 0,
    /// Something was found: tests differ, or a replayed order is red.
    Found = 1,
    /// The command line or the configuration makes no sense.
    Usage = 2,
    /// The suite cannot be run.
    Unusable = 3,
    /// There are no tests.
    NoTests = 4,
    /// The time was up before there was a verdict.
    Unfinished = 5,
    /// A mistake of ours.
    Bug = 70,
    /// The user interrupted it.
    Interrupted = 130,
}

impl Exit {
    /// Of two suites' results, the one that says more.
    pub(crate) fn or(self, other: Exit) -> Exit {
        match (self, other) {
            (Exit::Found, _) | (_, Exit::Nothing) => self,
            _ => other,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

//! What became of one execution of a test.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The result of one execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It passed.
    Passed,
    /// Its body failed.
    Failed,
    /// Its set-up or tear-down failed.
    Error,
    /// It was skipped.
    Skipped,
    /// It failed, as its author expects.
    Xfailed,
    /// It passed, though its author expects a failure.
    Xpassed,
    /// It ran longer than its limit.
    TimedOut,
    /// The process ended, or the run stopped, in the middle of it.
    Crashed,
    /// The run ended before its turn.
    NotReached,
}

impl Outcome {
    /// Whether a plain runner would make the build red for it.
    pub fn is_red(self) -> bool {
        matches!(self, Outcome::Failed | Outcome::Error | Outcome::TimedOut | Outcome::Crashed)
    }

    /// Every outcome, in the order in which they are counted.
    pub const ALL: [Outcome; 9] = [
        Outcome::Passed,
        Outcome::Failed,
        Outcome::Error,
        Outcome::Skipped,
        Outcome::Xfailed,
        Outcome::Xpassed,
        Outcome::TimedOut,
        Outcome::Crashed,
        Outcome::NotReached,
    ];

    /// The word for it in output.
    pub fn word(self) -> &'static str {
        match self {
            Outcome::Passed => "passed",
            Outcome::Failed => "failed",
            Outcome::Error => "error",
            Outcome::Skipped => "skipped",
            Outcome::Xfailed => "xfailed",
            Outcome::Xpassed => "xpassed",
            Outcome::TimedOut => "timed out",
            Outcome::Crashed => "crashed",
            Outcome::NotReached => "not reached",
        }
    }

    /// One letter for it, where many stand together.
    pub fn letter(self) -> char {
        match self {
            Outcome::Passed => '.',
            Outcome::Failed => 'F',
            Outcome::Error => 'E',
            Outcome::Skipped => 's',
            Outcome::Xfailed => 'x',
            Outcome::Xpassed => 'X',
            Outcome::TimedOut => 'T',
            Outcome::Crashed => 'C',
            Outcome::NotReached => '-',
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.word())
    }
}

/// The part of a test's execution in which its outcome was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Set-up of the test or of a fixture.
    Setup,
    /// The body.
    Call,
    /// Tear-down of the test or of a fixture.
    Teardown,
}

/// What tells one failure from another. For a skip or an expected failure, the reason given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    /// Exception type or signal; empty if there is none.
    pub kind: String,
    /// The first line of the message.
    pub message: String,
    /// `file:line` in the suite's own terms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

impl Signature {
    /// The same failure, as far as can be told: messages hold addresses and times, so only type and place count.
    pub fn is_same_failure(&self, other: &Signature) -> bool {
        self.kind == other.kind && self.at == other.at
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.kind.as_str(), self.message.as_str()) {
            ("", message) => formatter.write_str(message)?,
            (kind, "") => formatter.write_str(kind)?,
            (kind, message) => write!(formatter, "{kind}: {message}")?,
        }
        self.at.as_ref().map_or(Ok(()), |at| write!(formatter, " ({at})"))
    }
}

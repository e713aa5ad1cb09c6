//! How an error is told: what could not be done, the evidence, one thing to try.

use std::fmt::Write as _;

use crate::style::{BAD, NAME};

/// An error that is ready to be shown.
#[derive(Clone, Debug, Default)]
pub struct Problem {
    /// What could not be done.
    pub what: String,
    /// What was seen; may have several lines.
    pub evidence: String,
    /// One thing to try.
    pub hint: Option<String>,
}

impl Problem {
    pub(crate) fn render(&self) -> String {
        let mut text = format!("{BAD}error{BAD:#}: {}\n", self.what);
        for line in self.evidence.lines().filter(|line| !line.trim().is_empty()) {
            let _ = writeln!(text, "  {line}");
        }
        if let Some(hint) = &self.hint {
            let _ = writeln!(text, "{NAME}hint{NAME:#}: {hint}");
        }
        text
    }
}

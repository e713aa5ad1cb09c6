//! What is known already, line by line: a command that was killed goes on where it was.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use anyorder_inject::{Leavings, Unstable, Verdict};
use anyorder_model::TestIndex;
use serde::{Deserialize, Serialize};

use super::lines::Lines;

/// The lines of a journal.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Line {
    /// Tests that are left out.
    Unstable(Vec<(TestIndex, Unstable)>),
    /// The verdict on a mutant.
    Verdict(usize, Verdict),
}

/// Verdicts that are kept.
#[derive(Debug)]
pub(crate) struct Journal {
    lines: Lines,
    pub(crate) unstable: Option<Leavings>,
    /// By the numbers of their mutants.
    pub(crate) verdicts: BTreeMap<usize, Verdict>,
}

impl Journal {
    /// Opens the journal; begins it anew if it is about something else.
    pub(crate) fn open(path: &Path, about: &str) -> io::Result<Self> {
        let (lines, known) = Lines::open(path, about)?;
        let mut journal = Journal { lines, unstable: None, verdicts: BTreeMap::new() };
        known.into_iter().for_each(|line| journal.learn(line));
        Ok(journal)
    }

    fn learn(&mut self, line: Line) {
        match line {
            Line::Unstable(tests) => self.unstable = Some(tests.into_iter().collect()),
            Line::Verdict(number, verdict) => {
                self.verdicts.insert(number, verdict);
            }
        }
    }

    pub(crate) fn note_unstable(&mut self, left_out: &Leavings) -> io::Result<()> {
        let tests = left_out.iter().map(|(&test, &why)| (test, why)).collect();
        self.lines.note(&[Line::Unstable(tests)])?;
        self.unstable = Some(left_out.clone());
        Ok(())
    }

    pub(crate) fn note(&mut self, verdicts: Vec<(usize, Verdict)>) -> io::Result<()> {
        let lines: Vec<Line> =
            verdicts.iter().map(|(number, verdict)| Line::Verdict(*number, verdict.clone())).collect();
        self.lines.note(&lines)?;
        self.verdicts.extend(verdicts);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyorder_inject::Fate;
    use std::fs;

    fn verdict() -> Verdict {
        Verdict { fate: Fate::Equivalent, orders: 3, changed_tree: false, not_looked_into: vec![] }
    }

    #[test]
    fn what_was_noted_is_known_again_but_for_a_line_that_was_cut_off() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("journal");
        let mut journal = Journal::open(&path, "this").unwrap();
        journal.note_unstable(&[(TestIndex(3), Unstable::NotPassing)].into()).unwrap();
        journal.note(vec![(7, verdict())]).unwrap();
        drop(journal);
        let mut bytes = fs::read(&path).unwrap();
        bytes.extend(b"{\"verdict\":[8,");
        fs::write(&path, bytes).unwrap();
        let mut again = Journal::open(&path, "this").unwrap();
        assert_eq!(again.verdicts.keys().copied().collect::<Vec<_>>(), [7]);
        assert_eq!(again.unstable.as_ref().unwrap().len(), 1);
        again.note(vec![(8, verdict())]).unwrap();
        assert_eq!(Journal::open(&path, "this").unwrap().verdicts.len(), 2);
    }

    #[test]
    fn what_is_about_something_else_is_begun_anew() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("journal");
        Journal::open(&path, "this").unwrap().note(vec![(7, verdict())]).unwrap();
        assert!(Journal::open(&path, "that").unwrap().verdicts.is_empty());
        assert!(Journal::open(&path, "this").unwrap().verdicts.is_empty());
    }
}

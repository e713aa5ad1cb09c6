//! A test that is run from one state several times, each time with other cells put back or changed first.

use serde::{Deserialize, Serialize};

use crate::{About, Cell, Order, Perturbation, Place, Signature, Snippet, Step, TestIndex};

/// Run `prefix` from the fresh state; then, from the state that it leaves right before `test`, the test once for each
/// remedy, in a process of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Treatment {
    /// Tells identical questions apart.
    pub repetition: u32,
    /// What leaves the state.
    pub prefix: Order,
    /// What is run from it.
    pub test: TestIndex,
    /// What is put back or changed before the test, once each.
    pub remedies: Vec<Remedy>,
    /// Whether to tell what differs right before the test.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub looks: bool,
    /// Whether to tell which cells could be changed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub places: bool,
    /// Also tell lines, and what the test prints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<Lines>,
    /// Paths of cells that somebody will write code about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub about: Vec<String>,
}

/// Which lines are asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lines {
    /// Paths of cells: where the prefix writes them.
    pub written: Vec<String>,
    /// Names: where the test loads them.
    pub read: Vec<String>,
}

impl Treatment {
    /// A test behind `prefix`, with these remedies, and what differs before it.
    pub fn new(prefix: Order, test: TestIndex, remedies: Vec<Remedy>) -> Self {
        Treatment {
            repetition: 0,
            prefix,
            test,
            remedies,
            looks: true,
            places: false,
            lines: None,
            about: vec![],
        }
    }

    /// All that runs, for each remedy.
    pub fn order(&self) -> Order {
        self.prefix.tests().iter().copied().chain([self.test]).collect()
    }
}

/// What is put back as it was in the fresh state, cells by their paths; or what is changed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Remedy {
    /// These cells and no others; nothing at all if there are none.
    Only(Vec<String>),
    /// All cells that differ but these.
    AllBut(Vec<String>),
    /// Nothing is put back, and a cell is changed.
    Perturb(Perturbation),
    /// Nothing is put back, and code is run; where it raises, the test is not reached.
    Run(Snippet),
}

impl Remedy {
    /// Nothing is put back.
    pub const PLACEBO: Remedy = Remedy::Only(vec![]);
    /// Everything is put back.
    pub const EVERYTHING: Remedy = Remedy::AllBut(vec![]);
}

/// What became of a [`Treatment`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TreatmentRecord {
    /// How many objects were looked at.
    pub seen: u64,
    /// What differs from the fresh state right before the test, empty if nobody asked; nothing if it did not come to that.
    pub differing: Option<Vec<Suspect>>,
    /// The error in the part of the prefix's last tear-down that had to wait until the test was known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late: Option<Signature>,
    /// One for each remedy, in the order asked; none if it did not come to that.
    pub treated: Vec<Treated>,
    /// Where the prefix wrote the cells that were asked for: the last change of each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub written: Vec<Written>,
    /// The cells that could be changed, if that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<Place>,
    /// What there is to know about the cells that were asked about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub about: Vec<About>,
    /// How long all of it took.
    pub seconds: f64,
}

/// A cell that differs right before a test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suspect {
    /// The cell, by the first of its paths.
    pub cell: Cell,
    /// Other paths of the same place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
}

impl Suspect {
    /// The places behind these cells: those that share a place are one suspect.
    pub fn all(cells: Vec<Cell>) -> Vec<Suspect> {
        let mut suspects: Vec<Suspect> = Vec::with_capacity(cells.len());
        let mut known = std::collections::BTreeMap::new();
        for cell in cells {
            if let Some(&at) = known.get(&cell.place).filter(|_| !cell.place.is_empty()) {
                let suspect: &mut Suspect = &mut suspects[at];
                suspect.aliases.push(cell.path);
            } else {
                known.insert(cell.place.clone(), suspects.len());
                suspects.push(Suspect { cell, aliases: vec![] });
            }
        }
        suspects
    }

    /// All of its paths.
    pub fn paths(&self) -> impl Iterator<Item = &String> {
        std::iter::once(&self.cell.path).chain(&self.aliases)
    }
}

/// One run of the test, behind a remedy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Treated {
    /// How it ended.
    pub step: Step,
    /// The cells that could not be put back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<NotRestored>,
    /// What a changed cell held, cut short.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Where it loaded the names that were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<Read>,
}

/// A cell that cannot be put back.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct NotRestored {
    /// Its path.
    pub path: String,
    /// Why, in words.
    pub why: String,
}

/// A line after which a cell had changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// The cell.
    pub path: String,
    /// The line itself.
    #[serde(flatten)]
    pub at: CodeLine,
    /// What was there before this line, cut short.
    #[serde(default)]
    pub before: String,
    /// What was there after it, cut short.
    #[serde(default)]
    pub after: String,
    /// Who called, innermost first: frames of the project only.
    #[serde(default)]
    pub stack: Vec<CodeLine>,
}

/// A line that loads a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Read {
    /// The name.
    pub name: String,
    /// The line itself.
    #[serde(flatten)]
    pub at: CodeLine,
}

/// A line of code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeLine {
    /// Its file, relative to the suite's root where it is below that.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// The function that it stands in.
    #[serde(default)]
    pub function: String,
}

impl CodeLine {
    /// `file:line`.
    pub fn place(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CellKind;

    #[test]
    fn cells_of_one_place_are_one_suspect_and_unknown_places_are_all_different() {
        let cell = |path: &str, place: &str| Cell {
            path: path.to_owned(),
            kind: CellKind::Global,
            before: String::new(),
            after: String::new(),
            names: vec![],
            key: String::new(),
            place: place.to_owned(),
        };
        let suspects = Suspect::all(vec![cell("a", "1"), cell("b", ""), cell("c", "1"), cell("d", "")]);
        let paths: Vec<Vec<&String>> = suspects.iter().map(|suspect| suspect.paths().collect()).collect();
        assert_eq!(paths, [vec!["a", "c"], vec!["b"], vec!["d"]]);
    }
}

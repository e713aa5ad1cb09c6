//! How well a detector finds what mutants have made order-dependent. Each mutant's tree is shown to it at the project's own
//! path; what it says is a report in our JSON.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;
use std::time::Instant;

use anyorder_engine::{EngineError, Errand, FileChange, Scratch, Settings};
use anyorder_inject::Mutant;
use anyorder_model::Suite;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::failure::Failure;
use crate::project::Project;

/// What a detector has come to. Counts are of pairs of a mutant and a test.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Score {
    /// Its name, or its command line.
    pub(crate) detector: String,
    /// Mutants that it ran on.
    pub(crate) mutants: usize,
    /// Tests that are known to depend on order.
    pub(crate) known: usize,
    /// Those of them that it names.
    pub(crate) found: usize,
    /// Mutants of which it names at least one test that is known.
    pub(crate) mutants_found: usize,
    /// Mutants for which it gave no report.
    pub(crate) without_report: usize,
    /// How long it took.
    pub(crate) wall_s: f64,
    /// What it took, by its own account.
    pub(crate) cpu_s: f64,
    /// Known tests that it does not name, each behind its mutant.
    pub(crate) missed: Vec<(String, String)>,
    /// Others that it names.
    pub(crate) beyond: Vec<(String, String)>,
}

impl Score {
    /// The share of known tests that it names, in percent.
    pub(crate) fn recall(&self) -> f64 {
        percent(self.found, self.known)
    }

    /// The share of known tests among those that it names, in percent.
    pub(crate) fn precision(&self) -> f64 {
        percent(self.found, self.found + self.beyond.len())
    }

    /// Adds what it said of one mutant.
    pub(crate) fn note(&mut self, mutant: &Mutant, known: &BTreeSet<String>, look: &Look) {
        let pair = |test: &String| (mutant.id(), test.clone());
        let named = look.named.clone().unwrap_or_default();
        let found = known.intersection(&named).count();
        self.mutants += 1;
        self.known += known.len();
        self.found += found;
        self.mutants_found += usize::from(found > 0);
        self.without_report += usize::from(look.named.is_none());
        self.wall_s += look.wall_s;
        self.cpu_s += look.cpu_s;
        self.missed.extend(known.difference(&named).map(pair));
        self.beyond.extend(named.difference(known).map(pair));
    }
}

fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { (part as f64 * 1000.0 / whole as f64).round() / 10.0 }
}

/// What a detector has said of one mutant.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Look {
    /// The tests that depend on order, it says; nothing if it gave no report.
    pub(crate) named: Option<BTreeSet<String>>,
    pub(super) wall_s: f64,
    pub(super) cpu_s: f64,
}

/// Names the files with the changed tests, one per line, to a detector that is to look at nothing else.
const FILES: &str = "ANYORDER_FILES";

/// Has a command line look at one mutant, and at these files only if there are any.
pub(crate) fn look(
    project: &Project,
    suite: &Suite,
    detector: &str,
    mutant: &Mutant,
    files: &[String],
) -> Result<Look, Failure> {
    let begun = Instant::now();
    let scratch = Scratch::new().map_err(EngineError::Scratch)?;
    let path = project.directory.join(&suite.root).join(&mutant.file);
    let change = FileChange { path, contents: Some(mutant.after.clone()) };
    let settings = Settings { changes: vec![change], ..project.settings.clone() };
    let errand = Errand::new(&project.directory, &settings, &scratch, &[])?;
    let said = scratch.path().join("said.json");
    let mut command = Command::new("sh");
    command.current_dir(&project.directory).args(["-c", "eval \"$1\" > \"$2\"", "sh", detector]).arg(&said);
    command.env(FILES, files.join("\n"));
    errand.run(command, None, |_| {})?;
    let report = fs::read(said).ok().and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
    let cpu_s = report.as_ref().and_then(|report| report["cost"]["cpu_s"].as_f64()).unwrap_or_default();
    Ok(Look { named: report.as_ref().map(order_dependent), wall_s: begun.elapsed().as_secs_f64(), cpu_s })
}

/// The tests that a report calls victims, brittle or non-idempotent; in that of a sweep, those that differ each time.
fn order_dependent(report: &Value) -> BTreeSet<String> {
    let list = |name: &str| report[name].as_array().into_iter().flatten();
    let is_one = |finding: &&Value| {
        ["victim", "brittle", "non-idempotent"].iter().any(|kind| finding["kind"] == *kind)
    };
    let differing = list("differs").filter(|differs| differs["repeats"] != false);
    let named = list("findings").filter(is_one).chain(differing);
    named.filter_map(|finding| finding["test"].as_str()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_what_order_decides_counts() {
        let report = json!({"findings": [
            {"kind": "victim", "test": "a"},
            {"kind": "non-deterministic", "test": "b"},
            {"kind": "brittle", "test": "c"},
        ]});
        assert_eq!(order_dependent(&report), ["a", "c"].map(str::to_owned).into());
        assert!(order_dependent(&json!([])).is_empty());
    }

    #[test]
    fn of_a_sweep_what_differs_each_time_counts() {
        let report = json!({"differs": [{"test": "a", "repeats": true}, {"test": "b", "repeats": false}]});
        assert_eq!(order_dependent(&report), ["a".to_owned()].into());
    }

    #[test]
    fn recall_and_precision_are_shares_of_tests() {
        let beyond = vec![("m00001".to_owned(), "test_a".to_owned())];
        let score = Score { known: 4, found: 3, beyond, ..Score::default() };
        assert!((score.recall() - 75.0).abs() < 0.01 && (score.precision() - 75.0).abs() < 0.01);
        assert!(Score::default().recall().abs() < 0.01);
    }
}

//! How well a detector finds what mutants have made order-dependent. Each mutant's tree is shown to it at the project's own
//! path; what it says is a report in our JSON.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;
use std::time::Instant;

use anyorder_engine::{EngineError, Errand, FileChange, Scratch, Settings};
use anyorder_inject::{Flaky, Mutant};
use anyorder_model::Suite;
use serde::Serialize;
use serde_json::Value;

use crate::failure::Failure;
use crate::project::Project;

/// What a detector has come to. Counts are of pairs of a mutant and a test.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Score {
    /// The command line.
    pub(crate) detector: String,
    /// Mutants that it ran on.
    pub(crate) mutants: usize,
    /// Tests that are known to depend on order.
    pub(crate) known: usize,
    /// Those of them that it names.
    pub(crate) found: usize,
    /// Others that it names.
    pub(crate) beyond: usize,
    /// Mutants of which it names at least one test that is known.
    pub(crate) mutants_found: usize,
    /// Mutants for which it gave no report.
    pub(crate) without_report: usize,
    /// What it took.
    pub(crate) wall_s: f64,
}

impl Score {
    /// The share of known tests that it names, in percent.
    pub(crate) fn recall(&self) -> f64 {
        percent(self.found, self.known)
    }

    /// The share of known tests among those that it names, in percent.
    pub(crate) fn precision(&self) -> f64 {
        percent(self.found, self.found + self.beyond)
    }
}

fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { (part as f64 * 1000.0 / whole as f64).round() / 10.0 }
}

/// Runs a command on each mutant; `tick` hears how many are done.
pub(crate) fn score(
    project: &Project,
    suite: &Suite,
    detector: &str,
    mutants: &[(&Mutant, &[Flaky])],
    mut tick: impl FnMut(usize),
) -> Result<Score, Failure> {
    let begun = Instant::now();
    let mut score = Score { detector: detector.to_owned(), mutants: mutants.len(), ..Score::default() };
    for (at, (mutant, flaky)) in mutants.iter().enumerate() {
        tick(at);
        let known: BTreeSet<&str> = flaky.iter().map(|flaky| suite.id(flaky.test).0.as_str()).collect();
        let named = report(project, suite, detector, mutant)?;
        let named = named.as_ref().map(order_dependent);
        score.without_report += usize::from(named.is_none());
        let named = named.unwrap_or_default();
        let found = known.iter().filter(|test| named.contains(**test)).count();
        score.known += known.len();
        score.found += found;
        score.beyond += named.len() - found;
        score.mutants_found += usize::from(found > 0);
    }
    score.wall_s = begun.elapsed().as_secs_f64();
    Ok(score)
}

/// What the detector says of one mutant, if that is JSON.
fn report(
    project: &Project,
    suite: &Suite,
    detector: &str,
    mutant: &Mutant,
) -> Result<Option<Value>, Failure> {
    let scratch = Scratch::new().map_err(EngineError::Scratch)?;
    let path = project.directory.join(&suite.root).join(&mutant.file);
    let change = FileChange { path, contents: Some(mutant.after.clone()) };
    let settings = Settings { changes: vec![change], ..project.settings.clone() };
    let errand = Errand::new(&project.directory, &settings, &scratch, &[])?;
    let said = scratch.path().join("said.json");
    let mut command = Command::new("sh");
    command.current_dir(&project.directory).args(["-c", "eval \"$1\" > \"$2\"", "sh", detector]).arg(&said);
    errand.run(command, None, |_| {})?;
    Ok(fs::read(said).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()))
}

/// The tests that a report calls victims, brittle or non-idempotent.
fn order_dependent(report: &Value) -> BTreeSet<String> {
    let findings = report["findings"].as_array().into_iter().flatten();
    let is_one = |finding: &&Value| {
        ["victim", "brittle", "non-idempotent"].iter().any(|kind| finding["kind"] == *kind)
    };
    findings.filter(is_one).filter_map(|finding| finding["test"].as_str()).map(str::to_owned).collect()
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
    fn recall_and_precision_are_shares_of_tests() {
        let score = Score { known: 4, found: 3, beyond: 1, ..Score::default() };
        assert!((score.recall() - 75.0).abs() < 0.01 && (score.precision() - 75.0).abs() < 0.01);
        assert!(Score::default().recall().abs() < 0.01);
    }
}

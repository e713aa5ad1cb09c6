//! Data sets as files, and what is said about them.

use std::path::Path;
use std::{fs, io};

use anyorder_inject::{DataFile, Injection};
use anyorder_model::Cost;

use super::Score;

/// Writes a data set, and takes away the diffs of one that was there before.
pub(crate) fn write_all(out: &Path, files: &[DataFile]) -> io::Result<()> {
    let diffs = out.join("mutants");
    if diffs.exists() {
        fs::remove_dir_all(&diffs)?;
    }
    fs::create_dir_all(&diffs)?;
    files.iter().try_for_each(|(path, bytes)| fs::write(out.join(path), bytes))
}

pub(crate) fn summary(injection: &Injection<'_>, out: &Path) -> String {
    let metrics = injection.metrics();
    let fates: Vec<String> = metrics.fates.iter().map(|(name, count)| format!("{count} {name}")).collect();
    format!(
        "{} mutants of {} stable tests: {}\n{} % of the valid ones are order-dependent; {}\n",
        metrics.mutants,
        metrics.stable_tests,
        fates.join(", "),
        metrics.od_mutants_of_valid,
        out.display()
    )
}

pub(crate) fn scored(score: &Score) -> String {
    let Score { mutants, known, found, mutants_found, without_report, wall_s, .. } = score;
    let lost = match without_report {
        0 => String::new(),
        number => format!("; no report for {number}"),
    };
    format!(
        "recall {} % ({found} of {known} tests; {mutants_found} of {mutants} mutants), precision {} %, {:.1} s each{lost}\n",
        score.recall(),
        score.precision(),
        wall_s / (*mutants).max(1) as f64
    )
}

pub(crate) fn cost_json(cost: Cost, mutants: usize) -> String {
    let mut value = serde_json::to_value(cost).unwrap_or_default();
    value["mutants"] = mutants.into();
    value.to_string()
}

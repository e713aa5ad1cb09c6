//! Data sets as files, and what is said about them.

use std::path::{Path, PathBuf};
use std::{fs, io};

use anyorder_inject::{DataFile, Injection};
use anyorder_model::Cost;

use super::{OUT_HINT, Score, Spent, WORK};
use crate::failure::Failure;

/// Verdicts as they are reached.
const JOURNAL: &str = "journal.jsonl";

/// Makes the directory of a data set, or takes one that holds nothing else.
pub(crate) fn take(out: &Path) -> Result<PathBuf, Failure> {
    let work = out.join(WORK);
    let mut entries = fs::read_dir(out).into_iter().flatten();
    if !work.join(JOURNAL).is_file() && entries.next().is_some() {
        let what = format!("`{}` holds files that are no data set", out.display());
        return Err(Failure::usage(what, "name a new or an empty directory with `--out`"));
    }
    fs::create_dir_all(&work).map_err(|error| Failure::unwritable(&work, &error, OUT_HINT))?;
    Ok(work.join(JOURNAL))
}

/// Writes the data set; diffs of an earlier one go.
pub(crate) fn write_all(out: &Path, files: &[DataFile]) -> io::Result<()> {
    let diffs = out.join("mutants");
    fs::create_dir_all(&diffs)?;
    for entry in fs::read_dir(&diffs)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "diff") {
            fs::remove_file(path)?;
        }
    }
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
    let Score { detector, mutants, known, found, mutants_found, without_report, wall_s, cpu_s, .. } = score;
    let lost = match without_report {
        0 => String::new(),
        number => format!("; no report for {number}"),
    };
    let each = |seconds: f64| seconds / (*mutants).max(1) as f64;
    format!(
        "{detector}: recall {} % ({found} of {known} tests; {mutants_found} of {mutants} mutants), precision {} %, {:.1} s of CPU and {:.1} s each{lost}\n",
        score.recall(),
        score.precision(),
        each(*cpu_s),
        each(*wall_s)
    )
}

pub(crate) fn cost_json(cost: Cost, mutants: usize, spent: Spent) -> String {
    let mut value = serde_json::to_value(cost).unwrap_or_default();
    value["mutants"] = mutants.into();
    value["spent"] = serde_json::to_value(spent).unwrap_or_default();
    value.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_with_other_files_is_not_taken() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("README.md"), "mine").unwrap();
        assert!(take(home.path()).is_err());
        assert!(!home.path().join(WORK).exists());
        let out = home.path().join("new/data");
        fs::write(take(&out).unwrap(), "").unwrap();
        fs::write(out.join("README.md"), "of a data set").unwrap();
        assert!(take(&out).is_ok());
    }

    #[test]
    fn only_diffs_of_an_earlier_data_set_go() {
        let home = tempfile::tempdir().unwrap();
        let mutants = home.path().join("mutants");
        fs::create_dir(&mutants).unwrap();
        ["m00001.diff", "notes.txt"].iter().for_each(|name| fs::write(mutants.join(name), "").unwrap());
        write_all(home.path(), &[]).unwrap();
        let left: Vec<_> = fs::read_dir(&mutants).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["notes.txt"]);
    }
}

//! `check` along the history of repositories: how much each way to select looks at and costs, and whether anything is lost.
//!
//! A repository has its environment in `.venv`; one of Maven is looked at in `checked_java.rs`. The commits are the last ones of the
//! main line that touch Python code; each is compared with its parent, whose profiles are known. First all of them are asked what
//! is selected; what that costs and loses is looked at in `sampled.rs`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, iter};

use anyorder_testkit::binary::{Profile, anyorder};
use anyorder_testkit::spent::spend;
use serde_json::{Value, json};

use crate::checked_java;
use crate::history::History;
use crate::sampled::sample;
use crate::variants::{ASKED, SELDOM, Seen};

/// Every so many commits all variants run, and the whole hunt.
const SAMPLED: usize = 10;

/// Goes along these repositories; prints a table for each. Whether little enough is selected, and nothing lost. Without samples,
/// tests run only to be profiled.
pub(crate) fn checked(directories: &[&str], has_samples: bool) -> bool {
    let binary = anyorder(Profile::Release);
    let are_good: Vec<bool> = directories
        .iter()
        .map(|directory| {
            let repository = Path::new(directory).canonicalize().expect("the repository is there");
            if repository.join("pom.xml").exists() {
                checked_java::checked(&binary, &repository, has_samples)
            } else {
                Project::new(&binary, &repository).go_along(has_samples)
            }
        })
        .collect();
    !are_good.is_empty() && are_good.into_iter().all(|is_good| is_good)
}

/// A clone, and the environment of the repository that it comes from.
pub(crate) struct Project<'a> {
    binary: &'a Path,
    pub(crate) python: PathBuf,
    pub(crate) history: History,
}

impl<'a> Project<'a> {
    fn new(binary: &'a Path, repository: &Path) -> Self {
        Project { binary, python: repository.join(".venv/bin/python"), history: History::of(repository) }
    }

    fn go_along(&self, has_samples: bool) -> bool {
        println!("{}", self.history.name);
        let commits = self.history.commits("*.py");
        let mut seen = Seen::default();
        let mut unusable = 0;
        let before = iter::once(None).chain(commits.iter().map(|commit| Some(commit.as_str())));
        for ((number, now), last) in commits.iter().enumerate().zip(before) {
            let is_sampled = number % SAMPLED == SAMPLED / 2;
            let answers = self.selected(now, last, is_sampled);
            unusable += usize::from(answers.is_none());
            let shares = answers.map(|answers| seen.note_selected(&answers)).unwrap_or_default();
            let told = |share: &Option<f64>| {
                share.map_or("  -".to_owned(), |share| format!("{:>3.0}", 100.0 * share))
            };
            let shares: Vec<String> = shares.iter().map(told).collect();
            println!("    {} {} % selected", &now[..10], shares.join(" "));
        }
        for now in commits.iter().skip(SAMPLED / 2).step_by(SAMPLED).filter(|_| has_samples) {
            let sample = self.answers(now, true).and_then(|answers| sample(self, now, &answers));
            sample.iter().for_each(|sample| seen.note_sample(sample));
        }
        println!(
            "{}: {} commits, {unusable} of them could not be collected; hunts took {:.0?} s of CPU",
            self.history.name,
            commits.len(),
            seen.hunts
        );
        seen.print()
    }

    /// What those variants select at a commit that are asked; nothing if its suite cannot be collected with the packages that are
    /// installed. Profiles of `last` may be known.
    fn selected(&self, now: &str, last: Option<&str>, is_sampled: bool) -> Option<Vec<Value>> {
        if self.history.noted(now, "unusable").is_some() {
            return None;
        }
        if let Some(answers) = self.answers(now, is_sampled) {
            return Some(answers);
        }
        let before = self.history.parent(now);
        self.history.check_out(&before);
        let look = |last| self.ask(&["check", "--dry-run", "--exact", "--since", last]);
        let is_known = last == Some(&before)
            || last.is_some_and(|last| look(last).is_some())
            || self.ask(&["profile"]).is_some();
        if is_sampled && is_known {
            self.keep_store(now);
        }
        self.history.check_out(now);
        for variant in asked(is_sampled).iter().filter(|_| is_known) {
            let (select, rts) = *variant;
            let mut words = vec!["check", "--dry-run", "--since", &before, "--select", select, "--rts", rts];
            words.extend((Some(variant) == ASKED.last()).then_some("--exact"));
            let (cpu_s, report) = self.ask(&words).unwrap_or_default();
            let seen = json!({"cpu_s": cpu_s, "suite": report["suite"], "selection": report["selection"]});
            if !report.is_null() {
                self.history.note(now, &format!("{select}-{rts}"), &seen);
            }
        }
        let answers = self.answers(now, is_sampled);
        if answers.is_none() {
            self.history.note(now, "unusable", &json!(true));
        }
        answers
    }

    /// What was noted of a commit, if all was.
    fn answers(&self, now: &str, is_sampled: bool) -> Option<Vec<Value>> {
        let noted = |(select, rts): &(&str, &str)| self.history.noted(now, &format!("{select}-{rts}"));
        asked(is_sampled).iter().map(noted).collect()
    }

    /// Seconds of CPU, and the report; nothing if there is none, because the suite cannot be collected.
    pub(crate) fn ask(&self, words: &[&str]) -> Option<(f64, Value)> {
        let file = self.history.home.join("report.json");
        let _ = fs::remove_file(&file);
        let mut command = Command::new(self.binary);
        command.args(words).arg("--trust-forks").arg("--directory").arg(self.history.tree());
        command.arg("--python").arg(&self.python).arg("--json").arg(&file);
        let places = [self.history.tree().join("src"), self.history.tree()];
        command.env("PYTHONPATH", places.map(|path| path.display().to_string()).join(":"));
        let spent = spend(&mut command);
        let report = fs::read_to_string(&file).ok().and_then(|text| serde_json::from_str(&text).ok());
        if report.is_none() {
            println!("{words:?} has no report; it said:\n{}", String::from_utf8_lossy(&spent.output.stderr));
        }
        report.map(|report| (spent.cpu_s, report))
    }

    /// Keeps what is known before a commit, for the time when it is sampled.
    fn keep_store(&self, now: &str) {
        let kept = self.history.home.join(format!("{}.store", &now[..10]));
        let _ = fs::remove_dir_all(&kept);
        copy(&self.store(), &kept);
    }

    /// Goes back to what was known before a commit; nothing if `now` is none.
    pub(crate) fn put_store_back(&self, now: Option<&str>) {
        let _ = fs::remove_dir_all(self.store());
        if let Some(now) = now {
            copy(&self.history.home.join(format!("{}.store", &now[..10])), &self.store());
        }
    }

    fn store(&self) -> PathBuf {
        self.history.tree().join(".anyorder")
    }
}

/// The variants that are asked what they select.
fn asked(is_sampled: bool) -> &'static [(&'static str, &'static str)] {
    if is_sampled { &ASKED } else { &ASKED[SELDOM..] }
}

fn copy(from: &Path, to: &Path) {
    let mut copy = Command::new("cp");
    copy.arg("-r").arg(from).arg(to);
    assert!(copy.status().is_ok_and(|status| status.success()), "{copy:?} fails");
}

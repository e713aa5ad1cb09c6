//! `check` along the history of a Maven project, where the published rule is ours: how much it selects, and what it costs.
//!
//! Each commit is compared with its parent, which was looked at before, so that its class files are known. Sampled commits are also
//! checked as a whole, and hunted.

use std::path::Path;
use std::process::Command;
use std::{fs, iter};

use anyorder_testkit::spent::spend;
use serde_json::{Value, json};

use crate::history::History;
use crate::hunts::list;
use crate::variants::{Selection, mean};

/// Every so many commits the tests run, too.
const SAMPLED: usize = 10;

/// Goes along; prints a table. Whether any commit could be looked at.
pub(crate) fn checked(binary: &Path, repository: &Path, has_samples: bool) -> bool {
    let project = Project { binary, history: History::of(repository) };
    println!("{}", project.history.name);
    let (mut affected, mut selected, mut times) = (Vec::new(), Vec::new(), Vec::new());
    let commits = project.history.commits("*.java");
    let before = iter::once(None).chain(commits.iter().map(|commit| Some(commit.as_str())));
    for ((number, now), last) in commits.iter().enumerate().zip(before) {
        let Some(selection) = project.selected(now, last) else {
            println!("    {} cannot be built here", &now[..10]);
            continue;
        };
        let share = selection["affected"].as_f64().zip(selection["selected"].as_f64());
        let (one, other) = share.expect("both are noted");
        println!("    {} {:>3.0} {:>3.0} % selected", &now[..10], 100.0 * one, 100.0 * other);
        affected.push(one);
        selected.push(other);
        if has_samples && number % SAMPLED == SAMPLED / 2 {
            times.extend(project.share_of_hunt(now));
        }
    }
    println!("{}: {} commits, {} could be built", project.history.name, commits.len(), selected.len());
    for (rule, shares) in [("affected", &affected), ("class", &selected)] {
        println!("    {rule:10} {:>5.1} % of the tests selected", 100.0 * mean(shares));
    }
    let times: Vec<String> = times.iter().map(|share| format!("{:.1} %", 100.0 * share)).collect();
    println!("    CPU of a check by the class rule, of a hunt's: {}", times.join(", "));
    println!("    the publication: 65.4 % of the tests, 68.4 % of the time");
    !selected.is_empty()
}

struct Project<'a> {
    binary: &'a Path,
    history: History,
}

impl Project<'_> {
    /// The shares of the tests that are affected, and selected; nothing if the project cannot be built. Classes of `last` may be
    /// known.
    fn selected(&self, now: &str, last: Option<&str>) -> Option<Value> {
        if let Some(known) = self.history.noted(now, "class") {
            return Some(known).filter(|known| !known.is_null());
        }
        let before = self.history.parent(now);
        if last != Some(&before) {
            self.history.check_out(&before);
            self.look("HEAD");
        }
        self.history.check_out(now);
        let Some(selection) = self.look(&before) else {
            self.history.note(now, "class", &Value::Null);
            return None;
        };
        let share = |number: usize| number as f64 * selection.share() / selection.all.len().max(1) as f64;
        let seen = json!({"affected": share(selection.affected.len()), "selected": selection.share()});
        self.history.note(now, "class", &seen);
        Some(seen)
    }

    /// What is selected; the classes are kept.
    fn look(&self, since: &str) -> Option<Selection> {
        let words = ["check", "--dry-run", "--exact", "--since", since, "--select", "class"];
        self.ask(&words).map(|(_, report)| Selection::new(&report))
    }

    /// Seconds of CPU of a check, as a share of a hunt's.
    fn share_of_hunt(&self, now: &str) -> Option<f64> {
        if let Some(known) = self.history.noted(now, "sample") {
            return known.as_f64();
        }
        let since = self.history.parent(now);
        self.history.check_out(now);
        let (hunt, report) = self.ask(&["hunt", "--no-explain"])?;
        let words = ["check", "--no-explain", "--since", &since, "--select", "class", "--rounds", "10"];
        let (check, _) = self.ask(&words)?;
        println!("    {hunt:.0} s of a hunt, with {} findings", list(&report, "findings").count());
        self.history.note(now, "sample", &json!(check / hunt));
        Some(check / hunt)
    }

    /// Seconds of CPU, and the report; nothing if there is none, because the project cannot be built.
    fn ask(&self, words: &[&str]) -> Option<(f64, Value)> {
        let file = self.history.home.join("report.json");
        let _ = fs::remove_file(&file);
        let mut command = Command::new(self.binary);
        command.args(words).arg("--trust-forks").arg("--directory").arg(self.history.tree());
        let spent = spend(command.arg("--json").arg(&file));
        let report = serde_json::from_str(&fs::read_to_string(&file).ok()?).ok()?;
        Some((spent.cpu_s, report))
    }
}

//! `check` along the history of a Maven project, where the published rule is ours: how much it selects, and what it costs.
//!
//! Each commit is compared with its parent, which was checked before, so that its class files are known. Sampled commits are also
//! checked as a whole, and hunted.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyorder_testkit::spent::spend;
use serde_json::Value;

use crate::history::History;
use crate::hunts::list;
use crate::variants::{Selection, mean};

/// Every so many commits the tests run, too.
const SAMPLED: usize = 10;
/// What is selected: those that may load what changed, and those that share state with them.
const RULES: [&str; 2] = ["affected", "class"];

/// Goes along; prints a table. Whether any commit could be looked at.
pub(crate) fn checked(binary: &Path, repository: &Path) -> bool {
    let project = Project { binary, history: History::of(repository) };
    let mut shares: [Vec<f64>; RULES.len()] = Default::default();
    let (mut times, mut unusable) = (Vec::new(), 0);
    let commits = project.history.commits("*.java");
    for (number, now) in commits.iter().enumerate() {
        let before = project.history.parent(now);
        project.history.check_out(&before);
        // Nothing is selected, and the classes are kept.
        let is_built = project.ask(&["check", "--no-explain", "--since", "HEAD"]).is_some();
        project.history.check_out(now);
        let seen: Option<Vec<f64>> =
            is_built.then(|| RULES.iter().map(|rule| project.selected(&before, rule)).collect()).flatten();
        let Some(seen) = seen else {
            unusable += 1;
            continue;
        };
        let told: Vec<String> = seen.iter().map(|share| format!("{:.0}", 100.0 * share)).collect();
        println!("    {} {} % selected", &now[..10], told.join(" "));
        shares.iter_mut().zip(seen).for_each(|(shares, share)| shares.push(share));
        if number % SAMPLED == SAMPLED / 2 {
            times.extend(project.share_of_hunt(&before));
        }
    }
    println!("{}: {} commits, {unusable} of them cannot be built here", project.history.name, commits.len());
    for (rule, shares) in RULES.iter().zip(&shares) {
        println!("    {rule:10} {:>5.1} % of the tests selected", 100.0 * mean(shares));
    }
    let times: Vec<String> = times.iter().map(|share| format!("{:.1} %", 100.0 * share)).collect();
    println!("    CPU of a check by the class rule, of a hunt's: {}", times.join(", "));
    println!("    the publication: 65.4 % of the tests, 68.4 % of the time");
    !shares[0].is_empty()
}

struct Project<'a> {
    binary: &'a Path,
    history: History,
}

impl Project<'_> {
    /// The share of the tests that a rule selects.
    fn selected(&self, since: &str, rule: &str) -> Option<f64> {
        let words = ["check", "--since", since, "--select", rule, "--dry-run"];
        self.ask(&words).map(|(_, report)| Selection::new(&report).share(&report))
    }

    /// Seconds of CPU of a check, as a share of a hunt's.
    fn share_of_hunt(&self, since: &str) -> Option<f64> {
        let (hunt, report) = self.ask(&["hunt", "--no-explain"])?;
        let (check, _) = self.ask(&["check", "--no-explain", "--since", since, "--select", "class"])?;
        println!("    {hunt:.0} s of a hunt, with {} findings", list(&report, "findings").count());
        Some(check / hunt)
    }

    /// Seconds of CPU, and the report; nothing if there is none, because the project cannot be built.
    fn ask(&self, words: &[&str]) -> Option<(f64, Value)> {
        let file = self.history.home.path().join("report.json");
        let _ = fs::remove_file(&file);
        let mut command = Command::new(self.binary);
        command.args(words).arg("--trust-forks").arg("--directory").arg(self.history.tree());
        let spent = spend(command.arg("--json").arg(&file));
        let report = serde_json::from_str(&fs::read_to_string(&file).ok()?).ok()?;
        Some((spent.cpu_s, report))
    }
}

//! `check` along the history of repositories: how much each way to select looks at and costs, and whether anything is lost.
//!
//! A repository has its environment in `.venv`; one of Maven is looked at in `checked_java.rs`. The commits are the last ones of the main line that touch Python code; each is compared
//! with its parent, whose profiles are known. Sampled commits are hunted as a whole, every variant runs there, and so do pairs of
//! tests before and after.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyorder_engine::{Isolation, Settings};
use anyorder_model::{Order, Outcome, TestId, TestIndex};
use anyorder_testkit::binary::{Profile, anyorder};
use anyorder_testkit::engine;
use anyorder_testkit::spent::spend;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use crate::checked_java;
use crate::history::History;
use crate::hunts::list;
use crate::variants::{OURS, Seen, Selection, VARIANTS, partners};

/// How many orders of the selected tests run, as in the publication.
const ROUNDS: &str = "10";
/// Where only the selection counts: tests are profiled, and little else is done.
const BRIEFLY: [&str; 2] = ["--budget", "1m"];
/// Every so many commits all variants run, and the whole hunt.
const SAMPLED: usize = 10;
/// How many pairs of tests run before and after such a commit.
const PAIRS: usize = 600;

/// Goes along these repositories; prints a table for each. Whether little enough is selected, and nothing lost.
pub(crate) fn checked(directories: &[&str]) -> bool {
    let binary = anyorder(Profile::Release);
    let are_good: Vec<bool> = directories
        .iter()
        .map(|directory| {
            let repository = Path::new(directory).canonicalize().expect("the repository is there");
            if repository.join("pom.xml").exists() {
                checked_java::checked(&binary, &repository)
            } else {
                Project::new(&binary, &repository).go_along()
            }
        })
        .collect();
    !are_good.is_empty() && are_good.into_iter().all(|is_good| is_good)
}

/// A clone, and the environment of the repository that it comes from.
struct Project<'a> {
    binary: &'a Path,
    python: PathBuf,
    history: History,
}

impl<'a> Project<'a> {
    fn new(binary: &'a Path, repository: &Path) -> Self {
        Project { binary, python: repository.join(".venv/bin/python"), history: History::of(repository) }
    }

    fn go_along(&self) -> bool {
        let commits = self.history.commits("*.py");
        let mut seen = Seen::default();
        let mut last = String::new();
        for (number, now) in commits.iter().enumerate() {
            let before = self.history.parent(now);
            self.history.check_out(&before);
            let is_known = last == before || self.ask(&["profile"], "first").is_some();
            let is_sampled = number % SAMPLED == SAMPLED / 2;
            let is_done = is_known
                && if is_sampled {
                    self.sample(number, &before, now, &mut seen).is_some()
                } else {
                    self.history.check_out(now);
                    self.check_all(&before, None, &mut seen).is_some()
                };
            seen.unusable += usize::from(!is_done);
            last = if is_done { now.clone() } else { String::new() };
            let shares = seen.columns.iter().filter_map(|column| column.selected.last());
            let shares: Vec<String> = shares.map(|share| format!("{:.0}", 100.0 * share)).collect();
            println!(
                "    {} {} % selected",
                &now[..10],
                if is_done { shares.join(" ") } else { "-".to_owned() }
            );
        }
        println!(
            "{}: {} commits, {} of them could not be collected; hunts took {:.0?} s of CPU",
            self.history.name,
            commits.len(),
            seen.unusable,
            seen.hunts
        );
        seen.print()
    }

    /// One commit, with the whole hunt and some pairs before and after it.
    fn sample(&self, seed: usize, before: &str, now: &str, seen: &mut Seen) -> Option<()> {
        let pairs_before = self.pairs(seed, &BTreeSet::new());
        self.history.check_out(now);
        let hunted = self.hunt()?;
        let selection = self.check_all(before, Some(&hunted), seen)?;
        seen.hunts.push(hunted.0);
        for finding in list(&hunted.1, "findings").filter(|finding| selection.concerns(finding)) {
            seen.concerned += 1;
            seen.partners += partners(finding).count();
        }
        seen.lost.extend(self.lost(seed, &pairs_before, &selection.all));
        Some(())
    }

    /// Every variant; our selection. Without a hunt to compare with, the others only say what they would select.
    fn check_all(&self, before: &str, hunted: Option<&(f64, Value)>, seen: &mut Seen) -> Option<Selection> {
        let mut asked = Vec::new();
        for (at, (select, rts)) in VARIANTS.iter().enumerate() {
            let mut words = vec!["check", "--no-explain", "--rounds", ROUNDS];
            words.extend(["--since", before, "--select", select, "--rts", rts]);
            match (hunted, at) {
                (Some(_), _) => {}
                (None, OURS) => words.extend(BRIEFLY),
                (None, _) => words.push("--dry-run"),
            }
            let kept = (at != OURS).then(|| self.set_store_aside());
            let answer = self.ask(&words, "check");
            kept.iter().for_each(|kept| self.put_store_back(kept));
            asked.push(answer?);
        }
        let ours = Selection::new(&asked[OURS].1);
        for (column, (cpu_s, report)) in seen.columns.iter_mut().zip(&asked) {
            column.note(&ours, report, *cpu_s, hunted);
        }
        Some(ours)
    }

    fn hunt(&self) -> Option<(f64, Value)> {
        let kept = self.set_store_aside();
        fs::remove_dir_all(self.history.tree().join(".anyorder")).expect("it is there");
        let hunted = self.ask(&["hunt", "--no-explain"], "hunt");
        self.put_store_back(&kept);
        hunted
    }

    /// Seconds of CPU, and the report; nothing if there is none, because the suite cannot be collected.
    fn ask(&self, words: &[&str], name: &str) -> Option<(f64, Value)> {
        let file = self.history.home.path().join(format!("{name}.json"));
        let _ = fs::remove_file(&file);
        let mut command = Command::new(self.binary);
        command.args(words).arg("--trust-forks").arg("--directory").arg(self.history.tree());
        command.arg("--python").arg(&self.python).arg("--json").arg(&file);
        command.env(
            "PYTHONPATH",
            [self.history.tree().join("src"), self.history.tree()]
                .map(|path| path.display().to_string())
                .join(":"),
        );
        let spent = spend(&mut command);
        let report = fs::read_to_string(&file).ok().and_then(|text| serde_json::from_str(&text).ok());
        if report.is_none() {
            println!("{words:?} has no report; it said:\n{}", String::from_utf8_lossy(&spent.output.stderr));
        }
        report.map(|report| (spent.cpu_s, report))
    }

    fn set_store_aside(&self) -> PathBuf {
        let kept = self.history.home.path().join("kept");
        let mut copy = Command::new("cp");
        copy.arg("-r").arg(self.history.tree().join(".anyorder")).arg(&kept);
        assert!(copy.status().is_ok_and(|status| status.success()), "{copy:?} fails");
        kept
    }

    fn put_store_back(&self, kept: &Path) {
        fs::remove_dir_all(self.history.tree().join(".anyorder")).expect("it is there");
        fs::rename(kept, self.history.tree().join(".anyorder")).expect("it was just made");
    }

    /// How the second test of some pairs ends; the same pairs each time, as far as the tests are there.
    fn pairs(&self, seed: usize, wanted: &BTreeSet<(TestId, TestId)>) -> BTreeMap<(TestId, TestId), Outcome> {
        let settings = Settings { isolation: Some(Isolation::Fork), ..Settings::default() };
        let engine = engine::open(&self.python, &self.history.tree(), &["-o", "pythonpath=src ."], settings);
        let suite = engine.suite();
        let tests: Vec<TestIndex> = suite.indices().collect();
        let mut random = ChaCha8Rng::seed_from_u64(seed as u64);
        let chosen: Vec<(TestIndex, TestIndex)> = if wanted.is_empty() {
            (0..PAIRS).filter_map(|_| pair(&tests, &mut random)).collect()
        } else {
            let index = |id: &TestId| suite.index_of(id);
            wanted.iter().filter_map(|(first, second)| Some((index(first)?, index(second)?))).collect()
        };
        let orders = chosen.iter().map(|&(first, second)| vec![Order(vec![first, second])]).collect();
        let records = engine::run(&engine, orders);
        let ends = chosen.iter().zip(records).map(|(&(first, second), record)| {
            let outcome = record.steps.last().map_or(Outcome::NotReached, |step| step.outcome);
            ((suite.id(first).clone(), suite.id(second).clone()), outcome)
        });
        ends.collect()
    }

    /// Pairs that end otherwise than before the commit, although one of their tests is not selected.
    fn lost(
        &self,
        seed: usize,
        before: &BTreeMap<(TestId, TestId), Outcome>,
        selected: &BTreeSet<String>,
    ) -> Vec<String> {
        let wanted = before.keys().cloned().collect();
        let now = self.pairs(seed, &wanted);
        let is_lost = |(pair, outcome): &(&(TestId, TestId), &Outcome)| {
            before[*pair] != **outcome && ![&pair.0, &pair.1].iter().all(|id| selected.contains(&id.0))
        };
        let told = |(pair, outcome): (&(TestId, TestId), &Outcome)| {
            format!("{} after {}: {:?}, was {:?}", pair.1, pair.0, outcome, before[pair])
        };
        now.iter().filter(is_lost).map(told).collect()
    }
}

fn pair(tests: &[TestIndex], random: &mut impl Rng) -> Option<(TestIndex, TestIndex)> {
    let (first, second) = (*tests.choose(random)?, *tests.choose(random)?);
    (first != second).then_some((first, second))
}

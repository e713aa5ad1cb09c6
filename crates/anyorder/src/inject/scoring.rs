//! Has detectors look at order-dependent mutants: what there is to find, what each of them finds, and what that takes.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use anyorder_inject::{Flaky, InjectSettings, Judge, Leavings, Mutant};
use anyorder_model::{Suite, TestIndex};

use super::looks::Looks;
use super::score::{Look, Score, look};
use super::{EngineBench, OUT_HINT, Stop};
use crate::args::SuiteArgs;
use crate::failure::Failure;
use crate::project::Project;
use crate::shell;

/// What detectors are shown of a suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// The files with the changed tests.
    Files,
    /// All of it.
    Suite,
}

/// A detector that has a name of its own; what else is typed is a command line.
const HUNT: &str = "hunt";
const RANDOM: &str = "random";

pub(crate) struct Scoring<'a> {
    pub(crate) project: &'a Project,
    /// The suite as it would be typed in the project's own directory, where detectors run.
    pub(crate) typed: SuiteArgs,
    pub(crate) detectors: &'a [String],
    pub(crate) shown: Shown,
    pub(crate) settings: InjectSettings,
    pub(crate) left_out: &'a Leavings,
    /// What decides the scores, besides what is here.
    pub(crate) about: String,
    /// Where scores are written, whenever there is something new, and what they are made of.
    pub(crate) work: PathBuf,
}

impl Scoring<'_> {
    /// Refuses what cannot be done, before anything is.
    pub(crate) fn check(suite: &SuiteArgs, shown: Shown) -> Result<(), Failure> {
        if shown == Shown::Files && !suite.command.is_empty() {
            return Err(Failure::usage(
                "single files cannot be scored with a command of your own",
                "leave the command out, and name the interpreter with `--python`",
            ));
        }
        Ok(())
    }

    /// A score for each detector.
    pub(crate) fn scores(
        &self,
        bench: &mut EngineBench<'_, '_>,
        mutants: &[(&Mutant, &[Flaky])],
    ) -> Result<Vec<Score>, Stop> {
        let mut looks = self.looks()?;
        let named = |detector: &String| Score { detector: detector.clone(), ..Score::default() };
        let mut scores: Vec<Score> = self.detectors.iter().map(named).collect();
        for (at, &(mutant, flaky)) in mutants.iter().enumerate() {
            bench.advance(at, mutants.len());
            let known = looks.known(mutant.number, || self.known(bench, mutant, flaky))?;
            for score in &mut scores {
                let suite = bench.engine().suite();
                let look = || self.look(suite, &score.detector, mutant);
                let look = looks.said(mutant.number, &score.detector, look)?;
                score.note(mutant, &known, &look);
            }
            self.write(&scores)?;
        }
        Ok(scores)
    }

    /// What is known already.
    fn looks(&self) -> Result<Looks, Failure> {
        let path = self.work.join("looks.jsonl");
        let about = format!("{} {:?}", self.about, self.shown);
        let opened = Looks::open(&path, &about, &self.project.settings.keeper);
        opened.map_err(|error| Failure::unwritable(&path, &error, OUT_HINT))
    }

    /// What there is to find: by all pairs, and by the orders of the data set.
    fn known(
        &self,
        bench: &mut EngineBench<'_, '_>,
        mutant: &Mutant,
        flaky: &[Flaky],
    ) -> Result<BTreeSet<String>, Stop> {
        let suite = bench.engine().suite();
        let files = self.files(suite, mutant);
        let is_shown = |&test: &TestIndex| files.is_empty() || files.contains(&suite.test(test).file);
        let tests: Vec<TestIndex> = suite.indices().filter(is_shown).collect();
        let paired = Judge::new(bench, self.settings, self.left_out).paired(mutant, &tests)?;
        let tried = flaky.iter().map(|flaky| flaky.test).filter(is_shown);
        Ok(paired.into_iter().chain(tried).map(|test| suite.id(test).0.clone()).collect())
    }

    /// What a detector says of the stable tests of a mutant.
    fn look(&self, suite: &Suite, detector: &str, mutant: &Mutant) -> Result<Look, Failure> {
        let files = self.files(suite, mutant);
        let mut look = look(self.project, suite, &self.line(detector, &files), mutant, &files)?;
        let left_out: BTreeSet<&str> = self.left_out.keys().map(|&test| suite.id(test).0.as_str()).collect();
        if let Some(named) = &mut look.named {
            named.retain(|test| !left_out.contains(test.as_str()));
        }
        Ok(look)
    }

    /// The files that detectors look at; none if they see the suite.
    fn files(&self, suite: &Suite, mutant: &Mutant) -> Vec<String> {
        let files = mutant.tests.iter().map(|&test| suite.test(test).file.clone());
        if self.shown == Shown::Files { files.collect::<BTreeSet<_>>().into_iter().collect() } else { vec![] }
    }

    /// The command line of a detector.
    fn line(&self, detector: &str, files: &[String]) -> String {
        let words: &[&str] = match detector {
            HUNT => &["hunt", "--no-explain", "--quick", "--plain-pairs", "1"],
            RANDOM => &["sweep", "--strategy", "random", "--rounds", "20"],
            line => return line.to_owned(),
        };
        let mut typed = self.typed.clone();
        if !files.is_empty() {
            typed.targets = files.to_vec();
        }
        let program = self.project.settings.keeper.display().to_string();
        let trust = self.project.settings.trusts_forks.then_some("--trust-forks");
        let typed = typed.typed_again();
        let words = words.iter().copied().chain(["--quiet", "--json", "-"]).chain(trust);
        shell::join([program.as_str()].into_iter().chain(words).chain(typed.iter().map(String::as_str)))
    }

    fn write(&self, scores: &[Score]) -> Result<(), Failure> {
        let bytes = serde_json::to_vec_pretty(scores).unwrap_or_default();
        let path = self.work.join("score.json");
        fs::write(&path, bytes).map_err(|error| Failure::unwritable(&path, &error, OUT_HINT))
    }
}

//! The whole line: baseline, each test alone and again, sweeps, partners, confirmation, cleaners.
//!
//! Knows the sequence of the stations. Each does its own thinking. The same suite, settings and answers lead to the
//! same questions in the same sequence: there is no clock here, and no hash table.

use std::collections::BTreeSet;

use anyorder_model::{
    Coverage, Finding, Halted, Kind, Mode, News, Oracle, Order, Outcome, Purpose, Rate, Station, Step,
    TestIndex,
};

use crate::blame::charge_fixtures;
use crate::case::Case;
use crate::cleaners::find_cleaners;
use crate::judge::{HIDDEN, Judge};
use crate::minimise::{First, first_group, further_groups, share_group};
use crate::partners::{choose_scan, scan};
use crate::seen::{Seen, Sighting, Suspect};
use crate::settings::{Allowance, HuntSettings, Known, Sweep, default_forks, default_rounds};
use crate::sight::Sight;
use crate::sweep::Orders;
use crate::twice::{doubles, judge_doubles};

/// What a hunt has come to.
#[derive(Clone, Debug)]
pub struct HuntReport {
    /// Verdicts, the kinds that matter most first, each kind in the original order.
    pub findings: Vec<Finding>,
    /// Differences that the plain runner did not confirm.
    pub unconfirmed: Vec<Finding>,
    /// How much was tried.
    pub coverage: Coverage,
    /// Why it ended early, if it did.
    pub stopped_early: Option<Halted>,
}

/// Sweeping ends when this share of the time is spent: the rest is for verdicts.
const SWEEP_UNTIL: f64 = 0.5;
/// The search for more than one partner ends when this share of the time is spent.
const SEARCH_UNTIL: f64 = 0.8;
/// How often a suspect runs by itself before anything dear is asked about it.
const STEADY_RUNS: u32 = 2;

/// Hunts for tests whose outcome depends on what ran before them.
pub fn hunt(oracle: &mut dyn Oracle, settings: &HuntSettings) -> HuntReport {
    let mut hunt = Hunt {
        judge: Judge::new(oracle, settings),
        seen: Seen::default(),
        told: BTreeSet::new(),
        is_opened: false,
    };
    let halted = hunt.run().err();
    if !hunt.is_opened {
        hunt.open(hunt.seen.suspects());
    }
    hunt.judge.report(halted)
}

struct Hunt<'a> {
    judge: Judge<'a>,
    seen: Seen,
    /// Suspects that were told of.
    told: BTreeSet<TestIndex>,
    /// Whether the suspects have become cases.
    is_opened: bool,
}

impl Hunt<'_> {
    fn run(&mut self) -> Result<(), Halted> {
        self.replay_known()?;
        self.baseline()?;
        self.alone_and_again()?;
        self.sweep()?;
        self.open_cases()?;
        self.drop_unsteady()?;
        self.find_partners()?;
        self.judge.confirm_in_forks(|_| true)?;
        self.judge.confirm_plainly(|_| true)?;
        self.judge.find_twice(Mode::IsolatedTest);
        self.find_more()?;
        self.judge.rate_aside()?;
        self.find_broken();
        self.doubt_time_limits();
        Ok(())
    }

    fn replay_known(&mut self) -> Result<(), Halted> {
        let known: &[Known] = &self.judge.settings.known;
        if known.is_empty() {
            return Ok(());
        }
        self.judge.asker().begin(Station::Replay, Some(2 * known.len() as u64));
        let orders =
            known.iter().flat_map(|known| [known.passing.0.clone(), known.failing.0.clone()]).collect();
        let runs = self.judge.asker().orders(Purpose::Known, 0, orders)?;
        for (known, runs) in known.iter().zip(runs.chunks(2)) {
            let [passing, failing] = [0, 1].map(|at| crate::asker::end(&runs[at]));
            let holds = passing.kind_if(&failing).is_some();
            self.judge.asker().tell(News::Replayed { test: known.test, kind: known.kind, holds });
            runs.iter().filter(|steps| has_no_repeats(steps)).for_each(|steps| self.seen.note_run(steps));
        }
        Ok(())
    }

    fn baseline(&mut self) -> Result<(), Halted> {
        let runs = self.judge.settings.baseline_runs;
        self.judge.asker().begin(Station::Baseline, Some(runs.into()));
        let original: Vec<TestIndex> = self.judge.asker().suite().indices().collect();
        let mut sights: Vec<Vec<Outcome>> = vec![Vec::new(); original.len()];
        for repetition in 0..runs {
            let records = self.judge.asker().orders(Purpose::Baseline, repetition, vec![original.clone()])?;
            for step in records.iter().flatten().filter(|step| Sight::from(*step).is_evidence()) {
                sights[step.test.at()].push(step.outcome);
            }
            records.iter().for_each(|steps| self.seen.note_run(steps));
        }
        let differs = |test: &&TestIndex| sights[test.at()].windows(2).any(|pair| pair[0] != pair[1]);
        let differing: Vec<TestIndex> = original.iter().filter(differs).copied().collect();
        for &test in &differing {
            let outcomes = &sights[test.at()];
            let count = |number: usize| u32::try_from(number).expect("few runs");
            let red = outcomes.iter().filter(|outcome| outcome.is_red()).count();
            self.judge.set_aside(test).suite = Some(Rate(count(red), count(outcomes.len())));
        }
        self.judge.asker().tell(News::Baseline { runs, differing });
        Ok(())
    }

    /// One process for both: a test and the same test again.
    fn alone_and_again(&mut self) -> Result<(), Halted> {
        let tests: Vec<TestIndex> = self.judge.asker().suite().indices().collect();
        self.judge.asker().begin(Station::Twice, Some(tests.len() as u64));
        let orders = tests.iter().map(|&test| vec![test, test]).collect();
        let records = self.judge.asker().orders(Purpose::Twice, 0, orders)?;
        let all = records.iter().flat_map(|steps| doubles(steps));
        let all: Vec<_> =
            all.inspect(|double| self.seen.note_alone(double.test, double.first.clone())).collect();
        let steady = all.into_iter().filter(|double| !self.judge.is_aside(double.test)).collect();
        let fixtures = judge_doubles(&mut self.judge, steady, Mode::IsolatedTest);
        fixtures.into_iter().for_each(|finding| self.judge.found(finding));
        self.tell_suspects(0);
        Ok(())
    }

    fn sweep(&mut self) -> Result<(), Halted> {
        let (tests, settings) = (self.judge.asker().suite().len(), self.judge.settings);
        let rounds = settings.rounds.unwrap_or_else(|| default_rounds(tests));
        let orders = if settings.sweep == Sweep::Whole { 1 } else { tests as u64 };
        self.judge.asker().begin(Station::Sweep, Some(rounds * orders));
        let mut orders = Orders::new(self.judge.asker().suite(), settings.seed);
        for round in 0..rounds {
            if self.judge.asker().spent() > SWEEP_UNTIL {
                break;
            }
            let noted = self.seen.runs();
            match settings.sweep {
                Sweep::Whole => self.sweep_whole(&mut orders, round)?,
                Sweep::Halves => self.sweep_halves(&orders, round)?,
            }
            self.tell_suspects(noted);
        }
        Ok(())
    }

    fn sweep_whole(&mut self, orders: &mut Orders, round: u64) -> Result<(), Halted> {
        let asker = self.judge.asker();
        let order = orders.whole(round, &|first, second| asker.has_seen(first, second));
        let repetition = u32::try_from(round).unwrap_or(u32::MAX);
        let records = asker.orders(Purpose::Sweep, repetition, vec![order])?;
        records.iter().for_each(|steps| self.seen.note_run(steps));
        Ok(())
    }

    fn sweep_halves(&mut self, orders: &Orders, round: u64) -> Result<(), Halted> {
        let [one, other] = orders.halves(round);
        let tails = |tests: &[TestIndex]| tests.iter().map(|&test| vec![test]).collect::<Vec<_>>();
        let branches = vec![(one.clone(), tails(&other)), (other.clone(), tails(&one))];
        let repetition = u32::try_from(round).unwrap_or(u32::MAX);
        let records = self.judge.asker().fans(Purpose::Sweep, repetition, branches)?;
        for record in records {
            self.seen.note_fan(&record);
        }
        Ok(())
    }

    /// Tells of suspects that showed themselves after the first few orders.
    fn tell_suspects(&mut self, noted: usize) {
        for suspect in self.seen.suspects_since(noted) {
            if !self.judge.is_aside(suspect.test) && self.told.insert(suspect.test) {
                let Sighting { before, sight } = &suspect.sightings[0];
                let order = Order([before.as_slice(), &[suspect.test]].concat());
                let (test, alone, seen) = (suspect.test, suspect.alone.outcome, sight.outcome);
                self.judge.asker().tell(News::Suspect { test, alone, seen, order });
            }
        }
    }

    /// Makes cases of the suspects, except where a fixture is to blame.
    fn open_cases(&mut self) -> Result<(), Halted> {
        let mut suspects = self.seen.suspects();
        suspects.retain(|suspect| !self.judge.is_aside(suspect.test));
        let known = self.judge.findings().to_vec();
        let fixtures = charge_fixtures(self.judge.asker(), &mut suspects, &known)?;
        fixtures.into_iter().for_each(|finding| self.judge.found(finding));
        self.open(suspects);
        Ok(())
    }

    fn open(&mut self, mut suspects: Vec<Suspect>) {
        self.is_opened = true;
        suspects.dedup_by_key(|suspect| suspect.test);
        let steady = suspects.into_iter().filter(|suspect| !self.judge.is_aside(suspect.test));
        let mut cases: Vec<Case> = steady.map(Case::new).collect();
        self.judge.open.append(&mut cases);
    }

    /// Suspects that are not even the same alone need no search.
    fn drop_unsteady(&mut self) -> Result<(), Halted> {
        for repetition in 0..STEADY_RUNS {
            let cases = &self.judge.open;
            let tests: Vec<(TestIndex, Outcome)> =
                cases.iter().map(|case| (case.test, case.alone.outcome)).collect();
            let orders = tests.iter().map(|&(test, _)| vec![test]).collect();
            let ends = self.judge.asker().ends(Purpose::Alone, repetition, orders)?;
            for ((test, alone), end) in tests.into_iter().zip(ends) {
                if end.is_evidence() && end.outcome != alone && !end.is_torn() {
                    self.judge.set_aside(test);
                }
            }
        }
        Ok(())
    }

    fn find_partners(&mut self) -> Result<(), Halted> {
        let tests = self.judge.asker().suite().len();
        let mut cases = self.judge.take(Case::has_partners);
        self.judge.asker().begin(Station::Minimise, None);
        let forks = self.judge.settings.forks.unwrap_or_else(|| default_forks(tests));
        let (choice, seed) = (choose_scan(tests, cases.len(), forks), self.judge.settings.seed);
        let mut result = scan(self.judge.asker(), &mut cases, choice, seed);
        if result.is_ok() {
            result = self.find_first_groups(&mut cases);
        }
        self.judge.open.append(&mut cases);
        result
    }

    /// A first group for every case that has none; a group that is found is tried on the others at once.
    fn find_first_groups(&mut self, cases: &mut Vec<Case>) -> Result<(), Halted> {
        let mut at = 0;
        while at < cases.len() {
            if !cases[at].groups.is_empty() {
                at += 1;
                continue;
            }
            let questions = self.judge.settings.questions;
            match first_group(self.judge.asker(), &mut cases[at], questions)? {
                First::Found => {
                    let group = cases[at].groups[0].clone();
                    at += 1;
                    share_group(self.judge.asker(), &mut cases[at..], &group)?;
                }
                First::NotAgain => {
                    let case = cases.remove(at);
                    self.judge.set_aside_after(case.test, &case.sightings[0].before)?;
                }
                First::Hidden => {
                    let case = cases.remove(at);
                    self.judge.doubt(&case, HIDDEN);
                }
                First::Unfinished => {
                    let case = cases.remove(at);
                    self.judge.doubt(&case, "the questions ran out before its partners were known");
                }
            }
        }
        Ok(())
    }

    /// What is not needed for a verdict: further groups, and cleaners.
    fn find_more(&mut self) -> Result<(), Halted> {
        let mut cases = self.judge.take(|case| case.confirmed.is_some());
        let result = self.search_more(&mut cases);
        self.judge.open.append(&mut cases);
        result?;
        for case in self.judge.take(|_| true) {
            let finding = case.finding(self.judge.asker().suite());
            self.judge.found(finding);
        }
        Ok(())
    }

    fn search_more(&mut self, cases: &mut [Case]) -> Result<(), Halted> {
        if self.judge.asker().spent() > SEARCH_UNTIL {
            cases.iter_mut().for_each(|case| case.leave_out("more than this: the time was nearly spent"));
            return Ok(());
        }
        let mut allowance = Allowance::new(self.judge.settings, self.judge.asker().suite().len());
        for case in cases.iter_mut() {
            further_groups(self.judge.asker(), case, &mut allowance)?;
        }
        let mut victims: Vec<&mut Case> = cases.iter_mut().filter(|case| case.kind == Kind::Victim).collect();
        find_cleaners(self.judge.asker(), &mut victims, &self.seen, &mut allowance)
    }

    fn find_broken(&mut self) {
        let tests: Vec<TestIndex> = self.judge.asker().suite().indices().collect();
        for test in tests {
            if let Some(sight) = self.seen.always_red(test).filter(|_| !self.judge.is_known(test)) {
                let mut finding = Finding::new(Kind::Broken, test, self.judge.asker().suite().id(test));
                finding.signature.clone_from(&sight.signature);
                self.judge.found(finding);
            }
        }
    }

    /// Differences that are nothing but a time limit are told, and not believed.
    fn doubt_time_limits(&mut self) {
        let tests: Vec<TestIndex> = self.judge.asker().suite().indices().collect();
        for test in tests {
            if let Some(kind) = self.seen.kind_by_time_limit(test).filter(|_| !self.judge.is_known(test)) {
                self.judge.doubt_time_limit(kind, test);
            }
        }
    }
}

fn has_no_repeats(steps: &[Step]) -> bool {
    let mut tests: Vec<TestIndex> = steps.iter().map(|step| step.test).collect();
    tests.sort_unstable();
    tests.windows(2).all(|pair| pair[0] != pair[1])
}

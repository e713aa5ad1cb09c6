//! The whole line: baseline, each test alone and again, sweeps, partners, confirmation, cleaners.
//!
//! Knows the sequence of the stations. Each does its own thinking. The same suite, settings and answers lead to the
//! same questions in the same sequence: there is no clock here, and no hash table.

use std::collections::{BTreeMap, BTreeSet};

use anyorder_model::{
    Coverage, FanRecord, Finding, Halted, Kind, Mode, Oracle, Order, Outcome, Purpose, Station, TestIndex,
};

use crate::blame::{charge_fixtures, confirm_fixtures};
use crate::case::Case;
use crate::cleaners::find_cleaners;
use crate::judge::{HIDDEN, Judge};
use crate::minimise::{First, first_group, further_groups, share_group};
use crate::pairing::Pairing;
use crate::partners::scan;
use crate::seen::{Seen, Suspect};
use crate::settings::{Allowance, HuntSettings};

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

/// The search for more than one partner ends when this share of the time is spent.
const SEARCH_UNTIL: f64 = 0.8;
/// How often a suspect runs by itself before anything dear is asked about it.
const STEADY_RUNS: u32 = 2;
/// How many tests run in a row behind a partner when there are too many to try each.
const COMPANIONS: usize = 16;

/// Hunts for tests whose outcome depends on what ran before them.
pub fn hunt(oracle: &mut dyn Oracle, settings: &HuntSettings) -> HuntReport {
    Hunt::new(oracle, settings).report(|hunt| {
        hunt.replay_known()?;
        hunt.replay_foreign()?;
        hunt.baseline()?;
        hunt.profile_if_guided()?;
        hunt.rest_alone_and_again()?;
        hunt.pair_up()?;
        hunt.sweep()?;
        hunt.open_suspects()?;
        hunt.find_companions()?;
        hunt.judge_cases()
    })
}

/// Looks into one order: does its last test depend on the tests before it, and on which?
///
/// With no forks to spend (`forks: Some(0)`) one minimal group is all that is looked for.
pub fn investigate(oracle: &mut dyn Oracle, order: &Order, settings: &HuntSettings) -> HuntReport {
    let Some((&test, before)) = order.tests().split_last() else {
        return Hunt::new(oracle, settings).report(|_| Ok(()));
    };
    // What the test itself did earlier would mix up victim and non-idempotent.
    let others: Vec<TestIndex> = before.iter().copied().filter(|&other| other != test).collect();
    let is_again = before.contains(&test);
    Hunt::new(oracle, settings).report(|hunt| {
        if is_again {
            hunt.alone_and_again(vec![test])?;
        } else {
            hunt.alone(&[test])?;
        }
        hunt.try_behind(&others, test)?;
        hunt.open_suspects()?;
        hunt.judge_cases()
    })
}

/// A hunt on its way.
pub(crate) struct Hunt<'a> {
    pub(crate) judge: Judge<'a>,
    pub(crate) seen: Seen,
    /// What is known about pairs, if tests were profiled.
    pub(crate) pairing: Option<Pairing>,
    /// The tests that a change may have altered: only pairs with one of them matter. Nothing if all pairs do.
    pub(crate) affected: Option<BTreeSet<TestIndex>>,
    /// Whether every pair that matters has run.
    pub(crate) has_all_pairs: bool,
    /// Suspects that were told of.
    pub(crate) told: BTreeSet<TestIndex>,
    /// Whether the suspects have become cases.
    is_opened: bool,
}

impl<'a> Hunt<'a> {
    pub(crate) fn new(oracle: &'a mut dyn Oracle, settings: &'a HuntSettings) -> Self {
        Hunt {
            judge: Judge::new(oracle, settings),
            seen: Seen::default(),
            pairing: None,
            affected: None,
            has_all_pairs: false,
            told: BTreeSet::new(),
            is_opened: false,
        }
    }

    /// Does the work, and says all that is known when it is done or has to stop.
    pub(crate) fn report(mut self, work: impl FnOnce(&mut Self) -> Result<(), Halted>) -> HuntReport {
        let halted = work(&mut self).err();
        if !self.is_opened {
            self.open(self.seen.suspects());
        }
        let coverage = self.coverage();
        HuntReport { coverage, ..self.judge.report(halted) }
    }

    /// From suspects to cases with partners.
    pub(crate) fn open_suspects(&mut self) -> Result<(), Halted> {
        self.open_cases(self.seen.suspects())?;
        self.drop_unsteady()?;
        self.find_partners()
    }

    /// From cases to findings.
    pub(crate) fn judge_cases(&mut self) -> Result<(), Halted> {
        self.judge.confirm_in_forks()?;
        self.judge.confirm_plainly()?;
        confirm_fixtures(&mut self.judge)?;
        self.judge.find_twice(Mode::IsolatedTest);
        self.find_more()?;
        self.find_broken()?;
        self.judge.rate_aside()?;
        self.doubt_time_limits();
        Ok(())
    }

    /// Makes cases of the suspects, except where a fixture is to blame.
    fn open_cases(&mut self, mut suspects: Vec<Suspect>) -> Result<(), Halted> {
        suspects.retain(|suspect| !self.judge.is_aside(suspect.test));
        charge_fixtures(&mut self.judge, &mut suspects)?;
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
        let cases = &self.judge.open;
        let tests: Vec<(TestIndex, Outcome)> =
            cases.iter().map(|case| (case.test, case.alone.outcome)).collect();
        let orders: Vec<Vec<TestIndex>> = tests.iter().map(|&(test, _)| vec![test]).collect();
        for ends in self.judge.asker().repeated_ends(Purpose::Alone, 0..STEADY_RUNS, &orders)? {
            for (&(test, alone), end) in tests.iter().zip(ends) {
                if end.is_evidence() && end.outcome != alone && !end.is_torn() {
                    self.judge.set_aside(test);
                }
            }
        }
        Ok(())
    }

    fn find_partners(&mut self) -> Result<(), Halted> {
        let mut cases = self.judge.take(Case::has_partners);
        self.judge.asker().begin(Station::Minimise, None);
        let settings = self.judge.settings;
        let mut result = scan(self.judge.asker(), &mut cases, &self.seen, self.pairing.as_ref(), settings);
        if result.is_ok() {
            result = self.find_first_groups(&mut cases);
        }
        self.judge.open.append(&mut cases);
        result
    }

    /// A partner of one test may be that of others, which cleaners hid in every order so far: each partner that is known runs
    /// once, and from the state it leaves every other test; by itself, or a few in a row where there are many.
    pub(crate) fn find_companions(&mut self) -> Result<(), Halted> {
        if self.has_all_pairs {
            return Ok(());
        }
        let tests: Vec<TestIndex> = self.judge.asker().scope().to_vec();
        let mut forks = self.judge.settings.forks(tests.len());
        let mut tried = BTreeSet::new();
        while let Some(partner) = self.commonest_partner(&tried) {
            tried.insert(partner);
            let is_new = |test: &TestIndex| {
                let is_settled =
                    self.pairing.as_ref().is_some_and(|pairing| pairing.is_settled((partner, *test)));
                *test != partner && !is_settled && !self.judge.is_open(*test) && !self.judge.is_aside(*test)
            };
            let others: Vec<TestIndex> = tests.iter().copied().filter(is_new).collect();
            let row = if others.len() as u64 * 2 <= forks { 1 } else { COMPANIONS };
            let others: Vec<Vec<TestIndex>> = others.chunks(row).map(<[TestIndex]>::to_vec).collect();
            let Some(left) = forks.checked_sub(others.len() as u64) else { break };
            forks = left;
            let noted = self.seen.runs();
            for record in self.judge.asker().fans(Purpose::Sweep, 1, vec![(vec![partner], others)])? {
                self.note_companions(&record);
            }
            self.tell_suspects(noted);
            self.open_companions(noted)?;
        }
        Ok(())
    }

    fn note_companions(&mut self, record: &FanRecord) {
        self.note_fan(record);
        let Some(pairing) = &mut self.pairing else { return };
        for step in record.tails.iter().filter(|tail| tail.steps.len() == 1).flat_map(|tail| &tail.steps) {
            if let Some(alone) = self.seen.alone(step.test) {
                pairing.note((record.prefix[0].test, step.test), &step.into(), alone);
            }
        }
    }

    /// Cases of the tests that stood out since the first few runs; those that are open wait meanwhile.
    fn open_companions(&mut self, noted: usize) -> Result<(), Halted> {
        let mut suspects = self.seen.suspects_since(noted);
        suspects.retain(|suspect| !self.judge.is_open(suspect.test));
        if suspects.is_empty() {
            return Ok(());
        }
        let mut waiting = self.judge.take(|_| true);
        let result =
            self.open_cases(suspects).and_then(|()| self.drop_unsteady()).and_then(|()| self.find_partners());
        self.judge.open.append(&mut waiting);
        self.judge.open.sort_by_key(|case| case.test);
        result
    }

    /// The single partner of most cases, among those that were not tried yet.
    fn commonest_partner(&self, tried: &BTreeSet<TestIndex>) -> Option<TestIndex> {
        let mut counts: BTreeMap<TestIndex, usize> = BTreeMap::new();
        let cases = self.judge.open.iter().filter(|case| case.has_partners());
        cases.flat_map(Case::singles).filter(|test| !tried.contains(test)).for_each(|test| {
            *counts.entry(test).or_default() += 1;
        });
        counts.into_iter().max_by_key(|&(test, count)| (count, std::cmp::Reverse(test))).map(|(test, _)| test)
    }

    /// A first group for every case that has none; a group that is found is tried on the others at once.
    fn find_first_groups(&mut self, cases: &mut Vec<Case>) -> Result<(), Halted> {
        let mut at = 0;
        while at < cases.len() {
            if !cases[at].groups.is_empty() {
                at += 1;
                continue;
            }
            let settings = self.judge.settings;
            match first_group(self.judge.asker(), &mut cases[at], settings)? {
                First::Found => {
                    let group = cases[at].groups[0].clone();
                    at += 1;
                    share_group(self.judge.asker(), &mut cases[at..], &group)?;
                }
                First::NotAgain => {
                    let case = cases.remove(at);
                    self.judge.set_aside_after(&case, &case.sightings[0].before)?;
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
        let result = self.search_more(&mut cases).and_then(|()| self.look_again(&mut cases));
        self.judge.open.append(&mut cases);
        result?;
        for case in self.judge.take(|_| true) {
            let finding = case.finding(self.judge.asker().suite());
            self.judge.found(finding);
        }
        Ok(())
    }

    fn search_more(&mut self, cases: &mut [Case]) -> Result<(), Halted> {
        let why = if self.judge.settings.wants_one_group() {
            "cleaners, and more than one group: nobody asked for them"
        } else if self.judge.asker().spent() > SEARCH_UNTIL {
            "cleaners, and more than one group: the time was nearly spent"
        } else {
            return self.search_all(cases);
        };
        cases.iter_mut().for_each(|case| case.leave_out(why));
        Ok(())
    }

    fn search_all(&mut self, cases: &mut [Case]) -> Result<(), Halted> {
        let mut allowance = Allowance::new(self.judge.settings, self.judge.asker().scope().len());
        for case in cases.iter_mut() {
            further_groups(self.judge.asker(), case, &mut allowance)?;
        }
        let mut victims: Vec<&mut Case> = cases.iter_mut().filter(|case| case.kind == Kind::Victim).collect();
        find_cleaners(self.judge.asker(), &mut victims, &self.seen, &mut allowance)
    }

    /// Cases whose partners do not come again leave.
    fn look_again(&mut self, cases: &mut Vec<Case>) -> Result<(), Halted> {
        let mut at = 0;
        while at < cases.len() {
            if self.judge.look_again(&mut cases[at])? {
                at += 1;
            } else {
                cases.remove(at);
            }
        }
        Ok(())
    }

    fn find_broken(&mut self) -> Result<(), Halted> {
        let tests: Vec<TestIndex> = self.judge.asker().scope().to_vec();
        let unknown = tests.into_iter().filter(|&test| !self.judge.is_known(test));
        let broken = unknown.filter_map(|test| Some((test, self.seen.always_red(test)?.clone()))).collect();
        self.judge.confirm_broken(broken)
    }

    /// Differences that are nothing but a time limit are told, and not believed.
    fn doubt_time_limits(&mut self) {
        let tests: Vec<TestIndex> = self.judge.asker().scope().to_vec();
        for test in tests {
            if let Some(kind) = self.seen.kind_by_time_limit(test).filter(|_| !self.judge.is_known(test)) {
                self.judge.doubt_time_limit(kind, test);
            }
        }
    }
}

//! From a mutant to its verdict, for many mutants side by side.
//!
//! Dear things come last: a mutant whose tests fail alone and behind all others pays for no further order, and only what
//! shows a difference is looked into.

use std::collections::BTreeMap;

use anyorder_model::{Halted, Order, RunRecord, TestIndex};

use crate::bench::{Ask, Bench, Fitness};
use crate::confirm::{confirm, passes_as_is};
use crate::orders;
use crate::stable::{InjectSettings, Leavings, Scope, stable_of};
use crate::trial::{End, Trial};
use crate::verdict::{Fate, Verdict};
use crate::{Flaky, Mutant};

/// Knows which tests are stable, and tries mutants of them.
pub struct Judge<'a> {
    pub(crate) bench: &'a mut dyn Bench,
    pub(crate) settings: InjectSettings,
    left_out: &'a Leavings,
    /// The random orders of each class.
    random: BTreeMap<Vec<TestIndex>, Vec<Order>>,
}

impl<'a> Judge<'a> {
    /// A judge of mutants of the tests that are not left out.
    pub fn new(bench: &'a mut dyn Bench, settings: InjectSettings, left_out: &'a Leavings) -> Self {
        Judge { bench, settings, left_out, random: BTreeMap::new() }
    }

    /// A verdict for each of these, in the same order.
    pub fn judge(&mut self, mutants: &[&Mutant]) -> Result<Vec<Verdict>, Halted> {
        let fitness = self.bench.fitness(mutants)?;
        let mut trials: Vec<Trial<'_>> = mutants.iter().map(|mutant| self.trial(mutant)).collect();
        let is_fit = |at: usize| !matches!(fitness[at], Fitness::Invalid(_));
        let fit: Vec<usize> = (0..mutants.len()).filter(|&at| is_fit(at)).collect();
        for &at in &fit {
            trials[at].is_swapped = fitness[at] == Fitness::Swapped;
        }
        let mut fates = self.fates(&mut trials, &fit)?;
        let verdict = |((at, fitness), trial): ((usize, &Fitness), &Trial<'_>)| {
            let fate = match fitness {
                Fitness::Invalid(why) => Fate::Invalid(why.clone()),
                _ => fates.remove(&at).unwrap_or(Fate::Equivalent),
            };
            Verdict { fate, orders: trial.orders, changed_tree: *fitness == Fitness::Changed }
        };
        Ok(fitness.iter().enumerate().zip(&trials).map(verdict).collect())
    }

    fn trial<'m>(&self, mutant: &'m Mutant) -> Trial<'m> {
        let [tests, judged] = [&mutant.tests, &mutant.judged].map(|tests| stable_of(tests, self.left_out));
        Trial::new(mutant, tests, judged)
    }

    /// What the trials at these places come to; those without a fate are equivalent.
    fn fates(&mut self, trials: &mut [Trial<'_>], places: &[usize]) -> Result<BTreeMap<usize, Fate>, Halted> {
        let alone = |trial: &Trial<'_>| trial.first_tests().iter().map(|&test| Order(vec![test])).collect();
        self.try_all(trials, places, alone)?;
        let failing: Vec<usize> = places.iter().copied().filter(|&at| trials[at].fails_alone()).collect();
        self.try_behind_others(trials, &failing)?;
        let is_dead = |at: &usize| failing.contains(at) && !trials[*at].may_pass();
        let (dead, alive): (Vec<usize>, Vec<usize>) = places.iter().copied().partition(is_dead);
        if self.settings.scope == Scope::Class {
            self.try_random(trials, &alive)?;
        }
        let mut fates: BTreeMap<usize, Fate> =
            dead.into_iter().map(|at| (at, Fate::Killed(trials[at].failure()))).collect();
        for at in alive {
            let fate = match self.settings.scope {
                Scope::Class => self.fate(&mut trials[at])?,
                Scope::Suite => self.hunted(&trials[at])?,
            };
            fates.extend(fate.map(|fate| (at, fate)));
        }
        Ok(fates)
    }

    /// Tests that fail alone, behind all others of their class.
    ///
    /// Where a changed test is swapped in, it has run before as it was, too: so all mutants of a class go on from the
    /// same two states. What passes then is looked into; what fails fails although everybody has run.
    fn try_behind_others(&mut self, trials: &mut [Trial<'_>], places: &[usize]) -> Result<(), Halted> {
        let pays = |at: &usize| trials[*at].judged.len() > 1 && !trials[*at].is_lost_alone();
        let places: Vec<usize> = places.iter().copied().filter(pays).collect();
        let (shared, own): (Vec<usize>, Vec<usize>) =
            places.into_iter().partition(|&at| trials[at].is_swapped && trials[at].mutant.is_of_test);
        self.try_all(trials, &own, |trial| orders::with_last(&trial.judged, &trial.tests))?;
        let ask = |&at: &usize| {
            let trial = &trials[at];
            let orders = orders::behind_all(&trial.judged, trial.first_tests());
            Ask { changed_at: Some(trial.judged.len()), ..Ask::of(trial.mutant, orders) }
        };
        let asked: Vec<Ask<'_>> = shared.iter().map(ask).collect();
        for (&at, records) in shared.iter().zip(self.bench.run(&asked)?) {
            records.iter().for_each(|record| trials[at].note_behind_all(record));
        }
        Ok(())
    }

    /// The random orders of each class, and each changed test twice in a row.
    fn try_random(&mut self, trials: &mut [Trial<'_>], places: &[usize]) -> Result<(), Halted> {
        for &at in places {
            let class = &trials[at].judged;
            if !self.random.contains_key(class) {
                let InjectSettings { orders, seed, .. } = self.settings;
                let random = orders::random(self.bench.suite(), class, orders, seed);
                self.random.insert(class.clone(), random);
            }
        }
        let random = std::mem::take(&mut self.random);
        let wanted = |trial: &Trial<'_>| {
            let twice = trial.first_tests().iter().map(|&test| Order(vec![test, test]));
            let random = random[&trial.judged].iter().filter(|order| order.len() > 1).cloned();
            random.chain(twice).collect()
        };
        let tried = self.try_all(trials, places, wanted);
        self.random = random;
        tried
    }

    /// Runs what is wanted of each trial, and notes what it shows.
    fn try_all(
        &mut self,
        trials: &mut [Trial<'_>],
        places: &[usize],
        wanted: impl Fn(&Trial<'_>) -> Vec<Order>,
    ) -> Result<(), Halted> {
        let ask = |&at: &usize| Ask::of(trials[at].mutant, wanted(&trials[at]));
        let asked: Vec<Ask<'_>> = places.iter().map(ask).collect();
        for (&at, records) in places.iter().zip(self.bench.run(&asked)?) {
            records.iter().for_each(|record| trials[at].note(record));
        }
        Ok(())
    }

    /// Orders of one mutant.
    pub(crate) fn run(
        &mut self,
        trial: &mut Trial<'_>,
        orders: Vec<Order>,
    ) -> Result<Vec<RunRecord>, Halted> {
        trial.orders += orders.len() as u64;
        let asked = [Ask::of(trial.mutant, orders)];
        Ok(self.bench.run(&asked)?.pop().unwrap_or_default())
    }

    /// How the last test of an order ends, each time anew.
    pub(crate) fn repeat(&mut self, trial: &mut Trial<'_>, order: &Order) -> Result<Vec<End>, Halted> {
        let times = self.settings.times as usize;
        trial.orders += times as u64;
        let ask = Ask { is_apart: true, ..Ask::of(trial.mutant, vec![order.clone()]) };
        let records = self.bench.run(&vec![ask; times])?;
        Ok(last_ends(&records.into_iter().flatten().collect::<Vec<_>>()))
    }

    /// What a mutant is that has not failed in every order so far.
    fn fate(&mut self, trial: &mut Trial<'_>) -> Result<Option<Fate>, Halted> {
        let (mut flaky, mut doubtful, mut by_chance): (Vec<Flaky>, Vec<Flaky>, Vec<TestIndex>) =
            (vec![], vec![], vec![]);
        for test in trial.suspects() {
            match confirm(self, trial, test)? {
                Confirmed::Yes(found) => flaky.push(*found),
                Confirmed::NotPlainly(found) => doubtful.push(*found),
                Confirmed::ByChance => by_chance.push(test),
                Confirmed::No => {}
            }
        }
        Ok(match () {
            () if !flaky.is_empty() => Some(Fate::OrderDependent(flaky)),
            () if !doubtful.is_empty() => Some(Fate::Unconfirmed(doubtful)),
            () if !by_chance.is_empty() => Some(Fate::NonDeterministic(by_chance)),
            () if trial.has_failed() => Some(Fate::Killed(trial.failure())),
            () => None,
        })
    }
}

impl Judge<'_> {
    /// What a hunt says of a mutant, as far as the suite without it does not show the same.
    fn hunted(&mut self, trial: &Trial<'_>) -> Result<Option<Fate>, Halted> {
        let mut flaky = Vec::new();
        for found in self.bench.hunt(trial.mutant)? {
            let is_stable = trial.judged.contains(&found.test);
            if is_stable && passes_as_is(self, &found.failing)? && passes_as_is(self, &found.passing)? {
                flaky.push(found);
            }
        }
        Ok(match () {
            () if !flaky.is_empty() => Some(Fate::OrderDependent(flaky)),
            () if trial.has_failed() => Some(Fate::Killed(trial.failure())),
            () => None,
        })
    }
}

/// What came of looking into a suspect.
pub(crate) enum Confirmed {
    Yes(Box<Flaky>),
    NotPlainly(Box<Flaky>),
    ByChance,
    /// The suite shows it without the mutant.
    No,
}

/// How the last test of each order ended.
pub(crate) fn last_ends(records: &[RunRecord]) -> Vec<End> {
    records.iter().map(|record| record.steps.last().map_or(End::Other, End::from)).collect()
}

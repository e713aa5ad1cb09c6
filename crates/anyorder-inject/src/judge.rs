//! From a mutant to its verdict, for many mutants side by side.
//!
//! Dear things come last: a mutant whose tests fail alone and behind all others pays for no further order, and only what
//! shows a difference is looked into.

use std::collections::BTreeMap;

use anyorder_model::{Halted, Order, Outcome, RunRecord, TestIndex};

use crate::Mutant;
use crate::bench::{Ask, Bench, Fitness};
use crate::confirm::confirm;
use crate::orders;
use crate::plain::plainly;
use crate::scope::Scope;
use crate::stable::{InjectSettings, Leavings, stable_of};
use crate::trial::{End, Trial};
use crate::verdict::{Fate, Verdict};

/// Knows which tests are stable, and tries mutants of them.
pub struct Judge<'a> {
    pub(crate) bench: &'a mut dyn Bench,
    pub(crate) settings: InjectSettings,
    pub(crate) left_out: &'a Leavings,
    /// The random orders of each class.
    random: BTreeMap<Vec<TestIndex>, Vec<Order>>,
    /// Whether the last test of an order passes each time that it runs in it, without any mutant.
    as_is: BTreeMap<Order, bool>,
}

impl<'a> Judge<'a> {
    /// A judge of mutants of the tests that are not left out.
    pub fn new(bench: &'a mut dyn Bench, settings: InjectSettings, left_out: &'a Leavings) -> Self {
        Judge { bench, settings, left_out, random: BTreeMap::new(), as_is: BTreeMap::new() }
    }

    /// A verdict for each of these, in the same order.
    pub fn judge(&mut self, mutants: &[&Mutant]) -> Result<Vec<Verdict>, Halted> {
        let fitness = self.bench.fitness(mutants)?;
        let (mut owners, mut trials) = (Vec::new(), Vec::new());
        for (at, mutant) in mutants.iter().enumerate() {
            if matches!(fitness[at], Fitness::Invalid(_)) {
                continue;
            }
            trials.extend(self.trials(mutant, fitness[at] == Fitness::Swapped));
            owners.resize(trials.len(), at);
        }
        let fates = self.fates(&mut trials)?;
        let mut verdicts: Vec<Verdict> = fitness.into_iter().map(Verdict::from).collect();
        for ((at, trial), fate) in owners.into_iter().zip(trials).zip(fates) {
            let known = std::mem::replace(&mut verdicts[at].fate, Fate::Equivalent);
            verdicts[at].fate = known.and(fate);
            verdicts[at].orders += trial.orders;
            if self.settings.scope != Scope::Suite {
                verdicts[at].not_looked_into.extend(trial.chosen_suspects().1);
            }
        }
        Ok(verdicts)
    }

    /// A trial for each class that has a stable test which runs what was changed.
    fn trials<'m>(&self, mutant: &'m Mutant, is_swapped: bool) -> impl Iterator<Item = Trial<'m>> {
        let tests = stable_of(&mutant.tests, self.left_out);
        mutant.judged.iter().filter_map(move |class| {
            let judged = stable_of(class, self.left_out);
            let tests: Vec<TestIndex> = tests.iter().copied().filter(|test| class.contains(test)).collect();
            (!tests.is_empty()).then(|| Trial::new(mutant, tests, judged, is_swapped))
        })
    }

    /// What each of these trials comes to.
    fn fates(&mut self, trials: &mut [Trial<'_>]) -> Result<Vec<Fate>, Halted> {
        let all: Vec<usize> = (0..trials.len()).collect();
        self.try_all(trials, &all, |trial| alone(trial.first_tests()))?;
        let failing = still(trials, &all, Trial::fails_so_far);
        self.try_behind_others(trials, &failing)?;
        let failing = still(trials, &failing, Trial::fails_so_far);
        self.try_all(trials, &failing, |trial| alone(trial.other_tests()))?;
        let dead = still(trials, &failing, Trial::fails_so_far);
        let alive: Vec<usize> = all.into_iter().filter(|at| !dead.contains(at)).collect();
        if self.settings.scope != Scope::Suite {
            self.try_random(trials, &alive)?;
            let unclear = still(trials, &alive, |trial| !trial.only_behind_others().is_empty());
            self.try_all(trials, &unclear, |trial| alone(&trial.only_behind_others()))?;
        }
        let mut fates: Vec<Fate> = trials.iter().map(Trial::told).collect();
        for at in alive {
            fates[at] = match self.settings.scope {
                Scope::Class | Scope::File => self.fate(&mut trials[at])?,
                Scope::Suite => self.hunted(&trials[at])?,
            };
        }
        Ok(fates)
    }

    /// Tests that fail alone, behind all others of their class.
    ///
    /// Where a changed test is swapped in, it has run before as it was, too: so all mutants of a class go on from the
    /// same two states. What passes then is looked into; what fails fails although everybody has run.
    fn try_behind_others(&mut self, trials: &mut [Trial<'_>], places: &[usize]) -> Result<(), Halted> {
        let places = still(trials, places, |trial| trial.judged.len() > 1);
        let (shared, own): (Vec<usize>, Vec<usize>) =
            places.into_iter().partition(|&at| trials[at].is_swapped && trials[at].mutant.is_of_test);
        self.try_all(trials, &own, |trial| orders::with_last(&trial.judged, &trial.tests))?;
        let ask = |&at: &usize| {
            let trial = &trials[at];
            let orders = orders::behind_all(&trial.judged, &trial.tests);
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

    /// How the last test of an order ends, each time anew. Suspects that showed themselves in one order share its runs.
    pub(crate) fn repeat(&mut self, trial: &mut Trial<'_>, order: &Order) -> Result<Vec<End>, Halted> {
        if trial.repeated(order).is_none() {
            trial.orders += u64::from(self.settings.times);
            let ask = |draw| {
                let ask = Ask::of(trial.mutant, vec![trial.shown_from(order)]);
                Ask { is_apart: true, draw: Some(draw), ..ask }
            };
            let asked: Vec<Ask<'_>> = (0..self.settings.times).map(ask).collect();
            let records = self.bench.run(&asked)?;
            trial.note_repeats(records.into_iter().flatten().collect());
        }
        Ok(trial.repeated(order).unwrap_or_default())
    }

    /// Whether the last test of each order passes in it, without the mutant.
    pub(crate) fn pass_as_is(&mut self, orders: &[Order]) -> Result<Vec<bool>, Halted> {
        let is_new = |order: &&Order| !self.as_is.contains_key(*order);
        let asked: Vec<Ask<'_>> =
            orders.iter().filter(is_new).map(|order| Ask::as_is(vec![order.clone()])).collect();
        let records = self.bench.run(&asked)?;
        for (ask, records) in asked.into_iter().zip(records) {
            let test = ask.orders[0].tests().last().copied();
            let steps = records.iter().flat_map(|record| &record.steps);
            let mut outcomes = steps.filter(|step| Some(step.test) == test).map(|step| step.outcome);
            let passes = outcomes.all(|outcome| outcome == Outcome::Passed);
            self.as_is.extend(ask.orders.into_iter().map(|order| (order, passes)));
        }
        Ok(orders.iter().map(|order| self.as_is[order]).collect())
    }

    /// What a mutant is that has not failed in every order so far.
    fn fate(&mut self, trial: &mut Trial<'_>) -> Result<Fate, Halted> {
        let mut fate = trial.told();
        let mut shown = Vec::new();
        for test in trial.chosen_suspects().0 {
            match confirm(self, trial, test)? {
                Fate::Unconfirmed(flaky) => shown.extend(flaky),
                other => fate = fate.and(other),
            }
        }
        Ok(fate.and(plainly(self, trial, shown)?))
    }

    /// What a hunt says of a mutant, as far as the suite without it does not show the same.
    fn hunted(&mut self, trial: &Trial<'_>) -> Result<Fate, Halted> {
        let mut fate = trial.told();
        for found in self.bench.hunt(trial.mutant)? {
            let until = |order: &Order| {
                let last = order.tests().iter().rposition(|&test| test == found.test);
                Order(order.tests()[..last.map_or(0, |last| last + 1)].to_vec())
            };
            let orders = [until(&found.failing), until(&found.passing)];
            if trial.judged.contains(&found.test) {
                let is_its_own = self.pass_as_is(&orders)?.into_iter().all(|passes| passes);
                fate = fate.and(if is_its_own {
                    Fate::OrderDependent(vec![found])
                } else {
                    Fate::Inherited(vec![found.test])
                });
            }
        }
        Ok(fate)
    }
}

fn alone(tests: &[TestIndex]) -> Vec<Order> {
    tests.iter().map(|&test| Order(vec![test])).collect()
}

/// The places of those trials that are so.
fn still<'m>(trials: &[Trial<'m>], places: &[usize], is_so: impl Fn(&Trial<'m>) -> bool) -> Vec<usize> {
    places.iter().copied().filter(|&at| is_so(&trials[at])).collect()
}

/// How the last test of each order ended.
pub(crate) fn last_ends(records: &[RunRecord]) -> Vec<End> {
    records.iter().map(|record| record.steps.last().map_or(End::Unseen, End::from)).collect()
}

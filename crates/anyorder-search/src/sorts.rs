//! Candidates by what they leave behind: one of each sort is tried for a suspect, and stands for the others.
//!
//! Knows which tests leave the same, as far as that can be seen. So the others run after all where that one is a partner, since
//! partners are told only if they ran; and where no partner is among those that ran, since what makes the difference is not seen
//! then. Of the rest some run, to see whether they are what they seem.

use std::collections::BTreeSet;

use anyorder_model::{Halted, TestIndex};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::asker::Asker;
use crate::case::Case;
use crate::pairing::{Pairing, StandIn};
use crate::partners::{Row, try_each};
use crate::seen::Seen;
use crate::settings::HuntSettings;

/// One in so many of those that somebody stands for runs all the same.
const AUDITED: usize = 50;

/// Candidates, and who stands for whom.
pub(crate) struct Sorts<'a> {
    pub(crate) pairing: &'a Pairing,
    pub(crate) tests: &'a [TestIndex],
}

impl Sorts<'_> {
    /// How many pairs of a candidate and a case run at first.
    pub(crate) fn firsts(&self, cases: &[Case]) -> usize {
        self.rows(cases, |test, case| self.is_first(test, case)).iter().map(|(_, cases)| cases.len()).sum()
    }

    /// Finds partners of the cases among all candidates, for about so many forks; adds them to their groups.
    pub(crate) fn try_one_of_each(
        &self,
        asker: &mut Asker<'_>,
        cases: &mut [Case],
        seen: &Seen,
        settings: &HuntSettings,
    ) -> Result<(), Halted> {
        let mut forks = settings.forks(self.tests.len());
        let mut ran: BTreeSet<(TestIndex, TestIndex)> = BTreeSet::new();
        // What is too much is left out as a whole.
        let mut run = |cases: &mut [Case], is_wanted: &dyn Fn(TestIndex, &Case) -> bool| {
            let rows =
                self.rows(cases, |test, case| is_wanted(test, case) && !ran.contains(&(test, case.test)));
            let pairs =
                rows.iter().flat_map(|(test, places)| places.iter().map(|&at| (*test, cases[at].test)));
            let pairs: Vec<(TestIndex, TestIndex)> = pairs.collect();
            let Some(left) = forks.checked_sub(pairs.len() as u64) else { return Ok(()) };
            forks = left;
            ran.extend(pairs);
            try_each(asker, cases, seen, &rows)
        };
        run(cases, &|test, case| self.is_first(test, case))?;
        run(cases, &|test, case| self.is_for_a_partner(test, case))?;
        run(cases, &|_, case| case.groups.is_empty())?;
        let sample = self.sample(cases, settings.seed);
        let known: Vec<usize> = cases.iter().map(|case| case.groups.len()).collect();
        run(cases, &|test, case| sample.contains(&(test, case.test)))?;
        let places = 0..cases.len();
        let doubtful: BTreeSet<TestIndex> =
            places.filter(|&at| cases[at].groups.len() > known[at]).map(|at| cases[at].test).collect();
        run(cases, &|_, case| doubtful.contains(&case.test))?;
        for case in cases.iter_mut() {
            let is_left = |test: &&TestIndex| **test != case.test && !ran.contains(&(**test, case.test));
            let left = self.tests.iter().filter(is_left).count();
            if left > 0 {
                let word = case.partner_word();
                case.leave_out(format!(
                    "{word} among {left} tests that leave the same as tests that were tried"
                ));
            }
        }
        Ok(())
    }

    /// Some of the pairs that others stand for.
    fn sample(&self, cases: &[Case], seed: u64) -> BTreeSet<(TestIndex, TestIndex)> {
        let rows = self.rows(cases, |test, case| !self.is_first(test, case));
        let pairs = rows.iter().flat_map(|(test, wanted)| wanted.iter().map(|&at| (*test, cases[at].test)));
        let mut pairs: Vec<(TestIndex, TestIndex)> = pairs.collect();
        pairs.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        pairs.truncate(pairs.len().div_ceil(AUDITED));
        pairs.into_iter().collect()
    }

    fn rows(&self, cases: &[Case], mut is_wanted: impl FnMut(TestIndex, &Case) -> bool) -> Vec<Row> {
        let row = |&test: &TestIndex| {
            let others = (0..cases.len()).filter(|&at| cases[at].test != test);
            (test, others.filter(|&at| is_wanted(test, &cases[at])).collect())
        };
        self.tests.iter().map(row).collect()
    }

    /// Whether a candidate stands for others, or nobody stands for it.
    fn is_first(&self, test: TestIndex, case: &Case) -> bool {
        match self.pairing.stand_in((test, case.test)) {
            None => true,
            Some(StandIn::Nothing) => false,
            Some(StandIn::Test(other)) => other == test,
        }
    }

    fn is_for_a_partner(&self, test: TestIndex, case: &Case) -> bool {
        let stand_in = self.pairing.stand_in((test, case.test));
        matches!(stand_in, Some(StandIn::Test(other)) if case.groups.contains(&vec![other]))
    }
}

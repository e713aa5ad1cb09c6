//! Asks the oracle, and keeps count of what was tried.
//!
//! Knows how questions are put. Does not know why.

use std::ops::Range;

use anyorder_model::{
    Coverage, Fan, FanRecord, Halted, News, Oracle, Order, PlainAsk, PlainSeen, Purpose, Station, Step,
    Suite, TestIndex, Watch, WatchRecord,
};
use roaring::RoaringTreemap;

use crate::matrix::matrix;
use crate::sight::Sight;
use crate::{ProfileReport, ProfileSettings, Successions, profile};

/// An oracle, and which tests have run directly after which.
pub(crate) struct Asker<'a> {
    oracle: &'a mut dyn Oracle,
    scope: Vec<TestIndex>,
    successions: Successions,
}

/// What tails share, and the tails.
pub(crate) type Branches = (Vec<TestIndex>, Vec<Vec<TestIndex>>);

impl<'a> Asker<'a> {
    pub(crate) fn new(oracle: &'a mut dyn Oracle) -> Self {
        let successions = Successions::new(oracle.suite().len());
        let scope = oracle.suite().indices().collect();
        Asker { oracle, scope, successions }
    }

    /// From now on the search is about these tests, which are in the order of the suite.
    pub(crate) fn narrow_to(&mut self, scope: Vec<TestIndex>) {
        self.scope = scope;
    }

    /// The tests that the search is about: candidates for everything. All of them, unless it was narrowed.
    pub(crate) fn scope(&self) -> &[TestIndex] {
        &self.scope
    }

    /// Whether some tests are no candidates.
    pub(crate) fn is_narrow(&self) -> bool {
        self.scope.len() < self.suite().len()
    }

    pub(crate) fn suite(&self) -> &Suite {
        self.oracle.suite()
    }

    pub(crate) fn spent(&self) -> f64 {
        self.oracle.spent()
    }

    pub(crate) fn tell(&mut self, news: News) {
        self.oracle.tell(news);
    }

    pub(crate) fn begin(&mut self, station: Station, orders: Option<u64>) {
        self.tell(News::Began(station, orders));
    }

    /// How much was tried; `inferred` are the keys of pairs that others have settled.
    pub(crate) fn coverage(&self, inferred: &RoaringTreemap) -> Coverage {
        let matrix = matrix(self.suite(), self.successions.keys(), inferred);
        Coverage { matrix: Some(matrix), ..self.successions.coverage() }
    }

    /// Which tests have run directly after which.
    pub(crate) fn successions(&self) -> &Successions {
        &self.successions
    }

    pub(crate) fn can_watch(&self) -> bool {
        self.oracle.can_watch()
    }

    pub(crate) fn profiles(&mut self, tests: &[TestIndex], settings: &ProfileSettings) -> ProfileReport {
        profile(self.oracle, tests, settings)
    }

    pub(crate) fn watch(&mut self, watch: Watch) -> Result<WatchRecord, Halted> {
        Ok(self.oracle.watch(vec![watch])?.remove(0))
    }

    /// Runs independent orders; the steps of each.
    pub(crate) fn orders(
        &mut self,
        purpose: Purpose,
        repetition: u32,
        orders: Vec<Vec<TestIndex>>,
    ) -> Result<Vec<Vec<Step>>, Halted> {
        let records = self.fans(purpose, repetition, vec![(vec![], orders)])?;
        Ok(records.into_iter().flat_map(|record| record.tails).map(|tail| tail.steps).collect())
    }

    /// Runs independent orders; how the last test of each ended.
    pub(crate) fn ends(
        &mut self,
        purpose: Purpose,
        repetition: u32,
        orders: Vec<Vec<TestIndex>>,
    ) -> Result<Vec<Sight>, Halted> {
        Ok(self.orders(purpose, repetition, orders)?.iter().map(|steps| end(steps)).collect())
    }

    /// Runs the same orders again and again, all repetitions at once; for each, how the last test of each order ended.
    pub(crate) fn repeated_ends(
        &mut self,
        purpose: Purpose,
        repetitions: Range<u32>,
        orders: &[Vec<TestIndex>],
    ) -> Result<Vec<Vec<Sight>>, Halted> {
        let fans = repetitions.map(|repetition| (repetition, (vec![], orders.to_vec()))).collect();
        Ok(self.run(purpose, fans)?.iter().map(tail_ends).collect())
    }

    /// Runs branches; how the last test of each tail ended.
    pub(crate) fn branch_ends(
        &mut self,
        purpose: Purpose,
        repetition: u32,
        branches: Vec<Branches>,
    ) -> Result<Vec<Vec<Sight>>, Halted> {
        Ok(self.fans(purpose, repetition, branches)?.iter().map(tail_ends).collect())
    }

    /// Runs branches. Those without a tail are not asked for, and have no record.
    pub(crate) fn fans(
        &mut self,
        purpose: Purpose,
        repetition: u32,
        branches: Vec<Branches>,
    ) -> Result<Vec<FanRecord>, Halted> {
        self.run(purpose, branches.into_iter().map(|branches| (repetition, branches)).collect())
    }

    /// Runs branches, each with its repetition.
    pub(crate) fn run(
        &mut self,
        purpose: Purpose,
        branches: Vec<(u32, Branches)>,
    ) -> Result<Vec<FanRecord>, Halted> {
        let asked = branches.into_iter().filter(|(_, (_, tails))| !tails.is_empty());
        let fans = asked.map(|(repetition, (prefix, tails))| Fan {
            purpose,
            repetition,
            prefix: Order(prefix),
            tails: tails.into_iter().map(Order).collect(),
        });
        let fans: Vec<Fan> = fans.collect();
        if fans.is_empty() {
            return Ok(Vec::new());
        }
        let records = self.oracle.run(fans)?;
        records.iter().for_each(|record| self.successions.note_fan(record));
        Ok(records)
    }

    /// Runs orders with the user's own runner.
    pub(crate) fn plain(&mut self, asked: Vec<PlainAsk>) -> Result<Vec<PlainSeen>, Halted> {
        if asked.is_empty() { Ok(Vec::new()) } else { self.oracle.run_plain(asked) }
    }
}

fn tail_ends(record: &FanRecord) -> Vec<Sight> {
    record.tails.iter().map(|tail| end(&tail.steps)).collect()
}

/// How the last test of an order ended.
pub(crate) fn end(steps: &[Step]) -> Sight {
    steps.last().expect("an order has a test").into()
}

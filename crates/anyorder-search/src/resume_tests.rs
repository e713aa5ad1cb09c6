//! A hunt that is killed and started again over remembered answers ends as if nothing had happened.

use std::collections::BTreeMap;

use anyorder_model::{
    Fan, FanRecord, Halted, News, Oracle, PlainAsk, PlainSeen, Purpose, Rung, Step, Suite, TailRecord,
    TestIndex, Watch, WatchRecord,
};
use proptest::prelude::{ProptestConfig, any, prop_assert, prop_assert_eq, proptest};

use crate::simulate::{Mix, SimSuite, random_suite};
use crate::{HuntReport, HuntSettings, hunt};

/// Purpose, repetition and order: what a store keeps an answer under.
type Key = (Purpose, u32, Vec<TestIndex>);

/// Remembers every answer by its key, as a store does; halts after so many questions that it cannot answer itself.
struct Remembering {
    suite: SimSuite,
    orders: BTreeMap<Key, (Vec<Step>, TailRecord)>,
    plain: BTreeMap<(u32, Option<Rung>, Vec<TestIndex>), PlainSeen>,
    watches: BTreeMap<(Vec<TestIndex>, Vec<TestIndex>), WatchRecord>,
    patience: usize,
}

impl Remembering {
    /// How many answers it remembers.
    fn known(&self) -> usize {
        self.orders.len() + self.plain.len() + self.watches.len()
    }

    fn ask(&mut self, fan: &Fan, at: usize) -> Result<(Vec<Step>, TailRecord), Halted> {
        let tail = &fan.tails[at];
        let key = (fan.purpose, fan.repetition, [fan.prefix.tests(), tail.tests()].concat());
        if let Some(answer) = self.orders.get(&key) {
            return Ok(answer.clone());
        }
        self.patience = self.patience.checked_sub(1).ok_or(Halted::Interrupted)?;
        let mut record = self.suite.run(vec![Fan { tails: vec![tail.clone()], ..fan.clone() }])?.remove(0);
        let answer = (record.prefix, record.tails.remove(0));
        self.orders.insert(key, answer.clone());
        Ok(answer)
    }
}

impl Oracle for Remembering {
    fn suite(&self) -> &Suite {
        self.suite.suite()
    }

    fn run(&mut self, fans: Vec<Fan>) -> Result<Vec<FanRecord>, Halted> {
        let mut record = |fan: &Fan| {
            let answers: Vec<_> =
                (0..fan.tails.len()).map(|at| self.ask(fan, at)).collect::<Result<_, _>>()?;
            let prefix = answers[0].0.clone();
            Ok(FanRecord { prefix, tails: answers.into_iter().map(|(_, tail)| tail).collect() })
        };
        fans.iter().map(&mut record).collect()
    }

    fn run_plain(&mut self, asked: Vec<PlainAsk>) -> Result<Vec<PlainSeen>, Halted> {
        let seen = asked.into_iter().map(|asked| {
            let key = (asked.repetition, asked.rung, asked.order.0.clone());
            if let Some(seen) = self.plain.get(&key) {
                return Ok(seen.clone());
            }
            self.patience = self.patience.checked_sub(1).ok_or(Halted::Interrupted)?;
            let seen = self.suite.run_plain(vec![asked])?.remove(0);
            self.plain.insert(key, seen.clone());
            Ok(seen)
        });
        seen.collect()
    }

    fn can_watch(&self) -> bool {
        true
    }

    fn watch(&mut self, watches: Vec<Watch>) -> Result<Vec<WatchRecord>, Halted> {
        let records = watches.into_iter().map(|watch| {
            let key = (watch.prefix.0.clone(), watch.tests.0.clone());
            if let Some(record) = self.watches.get(&key) {
                return Ok(record.clone());
            }
            self.patience = self.patience.checked_sub(1).ok_or(Halted::Interrupted)?;
            let record = self.suite.watch(vec![watch])?.remove(0);
            self.watches.insert(key, record.clone());
            Ok(record)
        });
        records.collect()
    }

    fn spent(&self) -> f64 {
        0.0
    }

    fn tell(&mut self, _: News) {}
}

fn hunt_with(oracle: &mut Remembering, seed: u64, patience: usize) -> HuntReport {
    oracle.patience = patience;
    hunt(oracle, &HuntSettings { seed, ..HuntSettings::default() })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_killed_hunt_that_is_started_again_ends_as_an_undisturbed_one(seed in any::<u64>(), patience in 1_usize..400) {
        let suite = random_suite(seed, Mix::WithChance, 30);
        let oracle = || Remembering {
            suite: suite.clone(),
            orders: BTreeMap::new(),
            plain: BTreeMap::new(),
            watches: BTreeMap::new(),
            patience: 0,
        };
        let undisturbed = hunt_with(&mut oracle(), seed, usize::MAX);
        let mut killed = oracle();
        let mut report = hunt_with(&mut killed, seed, patience);
        while report.stopped_early.is_some() {
            let known = killed.known();
            report = hunt_with(&mut killed, seed, patience);
            prop_assert!(killed.known() > known);
        }
        prop_assert_eq!(report.findings, undisturbed.findings);
        prop_assert_eq!(report.coverage, undisturbed.coverage);
    }
}

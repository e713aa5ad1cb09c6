//! A made-up suite, and mutants of it, for tests of verdicts.

use std::sync::Arc;

use anyorder_model::{Halted, Order, Outcome, RunRecord, Signature, Step, Suite, Test, TestIndex};

use crate::bench::{Ask, Bench, Fitness};
use crate::stable::{InjectSettings, Leavings};
use crate::verdict::{Fate, Flaky, Verdict};
use crate::{Judge, Mutant, Operator};

/// Whether a test passes: with the mutant or without, behind these tests.
pub(crate) type Law = fn(bool, &[u32], u32) -> bool;

/// What tests end with that do not pass; those behind one that is lost are not reached.
pub(crate) const LOST: [Outcome; 2] = [Outcome::TimedOut, Outcome::Crashed];

/// A suite of one class that follows a law; what runs before a change runs as it is.
pub(crate) struct Toy {
    pub(crate) suite: Suite,
    pub(crate) law: Law,
    pub(crate) plain_law: Law,
    /// How tests end that do not pass.
    pub(crate) red: Outcome,
    pub(crate) orders: u64,
    pub(crate) plain: u64,
}

impl Toy {
    pub(crate) fn new(tests: u32, law: Law) -> Self {
        let test = |number: u32| Test::in_file(format!("test_a.py::test_{number}"), "test_a.py");
        let suite = Suite::new("pytest", (0..tests).map(test).collect());
        Toy { suite, law, plain_law: law, red: Outcome::Failed, orders: 0, plain: 0 }
    }

    fn record(&self, law: Law, ask: &Ask<'_>, order: &Order) -> RunRecord {
        let tests: Vec<u32> = order.tests().iter().map(|test| test.0).collect();
        let changed = ask.mutant.map_or(usize::MAX, |_| ask.changed_at.unwrap_or(0));
        let mut steps: Vec<Step> = Vec::new();
        for at in 0..tests.len() {
            let is_over = steps.iter().any(|step| LOST.contains(&step.outcome));
            let passes = law(at >= changed, &tests[..at], tests[at]);
            let outcome = match passes {
                _ if is_over => Outcome::NotReached,
                true => Outcome::Passed,
                false => self.red,
            };
            let signature =
                (!passes).then(|| Signature { kind: "AssertionError".to_owned(), ..Signature::default() });
            steps.push(Step { signature, ..Step::bare(order.tests()[at], outcome) });
        }
        RunRecord { asked: order.clone(), steps }
    }

    fn records(&self, law: Law, asked: &[Ask<'_>]) -> Vec<Vec<RunRecord>> {
        let records = |ask: &Ask<'_>| ask.orders.iter().map(|order| self.record(law, ask, order)).collect();
        asked.iter().map(records).collect()
    }
}

impl Bench for Toy {
    fn suite(&self) -> &Suite {
        &self.suite
    }

    fn fitness(&mut self, mutants: &[&Mutant]) -> Result<Vec<Fitness>, Halted> {
        Ok(vec![Fitness::Swapped; mutants.len()])
    }

    fn run(&mut self, asked: &[Ask<'_>]) -> Result<Vec<Vec<RunRecord>>, Halted> {
        self.orders += asked.iter().map(|ask| ask.orders.len() as u64).sum::<u64>();
        Ok(self.records(self.law, asked))
    }

    fn hunt(&mut self, _mutant: &Mutant) -> Result<Vec<Flaky>, Halted> {
        Ok(vec![])
    }

    fn run_plain(&mut self, asked: &[Ask<'_>]) -> Result<Vec<Vec<RunRecord>>, Halted> {
        self.plain += 1;
        Ok(self.records(self.plain_law, asked))
    }
}

/// A mutant of the first test.
pub(crate) fn mutant(suite: &Suite) -> Mutant {
    Mutant {
        number: 1,
        operator: Operator::DelStatement,
        file: "test_a.py".to_owned(),
        line: 2,
        range: 0..0,
        words: String::new(),
        function: vec!["test_0".to_owned()],
        before: Arc::from(&b""[..]),
        after: vec![],
        swap: None,
        is_of_test: true,
        tests: vec![TestIndex(0)],
        judged: vec![suite.indices().collect()],
    }
}

pub(crate) fn judged(toy: &mut Toy) -> Verdict {
    let mutant = mutant(&toy.suite);
    judged_as(toy, &mutant)
}

/// A mutant of a fixture that these tests use, judged in these classes.
pub(crate) fn of_fixture(suite: &Suite, tests: &[u32], classes: &[&[u32]]) -> Mutant {
    let indices = |tests: &[u32]| tests.iter().map(|&test| TestIndex(test)).collect::<Vec<_>>();
    let judged = classes.iter().map(|class| indices(class)).collect();
    Mutant { is_of_test: false, tests: indices(tests), judged, ..mutant(suite) }
}

pub(crate) fn judged_as(toy: &mut Toy, mutant: &Mutant) -> Verdict {
    let left_out = Leavings::new();
    Judge::new(toy, InjectSettings::default(), &left_out).judge(&[mutant]).unwrap().remove(0)
}

pub(crate) fn flaky(verdict: &Verdict) -> &Flaky {
    match &verdict.fate {
        Fate::OrderDependent(flaky) if flaky.len() == 1 => &flaky[0],
        other => panic!("{other:?}"),
    }
}

//! Hunts through suites whose forks or plain runs do not behave: time limits, one-off failures, runs that disturb others.

use anyorder_model::{
    Fan, FanRecord, Halted, Kind, News, Oracle, Outcome, PlainAsk, PlainSeen, Purpose, Rate, Rates, Step,
    Suite,
};

use crate::hunt_tests::{ONE, ZERO, kinds, suite};
use crate::simulate::{Op, SimFixture, SimSuite};
use crate::{HuntSettings, hunt};

/// A suite whose answers are bent before anybody hears them.
struct Bent {
    suite: SimSuite,
    forks: fn(&Fan, &mut FanRecord),
    plain: fn(&PlainAsk, &mut PlainSeen),
}

impl Oracle for Bent {
    fn suite(&self) -> &Suite {
        self.suite.suite()
    }

    fn run(&mut self, fans: Vec<Fan>) -> Result<Vec<FanRecord>, Halted> {
        let mut records = self.suite.run(fans.clone())?;
        fans.iter().zip(&mut records).for_each(|(fan, record)| (self.forks)(fan, record));
        Ok(records)
    }

    fn run_plain(&mut self, asked: Vec<PlainAsk>) -> Result<Vec<PlainSeen>, Halted> {
        let mut seen = self.suite.run_plain(asked.clone())?;
        asked.iter().zip(&mut seen).for_each(|(asked, seen)| (self.plain)(asked, seen));
        Ok(seen)
    }

    fn spent(&self) -> f64 {
        0.0
    }

    fn tell(&mut self, news: News) {
        self.suite.tell(news);
    }
}

#[test]
fn a_time_limit_alone_is_told_and_not_believed() {
    let suite = suite(&[&[Op::Need(0, ZERO)], &[Op::Set(0, 1)]]);
    let forks = |_: &Fan, record: &mut FanRecord| {
        let steps = record.tails.iter_mut().flat_map(|tail| &mut tail.steps);
        let failed = steps.filter(|step| step.outcome == Outcome::Failed);
        failed.for_each(|step| step.outcome = Outcome::TimedOut);
    };
    let report = hunt(&mut Bent { suite, forks, plain: |_, _| {} }, &HuntSettings::default());
    assert_eq!((report.findings.len(), report.unconfirmed.len()), (0, 1));
}

#[test]
fn a_test_that_only_ever_ran_into_its_time_limit_is_not_called_broken() {
    let suite = suite(&[&[Op::Need(0, ONE)], &[]]);
    let forks = |_: &Fan, record: &mut FanRecord| {
        let steps = record.tails.iter_mut().flat_map(|tail| &mut tail.steps);
        let failed = steps.filter(|step| step.outcome == Outcome::Failed);
        failed.for_each(|step| step.outcome = Outcome::TimedOut);
    };
    let report = hunt(&mut Bent { suite, forks, plain: |_, _| {} }, &HuntSettings::default());
    assert_eq!(kinds(&report), []);
    assert_eq!(report.unconfirmed.iter().map(|doubt| doubt.kind).collect::<Vec<_>>(), [Kind::Broken]);
}

/// A test that forks always fail, as `assert hash("abc") % 2 == 0` does where they have one hash seed, and `plain` bends.
fn rates_of_unlucky_hash(plain: fn(&PlainAsk, &mut PlainSeen)) -> Rates {
    let suite = suite(&[&[], &[Op::Need(0, ONE)], &[]]);
    let mut report = hunt(&mut Bent { suite, forks: |_, _| {}, plain }, &HuntSettings::default());
    assert_eq!(kinds(&report), [(Kind::NonDeterministic, 1)]);
    assert!(report.unconfirmed.is_empty());
    report.findings.remove(0).rates.unwrap()
}

#[test]
fn a_test_that_forks_fail_alike_and_a_new_process_passes_in_the_original_order_is_non_deterministic() {
    let rates = rates_of_unlucky_hash(|asked, seen| {
        if asked.hash_seed % 2 == 1 {
            seen.steps.iter_mut().for_each(|step| step.outcome = Outcome::Passed);
        }
    });
    assert_eq!((rates.suite, rates.alone), (Some(Rate(3, 5)), Some(Rate(4, 8))));
    let after = rates.after.unwrap();
    assert_eq!((after.rate, after.reference, after.is_correlated), (Rate(4, 8), Rate(4, 8), false));
}

#[test]
fn a_test_that_forks_fail_alike_and_a_new_process_passes_alone_is_not_broken() {
    let rates = rates_of_unlucky_hash(|asked, seen| {
        if asked.hash_seed % 2 == 0 {
            seen.steps.iter_mut().for_each(|step| step.outcome = Outcome::Passed);
        }
    });
    assert_eq!((rates.suite, rates.alone, rates.after), (None, Some(Rate(3, 5)), None));
}

#[test]
fn what_forks_and_new_processes_always_show_otherwise_is_doubted() {
    let plain = |_: &PlainAsk, seen: &mut PlainSeen| {
        seen.steps.iter_mut().for_each(|step| step.outcome = Outcome::Passed);
    };
    let suite = suite(&[&[], &[Op::Need(0, ONE)], &[]]);
    let report = hunt(&mut Bent { suite, forks: |_, _| {}, plain }, &HuntSettings::default());
    assert_eq!(kinds(&report), []);
    assert_eq!(report.unconfirmed.iter().map(|doubt| doubt.kind).collect::<Vec<_>>(), [Kind::Broken]);
}

#[test]
fn a_fixture_that_fails_behind_forks_only_is_doubted() {
    let fixture = SimFixture { cells: vec![], need: Some((0, ONE)) };
    let plain = |_: &PlainAsk, seen: &mut PlainSeen| {
        seen.steps.iter_mut().for_each(|step| *step = Step::bare(step.test, Outcome::Passed));
    };
    let suite = suite(&[&[], &[], &[]]).with_fixture(0, fixture);
    let report = hunt(&mut Bent { suite, forks: |_, _| {}, plain }, &HuntSettings::default());
    assert_eq!(kinds(&report), []);
    assert_eq!(report.unconfirmed.iter().map(|doubt| doubt.kind).collect::<Vec<_>>(), [Kind::Fixture]);
}

#[test]
fn what_was_seen_once_and_in_no_run_of_the_same_order_again_is_not_called_chance() {
    let forks = |fan: &Fan, record: &mut FanRecord| {
        if fan.purpose == Purpose::Sweep {
            record.tails[0].steps.last_mut().unwrap().outcome = Outcome::Failed;
        }
    };
    let mut bent = Bent { suite: suite(&[&[], &[], &[]]), forks, plain: |_, _| {} };
    let report = hunt(&mut bent, &HuntSettings::default());
    assert_eq!(kinds(&report), []);
    assert!(!report.unconfirmed.is_empty());
}

#[test]
fn victims_that_disturb_each_other_in_a_plain_run_are_confirmed_one_by_one() {
    let suite = suite(&[&[Op::Need(0, ZERO)], &[Op::Need(0, ZERO)], &[Op::Need(0, ZERO)], &[Op::Set(0, 1)]]);
    let plain = |asked: &PlainAsk, seen: &mut PlainSeen| {
        if asked.order.len() > 2 {
            seen.steps.iter_mut().for_each(|step| step.outcome = Outcome::Passed);
        }
    };
    let report = hunt(&mut Bent { suite, forks: |_, _| {}, plain }, &HuntSettings::default());
    assert_eq!(kinds(&report), [0, 1, 2].map(|test| (Kind::Victim, test)));
    assert!(report.findings.iter().all(|finding| finding.evidence.as_ref().unwrap().plain_pairs == 5));
}

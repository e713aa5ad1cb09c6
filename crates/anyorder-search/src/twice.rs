//! Tests that are run twice: which of them mind.
//!
//! Knows the three modes that fit into one process. Fixtures of a class, a module or the session stand from the first
//! to the second time. Pass then fail is non-idempotent, fail then pass is self-setting; the rest is nothing.

use anyorder_model::{Halted, Kind, Mode, Oracle, Purpose, Station, Step, TestIndex};

use crate::asker::Asker;
use crate::blame::{charge, confirm_fixtures, torn};
use crate::case::Case;
use crate::groups::groups_of;
use crate::hunt::HuntReport;
use crate::judge::Judge;
use crate::settings::HuntSettings;
use crate::shrink::{Shrunk, shrink};
use crate::sight::Sight;

/// Runs every test twice in this mode, and confirms what comes of it. `AcrossRuns` is not for one process.
pub fn twice(oracle: &mut dyn Oracle, mode: Mode, settings: &HuntSettings) -> HuntReport {
    let mut judge = Judge::new(oracle, settings);
    let halted = run_mode(&mut judge, mode).err();
    judge.report(halted)
}

fn run_mode(judge: &mut Judge<'_>, mode: Mode) -> Result<(), Halted> {
    let orders = orders_of(judge.asker(), mode);
    judge.asker().begin(Station::Twice, Some(orders.len() as u64));
    let records = judge.asker().orders(Purpose::Twice, 0, orders)?;
    let mut doubles: Vec<Double> = records.iter().flat_map(|steps| doubles(steps)).collect();
    doubles.sort_by_key(|double| double.test);
    judge_doubles(judge, doubles);
    shorten(judge)?;
    judge.confirm_in_forks()?;
    judge.confirm_plainly()?;
    confirm_fixtures(judge)?;
    judge.find_twice(mode);
    judge.rate_aside()
}

fn orders_of(asker: &Asker<'_>, mode: Mode) -> Vec<Vec<TestIndex>> {
    let double = |tests: &[TestIndex]| tests.iter().flat_map(|&test| [test, test]).collect::<Vec<_>>();
    let tests: Vec<TestIndex> = asker.suite().indices().collect();
    match mode {
        Mode::IsolatedTest => tests.iter().map(|&test| vec![test, test]).collect(),
        Mode::IsolatedGroup => groups_of(asker.suite()).iter().map(|group| double(group)).collect(),
        Mode::Suite | Mode::AcrossRuns => vec![double(&tests)],
    }
}

/// Leaves out what ran before a test that was run twice, as far as it minds all the same.
fn shorten(judge: &mut Judge<'_>) -> Result<(), Halted> {
    let mut cases = judge.take(|case| !case.base.is_empty());
    let result = cases.iter_mut().try_for_each(|case| shorten_one(judge, case));
    judge.open.append(&mut cases);
    judge.open.sort_by_key(|case| case.test);
    result
}

fn shorten_one(judge: &mut Judge<'_>, case: &mut Case) -> Result<(), Halted> {
    let questions = judge.settings.questions;
    let mut minds = |before: &[TestIndex]| {
        let order = [before, &[case.test, case.test]].concat();
        let steps = judge.asker().orders(Purpose::Minimise, 0, vec![order])?.remove(0);
        let [first, second] = [2, 1].map(|back| Sight::from(&steps[steps.len() - back]));
        Ok(first.outcome == case.alone.outcome && case.target.is_met(&second))
    };
    let shortest = if minds(&[])? {
        vec![]
    } else if minds(&case.base)? {
        match shrink(&case.base, questions, minds)? {
            Shrunk::Minimal(before) | Shrunk::Unfinished(before) => before,
        }
    } else {
        return Ok(());
    };
    case.twice_after(&shortest);
    Ok(())
}

/// A test that ran twice in a row.
pub(crate) struct Double {
    pub(crate) test: TestIndex,
    before: Vec<TestIndex>,
    pub(crate) first: Sight,
    second: Sight,
}

/// The tests of an order in which each runs twice in a row.
pub(crate) fn doubles(steps: &[Step]) -> impl Iterator<Item = Double> {
    let pairs = steps.chunks_exact(2).enumerate();
    pairs.map(|(at, pair)| Double {
        test: pair[0].test,
        before: steps[..2 * at].iter().map(|step| step.test).collect(),
        first: (&pair[0]).into(),
        second: (&pair[1]).into(),
    })
}

/// Makes cases of the tests that mind, and charges fixtures whose tear-down fails behind them.
pub(crate) fn judge_doubles(judge: &mut Judge<'_>, doubles: Vec<Double>) {
    for Double { test, first, second, before } in doubles {
        if let Some(signature) = torn(&second).filter(|_| !first.is_torn()) {
            charge(judge, &before, test, signature);
        }
        let kind = if first.is_pass() && second.is_fail() {
            Kind::NonIdempotent
        } else if first.is_fail() && (second.is_pass() || second.is_torn()) {
            Kind::SelfSetting
        } else {
            continue;
        };
        judge.open.push(Case::of_twice(kind, before, test, [first, second]));
    }
}

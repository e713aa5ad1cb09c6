//! A candidate on trial: the orders that failed, the orders that passed, and the original order.

use std::collections::{BTreeMap, BTreeSet};

use anyorder_model::{Fan, Finding, Halted, Kind, Oracle, Order, Outcome, Purpose, Suite, TestId, TestIndex};

use crate::problem::Claim;
use crate::writes::Left;

/// How the suite ends as it is.
#[derive(Clone, Debug)]
pub(crate) struct Baseline {
    suite: Suite,
    /// In the original order; tests that did not end the same way twice are left out.
    original: BTreeMap<TestIndex, Outcome>,
    /// Orders in which the last test passes.
    passing: BTreeSet<Order>,
}

/// What a candidate does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Screened {
    /// The claims that hold now, by their places.
    pub(crate) holds: BTreeSet<usize>,
    /// What ends worse than it did.
    pub(crate) harm: Harm,
    /// How many orders still pass.
    pub(crate) passing: usize,
}

impl Screened {
    /// Whether it helps, and harms nobody.
    pub(crate) fn is_good(&self) -> bool {
        self.harm.is_none() && !self.holds.is_empty()
    }

    /// Whether all of these claims hold, and nobody is harmed.
    pub(crate) fn cures_all(&self, claims: &[Claim]) -> bool {
        self.harm.is_none() && self.holds.len() == claims.len()
    }
}

/// So often harm has to come again.
pub(crate) const AGAIN: u32 = 4;

/// So many orders with cleaners or setters of one finding have to go on passing.
const HELPED: usize = 12;

impl Baseline {
    /// Runs the original order, and all orders in which tests of findings are known to pass.
    pub(crate) fn new(oracle: &mut dyn Oracle, findings: &[Finding]) -> Result<Self, Halted> {
        let suite = oracle.suite().clone();
        let whole: Order = suite.indices().collect();
        let candidates: BTreeSet<Order> = findings
            .iter()
            .flat_map(|finding| [passing_orders(finding), by_themselves(finding)].concat())
            .collect();
        let orders: Vec<Order> = candidates.into_iter().collect();
        let asked = [std::slice::from_ref(&whole), &orders[..]].concat();
        let first = run(oracle, &asked, 0)?;
        let second = run(oracle, std::slice::from_ref(&whole), 1)?;
        let ended = |steps: &[(TestIndex, Outcome)]| steps.iter().copied().collect::<BTreeMap<_, _>>();
        let (mut original, again) = (ended(&first[0]), ended(&second[0]));
        original.retain(|test, outcome| again.get(test) == Some(outcome));
        let passes = |(order, steps): (Order, &Vec<(TestIndex, Outcome)>)| has_passed(steps).then_some(order);
        let passing = orders.into_iter().zip(&first[1..]).filter_map(passes).collect();
        Ok(Baseline { suite, original, passing })
    }

    /// The suite as it is.
    pub(crate) fn suite(&self) -> &Suite {
        &self.suite
    }

    /// Tests whose outcome in the original order is known.
    pub(crate) fn original(&self) -> &BTreeMap<TestIndex, Outcome> {
        &self.original
    }

    /// Tries a changed suite: which claims hold, and what ends worse.
    pub(crate) fn screen(&self, oracle: &mut dyn Oracle, claims: &[Claim]) -> Result<Screened, Halted> {
        let Some(places) = places(&self.suite, oracle.suite()) else {
            // Tests are gone, or there are new ones.
            let harm = Harm { worse: self.suite.indices().collect(), broken: vec![] };
            return Ok(Screened { harm, ..Screened::default() });
        };
        let here = |order: &Order| order.tests().iter().map(|&test| places[&test]).collect::<Order>();
        let whole: Order = self.suite.indices().collect();
        let orders: Vec<&Order> = [&whole]
            .into_iter()
            .chain(&self.passing)
            .chain(claims.iter().map(|claim| &claim.order))
            .collect();
        let asked: Vec<Order> = orders.iter().map(|order| here(order)).collect();
        let ended = run(oracle, &asked, 0)?;
        let (original, others) = ended.split_first().expect("the original order is among them");
        let (passing, claimed) = others.split_at(self.passing.len());
        let holds = claimed.iter().enumerate().filter(|(_, steps)| has_passed(steps));
        let holds = holds.map(|(at, _)| at).collect();
        let broken = self.passing.iter().zip(passing).filter(|(_, steps)| !has_passed(steps));
        let harm = Harm {
            worse: self.worse(&places, original),
            broken: broken.map(|(order, _)| order.clone()).collect(),
        };
        let harm = self.lasting(oracle, &places, harm)?;
        Ok(Screened { holds, harm, passing: self.passing.len() })
    }

    /// What ends worse each time that it runs: what chance has done does not come again and again.
    fn lasting(
        &self,
        oracle: &mut dyn Oracle,
        places: &BTreeMap<TestIndex, TestIndex>,
        mut harm: Harm,
    ) -> Result<Harm, Halted> {
        let here = |order: &Order| order.tests().iter().map(|test| places[test]).collect::<Order>();
        let whole: Order = self.suite.indices().collect();
        for repetition in 1..=AGAIN {
            if harm.is_none() {
                break;
            }
            let whole = std::iter::once(&whole).filter(|_| !harm.worse.is_empty());
            let asked: Vec<Order> = harm.broken.iter().chain(whole).map(here).collect();
            let ended = run(oracle, &asked, repetition)?;
            if let Some(original) = ended.get(harm.broken.len()) {
                let again = self.worse(places, original);
                harm.worse.retain(|test| again.contains(test));
            }
            let mut ended = ended.iter();
            harm.broken.retain(|_| ended.next().is_some_and(|steps| !has_passed(steps)));
        }
        Ok(harm)
    }

    /// Where these tests are in a changed suite.
    pub(crate) fn here(&self, changed: &Suite, tests: &[TestIndex]) -> Vec<TestIndex> {
        tests.iter().filter_map(|&test| changed.index_of(self.suite.id(test))).collect()
    }

    /// What tests of a changed suite leave, told in places of the suite as it is.
    pub(crate) fn back(&self, changed: &Suite, left: Left) -> Left {
        let place = |(test, paths)| Some((self.suite.index_of(changed.id(test))?, paths));
        left.into_iter().filter_map(place).collect()
    }

    /// The tests that ended well as it is and do not in `steps`.
    fn worse(
        &self,
        places: &BTreeMap<TestIndex, TestIndex>,
        steps: &[(TestIndex, Outcome)],
    ) -> BTreeSet<TestIndex> {
        let ended: BTreeMap<TestIndex, Outcome> = steps.iter().copied().collect();
        let is_worse = |(test, was): &(&TestIndex, &Outcome)| {
            ended.get(&places[*test]).is_none_or(|&now| now != Outcome::Passed && !is_alike(**was, now))
        };
        self.original.iter().filter(is_worse).map(|(&test, _)| test).collect()
    }
}

/// What ends worse with a candidate, told in places of the suite as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Harm {
    /// Tests in the original order.
    worse: BTreeSet<TestIndex>,
    /// Orders that passed.
    broken: Vec<Order>,
}

impl Harm {
    pub(crate) fn is_none(&self) -> bool {
        self.worse.is_empty() && self.broken.is_empty()
    }

    /// Everybody who has to do with it.
    pub(crate) fn tests(&self) -> BTreeSet<TestIndex> {
        self.worse.iter().chain(self.broken.iter().flat_map(Order::tests)).copied().collect()
    }
}

/// Where each test is in another collection of the same suite; nothing if it is not the same.
pub(crate) fn places(suite: &Suite, other: &Suite) -> Option<BTreeMap<TestIndex, TestIndex>> {
    let place = |test: TestIndex| {
        let id: &TestId = suite.id(test);
        other.index_of(id).map(|place| (test, place))
    };
    let places: Option<BTreeMap<_, _>> = suite.indices().map(place).collect();
    places.filter(|_| suite.len() == other.len())
}

/// Orders that end with a passing test of the finding.
fn passing_orders(finding: &Finding) -> Vec<Order> {
    let behind = |tests: &[TestIndex]| Order([tests, &[finding.test]].concat());
    let mut orders: Vec<Order> =
        finding.evidence.iter().filter_map(|evidence| evidence.passing.clone()).collect();
    if finding.kind == Kind::Brittle {
        orders.extend(finding.setters.iter().flatten().take(HELPED).map(|group| behind(group)));
        return orders;
    }
    orders.push(behind(&[]));
    for row in finding.by_polluter.iter().flatten() {
        let polluters = finding.polluters.as_ref().and_then(|groups| groups.get(row.group));
        let cleaners = row.cleaners.iter().flatten().take(HELPED);
        orders.extend(cleaners.filter_map(|cleaner| Some(behind(&[&polluters?[..], &cleaner[..]].concat()))));
    }
    orders
}

/// The tests of a finding alone, and each of them twice: some of these pass.
fn by_themselves(finding: &Finding) -> Vec<Order> {
    let polluters = finding.polluters.iter().flatten().take(HELPED).flatten();
    let tests = polluters.copied().chain([finding.test]);
    tests.flat_map(|test| [Order(vec![test]), Order(vec![test, test])]).collect()
}

/// How each test of each order ended.
pub(crate) fn run(
    oracle: &mut dyn Oracle,
    orders: &[Order],
    repetition: u32,
) -> Result<Vec<Vec<(TestIndex, Outcome)>>, Halted> {
    let fan = Fan { purpose: Purpose::Repair, repetition, prefix: Order::default(), tails: orders.to_vec() };
    let record = oracle.run(vec![fan])?.pop().expect("one answer for one question");
    let ended =
        record.tails.iter().map(|tail| tail.steps.iter().map(|step| (step.test, step.outcome)).collect());
    Ok(ended.collect())
}

/// Whether a test ends as it did: one that fails is none the worse if its set-up does.
pub(crate) fn is_alike(was: Outcome, now: Outcome) -> bool {
    let fails = |outcome: Outcome| matches!(outcome, Outcome::Failed | Outcome::Error);
    now == was || fails(now) && fails(was)
}

/// Whether the last test passed.
pub(crate) fn has_passed(steps: &[(TestIndex, Outcome)]) -> bool {
    matches!(steps.last(), Some((_, Outcome::Passed)))
}

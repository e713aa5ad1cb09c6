//! What became of a mutant.

use anyorder_model::{Finding, Group, Kind, Order, Signature, TestIndex};
use serde::{Deserialize, Serialize};

use crate::bench::Fitness;

/// What became of a mutant, and how many orders it took to know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// What it is.
    pub fate: Fate,
    /// How many orders of the mutant have run.
    pub orders: u64,
    /// Whether the suite had to be collected again, on a changed tree.
    #[serde(default)]
    pub changed_tree: bool,
    /// Tests that have both passed and failed, beyond those that were looked into.
    #[serde(default)]
    pub not_looked_into: Vec<TestIndex>,
}

/// What a mutant is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fate {
    /// It does not compile, or its tests are not collected.
    Invalid(String),
    /// A test that runs what was changed fails in every order that was tried; how.
    Killed(Signature),
    /// Order decides how some tests end that passed in every order before.
    OrderDependent(Vec<Flaky>),
    /// Tests differ between runs of the same order.
    NonDeterministic(Vec<TestIndex>),
    /// Forks show a dependence that the plain runner does not.
    Unconfirmed(Vec<Flaky>),
    /// Order decides how these tests end, but so it does without the mutant.
    Inherited(Vec<TestIndex>),
    /// No test has noticed.
    Equivalent,
}

impl Fate {
    /// Its name in tables.
    pub fn name(&self) -> &'static str {
        match self {
            Fate::Invalid(_) => "invalid",
            Fate::Killed(_) => "killed",
            Fate::OrderDependent(_) => "order-dependent",
            Fate::NonDeterministic(_) => "non-deterministic",
            Fate::Unconfirmed(_) => "unconfirmed",
            Fate::Inherited(_) => "inherited",
            Fate::Equivalent => "equivalent",
        }
    }

    /// What a mutant is that one test shows to be this, and another that: what order decides counts before all else.
    pub(crate) fn and(self, other: Fate) -> Fate {
        use Fate::{Inherited, NonDeterministic, OrderDependent, Unconfirmed};
        match (self, other) {
            (OrderDependent(a), OrderDependent(b)) => OrderDependent([a, b].concat()),
            (Unconfirmed(a), Unconfirmed(b)) => Unconfirmed([a, b].concat()),
            (NonDeterministic(a), NonDeterministic(b)) => NonDeterministic([a, b].concat()),
            (Inherited(a), Inherited(b)) => Inherited([a, b].concat()),
            (a, b) if a.weight() >= b.weight() => a,
            (_, b) => b,
        }
    }

    fn weight(&self) -> u8 {
        match self {
            Fate::Invalid(_) => 6,
            Fate::OrderDependent(_) => 5,
            Fate::Unconfirmed(_) => 4,
            Fate::NonDeterministic(_) => 3,
            Fate::Killed(_) => 2,
            Fate::Inherited(_) => 1,
            Fate::Equivalent => 0,
        }
    }
}

impl From<Fitness> for Verdict {
    /// What is known before any order has run.
    fn from(fitness: Fitness) -> Self {
        let changed_tree = fitness == Fitness::Changed;
        let fate = match fitness {
            Fitness::Invalid(why) => Fate::Invalid(why),
            Fitness::Swapped | Fitness::Changed => Fate::Equivalent,
        };
        Verdict { fate, orders: 0, changed_tree, not_looked_into: vec![] }
    }
}

/// A test that depends on order because of a mutant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flaky {
    /// Which.
    pub test: TestIndex,
    /// Victim, brittle or non-idempotent.
    pub kind: Kind,
    /// Minimal groups after which a victim fails or a brittle passes.
    pub partners: Vec<Group>,
    /// Tests that, between the first polluter and a victim, let it pass; nothing if they were not looked for.
    pub cleaners: Option<Vec<TestIndex>>,
    /// How it fails.
    pub failure: Signature,
    /// An order in which it passes.
    pub passing: Order,
    /// An order in which it fails.
    pub failing: Order,
    /// Whether the plain runner has shown both, on the mutant's tree.
    pub confirmed: bool,
}

impl Flaky {
    /// A finding of a hunt, if order decides it. Tests are looked up by `place`, since a mutant may have them elsewhere; a
    /// finding that takes a test which only the mutant has is none that can be compared.
    pub fn of(finding: &Finding, place: impl Fn(TestIndex) -> Option<TestIndex>) -> Option<Self> {
        let evidence = finding.evidence.as_ref().filter(|_| finding.kind.is_order_dependent())?;
        let group = |group: &Group| group.iter().map(|&test| place(test)).collect::<Option<Group>>();
        let order = |order: &Order| group(&order.0).map(Order);
        let partners = finding.polluters.as_ref().or(finding.setters.as_ref());
        let single = |group: &Group| if let [test] = group[..] { place(test) } else { None };
        let cleaners = finding.cleaners.as_ref().map(|groups| groups.iter().filter_map(single).collect());
        Some(Flaky {
            test: place(finding.test)?,
            kind: finding.kind,
            partners: partners.into_iter().flatten().filter_map(group).collect(),
            cleaners,
            failure: finding.signature.clone().unwrap_or_default(),
            passing: order(evidence.passing.as_ref()?)?,
            failing: order(&evidence.failing)?,
            confirmed: evidence.confirmed.is_some(),
        })
    }

    /// Whether it is an assertion that fails.
    pub fn is_assertion(&self) -> bool {
        let kind = self.failure.kind.rsplit('.').next().unwrap_or_default();
        kind.contains("Assertion") || kind == "Failed"
    }
}

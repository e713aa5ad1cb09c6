//! What became of a mutant.

use anyorder_model::{Finding, Group, Kind, Order, Signature, TestIndex};
use serde::{Deserialize, Serialize};

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
}

/// What a mutant is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fate {
    /// It does not compile, or its tests are not collected.
    Invalid(String),
    /// Each test that runs what was changed fails in every order that was tried, or does so at random.
    Killed(Option<Signature>),
    /// Order decides how some tests end that passed in every order before.
    OrderDependent(Vec<Flaky>),
    /// Tests differ between runs of the same order.
    NonDeterministic(Vec<TestIndex>),
    /// Forks show a dependence that the plain runner does not.
    Unconfirmed(Vec<Flaky>),
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
            Fate::Equivalent => "equivalent",
        }
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
    /// Tests that, between the first polluter and a victim, let it pass.
    pub cleaners: Vec<TestIndex>,
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
    /// A finding of a hunt, if order decides it; tests are looked up by `place`, since a mutant may have them elsewhere.
    pub fn of(finding: &Finding, place: impl Fn(TestIndex) -> TestIndex) -> Option<Self> {
        let evidence = finding.evidence.as_ref().filter(|_| finding.kind.is_order_dependent())?;
        let group = |group: &Group| group.iter().map(|&test| place(test)).collect::<Group>();
        let order = |order: &Order| Order(group(&order.0));
        let partners = finding.polluters.as_ref().or(finding.setters.as_ref());
        let cleaners = finding.cleaners.iter().flatten().filter(|cleaners| cleaners.len() == 1);
        Some(Flaky {
            test: place(finding.test),
            kind: finding.kind,
            partners: partners.into_iter().flatten().map(group).collect(),
            cleaners: cleaners.map(|cleaners| place(cleaners[0])).collect(),
            failure: finding.signature.clone().unwrap_or_default(),
            passing: order(evidence.passing.as_ref()?),
            failing: order(&evidence.failing),
            confirmed: evidence.confirmed.is_some(),
        })
    }

    /// Whether it is an assertion that fails.
    pub fn is_assertion(&self) -> bool {
        let kind = self.failure.kind.rsplit('.').next().unwrap_or_default();
        kind.contains("Assertion") || kind == "Failed"
    }
}

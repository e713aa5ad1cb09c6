//! A finding: a verdict on a test, with all that was learnt about it.
//!
//! A field that was not looked for is `None`; one that was looked for and not found is an empty list.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Acceptance, Age, Cause, Order, Rung, Signature, State, TestId, TestIndex};

/// Tests that do something only together, in this order; nearly always one.
pub type Group = Vec<TestIndex>;

/// What kind of verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Passes alone, fails after some other tests.
    Victim,
    /// Fails alone, passes after some other tests.
    Brittle,
    /// Passes, then fails when run again in the same process.
    NonIdempotent,
    /// Fails, then passes when run again in the same process.
    SelfSetting,
    /// Differs between runs of the same order.
    NonDeterministic,
    /// The order decides between two outcomes that are not pass and fail: a skip, an expected failure, another failure.
    OutcomeVaries,
    /// A fixture whose tear-down fails; frameworks blame whichever test happens to be last.
    Fixture,
    /// Fails in every state that was tried.
    Broken,
    /// Leaves shared state changed, though no test is known to suffer from it.
    LatentPolluter,
    /// Passes, and fails when a cell that it may look at is changed, though no test is known to do that.
    LatentVictim,
}

impl Kind {
    /// Every kind, the ones that matter most first.
    pub const ALL: [Kind; 10] = [
        Kind::Victim,
        Kind::Brittle,
        Kind::NonIdempotent,
        Kind::SelfSetting,
        Kind::NonDeterministic,
        Kind::OutcomeVaries,
        Kind::Fixture,
        Kind::Broken,
        Kind::LatentPolluter,
        Kind::LatentVictim,
    ];

    /// Its name in output.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Victim => "victim",
            Kind::Brittle => "brittle",
            Kind::NonIdempotent => "non-idempotent",
            Kind::SelfSetting => "self-setting",
            Kind::NonDeterministic => "non-deterministic",
            Kind::OutcomeVaries => "outcome-varies",
            Kind::Fixture => "fixture",
            Kind::Broken => "broken",
            Kind::LatentPolluter => "latent-polluter",
            Kind::LatentVictim => "latent-victim",
        }
    }

    /// Its name behind a number.
    pub fn counted(self, number: usize) -> &'static str {
        match self {
            Kind::Victim if number != 1 => "victims",
            Kind::Fixture if number != 1 => "fixtures",
            Kind::LatentPolluter if number != 1 => "latent-polluters",
            Kind::LatentVictim if number != 1 => "latent-victims",
            _ => self.name(),
        }
    }

    /// The letter that ids of this kind begin with.
    pub fn letter(self) -> char {
        match self {
            Kind::Victim => 'v',
            Kind::Brittle => 'b',
            Kind::NonIdempotent => 'n',
            Kind::SelfSetting => 's',
            Kind::NonDeterministic => 'd',
            Kind::OutcomeVaries => 'o',
            Kind::Fixture => 'f',
            Kind::Broken => 'x',
            Kind::LatentPolluter => 'p',
            Kind::LatentVictim => 'l',
        }
    }

    /// Whether it is order alone that decides: these are what a hunt is for.
    pub fn is_order_dependent(self) -> bool {
        matches!(self, Kind::Victim | Kind::Brittle | Kind::NonIdempotent)
    }
}

/// The name of a finding: the same for the same kind and test, in every hunt.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FindingId(pub String);

impl FindingId {
    /// The letter of the kind and six hexadecimal digits.
    pub fn new(kind: Kind, test: &TestId) -> Self {
        let hash = fnv1a(kind.name().bytes().chain([0]).chain(test.0.bytes()));
        FindingId(format!("{}-{:06x}", kind.letter(), (hash ^ (hash >> 24) ^ (hash >> 48)) & 0x00ff_ffff))
    }
}

impl fmt::Display for FindingId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

/// The 64-bit FNV-1a hash.
fn fnv1a(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// A verdict on a test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Stable over hunts.
    pub id: FindingId,
    /// What kind of verdict.
    pub kind: Kind,
    /// Which test; for a fixture, one that was blamed.
    pub test: TestIndex,
    /// Minimal groups after which a victim fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub polluters: Option<Vec<Group>>,
    /// Minimal groups after which a brittle passes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub setters: Option<Vec<Group>>,
    /// What was learnt about single polluters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_polluter: Option<Vec<ByPolluter>>,
    /// All cleaners of `by_polluter`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cleaners: Option<Vec<Group>>,
    /// The shared state that has to do with it; where causes were looked for, all that is in them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<Vec<State>>,
    /// Why, for each group of polluters or setters that was looked into.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub causes: Option<Vec<Cause>>,
    /// The full text of the failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// The two orders.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// How it fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<Signature>,
    /// Whether no failing order is known that keeps groups together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interleaved_only: Option<bool>,
    /// Whether the author fixed the order on purpose.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub declared: bool,
    /// Command lines of the user's own runner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reproduce: Option<Reproduce>,
    /// For non-idempotent and self-setting tests, how they were run twice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// How often a non-deterministic test fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rates: Option<Rates>,
    /// What was not looked for, one sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_searched: Vec<String>,
    /// Why the plain runner did not confirm it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unconfirmed: Option<String>,
    /// Whether it was there before the change that was looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub age: Option<Age>,
    /// Of a victim that was there before the change: the groups after which it did not fail then. They make it count as new.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub new_partners: Vec<Group>,
    /// Who says that it may stay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted: Option<Acceptance>,
}

impl Finding {
    /// A verdict of which nothing but the kind is known yet.
    pub fn new(kind: Kind, test: TestIndex, name: &TestId) -> Self {
        Finding {
            id: FindingId::new(kind, name),
            kind,
            test,
            polluters: None,
            setters: None,
            by_polluter: None,
            cleaners: None,
            state: None,
            causes: None,
            failure: None,
            evidence: None,
            signature: None,
            interleaved_only: None,
            declared: false,
            reproduce: None,
            mode: None,
            rates: None,
            not_searched: Vec::new(),
            unconfirmed: None,
            age: None,
            new_partners: Vec::new(),
            accepted: None,
        }
    }

    /// Whether it is to be held against a change: order decides it, and it is neither older than the change nor accepted. What
    /// was accepted for a time that is over counts again, however old it is.
    pub fn counts(&self) -> bool {
        let is_held = match &self.accepted {
            Some(acceptance) => acceptance.is_expired,
            None => self.age != Some(Age::Before),
        };
        self.kind.is_order_dependent() && is_held
    }
}

/// What was learnt about one group of polluters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ByPolluter {
    /// Its place in the list of polluters.
    pub group: usize,
    /// Minimal groups that let the victim pass when they run in between.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cleaners: Option<Vec<Group>>,
}

/// Two orders that end with the test, and how sure they are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// Here it passes; or, where outcomes vary, ends as it does alone. Nothing for a fixture, which may always fail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passing: Option<Order>,
    /// Here it fails; or ends otherwise.
    pub failing: Order,
    /// How the plain runner was told these orders; `None` if it did not confirm them.
    pub confirmed: Option<Rung>,
    /// How many alternating pairs of plain runs confirmed it; for a fixture, how many plain runs.
    pub plain_pairs: u32,
}

/// Command lines that the tool has run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reproduce {
    /// The test fails.
    pub fail: String,
    /// The test passes.
    pub pass: String,
}

/// How tests are run twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Each test by itself: t, t.
    IsolatedTest,
    /// Each group by itself: t, t, u, u.
    IsolatedGroup,
    /// Every test twice in a row in one process.
    Suite,
    /// Two runs of the whole suite, one after the other, on one disk.
    AcrossRuns,
}

impl Mode {
    /// All of them, with what they do.
    pub const ALL: [(Mode, &'static str); 4] = [
        (Mode::IsolatedTest, "Each test by itself: t, t"),
        (Mode::IsolatedGroup, "Each class or file by itself: t, t, u, u"),
        (Mode::Suite, "Every test twice in a row, in one process"),
        (Mode::AcrossRuns, "Two plain runs of the suite, one after the other on one copy of the disk"),
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Mode::IsolatedTest => "isolated-test",
            Mode::IsolatedGroup => "isolated-group",
            Mode::Suite => "suite",
            Mode::AcrossRuns => "across-runs",
        }
    }
}

/// So many failures in so many runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rate(pub u32, pub u32);

impl Rate {
    /// With one more run.
    #[must_use]
    pub fn with(self, has_failed: bool) -> Self {
        Rate(self.0 + u32::from(has_failed), self.1 + 1)
    }

    /// Whether some runs failed and some did not.
    pub fn is_mixed(self) -> bool {
        (1..self.1).contains(&self.0)
    }
}

/// How often a test fails.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rates {
    /// By itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alone: Option<Rate>,
    /// In the original order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suite: Option<Rate>,
    /// After other tests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<After>,
}

/// How often a test fails after others, against how often it fails in a reference order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct After {
    /// The order that ends with the test.
    pub order: Order,
    /// How often it failed there.
    pub rate: Rate,
    /// How often it failed in the reference order: by itself, unless told otherwise.
    pub reference: Rate,
    /// How likely rates this far apart are if order has no influence (Fisher's exact test, two-sided).
    pub chance: f64,
    /// Whether that is unlikely enough to say that order has a part in it.
    pub is_correlated: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_a_letter_and_six_digits_and_depends_on_kind_and_test() {
        let id = |kind, name: &str| FindingId::new(kind, &TestId(name.to_owned())).0;
        assert_eq!(id(Kind::Victim, "t.py::a"), id(Kind::Victim, "t.py::a"));
        assert_ne!(id(Kind::Victim, "t.py::a")[2..], id(Kind::Victim, "t.py::b")[2..]);
        assert_ne!(id(Kind::Victim, "t.py::a")[2..], id(Kind::Brittle, "t.py::a")[2..]);
        for kind in Kind::ALL {
            let id = id(kind, "t.py::a");
            assert!(id.len() == 8 && id.starts_with(kind.letter()), "{id}");
        }
    }

    #[test]
    fn hashes_are_those_of_fnv_1a() {
        assert_eq!(fnv1a("foobar".bytes()), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn what_is_new_counts_and_so_does_what_was_accepted_for_a_time_that_is_over() {
        let accepted =
            |is_expired| Some(Acceptance { reason: "known".to_owned(), expires: None, is_expired });
        let counts = |kind, age, accepted| {
            let finding = Finding::new(kind, TestIndex(0), &TestId("t.py::a".to_owned()));
            Finding { age, accepted, ..finding }.counts()
        };
        for (age, alone) in [(Some(Age::New), true), (Some(Age::Before), false), (None, true)] {
            assert_eq!(counts(Kind::Victim, age, None), alone, "{age:?}");
            assert!(!counts(Kind::Victim, age, accepted(false)), "{age:?}");
            assert!(counts(Kind::Victim, age, accepted(true)), "{age:?}");
            assert!(!counts(Kind::NonDeterministic, age, None), "{age:?}");
        }
    }

    #[test]
    fn a_field_that_was_not_looked_for_is_absent() {
        let mut finding = Finding::new(Kind::Victim, TestIndex(3), &TestId("t.py::a".to_owned()));
        finding.polluters = Some(vec![]);
        let json = serde_json::to_value(&finding).unwrap();
        assert_eq!(json["polluters"], serde_json::json!([]));
        assert!(json.get("setters").is_none());
        assert_eq!(serde_json::from_value::<Finding>(json).unwrap(), finding);
    }
}

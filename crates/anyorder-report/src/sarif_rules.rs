//! What the kinds of findings are called in SARIF, how bad they are, and what to do about them.

use anyorder_model::Kind;
use serde::Serialize;

use crate::sarif::Text;

/// A kind of finding.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Rule {
    id: &'static str,
    short_description: Text,
    help: Text,
    default_configuration: Configuration,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

/// One for each kind, in the sequence of [`Kind::ALL`].
pub(crate) fn rules() -> Vec<Rule> {
    let text = |text: &str| Text { text: text.to_owned() };
    let rule = |kind: Kind| {
        let (what, help) = words(kind);
        let default_configuration = Configuration { level: level(kind) };
        Rule { id: kind.name(), short_description: text(what), help: text(help), default_configuration }
    };
    Kind::ALL.into_iter().map(rule).collect()
}

/// How bad it is.
pub(crate) fn level(kind: Kind) -> &'static str {
    match kind {
        kind if kind.is_order_dependent() => "error",
        Kind::LatentPolluter | Kind::LatentVictim => "note",
        _ => "warning",
    }
}

fn words(kind: Kind) -> (&'static str, &'static str) {
    match kind {
        Kind::Victim => (
            "A test that passes alone fails after another one",
            "The other test leaves shared state changed. Let it put the state back, in a fixture or a tear-down; \
             `anyorder fix` writes such a patch and verifies it.",
        ),
        Kind::Brittle => (
            "A test that fails alone passes after another one",
            "It needs state that the other test happens to set. Let it set that itself; `anyorder fix` writes such a \
             patch and verifies it.",
        ),
        Kind::NonIdempotent => (
            "A test that passes fails when it runs again in the same process",
            "It leaves behind what it does not expect to find. Let it clean up after itself, or begin from a known state.",
        ),
        Kind::SelfSetting => (
            "A test that fails passes when it runs again in the same process",
            "It makes what it needs only at its end. Let its set-up make it.",
        ),
        Kind::NonDeterministic => (
            "A test ends otherwise in runs of the same order",
            "Time, randomness, threads or the network decide. Order does not explain it, so look for these first.",
        ),
        Kind::OutcomeVaries => (
            "The order of tests decides between two outcomes that are not pass and fail",
            "It is skipped, or fails in another way, depending on what ran before. Find out which of the two is meant.",
        ),
        Kind::Fixture => (
            "The tear-down of a fixture fails, whichever test is the last to use it",
            "The test that is blamed is innocent. Repair the fixture.",
        ),
        Kind::Broken => {
            ("A test fails in every state that was tried", "It is not flaky. Repair it, or what it tests.")
        }
        Kind::LatentPolluter => (
            "A test leaves shared state changed, and no test suffers from it yet",
            "The next test that looks there will. Put the state back at the end of the test.",
        ),
        Kind::LatentVictim => (
            "A test would fail if state that it looks at were changed, and no test does that yet",
            "Let it set what it relies on, instead of relying on what happens to be there.",
        ),
    }
}

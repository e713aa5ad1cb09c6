//! The text of a pull request: how to reproduce it, why it happens, why it matters, what changes, how that was verified.
//!
//! For people who do not have this tool: it names no file of ours and no path of this machine.

use std::fmt::Write as _;
use std::path::Path;

use anyorder_model::{
    Cause, Finding, Group, Kind, Order, Patch, Rung, State, Strength, Suite, TestIndex, Verified,
};

use crate::cause::{cell_words, line_words, proof_words};
use crate::patch::verified_words;
use crate::style::count;

/// How many findings are told one by one.
const TOLD: usize = 5;

/// Markdown for patches that cure some of `findings`.
pub fn pull_request(suite: &Suite, findings: &[Finding], patches: &[Patch]) -> String {
    let is_cured = |finding: &&Finding| patches.iter().any(|patch| patch.cures.contains(&finding.id));
    let cured: Vec<&Finding> = findings.iter().filter(is_cured).collect();
    let mut text = format!("# {}\n\n{}\n", title(suite, &cured), what_happens(suite, &cured));
    let mut section = |name: &str, body: &str| {
        let _ = write!(text, "\n## {name}\n\n{}\n", body.trim_end());
    };
    section("How to reproduce", &how_to_reproduce(suite, &cured));
    let why = why_it_fails(suite, &cured);
    if !why.is_empty() {
        section("Why it fails", &why);
    }
    section("Why it matters", why_it_matters(&cured));
    section("What changes", &what_changes(patches));
    section("How it was verified", &how_verified(patches));
    text
}

fn how_verified(patches: &[Patch]) -> String {
    let verified = patches.iter().map(|patch| patch.verified).reduce(Verified::together).unwrap_or_default();
    let words = verified_words(&verified).into_iter().filter(|words| !words.is_empty());
    format!("With the change, {}.", words.collect::<Vec<_>>().join(", "))
}

fn title(suite: &Suite, cured: &[&Finding]) -> String {
    match cured {
        [finding] if finding.kind == Kind::NonIdempotent => {
            format!("Let `{}` pass when it runs twice", name(suite, finding.test))
        }
        [finding] => format!("Let `{}` pass in any order", name(suite, finding.test)),
        several => format!("Let {} pass in any order", count(several.len() as u64, "test")),
    }
}

/// The last part of a test's id, which is enough where its file is clear.
fn name(suite: &Suite, test: TestIndex) -> String {
    let id = &suite.id(test).0;
    id.rsplit("::").next().unwrap_or(id).to_owned()
}

fn what_happens(suite: &Suite, cured: &[&Finding]) -> String {
    let one = |finding: &&Finding| {
        let test = suite.id(finding.test);
        match finding.kind {
            Kind::Brittle => format!("- `{test}` fails alone, and passes after {}", partners(suite, finding)),
            Kind::NonIdempotent => {
                format!("- `{test}` passes, and fails when it runs again in the same process")
            }
            _ => format!("- `{test}` passes alone, and fails after {}", partners(suite, finding)),
        }
    };
    let mut lines: Vec<String> = cured.iter().take(TOLD).map(one).collect();
    if cured.len() > TOLD {
        lines.push(format!("- and {} more in the same way", cured.len() - TOLD));
    }
    lines.join("\n")
}

fn partners(suite: &Suite, finding: &Finding) -> String {
    let groups = finding.polluters.as_ref().or(finding.setters.as_ref()).map_or(&[][..], Vec::as_slice);
    let words = |group: &Group| -> String {
        group.iter().map(|&test| format!("`{}`", suite.id(test))).collect::<Vec<_>>().join(", then ")
    };
    match groups {
        [] => "other tests".to_owned(),
        [group] => words(group),
        [first, rest @ ..] => {
            format!("{} (and after {} like it)", words(first), count(rest.len() as u64, "other"))
        }
    }
}

fn how_to_reproduce(suite: &Suite, cured: &[&Finding]) -> String {
    let Some(finding) = cured.first() else { return String::new() };
    let is_plain = finding.evidence.as_ref().is_some_and(|evidence| evidence.confirmed == Some(Rung::Plain));
    if let Some(reproduce) = finding.reproduce.as_ref().filter(|_| is_plain) {
        return format!(
            "This fails:\n\n```sh\n{}\n```\n\nThis passes:\n\n```sh\n{}\n```",
            portable(&reproduce.fail),
            portable(&reproduce.pass)
        );
    }
    let Some(evidence) = &finding.evidence else { return String::new() };
    let passing =
        evidence.passing.as_ref().map(|order| format!("\n\nIt passes in:\n\n{}", listed(suite, order)));
    format!(
        "It fails when these run in one process, in this order:\n\n{}{}",
        listed(suite, &evidence.failing),
        passing.unwrap_or_default()
    )
}

fn listed(suite: &Suite, order: &Order) -> String {
    let ids: Vec<String> = order.ids(suite).iter().map(ToString::to_string).collect();
    format!("```\n{}\n```", ids.join("\n"))
}

/// A command line with `python` for an interpreter of this machine.
pub(crate) fn portable(command: &str) -> String {
    let is_interpreter = |word: &str| {
        let name = Path::new(word).file_name().and_then(|name| name.to_str());
        word.starts_with('/') && name.is_some_and(|name| name.starts_with("python"))
    };
    let words = command.split(' ').map(|word| if is_interpreter(word) { "python" } else { word });
    words.collect::<Vec<_>>().join(" ")
}

fn why_it_fails(suite: &Suite, cured: &[&Finding]) -> String {
    let mut told: Vec<(Vec<String>, String)> = Vec::new();
    for finding in cured {
        let Some(cause) = finding.causes.iter().flatten().find(|cause| cause.is_proved()) else { continue };
        let words = cause_words(finding.kind, cause);
        if told.iter().all(|(others, _)| *others != words) {
            let (test, proof) = (name(suite, finding.test), proof_words(finding.kind, cause));
            told.push((words, format!("This decides how `{test}` ends ({proof}):")));
        }
    }
    let paragraphs = told.into_iter().map(|(words, heading)| format!("{heading}\n\n{}", words.join("\n")));
    paragraphs.collect::<Vec<_>>().join("\n\n")
}

/// The cells of one cure, one line each.
fn cause_words(kind: Kind, cause: &Cause) -> Vec<String> {
    let is_in = |state: &&State| cause.cures.first().is_some_and(|cure| cure.contains(&state.cell));
    let words = |state: &State| {
        let lines = line_words(kind, state).map_or(String::new(), |lines| format!("; {lines}"));
        format!("- {}{lines}", cell_words(kind, state))
    };
    cause.state.iter().filter(is_in).map(words).collect()
}

fn why_it_matters(cured: &[&Finding]) -> &'static str {
    if cured.iter().all(|finding| finding.kind == Kind::NonIdempotent) {
        return "A test that leaves behind what makes it fail makes other tests fail as well, as soon as one looks at the same \
                state. It cannot be run again in one process either, which is how one looks into a failure.";
    }
    "Tests run in another order when some are selected (`-k`, `--last-failed`), when they are spread over processes \
     (pytest-xdist), when they are shuffled (pytest-randomly), and when files are added or renamed. Such a failure then \
     shows in a change that has nothing to do with it."
}

fn what_changes(patches: &[Patch]) -> String {
    let weakest = patches.iter().map(|patch| patch.strength).max().unwrap_or(Strength::Safe);
    let scope = match weakest {
        Strength::Safe => "Only what tests set up and clean up changes; no assertion does.",
        Strength::Unsafe => "It was verified as below, but somebody who knows the code should look at it.",
        Strength::Show => "This touches the code under test, so somebody who knows it has to decide.",
    };
    let summaries: Vec<String> = patches.iter().map(|patch| format!("- {}", patch.summary)).collect();
    format!("{}\n\n{scope}", summaries.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example;

    #[test]
    fn a_text_says_how_to_reproduce_why_and_how_it_was_verified() {
        let (suite, findings) = (example::suite(&["p", "a", "b"]), example::victims());
        let text = pull_request(&suite, &findings, &example::proposal(&findings).patches);
        assert_eq!(
            text,
            "\
# Let 2 tests pass in any order

- `t.py::a` passes alone, and fails after `t.py::p`
- `t.py::b` passes alone, and fails after `t.py::p`

## How to reproduce

This fails:

```sh
python -m pytest t.py::p t.py::a
```

This passes:

```sh
python -m pytest t.py::a
```

## Why it fails

This decides how `a` ends (fails with nothing put back, passes with it put back, fails with all but it put back; 3 times each):

- `shop.TAX` is 7 when it starts; alone it is 19; written at t.py:2, never restored; read at shop.py:8

## Why it matters

Tests run in another order when some are selected (`-k`, `--last-failed`), when they are spread over processes \
(pytest-xdist), when they are shuffled (pytest-randomly), and when files are added or renamed. Such a failure then \
shows in a change that has nothing to do with it.

## What changes

- puts `shop.TAX` back after t.py::p

Only what tests set up and clean up changes; no assertion does.

## How it was verified

With the change, 4 failing orders pass now, 12 passing ones still do, nothing new fails in 20 random orders, confirmed in 3 plain runs.
"
        );
    }

    #[test]
    fn an_order_that_no_command_line_can_tell_is_listed() {
        let (suite, mut findings) = (example::suite(&["p", "a", "b"]), example::victims());
        findings.truncate(1);
        findings[0].kind = Kind::NonIdempotent;
        let evidence = findings[0].evidence.as_mut().unwrap();
        evidence.confirmed = Some(Rung::PlainOrdered);
        evidence.failing = Order(vec![TestIndex(1), TestIndex(1)]);
        let text = pull_request(&suite, &findings, &example::proposal(&findings).patches);
        assert!(text.starts_with("# Let `a` pass when it runs twice\n"), "{text}");
        assert!(text.contains("in this order:\n\n```\nt.py::a\nt.py::a\n```\n"), "{text}");
        assert!(!text.contains("python -m"), "{text}");
    }
}

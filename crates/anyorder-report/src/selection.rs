//! Which tests a change concerns, in words and as JSON: each test with the reasons why.

use std::fmt::Write as _;

use anyorder_model::{Age, Finding, Selected, Selection, Spot, Suite, Why};
use serde_json::{Value, json};

use crate::style::{BAD, NAME, WARN, count, grouped};

/// How many reasons of a test are told.
const REASONS: usize = 3;
/// How much of a commit's name is told.
const COMMIT: usize = 9;

/// Every test of the selection, with its reasons.
pub(crate) fn story(suite: &Suite, selection: &Selection) -> String {
    let affected = selection.affected.iter().map(|selected| paragraph(suite, "affected", selected));
    let related = selection.related.iter().map(|selected| paragraph(suite, "related", selected));
    let deleted = selection.deleted.iter().map(|id| format!("{WARN}deleted{WARN:#}   {NAME}{id}{NAME:#}\n"));
    affected.chain(related).chain(deleted).collect()
}

fn paragraph(suite: &Suite, word: &str, selected: &Selected) -> String {
    let style = if word == "affected" { BAD } else { WARN };
    let mut text = format!("{style}{word:8}{style:#}  {NAME}{}{NAME:#}\n", suite.id(selected.test));
    let more = selected.why.len().saturating_sub(REASONS) as u64;
    let more = (more > 0).then(|| format!("and {}", count(more, "more reason")));
    for words in selected.why.iter().take(REASONS).map(why_words).chain(more) {
        let _ = writeln!(text, "          {words}");
    }
    text
}

/// Why a test is looked at.
pub(crate) fn why_words(why: &Why) -> String {
    match why {
        Why::New => "was not there before".to_owned(),
        Why::Touches { element, at } => format!("touches `{element}`, changed at {}", spot_words(at)),
        Why::Imports { element, at } => format!("imports `{element}`, changed at {}", spot_words(at)),
        Why::Data { file } => format!("may open `{file}`, which changed"),
        Why::Loads { class } => format!("may load `{class}`, which changed"),
        Why::Everything { what } => format!("`{what}` concerns all tests"),
        Why::Shares { cell, with } => format!("shares `{cell}` with {with}"),
        Why::Opaque { what } => format!("has state that cannot be looked into: {what}"),
    }
}

fn spot_words(spot: &Spot) -> String {
    format!("line {} of {}", spot.line, spot.file)
}

/// The first digits of a commit's name, which are enough for people.
pub(crate) fn short(commit: &str) -> &str {
    commit.get(..COMMIT).unwrap_or(commit)
}

/// How many tests a change concerns.
pub(crate) fn summary(suite: &Suite, selection: &Selection, since: &str) -> String {
    let tests = suite.len() as u64;
    let since = short(since);
    if let Some(what) = &selection.everything {
        return format!("all {}: `{what}` has changed since {since}", count(tests, "test"));
    }
    let (affected, related) = (selection.affected.len() as u64, selection.related.len() as u64);
    if affected + related == 0 && selection.deleted.is_empty() {
        return format!("nothing that a test could notice has changed since {since}");
    }
    let gone = match selection.deleted.len() as u64 {
        0 => String::new(),
        number => format!(", {} gone", grouped(number)),
    };
    let share = 100.0 * (affected + related) as f64 / tests.max(1) as f64;
    format!(
        "{} of {} affected by what changed since {since}, {} related{gone} ({share:.1} % of the suite)",
        grouped(affected),
        count(tests, "test"),
        grouped(related)
    )
}

/// What a selection does not know if no test has run.
pub(crate) fn proviso(selection: &Selection) -> &'static str {
    if selection.affected.is_empty() && selection.deleted.is_empty() {
        ""
    } else {
        "\nrelated by what tests did before the change; a check watches the affected ones first"
    }
}

/// What a check has come to, in numbers.
pub(crate) fn verdict(findings: &[Finding], since: &str) -> String {
    let number = |is_accepted: bool, counts: bool| {
        let depends = findings.iter().filter(|finding| finding.kind.is_order_dependent());
        let is_meant =
            |finding: &&Finding| (finding.accepted.is_some(), finding.counts()) == (is_accepted, counts);
        depends.filter(is_meant).count() as u64
    };
    let since = short(since);
    let new = match number(false, true) {
        0 => format!("nothing new found since {since}"),
        number => format!("{} since {since}", count(number, "new order-dependent test")),
    };
    let others = [
        (number(true, true), "no longer accepted"),
        (number(false, false), "there before"),
        (number(true, false), "accepted"),
    ];
    let others = others.iter().filter(|(number, _)| *number > 0);
    let others = others.map(|(number, words)| format!(", {} {words}", grouped(*number)));
    new + &others.collect::<String>()
}

/// A verb and what is said beside it.
type Heading = (&'static str, &'static str);

/// Findings that a change is to blame for, then those that it is not, with what is said of them.
pub(crate) fn told_apart(findings: &[Finding]) -> Vec<(Option<Heading>, Vec<Finding>)> {
    let is_accepted = |finding: &Finding| finding.accepted.as_ref().is_some_and(|one| !one.is_expired);
    let is_old = |finding: &Finding| finding.age == Some(Age::Before) && finding.accepted.is_none();
    let some = |is_meant: &dyn Fn(&Finding) -> bool| -> Vec<Finding> {
        findings.iter().filter(|finding| is_meant(finding)).cloned().collect()
    };
    let mut parts = vec![
        (None, some(&|finding| !is_old(finding) && !is_accepted(finding))),
        (Some(("Before", "there before the change, too")), some(&is_old)),
        (Some(("Accepted", "known, and accepted in the baseline")), some(&is_accepted)),
    ];
    parts.retain(|(_, findings)| !findings.is_empty());
    parts
}

/// The selection with the ids of its tests.
pub(crate) fn selection_value(suite: &Suite, selection: &Selection, since: &str) -> Value {
    let rows = |selected: &[Selected]| -> Value {
        selected.iter().map(|one| json!({"test": suite.id(one.test), "why": one.why})).collect()
    };
    let mut value = json!({
        "since": since,
        "affected": rows(&selection.affected),
        "related": rows(&selection.related),
        "deleted": selection.deleted,
    });
    if let Some(what) = &selection.everything {
        value["everything"] = json!(what);
    }
    value
}

#[cfg(test)]
mod tests {
    use anyorder_model::{Acceptance, TestId, TestIndex};

    use super::*;
    use crate::example;

    fn selection() -> Selection {
        let at = Spot { file: "shop/cart.py".to_owned(), line: 41 };
        let touches = |element: &str| Why::Touches { element: element.to_owned(), at: at.clone() };
        let shares = Why::Shares { cell: "shop.TAX".to_owned(), with: TestId("t.py::a".to_owned()) };
        Selection {
            everything: None,
            affected: vec![
                Selected { test: TestIndex(0), why: vec![Why::New] },
                Selected {
                    test: TestIndex(1),
                    why: ["shop.cart.total", "b", "c", "d", "e"].map(touches).to_vec(),
                },
            ],
            related: vec![Selected { test: TestIndex(2), why: vec![shares] }],
            deleted: vec![TestId("t.py::gone".to_owned())],
        }
    }

    #[test]
    fn each_test_is_told_with_its_reasons() {
        let told = story(&example::suite(&["p", "a", "b"]), &selection());
        assert_eq!(
            anstream::adapter::strip_str(&told).to_string(),
            "\
affected  t.py::p
          was not there before
affected  t.py::a
          touches `shop.cart.total`, changed at line 41 of shop/cart.py
          touches `b`, changed at line 41 of shop/cart.py
          touches `c`, changed at line 41 of shop/cart.py
          and 2 more reasons
related   t.py::b
          shares `shop.TAX` with t.py::a
deleted   t.py::gone
"
        );
    }

    #[test]
    fn what_a_change_is_not_to_blame_for_is_told_apart() {
        let accepted =
            |is_expired| Some(Acceptance { reason: "known".to_owned(), expires: None, is_expired });
        let with = |age, accepted| Finding { age: Some(age), accepted, ..example::victims().remove(0) };
        let findings = [
            with(Age::New, None),
            with(Age::Before, None),
            with(Age::New, accepted(false)),
            with(Age::Before, accepted(true)),
        ];
        let verbs: Vec<_> = told_apart(&findings)
            .into_iter()
            .map(|(heading, findings)| (heading.map(|(verb, _)| verb), findings.len()))
            .collect();
        assert_eq!(verbs, [(None, 2), (Some("Before"), 1), (Some("Accepted"), 1)]);
        assert_eq!(
            verdict(&findings, "0123456789abcdef"),
            "1 new order-dependent test since 012345678, 1 no longer accepted, 1 there before, 1 accepted"
        );
        assert_eq!(told_apart(&[]).len(), 0);
    }

    #[test]
    fn a_summary_says_how_much_is_concerned() {
        let suite = example::suite(&["p", "a", "b", "c"]);
        let since = "0123456789abcdef";
        assert_eq!(
            summary(&suite, &selection(), since),
            "2 of 4 tests affected by what changed since 012345678, 1 related, 1 gone (75.0 % of the suite)"
        );
        let nothing = Selection::default();
        assert_eq!(
            summary(&suite, &nothing, since),
            "nothing that a test could notice has changed since 012345678"
        );
        let all = Selection { everything: Some("uv.lock".to_owned()), ..selection() };
        assert_eq!(summary(&suite, &all, since), "all 4 tests: `uv.lock` has changed since 012345678");
    }
}

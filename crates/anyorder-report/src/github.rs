//! What GitHub shows of a check: annotations beside the changed lines, and a summary of the job.
//!
//! Knows how a workflow command and Markdown are written. Does not know where they go.

use std::fmt::Write as _;

use anyorder_model::{Finding, Selection, Spot, Suite, TestIndex, Why};

use crate::finding::sentence;
use crate::pull_request::portable;
use crate::selection::{summary, told_apart, verdict};
use crate::spot::{joined, own, partners};

/// One `::error` line for each finding that counts, on the line that has to do with it. `prefix` is the path from the
/// repository to the suite's root, which is empty or ends with a slash.
pub fn github_annotations(
    suite: &Suite,
    findings: &[Finding],
    selection: &Selection,
    prefix: &str,
) -> String {
    let mut lines = String::new();
    for finding in findings.iter().filter(|finding| finding.counts()) {
        lines += &annotation(suite, finding, &spot(suite, finding, selection), prefix);
    }
    lines
}

/// The `::error` line of one finding, at a line of a file.
pub(crate) fn annotation(suite: &Suite, finding: &Finding, spot: &Spot, prefix: &str) -> String {
    let file = property(&joined(prefix, &spot.file));
    let title = property(&format!("{} {}", finding.kind.name(), finding.id));
    let words = message(&words(suite, finding));
    format!("::error file={file},line={},title={title}::{words}\n", spot.line)
}

/// Where the change is that a finding comes from: a line that its test or one of its partners touches. A test that is new is
/// itself the change.
fn spot(suite: &Suite, finding: &Finding, selection: &Selection) -> Spot {
    let partners = partners(finding).iter().flatten().copied();
    let involved: Vec<TestIndex> = [finding.test].into_iter().chain(partners).collect();
    let changed = involved.iter().find_map(|&test| {
        selection.why_affected(test)?.iter().find_map(|why| match why {
            Why::New => Some(own(suite, test)),
            Why::Touches { at, .. } | Why::Imports { at, .. } => Some(at.clone()),
            _ => None,
        })
    });
    changed.unwrap_or_else(|| own(suite, finding.test))
}

/// A finding in a sentence or two.
pub(crate) fn words(suite: &Suite, finding: &Finding) -> String {
    let what = sentence(suite, finding);
    match &finding.reproduce {
        Some(reproduce) => format!("{what}\nReproduce: {}", portable(&reproduce.fail)),
        None => what,
    }
}

/// The text of a workflow command.
fn message(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A value among those before the text.
fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}

/// Markdown for the page of the job; with why it was ended early, if it was.
pub fn github_summary(
    suite: &Suite,
    findings: &[Finding],
    selection: &Selection,
    since: &str,
    stopped_early: Option<&str>,
) -> String {
    let mut text = format!("## anyorder: {}\n\n", verdict(findings, since));
    let _ = writeln!(text, "{}\n", summary(suite, selection, since));
    if let Some(why) = stopped_early {
        let _ = writeln!(text, "Not everything was tried: {why}.\n");
    }
    for (heading, findings) in told_apart(findings) {
        let depends = findings.iter().filter(|finding| finding.kind.is_order_dependent());
        let rows: Vec<String> = depends.map(|finding| row(suite, finding)).collect();
        if !rows.is_empty() {
            let name = heading.map_or("New", |(verb, _)| verb);
            let _ = writeln!(text, "### {name}\n\n{}", table(&rows));
        }
    }
    text + &commands(findings)
}

/// Rows with their heading.
pub(crate) fn table(rows: &[String]) -> String {
    format!("| finding | what | state |\n|---|---|---|\n{}\n", rows.join("\n"))
}

/// Command lines that fail, of findings that count.
pub(crate) fn commands(findings: &[Finding]) -> String {
    let counting = findings.iter().filter(|finding| finding.counts());
    let commands = counting.filter_map(|finding| finding.reproduce.as_ref());
    let commands: Vec<String> = commands.map(|reproduce| portable(&reproduce.fail)).collect();
    if commands.is_empty() {
        return String::new();
    }
    format!("These fail:\n\n```sh\n{}\n```\n", commands.join("\n"))
}

/// A finding in a table.
pub(crate) fn row(suite: &Suite, finding: &Finding) -> String {
    let what = words(suite, finding);
    let what = what.lines().next().unwrap_or_default();
    let state = finding.state.iter().flatten().filter(|state| state.proved == Some(true));
    let state: Vec<String> = state.take(3).map(|state| code(&state.cell)).collect();
    let accepted = finding.accepted.as_ref().map(|acceptance| format!("; {}", cell(&acceptance.reason)));
    let accepted = accepted.unwrap_or_default();
    format!("| {} {} | {}{accepted} | {} |", finding.id, finding.kind.name(), cell(what), state.join(", "))
}

/// Text in a table.
fn cell(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('|', "\\|").replace('<', "&lt;").replace(['\r', '\n'], " ");
    text.replace('_', "\\_").replace('*', "\\*").replace('`', "\\`")
}

fn code(text: &str) -> String {
    format!("`{}`", text.replace('`', "'").replace('|', "\\|").replace(['\r', '\n'], " "))
}

#[cfg(test)]
mod tests {
    use anyorder_model::{Acceptance, Age, Selected, State};

    use super::*;
    use crate::example;

    fn findings() -> Vec<Finding> {
        let mut findings = example::victims();
        findings[0].age = Some(Age::New);
        findings[0].state =
            Some(vec![State { cell: "shop.TAX".to_owned(), proved: Some(true), ..State::default() }]);
        findings[1].age = Some(Age::Before);
        findings
    }

    fn touched(test: u32) -> Selection {
        let at = Spot { file: "shop/a,b.py".to_owned(), line: 41 };
        let why = vec![Why::Touches { element: "shop.total".to_owned(), at }];
        Selection { affected: vec![Selected { test: TestIndex(test), why }], ..Selection::default() }
    }

    #[test]
    fn an_annotation_stands_on_the_line_that_changed_and_only_what_is_new_has_one() {
        let suite = example::suite(&["p", "a", "b"]);
        let id = &findings()[0].id;
        let message =
            "t.py::a passes alone, and fails after t.py::p%0AReproduce: python -m pytest t.py::p t.py::a";
        // The polluter touches what changed.
        assert_eq!(
            github_annotations(&suite, &findings(), &touched(0), "sub/"),
            format!("::error file=sub/shop/a%2Cb.py,line=41,title=victim {id}::{message}\n")
        );
        let elsewhere = github_annotations(&suite, &findings(), &touched(2), "");
        assert!(elsewhere.starts_with("::error file=t.py,line=1,"), "{elsewhere}");
    }

    #[test]
    fn a_message_keeps_its_signs() {
        assert_eq!(message("100 %\r\n"), "100 %25%0D%0A");
        assert_eq!(property("a:b,c"), "a%3Ab%2Cc");
    }

    #[test]
    fn the_summary_tells_new_old_and_accepted_findings_apart() {
        let suite = example::suite(&["p", "a", "b"]);
        let mut findings = findings();
        let text = github_summary(&suite, &findings, &touched(0), "0123456789abcdef", None);
        let [new, old] = [&findings[0].id, &findings[1].id].map(|id| format!("| {id} victim |"));
        assert!(
            text.starts_with("## anyorder: 1 new order-dependent test since 012345678, 1 there before\n"),
            "{text}"
        );
        let places: Vec<usize> =
            ["### New", &new, "### Before", &old, "```sh"].map(|part| text.find(part).expect(part)).to_vec();
        assert!(places.is_sorted(), "{text}");
        assert!(text.contains("| `shop.TAX` |"), "{text}");
        let reason = "a | b".to_owned();
        findings[0].accepted = Some(Acceptance { reason, expires: None, is_expired: false });
        let text =
            github_summary(&suite, &findings, &touched(0), "0123456789abcdef", Some("the budget is spent"));
        assert!(text.contains("\nNot everything was tried: the budget is spent.\n"), "{text}");
        assert!(
            text.starts_with("## anyorder: nothing new found since 012345678, 1 there before, 1 accepted\n"),
            "{text}"
        );
        assert!(text.contains("; a \\| b |") && !text.contains("### New"), "{text}");
    }
}

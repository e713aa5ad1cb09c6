//! The state behind a finding, in words and as JSON.

use anyorder_model::{Cause, Effort, Finding, Kind, Reason, Reset, State, Suite, TestId, TestIndex};
use serde_json::{Value, json};

use crate::hidden::hidden;
use crate::style::{DIM, count, grouped};

/// How many cells are told.
const LISTED: usize = 5;
/// How many lines of a failure are told.
const FAILURE: usize = 20;

/// What was found out about one group, but for its cells.
pub(crate) fn explanation_value(suite: &Suite, cause: &Cause) -> Value {
    let mut value = json!(cause.effort);
    value["cures"] = json!(cause.cures);
    if let Some(reason) = cause.reason {
        value["reason"] = json!(reason);
        let left = cause.left.iter().map(|left| json!({"cell": left.path, "why": left.why}));
        value["left"] = left.collect();
    }
    let reset = |reset: &Reset| {
        let ids: Vec<&TestId> = reset.cleaner.iter().map(|&test: &TestIndex| suite.id(test)).collect();
        let mut value = json!({"cleaner": ids, "cell": reset.cell});
        if let Some(written) = &reset.written {
            value["written"] = json!(written);
        }
        value
    };
    value["resets"] = cause.resets.iter().map(reset).collect();
    value
}

/// How many groups were looked into, and for how many a cause is proved; nothing if there is none.
pub(crate) fn summary(findings: &[Finding]) -> Option<String> {
    let causes: Vec<&Cause> = findings.iter().flat_map(|finding| finding.causes.iter().flatten()).collect();
    let proved = causes.iter().filter(|cause| cause.is_proved()).count();
    match causes.len() {
        0 if findings.is_empty() => None,
        0 => Some("nothing could be looked into".to_owned()),
        1 if proved == 1 => Some("the cause is proved".to_owned()),
        1 => Some("no cause is proved".to_owned()),
        all => Some(format!("a cause is proved for {proved} of {all} groups of tests")),
    }
}

/// Rows beside a finding: names and texts.
pub(crate) fn rows(suite: &Suite, finding: &Finding, is_full: bool) -> Vec<(&'static str, String)> {
    let Some(causes) = &finding.causes else { return vec![] };
    let mut rows = Vec::new();
    let mut told: Vec<&Cause> = Vec::new();
    for cause in causes {
        if told.iter().any(|other| is_alike(other, cause)) {
            continue;
        }
        told.push(cause);
        let alike = causes.iter().filter(|other| is_alike(other, cause)).count();
        rows.extend(cause_rows(suite, finding, cause, alike, is_full));
    }
    rows.extend(hidden(suite, finding).map(|why| ("hidden", why)));
    if is_full {
        rows.extend(finding.failure.as_deref().map(|text| ("failure", failure_words(text))));
    }
    rows
}

/// Whether two groups leave the same state behind, as far as it matters.
fn is_alike(one: &Cause, other: &Cause) -> bool {
    let cells = |cause: &Cause| -> Vec<(String, String)> {
        cause.state.iter().map(|state| (state.cell.clone(), state.after.clone())).collect()
    };
    one.cures == other.cures && one.reason == other.reason && cells(one) == cells(other)
}

fn cause_rows(
    suite: &Suite,
    finding: &Finding,
    cause: &Cause,
    alike: usize,
    is_full: bool,
) -> Vec<(&'static str, String)> {
    let mut rows = Vec::new();
    let of = group_words(suite, finding, cause, alike);
    if cause.cures.is_empty() {
        let reason = cause.reason.unwrap_or(Reason::OutsideTheProcess);
        rows.push(("cause", format!("not found{of}: {}", reason_words(finding.kind, reason))));
        let left = cause.left.iter().take(LISTED);
        rows.extend(left.map(|left| ("", format!("`{}`: {}", left.path, left.why))));
    }
    for (at, cure) in cause.cures.iter().take(LISTED).enumerate() {
        let name = if at == 0 { "cause" } else { "or" };
        for (nth, path) in cure.iter().enumerate() {
            let Some(state) = cause.state.iter().find(|state| state.cell == *path) else { continue };
            let words = cell_words(finding.kind, state);
            let name = if nth == 0 { name } else { "and" };
            rows.push((name, if at + nth == 0 { format!("{words}{of}") } else { words }));
            rows.extend(line_words(finding.kind, state).map(|words| ("", words)));
            let stack = state.stack.iter().skip(1).filter(|_| is_full);
            rows.extend(stack.map(|line| ("", format!("{DIM}called at {line}{DIM:#}"))));
        }
    }
    if cause.cures.len() > LISTED {
        rows.push(("", format!("or any of {} more", cause.cures.len() - LISTED)));
    }
    if cause.is_proved() && is_full {
        rows.push(("proof", proof_words(finding.kind, cause)));
    }
    if let Some(reason) = cause.reason.filter(|_| !cause.cures.is_empty()) {
        rows.push(("", format!("not proved: {}", reason_words(finding.kind, reason))));
    }
    let resets = cause.resets.iter().filter(|_| is_full);
    rows.extend(resets.map(|reset| ("reset", reset_words(suite, reset))));
    if is_full {
        rows.push(("looked", effort_words(&cause.effort)));
    }
    rows
}

fn effort_words(effort: &Effort) -> String {
    let differing = count(effort.cells_differing as u64, "cell");
    let differs = if effort.cells_differing == 1 { "differs" } else { "differ" };
    let seen = grouped(effort.cells_seen);
    format!("at {seen} objects: {differing} {differs}, {} tried alone", effort.cells_tried)
}

/// Which of several groups it is about.
fn group_words(suite: &Suite, finding: &Finding, cause: &Cause, alike: usize) -> String {
    let groups = finding.polluters.as_ref().or(finding.setters.as_ref()).map_or(&[][..], Vec::as_slice);
    match groups.get(cause.group).and_then(|group| group.last()) {
        Some(_) if groups.len() < 2 || alike == groups.len() => String::new(),
        Some(_) if alike > 1 => format!(" (behind {alike} of them)"),
        Some(&last) => format!(" (behind {})", suite.id(last)),
        None => String::new(),
    }
}

/// What a cell holds when the test fails, and when it passes.
pub(crate) fn cell_words(kind: Kind, state: &State) -> String {
    let State { cell, before, after, .. } = state;
    let is = |text: &str| if text == "<absent>" { "absent".to_owned() } else { text.to_owned() };
    let (before, after) = (is(before), is(after));
    match kind {
        Kind::Brittle => format!("`{cell}` has to be {after} when it starts; alone it is {before}"),
        Kind::NonIdempotent => format!("`{cell}` is {after} when it runs again; at first it is {before}"),
        _ => format!("`{cell}` is {after} when it starts; alone it is {before}"),
    }
}

/// Who writes a cell, and who reads it.
pub(crate) fn line_words(kind: Kind, state: &State) -> Option<String> {
    let never = if kind == Kind::Brittle { "" } else { ", never restored" };
    let written = state.written.as_ref().map(|line| format!("written at {line}{never}"));
    let read = state.read.as_ref().map(|line| format!("read at {line}"));
    let words: Vec<String> = written.into_iter().chain(read).collect();
    (!words.is_empty()).then(|| words.join("; "))
}

/// What was seen three times each.
pub(crate) fn proof_words(kind: Kind, cause: &Cause) -> String {
    let one = match (cause.cures.len(), cause.state.len()) {
        (1, 1) => "it",
        (1, _) => "them",
        _ => "any of them",
    };
    let all = if cause.state.len() == 1 { "it" } else { "them" };
    let words = match kind {
        Kind::Brittle => format!("passes with all but {one} put back, fails with {all} put back"),
        _ => format!(
            "fails with nothing put back, passes with {one} put back, fails with all but {all} put back"
        ),
    };
    format!("{words}; 3 times each")
}

fn reset_words(suite: &Suite, reset: &Reset) -> String {
    let ids: Vec<&str> = reset.cleaner.iter().map(|&test| suite.id(test).0.as_str()).collect();
    let at = reset.written.as_ref().map_or(String::new(), |line| format!(" at {line}"));
    format!("{} puts `{}` back{at}", ids.join(", then "), reset.cell)
}

fn reason_words(kind: Kind, reason: Reason) -> &'static str {
    match (reason, kind) {
        (Reason::OutOfResources, _) => "the time, or the number of questions, was used up",
        (Reason::NotReproduced, _) => "it did not end the same way each time",
        (Reason::NotRestorable, _) => "some of what differs cannot be put back",
        (Reason::OutsideTheProcess, Kind::Brittle) => {
            "it passes with all that is seen put back, so it needs what is not seen: iterators, state of C code, \
             threads, other processes, services"
        }
        (Reason::OutsideTheProcess, _) => {
            "it fails with all that is seen put back, so it minds what is not seen: iterators, state of C code, \
             threads, other processes, services"
        }
    }
}

/// The lines of a failure that tell the difference: pytest marks them with `E`; else the last ones.
fn failure_words(text: &str) -> String {
    let marked: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("E  ")).collect();
    let all: Vec<&str> = text.trim_end().lines().collect();
    let told = if marked.is_empty() { &all[all.len().saturating_sub(FAILURE)..] } else { &marked[..] };
    let indent = told.iter().map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0);
    let told = told.iter().take(FAILURE).map(|line| line[indent..].trim_end());
    told.collect::<Vec<&str>>().join("\n")
}

#[cfg(test)]
mod tests {
    use anyorder_model::TestIndex;

    use super::*;
    use crate::example;

    fn state(cell: &str) -> State {
        State {
            cell: cell.to_owned(),
            kind: None,
            before: "<absent>".to_owned(),
            after: "1".to_owned(),
            proved: Some(true),
            written: Some("t.py:3".to_owned()),
            read: Some("shop.py:9".to_owned()),
            stack: vec!["t.py:3 in p".to_owned(), "t.py:1 in caller".to_owned()],
        }
    }

    fn cause(group: usize, cures: &[&[&str]], reason: Option<Reason>) -> Cause {
        let cures: Vec<Vec<String>> =
            cures.iter().map(|cure| cure.iter().map(|&cell| cell.to_owned()).collect()).collect();
        let state = cures.iter().flatten().map(|cell| state(cell)).collect();
        Cause { group, state, cures, reason, left: vec![], resets: vec![], effort: Effort::default() }
    }

    fn told(polluters: &[u32], causes: Vec<Cause>, is_full: bool) -> String {
        let suite = example::suite(&["v", "p", "q"]);
        let mut finding = Finding::new(Kind::Victim, TestIndex(0), suite.id(TestIndex(0)));
        finding.polluters = Some(polluters.iter().map(|&test| vec![TestIndex(test)]).collect());
        finding.causes = Some(causes);
        let rows = rows(&suite, &finding, is_full).into_iter();
        let rows =
            rows.map(|(name, text)| anstream::adapter::strip_str(&format!("{name}|{text}\n")).to_string());
        rows.collect()
    }

    #[test]
    fn alternatives_are_joined_by_or_and_what_belongs_together_by_and() {
        assert_eq!(
            told(&[1], vec![cause(0, &[&["a", "b"], &["c"]], None)], false),
            "cause|`a` is 1 when it starts; alone it is absent\n\
             |written at t.py:3, never restored; read at shop.py:9\n\
             and|`b` is 1 when it starts; alone it is absent\n\
             |written at t.py:3, never restored; read at shop.py:9\n\
             or|`c` is 1 when it starts; alone it is absent\n\
             |written at t.py:3, never restored; read at shop.py:9\n\
             hidden|the original order runs it before its polluter\n"
        );
    }

    #[test]
    fn in_full_it_has_the_proof_the_callers_and_how_much_was_looked_at() {
        let told = told(&[1], vec![cause(0, &[&["a"]], None)], true);
        assert!(told.contains("|called at t.py:1 in caller\n"), "{told}");
        assert!(told.contains("proof|fails with nothing put back, passes with it put back, fails"), "{told}");
        assert!(told.contains("looked|at 0 objects: 0 cells differ, 0 tried alone\n"), "{told}");
    }

    #[test]
    fn groups_that_leave_the_same_are_told_once_and_others_by_name() {
        let same = told(&[1, 2], vec![cause(0, &[&["a"]], None), cause(1, &[&["a"]], None)], false);
        assert_eq!((same.matches("cause|").count(), same.contains("behind")), (1, false), "{same}");
        let other = told(&[1, 2], vec![cause(0, &[&["a"]], None), cause(1, &[&["b"]], None)], false);
        assert!(
            other.contains("absent (behind t.py::p)") && other.contains("absent (behind t.py::q)"),
            "{other}"
        );
    }

    #[test]
    fn what_is_not_proved_says_why() {
        let unproved = told(&[1], vec![cause(0, &[&["a"]], Some(Reason::NotReproduced))], false);
        assert!(unproved.contains("|not proved: it did not end the same way each time\n"), "{unproved}");
        let nothing = told(&[1], vec![cause(0, &[], Some(Reason::OutsideTheProcess))], false);
        assert!(nothing.starts_with("cause|not found: it fails with all that is seen put back"), "{nothing}");
    }

    #[test]
    fn of_a_failure_the_marked_lines_are_told() {
        let text = "    def t():\n>       assert a == b\nE       assert 1 == 2\nE         +1\n\nt.py:3: AssertionError\n";
        assert_eq!(failure_words(text), "assert 1 == 2\n  +1");
        assert_eq!(failure_words("Boom\nat x\n\n"), "Boom\nat x");
    }
}

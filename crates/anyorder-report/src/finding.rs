//! A finding in words, for people. One that shares its polluters or setters with others is told together with them.

use anyorder_model::{
    Acceptance, Evidence, Finding, Group, Kind, Rate, Rates, Reason, Reproduce, Rung, Suite, TestIndex,
};

use crate::cause;
use crate::pull_request::portable;
use crate::style::{BAD, NAME, WARN, count, grouped};

/// How many of many are listed.
const LISTED: usize = 5;

/// Rates that are so far apart may have to do with order.
const UNLIKELY: f64 = 0.2;

/// How wide the column of names beside a finding is.
const NAMES: usize = 10;

/// The findings as one text: those that have the same partners stand together. In full, with all that is behind them.
pub(crate) fn story(suite: &Suite, findings: &[Finding], is_full: bool) -> String {
    let mut told = vec![false; findings.len()];
    let mut parts = Vec::new();
    for at in 0..findings.len() {
        if told[at] {
            continue;
        }
        let alike: Vec<usize> =
            (at..findings.len()).filter(|&other| alike(&findings[at], &findings[other])).collect();
        alike.iter().for_each(|&other| told[other] = true);
        let alike: Vec<&Finding> = alike.iter().map(|&other| &findings[other]).collect();
        parts.push(paragraph(suite, &alike, is_full));
    }
    parts.join("\n")
}

/// The story of one finding, without colours and without paths of this machine's interpreter.
pub(crate) fn plain_story(suite: &Suite, finding: &Finding) -> String {
    let mut finding = finding.clone();
    if let Some(Reproduce { fail, pass }) = &mut finding.reproduce {
        (*fail, *pass) = (portable(fail), portable(pass));
    }
    anstream::adapter::strip_str(&story(suite, &[finding], false)).to_string()
}

/// A finding in one sentence.
pub(crate) fn sentence(suite: &Suite, finding: &Finding) -> String {
    let test = suite.id(finding.test);
    let partner = partners(finding).and_then(|groups| groups.first()).map(|group| together(suite, group));
    let partner = partner.unwrap_or_else(|| "other tests".to_owned());
    match finding.kind {
        Kind::Victim => format!("{test} passes alone, and fails after {partner}"),
        Kind::Brittle => format!("{test} fails alone, and passes after {partner}"),
        Kind::NonIdempotent => format!("{test} passes, and fails when it runs again"),
        Kind::SelfSetting => format!("{test} fails, and passes when it runs again"),
        Kind::NonDeterministic => format!("{test} ends otherwise in runs of the same order"),
        Kind::OutcomeVaries => format!("{test} ends otherwise after {partner}"),
        Kind::Fixture => format!("a fixture fails in its tear-down, here behind {test}"),
        Kind::Broken => format!("{test} fails in every state that was tried"),
        Kind::LatentPolluter => format!("{test} leaves shared state changed"),
        Kind::LatentVictim => format!("{test} would fail if state that it looks at were changed"),
    }
}

/// The tests of a group, in their order.
fn together(suite: &Suite, group: &Group) -> String {
    group.iter().map(|&test: &TestIndex| suite.id(test).0.clone()).collect::<Vec<_>>().join(", then ")
}

/// Whether two findings differ in nothing but the test and how it fails, so that the rest is told once.
fn alike(one: &Finding, other: &Finding) -> bool {
    let has_partners = partners(one).is_some_and(|groups| !groups.is_empty());
    let told = |finding: &Finding| {
        let Finding { kind, cleaners, unconfirmed, not_searched, .. } = finding.clone();
        let causes = finding.causes.iter().flatten().map(|cause| (cause.cures.clone(), cause.reason));
        let causes: Vec<(Vec<Vec<String>>, Option<Reason>)> = causes.collect();
        (
            kind,
            partners(finding).cloned(),
            cleaners,
            unconfirmed,
            not_searched,
            causes,
            finding.accepted.clone(),
        )
    };
    std::ptr::eq(one, other) || (has_partners && told(one) == told(other))
}

fn partners(finding: &Finding) -> Option<&Vec<Group>> {
    finding.polluters.as_ref().or(finding.setters.as_ref())
}

fn paragraph(suite: &Suite, alike: &[&Finding], is_full: bool) -> String {
    let mut lines: Vec<String> = alike.iter().map(|finding| heading(suite, finding)).collect();
    let first = alike[0];
    let indent = format!("\n    {:NAMES$}", "");
    let mut row = |name: &str, text: String| {
        let text = text.replace('\n', &indent).replace(&format!("{indent}\n"), "\n\n");
        lines.push(format!("    {name:NAMES$}{text}"));
    };
    let group_rows = [("polluter", first.polluters.as_ref()), ("setter", first.setters.as_ref())];
    for (name, groups) in group_rows {
        groups
            .into_iter()
            .flat_map(|groups| listed(suite, name, groups))
            .for_each(|(name, text)| row(&name, text));
    }
    for cleaners in first.cleaners.iter().filter(|cleaners| !cleaners.is_empty()) {
        listed(suite, "cleaner", cleaners).into_iter().for_each(|(name, text)| row(&name, text));
    }
    if let Some(evidence) = &first.evidence {
        row("evidence", evidence_words(first, evidence));
    }
    if let Some(signature) = &first.signature {
        row(if first.kind == Kind::OutcomeVaries { "reason" } else { "fails" }, signature.to_string());
    }
    cause::rows(suite, first, is_full).into_iter().for_each(|(name, text)| row(name, text));
    first.rates.iter().flat_map(rate_words).for_each(|words| row("rates", words));
    if let Some(why) = &first.unconfirmed {
        row("doubt", why.clone());
    }
    if !first.new_partners.is_empty() {
        let names = first.new_partners.iter().map(|group| together(suite, group));
        let names = names.collect::<Vec<_>>().join("; ");
        row("new", format!("before the change it failed after others, and not after {names}"));
    }
    if let Some(acceptance) = &first.accepted {
        row("accepted", acceptance_words(acceptance));
    }
    first.not_searched.iter().for_each(|what| row("untried", what.clone()));
    if let Some(reproduce) = &first.reproduce {
        let names = if first.kind == Kind::OutcomeVaries { ["changed", "usual"] } else { ["fail", "pass"] };
        row(names[0], reproduce.fail.clone());
        row(names[1], reproduce.pass.clone());
    }
    if alike.len() > 1 {
        row("", format!("alike for the other {}: `--json` has every command line", alike.len() - 1));
    }
    lines.join("\n") + "\n"
}

fn acceptance_words(acceptance: &Acceptance) -> String {
    let Acceptance { reason, expires, is_expired } = acceptance;
    match expires {
        None => reason.clone(),
        Some(day) if *is_expired => format!("until {day}, which is over: {reason}"),
        Some(day) => format!("until {day}: {reason}"),
    }
}

/// The line that a finding is told under.
pub(crate) fn heading(suite: &Suite, finding: &Finding) -> String {
    let style = if finding.kind.is_order_dependent() { BAD } else { WARN };
    let extra = [
        finding.declared.then_some("its author fixed the order"),
        finding.interleaved_only.unwrap_or(false).then_some("only when groups are mixed"),
    ];
    let extra: Vec<&str> = extra.into_iter().flatten().collect();
    let extra = if extra.is_empty() { String::new() } else { format!("   ({})", extra.join("; ")) };
    format!(
        "{}  {style}{}{style:#}  {NAME}{}{NAME:#}{extra}",
        finding.id,
        finding.kind.name(),
        suite.id(finding.test)
    )
}

/// A row for each group, with a name that says whether there are several.
fn listed(suite: &Suite, name: &str, groups: &[Group]) -> Vec<(String, String)> {
    let mut rows: Vec<(String, String)> = match groups {
        [] => vec![(name.to_owned(), "none was found".to_owned())],
        groups => groups.iter().take(LISTED).map(|group| (name.to_owned(), together(suite, group))).collect(),
    };
    if groups.len() > LISTED {
        rows.push((String::new(), format!("and {} more", grouped((groups.len() - LISTED) as u64))));
    }
    rows
}

fn evidence_words(finding: &Finding, evidence: &Evidence) -> String {
    if finding.kind == Kind::Fixture {
        return "its tear-down fails behind whichever test is the last; here it was this one".to_owned();
    }
    let (fails, passes) = match finding.kind {
        Kind::OutcomeVaries => ("ends otherwise", "ends as usual"),
        _ => ("fails", "passes"),
    };
    let before = |order: &anyorder_model::Order| match order.len() {
        0 | 1 => "alone".to_owned(),
        2 if order.tests()[0] == finding.test => "when it runs again".to_owned(),
        number => format!("after {}", count(number as u64 - 1, "test")),
    };
    let how = match evidence.confirmed {
        Some(Rung::Plain) => {
            format!("; seen in {} of plain runs", count(evidence.plain_pairs.into(), "pair"))
        }
        Some(Rung::PlainOrdered) => {
            format!(
                "; seen in {} of plain runs, told their order by a file",
                count(evidence.plain_pairs.into(), "pair")
            )
        }
        None => String::new(),
    };
    let passing = evidence.passing.as_ref().map(|passing| format!(", {passes} {}", before(passing)));
    format!("{fails} {}{}{how}", before(&evidence.failing), passing.unwrap_or_default())
}

fn rate_words(rates: &Rates) -> Vec<String> {
    let rate = |rate: Rate| format!("{} of {}", rate.0, rate.1);
    let mut words = Vec::new();
    words.extend(rates.alone.map(|alone| format!("fails in {} runs alone", rate(alone))));
    words.extend(rates.suite.map(|suite| format!("fails in {} runs of the original order", rate(suite))));
    words.extend(rates.after.as_ref().map(|after| {
        let verdict = match after.chance {
            _ if after.is_correlated => "order has a part in it",
            chance if chance < UNLIKELY => "not enough to tell",
            _ => "order explains nothing",
        };
        format!(
            "fails in {} runs after {}, against {}: {verdict} (p = {:.3})",
            rate(after.rate),
            count(after.order.len().saturating_sub(1) as u64, "test"),
            rate(after.reference),
            after.chance
        )
    }));
    words
}

#[cfg(test)]
mod tests {
    use anyorder_model::{After, Order};

    use super::*;
    use crate::example;

    fn suite() -> Suite {
        example::suite(&["a", "b", "p"])
    }

    fn finding(kind: Kind, test: u32) -> Finding {
        let (suite, test, polluter) = (suite(), TestIndex(test), TestIndex(2));
        Finding {
            polluters: Some(vec![vec![polluter]]),
            evidence: Some(Evidence {
                passing: Some(Order(vec![test])),
                failing: Order(vec![polluter, test]),
                confirmed: Some(Rung::Plain),
                plain_pairs: 5,
            }),
            reproduce: Some(Reproduce { fail: format!("fail {}", test.0), pass: format!("pass {}", test.0) }),
            ..Finding::new(kind, test, suite.id(test))
        }
    }

    /// The text without colours.
    fn told(findings: &[Finding]) -> String {
        anstream::adapter::strip_str(&story(&suite(), findings, false)).to_string()
    }

    #[test]
    fn victims_of_one_polluter_are_told_together_with_one_command_line() {
        let told = told(&[finding(Kind::Victim, 0), finding(Kind::Victim, 1)]);
        assert_eq!(told.matches("polluter").count(), 1, "{told}");
        assert!(told.contains("t.py::a\n") && told.contains("t.py::b\n"), "{told}");
        assert!(told.contains("fail 0") && !told.contains("fail 1"), "{told}");
        assert!(told.contains("alike for the other 1: `--json` has every command line"), "{told}");
    }

    #[test]
    fn rates_that_are_neither_alike_nor_far_apart_are_not_enough_to_tell() {
        let told_at = |chance: f64| {
            let order = Order(vec![TestIndex(2), TestIndex(0)]);
            let is_correlated = chance < 0.001;
            let after = After { order, rate: Rate(4, 8), reference: Rate(0, 8), chance, is_correlated };
            let rates = Some(Rates { after: Some(after), ..Rates::default() });
            told(&[Finding { rates, ..finding(Kind::NonDeterministic, 0) }])
        };
        assert!(told_at(0.08).contains("against 0 of 8: not enough to tell (p = 0.080)"));
        assert!(told_at(0.5).contains("order explains nothing"));
        assert!(told_at(0.0001).contains("order has a part in it"));
    }

    #[test]
    fn findings_of_different_kinds_are_told_apart() {
        let told = told(&[finding(Kind::Victim, 0), finding(Kind::OutcomeVaries, 1)]);
        assert_eq!(told.matches("polluter").count(), 2, "{told}");
        assert!(told.contains("evidence  fails after 1 test, passes alone; seen in 5 pairs"), "{told}");
        assert!(told.contains("evidence  ends otherwise after 1 test, ends as usual alone;"), "{told}");
    }
}

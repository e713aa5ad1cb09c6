//! Checks a report against what a simulated suite really does.

use anyorder_model::{Finding, Group, Kind, Outcome, Phase, Step, TestIndex};

use super::SimSuite;
use crate::HuntReport;

/// Everything in the report that is not so.
///
/// What a finding says it has not searched for is not missed. Tests that fail at random may be called
/// non-deterministic or broken, and be doubted; anything else is a fault.
pub fn faults(suite: &SimSuite, report: &HuntReport) -> Vec<String> {
    let of_findings = report.findings.iter().flat_map(|finding| {
        let wrong = if suite.tests()[finding.test.at()].rate.is_some() {
            faults_by_chance(finding)
        } else {
            faults_of(suite, finding)
        };
        wrong.into_iter().map(move |fault| format!("{} t{}: {fault}", finding.kind.name(), finding.test.0))
    });
    let doubted = report.unconfirmed.iter().filter(|finding| {
        suite.tests()[finding.test.at()].rate.is_none() && finding.kind != Kind::OutcomeVaries
    });
    let unconfirmed = doubted.map(|finding| format!("t{} is unconfirmed", finding.test.0));
    of_findings.chain(unconfirmed).collect()
}

fn faults_by_chance(finding: &Finding) -> Vec<String> {
    let is_right = matches!(finding.kind, Kind::NonDeterministic | Kind::Broken | Kind::Fixture);
    if is_right { vec![] } else { vec!["it fails at random".to_owned()] }
}

/// The tests after which alone `test` is other than by itself, as far as pass and fail go.
pub fn single_partners(suite: &SimSuite, test: TestIndex) -> Vec<TestIndex> {
    let alone = passes(suite, &[test]);
    let others = (0..).take(suite.tests().len()).map(TestIndex).filter(|&other| other != test);
    let differs =
        |other| alone.zip(passes(suite, &[other, test])).is_some_and(|(alone, after)| alone != after);
    others.filter(|&other| differs(other)).collect()
}

fn faults_of(suite: &SimSuite, finding: &Finding) -> Vec<String> {
    let test = finding.test;
    let alone = passes(suite, &[test]);
    let claim = |holds: bool, fault: &str| (!holds).then(|| fault.to_owned());
    match finding.kind {
        Kind::Victim | Kind::Brittle => {
            let wanted = finding.kind == Kind::Brittle;
            let mut faults: Vec<String> =
                claim(alone == Some(!wanted), "alone it is otherwise").into_iter().collect();
            let groups = finding.setters.as_ref().or(finding.polluters.as_ref());
            faults.extend(faults_of_groups(suite, finding, groups.map_or(&[][..], Vec::as_slice), wanted));
            faults.extend(faults_of_cleaners(suite, finding));
            faults.extend(faults_of_evidence(suite, finding));
            faults
        }
        Kind::NonIdempotent => {
            claim(alone == Some(true) && passes(suite, &[test, test]) == Some(false), "it is idempotent")
                .into_iter()
                .collect()
        }
        Kind::SelfSetting => claim(
            alone == Some(false) && passes(suite, &[test, test]) == Some(true),
            "it does not set itself",
        )
        .into_iter()
        .collect(),
        Kind::NonDeterministic => vec!["it is deterministic".to_owned()],
        Kind::Broken => claim(alone == Some(false), "it passes alone").into_iter().collect(),
        Kind::Fixture => claim(is_torn(suite, finding), "no tear-down fails there").into_iter().collect(),
        Kind::OutcomeVaries | Kind::LatentPolluter | Kind::LatentVictim => vec![],
    }
}

fn faults_of_groups(suite: &SimSuite, finding: &Finding, groups: &[Group], wanted: bool) -> Vec<String> {
    let test = finding.test;
    let mut faults = Vec::new();
    if groups.is_empty() {
        faults.push("no partner".to_owned());
    }
    for group in groups {
        if passes(suite, &with(group, test)) != Some(wanted) {
            faults.push(format!("{group:?} does nothing"));
        }
        for at in 0..group.len() {
            let mut fewer = group.clone();
            fewer.remove(at);
            if passes(suite, &with(&fewer, test)) == Some(wanted) {
                faults.push(format!("{group:?} is not minimal"));
            }
        }
    }
    let missed = single_partners(suite, test)
        .into_iter()
        .filter(|&single| passes(suite, &[single, test]) == Some(wanted) && !groups.contains(&vec![single]));
    if has_tried_all(finding) {
        faults.extend(missed.map(|single| format!("partner t{} is missing", single.0)));
    }
    faults
}

fn faults_of_cleaners(suite: &SimSuite, finding: &Finding) -> Vec<String> {
    let mut faults = Vec::new();
    let groups = finding.polluters.as_deref().unwrap_or_default();
    for row in finding.by_polluter.iter().flatten() {
        let cleaners = row.cleaners.as_deref().unwrap_or_default();
        let cleans = |cleaner: &[TestIndex]| {
            passes(suite, &[&groups[row.group], cleaner, &[finding.test]].concat()) == Some(true)
        };
        faults.extend(
            cleaners
                .iter()
                .filter(|cleaner| !cleans(cleaner))
                .map(|cleaner| format!("{cleaner:?} cleans nothing")),
        );
        let all = (0..).take(suite.tests().len()).map(TestIndex);
        let missed = all.filter(|&test| cleans(&[test]) && !cleaners.contains(&vec![test]));
        if has_tried_all(finding) {
            faults.extend(missed.map(|test| format!("cleaner t{} is missing", test.0)));
        }
    }
    if finding.kind == Kind::Victim
        && finding.by_polluter.as_ref().is_none_or(|rows| rows.len() != groups.len())
    {
        faults.push("cleaners were not looked for".to_owned());
    }
    faults
}

fn faults_of_evidence(suite: &SimSuite, finding: &Finding) -> Vec<String> {
    let Some(evidence) = &finding.evidence else { return vec!["no evidence".to_owned()] };
    let passing = evidence.passing.as_ref().and_then(|passing| passes(suite, passing.tests()));
    let is_so = passing == Some(true)
        && passes(suite, evidence.failing.tests()) == Some(false)
        && evidence.confirmed.is_some();
    if is_so { vec![] } else { vec!["the evidence does not show it".to_owned()] }
}

/// Whether every test was tried by itself.
pub(super) fn has_tried_all(finding: &Finding) -> bool {
    finding.not_searched.iter().all(|what| what.contains("only together"))
}

fn is_torn(suite: &SimSuite, finding: &Finding) -> bool {
    let last = finding.evidence.as_ref().and_then(|evidence| suite.truth(evidence.failing.tests()).pop());
    last.is_some_and(|step| step.phase == Some(Phase::Teardown))
}

fn with(group: &[TestIndex], test: TestIndex) -> Vec<TestIndex> {
    [group, &[test]].concat()
}

/// Whether the last test passes; `None` if it neither passes nor fails. What a fixture does behind it does not count.
pub fn passes(suite: &SimSuite, order: &[TestIndex]) -> Option<bool> {
    let step: Step = suite.truth(order).pop()?;
    let is_torn = step.outcome == Outcome::Error && step.phase == Some(Phase::Teardown);
    if step.outcome == Outcome::Passed || is_torn {
        Some(true)
    } else {
        step.outcome.is_red().then_some(false)
    }
}

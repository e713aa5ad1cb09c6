//! A finding as JSON: with the ids of its tests, and no field that was not looked for.

use anyorder_model::{Acceptance, Cause, Evidence, Finding, Group, Rates, Suite, TestId, TestIndex};
use serde_json::{Value, json};

use crate::cause::explanation_value;
use crate::hidden::hidden;

/// A finding with the ids of its tests; a field that was not looked for is absent.
pub fn finding_value(suite: &Suite, finding: &Finding) -> Value {
    let groups = |groups: &Vec<Group>| groups_value(suite, groups);
    let mut value = json!({
        "id": finding.id,
        "kind": finding.kind,
        "test": suite.id(finding.test),
        "declared": finding.declared,
    });
    let own_cause =
        finding.causes.as_ref().filter(|_| finding.polluters.is_none() && finding.setters.is_none());
    let fields = [
        ("polluters", finding.polluters.as_ref().map(groups)),
        ("setters", finding.setters.as_ref().map(groups)),
        ("by_polluter", finding.polluters.as_ref().and_then(|_| by_group(suite, finding))),
        ("by_setter", finding.setters.as_ref().and_then(|_| by_group(suite, finding))),
        ("cleaners", finding.cleaners.as_ref().map(groups)),
        ("state", finding.state.as_ref().map(|state| json!(state))),
        (
            "explanation",
            own_cause.and_then(|causes| causes.first()).map(|cause| explanation_value(suite, cause)),
        ),
        ("hidden", finding.causes.as_ref().and_then(|_| hidden(suite, finding)).map(Value::from)),
        ("failure", finding.failure.as_ref().map(|text| json!(text))),
        ("evidence", finding.evidence.as_ref().map(|evidence| evidence_value(suite, evidence))),
        ("signature", finding.signature.as_ref().map(|signature| json!(signature.to_string()))),
        ("interleaved_only", finding.interleaved_only.map(Value::from)),
        ("reproduce", finding.reproduce.as_ref().map(|reproduce| json!(reproduce))),
        ("mode", finding.mode.map(|mode| json!(mode))),
        ("rates", finding.rates.as_ref().map(|rates| rates_value(suite, rates))),
        ("not_searched", (!finding.not_searched.is_empty()).then(|| json!(finding.not_searched))),
        ("age", finding.age.map(|age| json!(age))),
        ("new_partners", Some(&finding.new_partners).filter(|new| !new.is_empty()).map(groups)),
        ("accepted", finding.accepted.as_ref().map(acceptance_value)),
        ("unconfirmed", finding.unconfirmed.as_ref().map(|why| json!(why))),
    ];
    for (name, field) in fields {
        if let Some(field) = field {
            value[name] = field;
        }
    }
    value
}

fn acceptance_value(acceptance: &Acceptance) -> Value {
    let mut value = json!({"reason": acceptance.reason, "expired": acceptance.is_expired});
    if let Some(day) = &acceptance.expires {
        value["expires"] = json!(day);
    }
    value
}

fn ids<'a>(suite: &'a Suite, tests: &[TestIndex]) -> Vec<&'a TestId> {
    tests.iter().map(|&test| suite.id(test)).collect()
}

fn groups_value(suite: &Suite, groups: &[Group]) -> Value {
    groups.iter().map(|group| json!(ids(suite, group))).collect()
}

/// A row for each group of which more is known than that it is one.
fn by_group(suite: &Suite, finding: &Finding) -> Option<Value> {
    if finding.by_polluter.is_none() && finding.causes.is_none() {
        return None;
    }
    let groups = finding.polluters.as_ref().or(finding.setters.as_ref()).map_or(0, Vec::len);
    let row = |group: usize| {
        let cleaners = finding.by_polluter.iter().flatten().find(|row| row.group == group);
        let cause = finding.causes.iter().flatten().find(|cause: &&Cause| cause.group == group);
        let is_known = cleaners.is_some() || cause.is_some();
        let mut value = json!({"group": group});
        if let Some(cleaners) = cleaners.and_then(|row| row.cleaners.as_ref()) {
            value["cleaners"] = groups_value(suite, cleaners);
        }
        if let Some(cause) = cause {
            value["state"] = json!(cause.state);
            value["explanation"] = explanation_value(suite, cause);
        }
        is_known.then_some(value)
    };
    Some((0..groups).filter_map(row).collect())
}

fn evidence_value(suite: &Suite, evidence: &Evidence) -> Value {
    let mut value = json!({
        "failing": evidence.failing.ids(suite),
        "confirmed": evidence.confirmed,
        "plain_pairs": evidence.plain_pairs,
    });
    if let Some(passing) = &evidence.passing {
        value["passing"] = json!(passing.ids(suite));
    }
    value
}

fn rates_value(suite: &Suite, rates: &Rates) -> Value {
    let mut value = json!(rates);
    if let Some(after) = &rates.after {
        value["after"]["order"] = json!(after.order.ids(suite));
    }
    value
}

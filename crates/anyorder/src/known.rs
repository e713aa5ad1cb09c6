//! Findings of earlier hunts, as the suite of today has them.

use std::path::Path;

use anyorder_model::{Finding, Group, Kind, Order, Suite, TestId};
use anyorder_report::finding_of;
use anyorder_search::Known;
use anyorder_store::{History, KnownFinding};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::failure::Failure;
use crate::order_file::{is_finding_id, order_of};

/// What earlier hunts found and this suite can still show, by the ids of the findings.
pub(crate) fn known(suite: &Suite, findings: &[KnownFinding]) -> Vec<(String, Known)> {
    let standing = findings.iter().filter(|finding| finding.stands);
    standing.filter_map(|finding| Some((finding.id.clone(), known_one(suite, finding)?))).collect()
}

fn known_one(suite: &Suite, finding: &KnownFinding) -> Option<Known> {
    let order = |which: &str| {
        evidence(finding, which)?.iter().map(|id| suite.index_of(id)).collect::<Option<Vec<_>>>().map(Order)
    };
    Some(Known {
        kind: kind_of(finding)?,
        test: suite.index_of(&finding.test)?,
        failing: order("failing")?,
        passing: order("passing")?,
    })
}

/// What earlier hunts have found under this id, or about this test.
pub(crate) fn known_as(directory: &Path, what: &str) -> Result<Vec<KnownFinding>, Failure> {
    let Some(history) = History::open(directory)? else {
        return if is_finding_id(what) { Err(Failure::unknown_finding(what)) } else { Ok(vec![]) };
    };
    if is_finding_id(what) {
        let finding = history.finding(what)?;
        return finding.map(|finding| vec![finding]).ok_or_else(|| Failure::unknown_finding(what));
    }
    let mut findings = order_dependent(&history)?;
    findings.retain(|finding| finding.test.0 == what);
    Ok(findings)
}

/// All that earlier hunts have found and that stands: what order alone decides.
pub(crate) fn all_known(directory: &Path) -> Result<Vec<KnownFinding>, Failure> {
    History::open(directory)?.map_or(Ok(vec![]), |history| order_dependent(&history))
}

fn order_dependent(history: &History) -> Result<Vec<KnownFinding>, Failure> {
    let mut findings = history.known_findings()?;
    findings.retain(|finding| finding.stands && kind_of(finding).is_some_and(Kind::is_order_dependent));
    Ok(findings)
}

/// Whether a check has told of it as new when it was last seen.
pub(crate) fn was_new(finding: &KnownFinding) -> bool {
    json_of(finding)["age"] == "new"
}

/// What kind of verdict it is.
pub(crate) fn kind_of(finding: &KnownFinding) -> Option<Kind> {
    Kind::ALL.into_iter().find(|kind| kind.name() == finding.kind)
}

/// The ids of one of the two orders of a finding, `failing` or `passing`.
pub(crate) fn evidence(finding: &KnownFinding, which: &str) -> Option<Vec<TestId>> {
    field(&json_of(finding)["evidence"], which)
}

/// The groups under a name, as far as this suite has their tests.
pub(crate) fn groups(suite: &Suite, finding: &KnownFinding, name: &str) -> Option<Vec<Group>> {
    let groups: Vec<Vec<TestId>> = field(&json_of(finding), name)?;
    let group = |ids: &Vec<TestId>| ids.iter().map(|id| suite.index_of(id)).collect();
    Some(groups.iter().filter_map(group).collect())
}

/// All that is known of a finding but what is behind it; an error if the suite does not have its tests any more.
pub(crate) fn finding_in(suite: &Suite, known: &KnownFinding) -> Result<Option<Finding>, Failure> {
    let read = finding_of(suite, &json_of(known));
    let missing = |unknown: Vec<TestId>| order_of(suite, Path::new(&known.id), &unknown).err();
    let finding = match read.map_err(missing) {
        Ok(finding) => finding,
        Err(Some(failure)) => return Err(failure),
        Err(None) => None,
    };
    Ok(finding.map(|mut finding| {
        finding.not_searched.retain(|what| !anyorder_explain::is_left_out(what));
        Finding {
            state: None,
            causes: None,
            failure: None,
            rates: None,
            unconfirmed: None,
            age: None,
            accepted: None,
            ..finding
        }
    }))
}

fn json_of(finding: &KnownFinding) -> Value {
    serde_json::from_str(&finding.json).unwrap_or_default()
}

fn field<T: DeserializeOwned>(value: &Value, name: &str) -> Option<T> {
    serde_json::from_value(value.get(name)?.clone()).ok()
}

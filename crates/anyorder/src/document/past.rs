//! The part of the document that tells of the past: hunts, and when each finding was seen.

use std::collections::BTreeSet;

use anyorder_store::{Day, Hunt, KnownFinding};
use serde_json::{Value, json};

/// Commands that are hunts of the history; without a command it is a hunt.
const RECORDING: [&str; 5] = ["hunt", "check", "twice", "explain", "fix"];

/// When a finding was seen, and since when it is gone.
pub(super) fn lifetime(finding: &KnownFinding) -> Value {
    let mut value = json!({
        "id": finding.id,
        "kind": finding.kind,
        "test": finding.test,
        "first_seen": rfc3339(finding.first_seen.began),
        "last_seen": rfc3339(finding.last_seen.began),
    });
    if let Some(gone) = finding.last_not_reproduced.filter(|_| !finding.stands) {
        value["fixed"] = json!(rfc3339(gone.began));
    }
    value
}

pub(super) fn hunt_value(hunt: &Hunt, seen: Option<&BTreeSet<String>>) -> Value {
    let command = hunt.start.argv.iter().find(|word| RECORDING.contains(&word.as_str()));
    let mut value = json!({
        "number": hunt.number.0,
        "at": rfc3339(hunt.start.began),
        "command": command.map_or("hunt", String::as_str),
        "findings": seen.cloned().unwrap_or_default(),
    });
    if let Some(end) = hunt.end {
        value["exit"] = json!(end.exit);
    }
    value
}

/// A time as in `2026-12-31T23:59:59Z`.
pub(super) fn rfc3339(seconds: i64) -> String {
    let of_day = seconds.rem_euclid(86_400);
    format!("{}T{:02}:{:02}:{:02}Z", Day::at(seconds), of_day / 3600, of_day / 60 % 60, of_day % 60)
}

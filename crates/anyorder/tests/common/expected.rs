//! What fixtures say that there is to find in them, and what reports say that was found.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::{iter, thread};

use anyorder_testkit::fixture::fixtures_with;
use serde_json::Value;

/// Every fixture of a framework that has an `expected.json`, by name.
pub(crate) fn fixtures(framework: &str) -> BTreeMap<String, Value> {
    fixtures_with(framework, "expected.json")
}

/// A command as `expected` asks for it. The default number of plain pairs is tried elsewhere: in `anyorder demo`, and
/// where nothing is said of pairs.
pub(crate) fn asked<'words>(command: &'words str, expected: &'words Value) -> Vec<&'words str> {
    let pairs: &[&str] = if command == "hunt" { &["--plain-pairs", "1"] } else { &[] };
    [&[command, "--seed", "0", "--json", "-"], pairs, &words(&expected["arguments"])].concat()
}

/// The strings of a JSON list.
fn words(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect()
}

/// A finding in the terms of `expected.json`: who, and the groups around it in no particular order.
fn claim(finding: &Value) -> Value {
    let mut claim = serde_json::json!({"kind": finding["kind"], "test": finding["test"]});
    for name in ["polluters", "setters", "cleaners"] {
        if let Some(groups) = finding[name].as_array() {
            let mut groups: Vec<Vec<&str>> = groups.iter().map(words).collect();
            groups.sort_unstable();
            claim[name] = groups.into();
        }
    }
    for name in ["declared", "interleaved_only"] {
        if finding[name] == true {
            claim[name] = true.into();
        }
    }
    claim
}

/// What a report says under `field`, of all suites that the command has opened.
pub(crate) fn claims(report: &Value, field: &str) -> Vec<Value> {
    let more = report["more"].as_array().into_iter().flatten();
    let findings = std::iter::once(report).chain(more).flat_map(|report| report[field].as_array().unwrap());
    let mut claims: Vec<Value> = findings.map(claim).collect();
    claims.sort_by_key(Value::to_string);
    claims
}

/// What a report says that `expected` does not, and the other way round; `None` if they agree.
pub(crate) fn disagreement(report: &Value, expected: &Value) -> Option<String> {
    let wrong = ["findings", "unconfirmed"].iter().filter_map(|field| {
        let (seen, wanted) = (claims(report, field), claims(expected, field));
        (seen != wanted).then(|| format!("{field}\nseen: {seen:#?}\nwanted: {wanted:#?}"))
    });
    let wrong: Vec<String> = wrong.collect();
    (!wrong.is_empty()).then(|| wrong.join("\n"))
}

/// What `check` finds wrong with fixtures, of which so many are tried at the same time.
pub(crate) fn in_lanes<T: Send>(
    lanes: usize,
    fixtures: BTreeMap<String, T>,
    check: impl Fn(&str, &T) -> Option<String> + Sync,
) -> Vec<String> {
    let fixtures = Mutex::new(fixtures.into_iter());
    let next = || fixtures.lock().unwrap().next();
    let lane = || iter::from_fn(next).filter_map(|(name, expected)| check(&name, &expected)).collect();
    thread::scope(|scope| {
        let lanes: Vec<_> = (0..lanes).map(|_| scope.spawn(lane)).collect();
        lanes.into_iter().flat_map(|lane| -> Vec<String> { lane.join().unwrap() }).collect()
    })
}

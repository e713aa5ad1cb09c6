//! Changes with what is to be found after them, and what is wrong with a check that says otherwise.

use std::collections::BTreeSet;

use serde_json::Value;

use super::history::{Edit, Truth};
use super::{Anyorder, Ran};

pub(crate) const SETS_MODE: &str = "from shop import mode\n\n\ndef test_set_mode():\n    mode.MODE = \"b\"\n";
pub(crate) const READS_MODE: &str =
    "from shop import mode\n\n\ndef test_mode_is_a():\n    assert mode.MODE == \"a\"\n";

/// Files of a suite with a mode, as far as they are wanted.
pub(crate) fn mode<'a>(tests: &[Edit<'a>]) -> Vec<Edit<'a>> {
    [&[("shop/mode.py", Some("MODE = \"a\"\n"))], tests].concat()
}

/// A change, and what is to be found after it.
#[derive(Default)]
pub(crate) struct Case<'a> {
    /// Beside the shop itself.
    pub(crate) base: Vec<Edit<'a>>,
    pub(crate) change: Vec<Edit<'a>>,
    /// Tests that are order-dependent now and were not.
    pub(crate) new: Vec<&'a str>,
    /// Whether these were order-dependent with other partners.
    pub(crate) was_there: bool,
    /// Tests that were order-dependent before, and have to be told of as such.
    pub(crate) before: Vec<&'a str>,
    /// Whether all tests are affected, or none, where that is certain.
    pub(crate) affects_all: Option<bool>,
}

/// A check since a revision.
#[track_caller]
pub(crate) fn check(anyorder: &Anyorder, since: &str) -> Ran {
    anyorder.run(&["check", "--since", since, "--plain-pairs", "1", "--no-explain", "--json", "-"])
}

/// The ids of tests in a list of objects, those that `is_meant`.
fn tests(list: &Value, is_meant: impl Fn(&Value) -> bool) -> BTreeSet<&str> {
    let rows = list.as_array().into_iter().flatten().filter(|row| is_meant(row));
    rows.map(|row| row["test"].as_str().unwrap()).collect()
}

fn depends(finding: &Value) -> bool {
    ["victim", "brittle", "non-idempotent"].map(Value::from).contains(&finding["kind"])
}

fn set<'a>(names: impl IntoIterator<Item = &'a (impl AsRef<str> + 'a + ?Sized)>) -> BTreeSet<&'a str> {
    names.into_iter().map(AsRef::as_ref).collect()
}

/// What is wrong with a report on a change between two revisions. Without earlier profiles it may select them all.
pub(crate) fn faults(ran: &Ran, case: &Case<'_>, [then, now]: [&Truth; 2], is_warm: bool) -> Vec<String> {
    let report = ran.json();
    let mut faults = Vec::new();
    let mut claim = |holds: bool, fault: String| faults.extend((!holds).then_some(fault));
    claim(ran.code == i32::from(!case.new.is_empty()), format!("exit code {}", ran.code));
    let selection = &report["selection"];
    let affected = tests(&selection["affected"], |_| true);
    let selected: BTreeSet<&str> = affected.union(&tests(&selection["related"], |_| true)).copied().collect();
    for (first, test) in now.pairs.difference(&then.pairs) {
        let is_there = [first, test].iter().all(|name| selected.contains(name.as_str()));
        let is_tried = [first, test].iter().any(|name| affected.contains(name.as_str()));
        claim(is_there && is_tried, format!("{first}, {test} is a new pair, and is not selected"));
    }
    let told = |age: &str| tests(&report["findings"], |finding| depends(finding) && finding["age"] == age);
    claim(told("new") == set(&case.new), format!("new: {:?}, not {:?}", told("new"), case.new));
    claim(
        told("before") == set(&case.before),
        format!("before: {:?}, not {:?}", told("before"), case.before),
    );
    let (dependent_then, dependent_now) = (then.dependent(), now.dependent());
    for name in &case.new {
        claim(
            dependent_now.contains(*name) && dependent_then.contains(*name) == case.was_there,
            format!("all pairs say that {name} is not new"),
        );
    }
    let is_new = |name: &&String| !dependent_then.contains(*name) && then.tests.contains(*name);
    let missing: Vec<&String> =
        dependent_now.iter().filter(is_new).filter(|name| !case.new.contains(&name.as_str())).collect();
    claim(missing.is_empty(), format!("all pairs say that {missing:?} are new"));
    match case.affects_all {
        Some(true) => claim(affected.len() == now.tests.len(), format!("affected: {affected:?}")),
        Some(false) => claim(selected.is_empty(), format!("selected: {selected:?}")),
        None => claim(!is_warm || selected.len() < now.tests.len(), "all tests are selected".to_owned()),
    }
    faults
}

//! The reports of all commands follow `docs/report.schema.json`, and the schema refuses one that does not. Hunts of all
//! fixtures, and with them all kinds of findings, are looked at where they are hunted in.

mod common;

use std::path::Path;

use anyorder_testkit::fixture::Fixture;
use common::{Anyorder, schema, suite, write_order};
use serde_json::Value;

/// The report of a command.
#[track_caller]
fn report(directory: &Path, words: &[&str]) -> Value {
    Anyorder::at(directory).run(&[words, &["--json", "-"]].concat()).json()
}

#[test]
fn reports_of_all_commands_follow_the_schema() {
    let fixture = Fixture::pytest("red_baseline");
    let order = ["test_red_baseline.py::test_dirties", "test_red_baseline.py::test_needs_clean_state"];
    write_order(fixture.path(), "order.txt", &order);
    report(fixture.path(), &["collect"]);
    report(fixture.path(), &["doctor"]);
    report(fixture.path(), &["sweep", "--strategy", "reverse"]);
    report(fixture.path(), &["replay", "order.txt", "--output"]);
    report(fixture.path(), &["replay", "order.txt", "--plain"]);
    report(fixture.path(), &["twice"]);
    report(fixture.path(), &["profile", "--all"]);
    report(fixture.path(), &["hunt", "--rounds", "2", "--plain-pairs", "1"]);
}

#[test]
fn a_report_of_several_suites_follows_the_schema() {
    let suite = suite(&[("test_a.py", "def test_a(): pass\n"), ("test_b.py", "def test_b(): pass\n")]);
    let words = [
        "collect",
        "--json",
        "-",
        "--",
        "sh",
        "-c",
        "python -m pytest test_a.py; python -m pytest test_b.py",
    ];
    let python = anyorder_testkit::environment::python(anyorder_testkit::environment::NEWEST);
    let path = format!("{}:{}", python.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let report = Anyorder::at(suite.path()).variable("PATH", path).run(&words).json();
    assert_eq!(report["more"][0]["suite"]["tests"], 1);
}

#[test]
fn a_renamed_field_is_refused_wherever_it_is() {
    let whole =
        report(Fixture::pytest("red_baseline").path(), &["hunt", "--rounds", "2", "--plain-pairs", "1"]);
    let mut fields = Vec::new();
    pointers(&whole, "", &mut fields);
    assert!(fields.len() > 40, "{fields:?}");
    for field in fields {
        let (parent, name) = field.rsplit_once('/').unwrap();
        let mut renamed = whole.clone();
        let object = renamed.pointer_mut(parent).unwrap().as_object_mut().unwrap();
        let value = object.remove(name).unwrap();
        object.insert(format!("{name}_of_old"), value);
        assert_ne!(schema().faults(&renamed), [""; 0], "{field} can be renamed");
    }
}

/// Where every field of `value` is.
fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
    for (name, member) in value.as_object().into_iter().flatten() {
        found.push(format!("{at}/{name}"));
        pointers(member, &format!("{at}/{name}"), found);
    }
    for (number, item) in value.as_array().into_iter().flatten().enumerate() {
        pointers(item, &format!("{at}/{number}"), found);
    }
}

//! The command lines that a hunt prints are run: the one that should fail fails, the other passes.

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use anyorder_testkit::fixture::Fixture;
use common::expected::{asked, disagreement, fixtures};
use common::{Anyorder, Ran, clean, suite};

/// The printed command lines with this name.
fn printed<'ran>(ran: &'ran Ran, name: &str) -> Vec<&'ran str> {
    let prefix = format!("    {name:<10}");
    ran.stdout.lines().filter_map(|line| line.strip_prefix(prefix.as_str())).collect()
}

/// Runs a line as a user would who pastes it.
fn paste(directory: &Path, line: &str) -> Output {
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(directory);
    clean(&mut command);
    command.output().unwrap()
}

/// Pastes every printed command line; how many there were.
#[track_caller]
fn all_do_as_they_say(directory: &Path, ran: &Ran) -> usize {
    let mut number = 0;
    for (name, code) in [("fail", 1), ("pass", 0)] {
        for line in printed(ran, name) {
            let output = paste(directory, line);
            assert_eq!(output.status.code(), Some(code), "{line}\n{output:?}\n{}", ran.shown());
            number += 1;
        }
    }
    number
}

/// Hunts in a fixture, finds what there is to find, and pastes every printed command line; how many there were.
#[track_caller]
fn all_do_as_they_say_in(name: &str) -> usize {
    let (fixture, expected) = (Fixture::pytest(name), &fixtures("pytest")[name]);
    let json = fixture.path().with_file_name("report.json");
    let mut words = asked("hunt", expected);
    let place = words.iter_mut().find(|word| **word == "-").expect("a report is asked for");
    *place = json.to_str().unwrap();
    words.push("--no-explain");
    let ran = Anyorder::at(fixture.path()).run(&words).with_code(1);
    let report = serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
    assert_eq!(disagreement(&report, expected), None, "{}", ran.shown());
    all_do_as_they_say(fixture.path(), &ran)
}

#[test]
fn commands_of_victims_and_brittles_do_as_they_say() {
    assert_eq!(all_do_as_they_say_in("red_baseline"), 4);
}

#[test]
fn commands_with_awkward_ids_do_as_they_say() {
    assert_eq!(all_do_as_they_say_in("awkward_victims"), 2);
}

#[test]
fn commands_with_an_order_plugin_do_as_they_say() {
    let suite =
        suite(&[("test_a.py", "seen = []\ndef test_a():\n    assert not seen\n    seen.append(1)\n")]);
    let ran = Anyorder::at(suite.path()).run(&["hunt", "--rounds", "1"]).with_code(1);
    assert!(ran.stdout.contains("non-idempotent  test_a.py::test_a"), "{}", ran.shown());
    assert!(printed(&ran, "fail")[0].contains("anyorder_order"), "{}", ran.shown());
    assert!(ran.stdout.contains("5 pairs of plain runs"), "{}", ran.shown());
    assert_eq!(all_do_as_they_say(suite.path(), &ran), 2);
}

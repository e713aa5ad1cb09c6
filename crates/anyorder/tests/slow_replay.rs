//! `anyorder replay`: one order again, through the agent or with plain pytest.

mod common;

use std::fs;
use std::path::Path;
use std::process::Command;

use anyorder_testkit::fixture::Fixture;
use common::{Anyorder, Ran, clean, suite, write_order};

const SHOP: &[(&str, &str)] = &[(
    "test_shop.py",
    "import sys\n\
     stock = []\n\
     def test_is_empty(): assert stock == []\n\
     def test_delivery():\n    stock.append('tea')\n    print('tea has come')\n\
     def test_noise():\n    print('some noise', file=sys.stderr)\n",
)];

const EMPTY: &str = "test_shop.py::test_is_empty";
const DELIVERY: &str = "test_shop.py::test_delivery";
const NOISE: &str = "test_shop.py::test_noise";
const VISIT: &str = "test_non_idempotent.py::test_is_the_first_visit";

fn plain_command(ran: &Ran) -> String {
    let command = ran.stdout.lines().find_map(|line| line.strip_prefix("     Plain  "));
    command.unwrap_or_else(|| panic!("{}", ran.shown())).to_owned()
}

/// The last line that pytest prints when the command is pasted into a shell.
fn paste(command: &str, directory: &Path) -> String {
    let mut shell = Command::new("sh");
    clean(shell.args(["-c", command]).current_dir(directory));
    let output = shell.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let last = text.trim_end().lines().last().unwrap_or_default().trim_matches(['=', ' ']).to_owned();
    last.split(" in ").next().unwrap_or_default().to_owned()
}

#[test]
fn an_order_that_passes_has_exit_code_0_and_one_that_fails_1() {
    let suite = suite(SHOP);
    write_order(suite.path(), "good.txt", &[EMPTY, DELIVERY, NOISE]);
    write_order(suite.path(), "bad.txt", &["# the wrong way round", "", DELIVERY, EMPTY]);
    let anyorder = Anyorder::at(suite.path());
    assert_eq!(anyorder.run(&["replay", "good.txt"]).with_code(0).stdout, "  Replayed  3 tests: 3 passed\n");
    insta::assert_snapshot!(anyorder.run(&["replay", "bad.txt"]).with_code(1).shown(), @r"
    exit code 1
    --- stdout
        Failed  test_shop.py::test_is_empty
                AssertionError: assert ['tea'] == [] (test_shop.py:3)
      Replayed  2 tests: 1 passed, 1 failed
    --- stderr
     Collected  3 tests (pytest [version], python [version])
    ");
}

#[test]
fn unknown_ids_in_an_order_file_are_named() {
    let suite = suite(SHOP);
    write_order(suite.path(), "order.txt", &[EMPTY, "test_shop.py::test_deliverey", "test_other.py::test_x"]);
    for flags in [&["replay", "order.txt"][..], &["replay", "order.txt", "--plain"]] {
        let ran = Anyorder::at(suite.path()).run(flags).with_code(2);
        assert_eq!(ran.stdout, "");
        let errors = ran.errors();
        let errors = errors.split_once("error: ").unwrap().1;
        insta::allow_duplicates! {
            insta::assert_snapshot!(errors, @r"
            `order.txt` names 2 tests that the suite does not have
              not collected: test_shop.py::test_deliverey
              not collected: test_other.py::test_x
            hint: did you mean `test_shop.py::test_delivery`? `anyorder collect` lists every test
            ");
        }
    }
}

#[test]
fn an_order_file_without_tests_is_a_usage_error() {
    let suite = suite(&[SHOP[0], ("empty.txt", ""), ("comments.txt", "# nothing\n\n"), ("list.txt", "[]")]);
    for file in ["empty.txt", "comments.txt", "list.txt"] {
        let ran = Anyorder::at(suite.path()).run(&["replay", file]).with_code(2);
        let expected = format!(
            "error: `{file}` is not an order file: it names no test\n\
             hint: write one test id per line, as `anyorder collect` prints them\n"
        );
        assert_eq!(ran.stderr, expected);
    }
}

#[test]
fn an_order_file_that_cannot_be_read_is_a_usage_error() {
    let suite = suite(SHOP);
    fs::create_dir(suite.path().join("directory")).unwrap();
    fs::write(suite.path().join("binary.txt"), b"\xff\xfe\0").unwrap();
    for file in ["missing.txt", "directory", "binary.txt"] {
        let ran = Anyorder::at(suite.path()).run(&["replay", file]).with_code(2);
        assert!(ran.stderr.starts_with(&format!("error: cannot read `{file}`: ")), "{}", ran.shown());
        assert!(
            ran.stderr.ends_with("hint: name an existing file, or `-` for standard input\n"),
            "{}",
            ran.shown()
        );
    }
}

#[test]
fn an_order_file_may_be_a_json_list_or_standard_input() {
    let suite = suite(&[SHOP[0], ("order.json", &format!("[\"{DELIVERY}\",\n \"{EMPTY}\"]"))]);
    let from_file = Anyorder::at(suite.path()).run(&["replay", "order.json"]).with_code(1);
    let from_input = Anyorder::at(suite.path())
        .input(&format!("{DELIVERY}\n{EMPTY}\n"))
        .run(&["replay", "-"])
        .with_code(1);
    assert_eq!(from_file.stdout, from_input.stdout);
}

#[test]
fn a_repeated_test_runs_as_often_as_it_is_named() {
    let fixture = Fixture::pytest("every_scope");
    write_order(fixture.path(), "order.txt", &[VISIT, VISIT, VISIT]);
    let through_agent = Anyorder::at(fixture.path()).run(&["replay", "order.txt"]).with_code(1);
    let plain = Anyorder::at(fixture.path()).run(&["replay", "order.txt", "--plain"]).with_code(1);
    assert!(
        through_agent.stdout.ends_with("  Replayed  3 tests: 1 passed, 2 failed\n"),
        "{}",
        through_agent.shown()
    );
    assert!(plain.stdout.ends_with("  Replayed  3 tests: 1 passed, 2 failed\n"), "{}", plain.shown());
    let failures = |ran: &Ran| ran.stdout.matches(&format!("    Failed  {VISIT}\n")).count();
    assert_eq!((failures(&through_agent), failures(&plain)), (2, 2));
    assert_eq!(paste(&plain_command(&plain), fixture.path()), "2 failed, 1 passed");
}

#[test]
fn the_printed_command_runs_exactly_the_order() {
    let suite = suite(SHOP);
    write_order(suite.path(), "order.txt", &[DELIVERY, EMPTY]);
    let ran = Anyorder::at(suite.path()).run(&["replay", "order.txt", "--plain"]).with_code(1);
    assert_eq!(paste(&plain_command(&ran), suite.path()), "1 failed, 1 passed");
    write_order(suite.path(), "whole.txt", &[EMPTY, DELIVERY, NOISE]);
    let ran = Anyorder::at(suite.path()).run(&["replay", "whole.txt", "--plain"]).with_code(0);
    assert_eq!(paste(&plain_command(&ran), suite.path()), "3 passed");
    write_order(suite.path(), "one.txt", &[NOISE]);
    let ran = Anyorder::at(suite.path()).run(&["replay", "one.txt", "--plain"]).with_code(0);
    assert_eq!(paste(&plain_command(&ran), suite.path()), "1 passed");
}

#[test]
fn the_printed_command_works_from_the_directory_that_was_named() {
    let home = suite(&[]);
    let below = home.path().join("tests");
    fs::create_dir(&below).unwrap();
    fs::write(below.join("test_shop.py"), SHOP[0].1).unwrap();
    let anyorder = Anyorder::at(&below);
    let listed = anyorder.run(&["collect"]).with_code(0);
    let mut ids = listed.lines();
    ids.reverse();
    write_order(&below, "order.txt", &ids);
    let ran = anyorder.run(&["replay", "order.txt", "--plain"]).with_code(1);
    assert!(ran.stdout.ends_with("  Replayed  3 tests: 2 passed, 1 failed\n"), "{}", ran.shown());
    assert_eq!(paste(&plain_command(&ran), &below), "1 failed, 2 passed");
}

#[test]
fn output_shows_what_tests_printed_and_how_they_failed() {
    let suite = suite(SHOP);
    write_order(suite.path(), "order.txt", &[DELIVERY, NOISE, EMPTY]);
    let without = Anyorder::at(suite.path()).run(&["replay", "order.txt"]).with_code(1);
    assert!(!without.stdout.contains("tea has come"), "{}", without.shown());
    let ran = Anyorder::at(suite.path()).run(&["replay", "order.txt", "--output"]).with_code(1);
    for text in SHOWN {
        assert!(ran.stdout.contains(text), "{}", ran.shown());
    }
}

#[test]
fn output_of_a_plain_replay_shows_the_same() {
    let suite = suite(SHOP);
    write_order(suite.path(), "order.txt", &[DELIVERY, NOISE, EMPTY]);
    let ran = Anyorder::at(suite.path()).run(&["replay", "order.txt", "--output", "--plain"]).with_code(1);
    for text in SHOWN {
        assert!(ran.stdout.contains(text), "{}", ran.shown());
    }
}

const SHOWN: [&str; 3] = ["tea has come", "some noise", "def test_is_empty(): assert stock == []"];

#[test]
fn json_on_standard_output_is_all_there_is_on_it() {
    let suite = suite(SHOP);
    write_order(suite.path(), "order.txt", &[DELIVERY, EMPTY]);
    let report = Anyorder::at(suite.path()).run(&["replay", "order.txt", "--json", "-"]).with_code(1).json();
    assert_eq!(report["runs"][0]["asked"], serde_json::json!([DELIVERY, EMPTY]));
    assert_eq!(report["runs"][0]["ran"][1]["outcome"], "failed");
    assert_eq!(report["runs"][0]["ran"][1]["signature"]["kind"], "AssertionError");
}

#[test]
fn the_json_report_of_a_plain_replay_has_the_command() {
    let suite = suite(SHOP);
    write_order(suite.path(), "order.txt", &[DELIVERY, EMPTY]);
    let ran = Anyorder::at(suite.path())
        .run(&["replay", "order.txt", "--plain", "--json", "report.json"])
        .with_code(1);
    let report = fs::read_to_string(suite.path().join("report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["runs"][0]["command"], plain_command(&ran));
}

#[test]
fn a_plain_replay_keeps_the_options_of_the_project_s_own_command() {
    let suite = suite(&[SHOP[0], ("pytest.ini", "[pytest]\n"), ("conftest.py", CONFTEST)]);
    write_order(suite.path(), "order.txt", &[EMPTY]);
    let python = anyorder_testkit::environment::python(anyorder_testkit::environment::NEWEST);
    let words = [
        "replay",
        "order.txt",
        "--plain",
        "--",
        python.to_str().unwrap(),
        "-m",
        "pytest",
        "--shelf",
        "green",
        "test_shop.py",
    ];
    let ran = Anyorder::at(suite.path()).run(&words).with_code(0);
    assert!(plain_command(&ran).contains("--shelf green"), "{}", ran.shown());
    assert_eq!(paste(&plain_command(&ran), suite.path()), "1 passed");
}

/// Tests pass only with `--shelf green`.
const CONFTEST: &str = "\
import pytest
def pytest_addoption(parser):
    parser.addoption('--shelf')
@pytest.fixture(autouse=True)
def shelf(request):
    assert request.config.getoption('--shelf') == 'green'
";

#[test]
fn the_printed_command_can_be_pasted_whatever_the_ids_hold() {
    for name in ["odd_ids", "odd_ids_unescaped"] {
        let fixture = Fixture::pytest(name);
        let listed = Anyorder::at(fixture.path()).run(&["collect"]).with_code(0).stdout;
        let tests = listed.lines().count();
        let backwards: Vec<&str> = listed.lines().rev().collect();
        let ran = Anyorder::at(fixture.path())
            .input(&backwards.join("\n"))
            .run(&["replay", "-", "--plain"])
            .with_code(0);
        let after = ran.stdout.split_once("     Plain  ").unwrap().1;
        let command = after.split_once("\n  Replayed  ").unwrap().0;
        assert_eq!(paste(command, fixture.path()), format!("{tests} passed"), "{}", ran.shown());
    }
}

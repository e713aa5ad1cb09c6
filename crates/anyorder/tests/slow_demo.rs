//! `anyorder demo` and `anyorder doctor`, and what they suggest.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use anyorder_testkit::environment::{NEWEST, PLUGINS, python};
use anyorder_testkit::fixture::Fixture;
use common::{Anyorder, Ran, suite};

/// The lines under `Next`.
fn next_steps(ran: &Ran) -> Vec<String> {
    let after = ran.stderr.split_once("      Next  ").unwrap_or_else(|| panic!("{}", ran.shown())).1;
    after.lines().skip(1).map(|line| line.trim().to_owned()).collect()
}

/// Started anywhere, the demo is written to where temporary files go.
fn demo(temporary: &Path) -> Ran {
    let anywhere = tempfile::tempdir().unwrap();
    Anyorder::at(anywhere.path()).calibrated().variable("TMPDIR", temporary).run(&["demo"]).with_code(0)
}

#[test]
fn the_demo_finds_its_dependences_and_its_next_steps_work() {
    let home = tempfile::Builder::new().prefix("with a space ").tempdir().unwrap();
    let ran = demo(home.path());
    for (kind, test) in [
        ("victim", "tests/test_prices.py::test_book_costs_full_price"),
        ("victim", "tests/test_templates.py::test_greeting_is_english"),
        ("victim", "tests/test_inventory.py::test_new_shop_has_no_stock"),
        ("victim", "tests/test_currency.py::test_prices_are_in_dollars"),
        ("victim", "tests/test_templates.py::test_receipt_lists_every_item"),
        ("brittle", "tests/test_prices.py::test_price_of_tea_is_cached"),
        ("non-idempotent", "tests/test_cart.py::test_first_order_is_number_one"),
        ("non-deterministic", "tests/test_prices.py::test_lucky_customer_gets_a_gift"),
    ] {
        assert!(ran.stdout.contains(&format!("  {kind}  {test}")), "{kind} {test}\n{}", ran.shown());
    }
    let steps = next_steps(&ran);
    let directory = pasted(&steps[..2]);
    all_files_are_there(&directory);
    let in_demo = Anyorder::without_python(&directory).variable("ANYORDER_PYTHON", python(NEWEST));
    assert!(steps.len() > 2, "{}", ran.shown());
    for step in &steps[2..] {
        let words: Vec<&str> = step.split(' ').collect();
        assert_eq!(words[0], "anyorder");
        in_demo.run(&words[1..]).with_code(i32::from(words[1] == "explain"));
    }
}

/// Pastes the first steps into a shell; gives the directory that they lead to.
fn pasted(steps: &[String]) -> PathBuf {
    let binary = Path::new(env!("CARGO_BIN_EXE_anyorder")).parent().unwrap();
    let script = format!("set -e\n{}\nanyorder collect >&2\npwd\n", steps.join("\n"));
    let path = std::env::join_paths(
        [binary.to_owned()].into_iter().chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    )
    .unwrap();
    let mut shell = std::process::Command::new("sh");
    common::clean(shell.args(["-c", &script]).env("PATH", path));
    let output = shell.output().unwrap();
    assert!(output.status.success(), "{script}\n{output:?}");
    PathBuf::from(String::from_utf8(output.stdout).unwrap().trim_end())
}

fn all_files_are_there(directory: &Path) {
    for (path, text) in Fixture::pytest("demo").contents() {
        let relative =
            path.components().skip_while(|part| part.as_os_str() != "demo").skip(1).collect::<PathBuf>();
        assert_eq!(fs::read(directory.join(&relative)).ok(), Some(text), "{}", relative.display());
    }
}

#[test]
fn a_healthy_suite_is_healthy_to_the_doctor() {
    let suite = suite(&[("test_a.py", "def test_a(): pass\n")]);
    let ran = Anyorder::at(suite.path()).run(&["doctor"]).with_code(0);
    assert!(ran.stdout.contains("Good  the original order is green: 1 passed"), "{}", ran.shown());
    assert!(!ran.stdout.contains("Hinders"), "{}", ran.shown());
}

#[test]
fn the_doctor_names_plugins_unreadable_files_and_unordered_parameters() {
    let fixture = Fixture::pytest("plugins_in_addopts");
    let ran = Anyorder::with(PLUGINS, fixture.path()).run(&["doctor"]).with_code(0);
    assert!(ran.stdout.contains("overridden here"), "{}", ran.shown());
    let fixture = Fixture::pytest("collection_errors");
    let ran = Anyorder::at(fixture.path()).run(&["doctor"]).with_code(0);
    assert!(ran.stdout.contains("test_cannot_be_imported.py cannot be collected"), "{}", ran.shown());
    let suite = suite(&[(
        "test_a.py",
        "import pytest\n@pytest.mark.parametrize('x', set('abcdefghij'))\ndef test_a(x): pass\n",
    )]);
    let ran = Anyorder::at(suite.path()).run(&["doctor"]);
    assert!(ran.stdout.contains("two starts collect the same tests in different orders"), "{}", ran.shown());
}

#[test]
fn the_doctor_says_that_there_are_no_tests() {
    let fixture = Fixture::pytest("no_tests");
    Anyorder::at(fixture.path()).run(&["doctor"]).with_code(4);
}

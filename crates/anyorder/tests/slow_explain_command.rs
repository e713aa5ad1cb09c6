//! `anyorder explain`: by the name of a test, by the id of a finding, and where there is nothing to explain.

mod common;

use anyorder_testkit::fixture::Fixture;
use common::Anyorder;

/// The text without the number that stands before `noun`: it depends on the versions of everything.
fn without_number(text: &str, noun: &str) -> String {
    let (before, after) = text.split_once(noun).unwrap_or_else(|| panic!("{text}"));
    let before = before.trim_end_matches(|c: char| c.is_ascii_digit() || c == ',');
    format!("{before}[number]{noun}{after}")
}

#[test]
fn a_test_is_hunted_and_explained_by_its_name_then_by_the_id_without_another_run() {
    let fixture = Fixture::pytest("demo");
    let anyorder = Anyorder::at(fixture.path());
    let victim = "tests/test_templates.py::test_receipt_lists_every_item";
    let ran = anyorder.run(&["explain", victim, "--json", "-"]).with_code(1);
    let report = ran.json();
    let finding = &report["findings"][0];
    let cell = &finding["state"][0];
    assert_eq!(cell["cell"], "shop.templates._registry['receipt']", "{}", ran.shown());
    assert_eq!(cell["proved"], true, "{finding:#}");
    assert_eq!(cell["written"], "shop/templates.py:12", "{finding:#}");
    assert_eq!(cell["read"], "shop/templates.py:20", "{finding:#}");
    let reset = &finding["by_polluter"][0]["explanation"]["resets"][0];
    assert_eq!(reset["cell"], cell["cell"], "{finding:#}");

    let id = finding["id"].as_str().unwrap();
    let again = anyorder.run(&["explain", id]).with_code(1);
    insta::assert_snapshot!(without_number(&again.told(), " objects"), @r"

    v-1e6018  victim  tests/test_templates.py::test_receipt_lists_every_item
        polluter  tests/test_templates.py::test_receipt_can_be_short
        cleaner   tests/test_templates.py::test_templates_can_be_restored
        evidence  fails after 1 test, passes alone; seen in 5 pairs of plain runs
        fails     AssertionError: assert 'Thank you' == 'You bought: tea, book' (tests/test_templates.py:20)
        cause     `shop.templates._registry['receipt']` is 'Thank you' when it starts; alone it is 'You bought: {items}'
                  written at shop/templates.py:12, never restored; read at shop/templates.py:20
                  called at tests/test_templates.py:8 in test_receipt_can_be_short
        proof     fails with nothing put back, passes with it put back, fails with all but it put back; 3 times each
        reset     tests/test_templates.py::test_templates_can_be_restored puts `shop.templates._registry['receipt']` back at shop/templates.py:16
        looked    at [number] objects: 1 cell differs, 1 tried alone
        hidden    the original order runs tests/test_templates.py::test_templates_can_be_restored in between, which undoes it
        failure   AssertionError: assert 'Thank you' == 'You bought: tea, book'

                    - You bought: tea, book
                    + Thank you
        fail      [python] -m pytest tests/test_templates.py::test_receipt_can_be_short tests/test_templates.py::test_receipt_lists_every_item
        pass      [python] -m pytest tests/test_templates.py::test_receipt_lists_every_item

       Summary  the cause is proved
                0 test runs, 0 forks, 1 process
    ");
}

#[test]
fn what_there_is_nothing_to_explain_about_is_said() {
    let fixture = Fixture::pytest("demo");
    let anyorder = Anyorder::at(fixture.path());
    let ran = anyorder.run(&["explain", "tests/test_cart.py::test_total_adds_up_the_lines"]).with_code(0);
    assert!(ran.stdout.contains("nothing to explain: it ends the same alone"), "{}", ran.shown());
    let ran = anyorder.run(&["explain", "tests/test_cart.py::test_totals_adds_up_the_lines"]).with_code(2);
    assert!(ran.stderr.contains("did you mean `tests/test_cart.py::test_total_adds"), "{}", ran.shown());
    let ran = anyorder.run(&["explain", "v-000000"]).with_code(2);
    assert!(ran.stderr.contains("no finding `v-000000` is known here"), "{}", ran.shown());
}

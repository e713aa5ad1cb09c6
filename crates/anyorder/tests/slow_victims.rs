//! `anyorder pollution --victims`: tests that mind a change of what they look at, and tests that do not.

mod common;

use std::collections::BTreeMap;

use anyorder_testkit::fixture::Fixture;
use common::Anyorder;
use serde_json::Value;

/// The cells that each latent victim minds, with what they held.
fn minds(report: &Value) -> BTreeMap<&str, Vec<(&str, &str)>> {
    let mut minds = BTreeMap::new();
    for finding in report["findings"].as_array().unwrap() {
        assert_eq!(finding["kind"], "latent-victim", "{finding}");
        assert!(finding["id"].as_str().unwrap().starts_with("l-"), "{finding}");
        let state = finding["state"].as_array().unwrap().iter();
        let cells = state.map(|one| (one["cell"].as_str().unwrap(), one["after"].as_str().unwrap()));
        minds.insert(finding["test"].as_str().unwrap().split("::").last().unwrap(), cells.collect());
    }
    minds
}

#[test]
fn a_test_that_minds_a_change_is_a_latent_victim_and_makes_exit_code_1() {
    let fixture = Fixture::pytest("latent_victims");
    let ask =
        |words: &[&str]| Anyorder::at(fixture.path()).run(&[&["pollution", "--json", "-"], words].concat());
    assert_eq!(ask(&[]).with_code(0).json().get("minded"), None);
    let first = ask(&["--victims"]).with_code(1);
    let report = first.json();
    let expected = [
        ("test_attribute_of_an_object", vec![("shop.CART.open", "False")]),
        ("test_class_attribute", vec![("shop.Cart.limit", "4")]),
        ("test_emptied_registry", vec![("shop.HANDLERS", "{}")]),
        ("test_exact_comparison", vec![("shop.PLUGINS", "[]"), ("shop.PLUGINS", "['csv', 'json', 'json~']")]),
        ("test_scalar_flag", vec![("shop.CURRENCY", "'USD~'")]),
    ];
    assert_eq!(minds(&report), expected.into());
    let places: Vec<(&str, u64, usize)> = report["minded"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            let victims = one["victims"].as_array().unwrap().len();
            (one["place"].as_str().unwrap(), one["readers"].as_u64().unwrap(), victims)
        })
        .collect();
    assert_eq!(places[..2], [("shop.CURRENCY", 4, 1), ("shop.PLUGINS", 2, 1)], "{places:?}");
    let again = ask(&["--victims"]).with_code(1).json();
    assert_eq!(again["cost"]["test_runs"], 0, "all of it is remembered");
    assert_eq!(again["findings"], report["findings"]);
}

#[test]
fn places_are_listed_with_what_turned_tests_red() {
    let fixture = Fixture::pytest("latent_victims");
    let words = ["pollution", "--victims", "-q", "test_shop.py::test_exact_comparison"];
    let ran = Anyorder::at(fixture.path()).run(&words).with_code(1);
    let expected = "\
1 test minds shop.PLUGINS   ['csv', 'json']
    1 test may look at it
    red with ['csv', 'json', 'json~']
    red with []
    in test_shop.py::test_exact_comparison
";
    assert!(ran.stdout.contains(expected), "{}", ran.shown());
}

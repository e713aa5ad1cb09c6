//! Hunts in every fixture that says what there is to find: the verdicts are those, and no others.

mod common;

use anyorder_testkit::fixture::Fixture;
use anyorder_testkit::thorough::usually_or_in_trials;
use common::Anyorder;
use common::expected::{asked, disagreement, fixtures, in_lanes};
use serde_json::Value;

/// How many hunts go on at the same time: each of them waits now and then.
const LANES: usize = 3;

/// Hunted in trials only, because they take a thousand forks or more; simulated suites have such victims every day.
const LARGE: [&str; 5] = [
    "fifty_polluters",
    "one_polluter_many_victims",
    "partners_hard_to_find",
    "state_in_fixtures",
    "state_in_modules",
];

/// Where every day the state behind findings is looked for, too, because tests do things there that could get in its way.
const EXPLAINED: [&str; 2] = ["closed_stdout", "crashes_after_polluter"];

/// Hunted in a test of its own, or where printed commands are pasted (`slow_hunt_commands`).
const ELSEWHERE: [&str; 3] = [OTHER_IMPORT, "awkward_victims", "red_baseline"];

const OTHER_IMPORT: &str = "needs_other_import";

/// What the hunt that `expected` asks for reports, and what is wrong with it.
fn hunted(name: &str, expected: &Value) -> (Value, Option<String>) {
    let fixture = Fixture::pytest(name);
    let is_explained = usually_or_in_trials(EXPLAINED.contains(&name), true);
    let words: &[&str] = if is_explained { &[] } else { &["--no-explain"] };
    let ran = Anyorder::at(fixture.path()).run(&[&asked("hunt", expected)[..], words].concat());
    let report = ran.json();
    let wrong = disagreement(&report, expected).map(|how| format!("{name}: {how}\n{}", ran.shown()));
    (report, wrong)
}

#[test]
fn every_fixture_shows_what_it_should_and_nothing_else() {
    let mut fixtures = fixtures("pytest");
    assert!(fixtures.len() > 10, "the fixtures are where they were");
    fixtures.retain(|name, _| !ELSEWHERE.contains(&name.as_str()));
    fixtures.retain(|name, _| usually_or_in_trials(!LARGE.contains(&name.as_str()), true));
    let wrong = in_lanes(LANES, fixtures, |name, expected| hunted(name, expected).1);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_chance_decides_is_never_called_order_dependent() {
    let fixture = Fixture::pytest("non_deterministic");
    for seed in usually_or_in_trials(&["1"][..], &["1", "2", "3", "4"]) {
        let ran = Anyorder::at(fixture.path()).run(&["hunt", "--seed", seed, "--json", "-"]).with_code(0);
        let report = ran.json();
        let kinds = report["findings"].as_array().unwrap().iter().map(|finding| &finding["kind"]);
        let others: Vec<&Value> =
            kinds.filter(|kind| *kind != "non-deterministic" && *kind != "broken").collect();
        assert!(others.is_empty(), "seed {seed}: {others:?}\n{}", ran.shown());
    }
}

#[test]
fn what_plain_runs_show_only_with_everything_collected_is_reproduced_that_way() {
    let (report, wrong) = hunted(OTHER_IMPORT, &fixtures("pytest")[OTHER_IMPORT]);
    assert_eq!(wrong, None);
    let victim = &report["findings"][0];
    assert_eq!(victim["evidence"]["confirmed"], "plain-ordered", "{victim:#}");
    assert!(victim["reproduce"]["fail"].as_str().unwrap().contains("-p "), "{victim:#}");
}

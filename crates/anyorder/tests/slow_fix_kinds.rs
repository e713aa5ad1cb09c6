//! Every kind of pollution in `fixtures/pytest/kinds`: where its cause is proved it gets a patch, but for those that Python gives
//! nobody a way to undo. In trials the patches are snapshots, one for each file of tests.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyorder_model::{Finding, Kind, TestId, TestIndex};
use anyorder_store::{Fingerprint, FoundFinding, HuntStart, Store};
use anyorder_testkit::fixture::Fixture;
use anyorder_testkit::thorough::usually_or_in_trials;
use common::Anyorder;
use common::patches::patches;
use serde::Deserialize;
use serde_json::{Value, json};

/// One kind of pollution: who leaves what, and who minds.
#[derive(Deserialize)]
struct Pair {
    polluter: TestId,
    victim: TestId,
}

/// Kinds that nothing takes back, as `docs/fix.md` says.
const UNPATCHED: [&str; 1] = ["test_needs_no_thread"];

/// Kinds that are tried every day: each is taken back in another way.
const DAILY: [&str; 2] = ["test_needs_unknown_codec", "test_needs_precision"];

/// So many are fixed by one command: whatever cures one of them is tried on all.
const TOGETHER: usize = 7;

/// The kinds that are tried, by the files that they are in.
fn tried() -> BTreeMap<String, Vec<Pair>> {
    let fixture = Fixture::pytest("kinds");
    let text = fs::read_to_string(fixture.path().join("cells.json")).unwrap();
    let mut pairs: Vec<Pair> = serde_json::from_str(&text).unwrap();
    let names = usually_or_in_trials(&DAILY[..], &[]);
    pairs.retain(|pair| names.is_empty() || names.contains(&name_of(&pair.victim.0)));
    let mut by_file: BTreeMap<String, Vec<Pair>> = BTreeMap::new();
    for pair in pairs {
        by_file.entry(pair.victim.0.split("::").next().unwrap().to_owned()).or_default().push(pair);
    }
    by_file
}

fn name_of(id: &str) -> &str {
    id.rsplit("::").next().unwrap_or(id).split('[').next().unwrap_or(id)
}

fn stem(file: &str) -> &str {
    Path::new(file).file_stem().unwrap().to_str().unwrap()
}

/// A hunt would find them; it would also ask of each which of all tests clean up.
fn note(directory: &Path, pairs: &[Pair]) {
    let unknown = String::new;
    let fingerprint = Fingerprint {
        sources: unknown(),
        interpreter: unknown(),
        packages: unknown(),
        settings: unknown(),
        agent: unknown(),
    };
    let mut store = Store::open(directory, &fingerprint).unwrap();
    let start = HuntStart { began: 0, argv: vec![], seed: 0, budget: unknown() };
    let hunt = store.begin_hunt(&start).unwrap();
    for Pair { polluter, victim } in pairs {
        let finding = Finding::new(Kind::Victim, TestIndex(0), victim);
        let json = json!({
            "kind": Kind::Victim.name(),
            "test": victim.0,
            "polluters": [[polluter.0]],
            "evidence": {"passing": [victim.0], "failing": [polluter.0, victim.0], "plain_pairs": 1},
        });
        let (id, kind, json) = (finding.id.0.as_str(), Kind::Victim.name(), json.to_string());
        store.save_finding(hunt, &FoundFinding { id, kind, test: victim, json: &json }).unwrap();
    }
}

/// A row of the table, and whether it is as it should be.
fn row(report: &Value, pair: &Pair) -> (String, bool) {
    let name = name_of(&pair.victim.0);
    let mut findings = report["findings"].as_array().unwrap().iter();
    let Some(finding) = findings.find(|finding| finding["test"] == pair.victim.0) else {
        return (format!("{name:40} does not show itself"), false);
    };
    let is_proved = finding["state"].as_array().is_some_and(|states| !states.is_empty());
    let mut patches = report["patches"].as_array().unwrap().iter();
    let patch = patches.find(|patch| patch["cures"].as_array().unwrap().contains(&finding["id"]));
    let words = patch.map_or_else(
        || format!("none    {}, proved: {is_proved}", finding["repair"]["reason"]),
        |patch| format!("{:7} {}", patch["strength"].as_str().unwrap(), patch["summary"].as_str().unwrap()),
    );
    (format!("{name:40} {words}"), patch.is_some() != UNPATCHED.contains(&name) || !is_proved)
}

#[test]
#[expect(clippy::print_stdout, reason = "the table is what somebody wants to see who asks for all kinds")]
fn every_kind_whose_cause_is_proved_is_patched_if_python_can_undo_it() {
    let (mut table, mut wrong) = (Vec::new(), Vec::new());
    let mut seen = vec![];
    for (file, pairs) in tried() {
        let mut of_file = vec![];
        for pairs in pairs.chunks(TOGETHER) {
            let fixture = Fixture::pytest("kinds");
            note(fixture.path(), pairs);
            let report = Anyorder::at(fixture.path()).run(&["fix", "--json", "-", &file]).json();
            for (words, is_right) in pairs.iter().map(|pair| row(&report, pair)) {
                wrong.extend((!is_right).then(|| words.clone()));
                table.push(words);
            }
            of_file.push(patches(fixture.path(), &report));
        }
        seen.push((format!("kinds_{}", stem(&file)), of_file.join("\n")));
    }
    println!("{}", table.join("\n"));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Some of a file's kinds alone have other patches than all of them together.
    for (name, patches) in seen.into_iter().filter(|_| usually_or_in_trials(false, true)) {
        insta::assert_snapshot!(name, patches);
    }
}

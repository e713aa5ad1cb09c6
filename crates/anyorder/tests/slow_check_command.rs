//! `check` as people and machines use it: in repositories of every shape, with a baseline, for GitHub, in a hook.

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyorder_testkit::environment::{NEWEST, python};
use anyorder_testkit::repository;
use common::history::{CART, History, git};
use common::{Anyorder, Ran, words_of};
use serde_json::{Value, json};
use tempfile::TempDir;
use yaml_rust2::{Yaml, YamlLoader};

const SUSPECT: &str = "tests/test_cart.py::test_store";
const VICTIM: &str = "tests/test_cart.py::test_nothing_kept";

/// The cart, with a function that keeps what it is given.
fn cart_that_keeps() -> String {
    CART.replace("    if settings.KEEPS:\n        KEPT", "    KEPT")
}

/// The shop, and a second commit on top that makes a victim.
fn history() -> History {
    let history = History::of_shop(&[]);
    history.edit(&[("shop/cart.py", Some(&cart_that_keeps()))]);
    history.commit();
    history
}

fn check(directory: &Path, words: &[&str]) -> Ran {
    let usual = ["check", "--plain-pairs", "1", "--no-explain"];
    Anyorder::at(directory).run(&[&usual, words].concat())
}

/// The affected tests of a dry run, which runs none.
#[track_caller]
fn affected(directory: &Path, words: &[&str]) -> BTreeSet<String> {
    let words = [&["check", "--dry-run", "--json", "-"], words].concat();
    let report = Anyorder::at(directory).run(&words).with_code(0).json();
    assert_eq!(report["cost"]["test_runs"], 0);
    let rows = report["selection"]["affected"].as_array().unwrap();
    rows.iter().map(|row| row["test"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_repository_may_have_any_shape() {
    let history = history();
    let base = history.commit_of("HEAD^");
    Anyorder::at(history.path()).run(&["profile"]).with_code(0);
    let expected = BTreeSet::from([SUSPECT.to_owned()]);
    assert_eq!(affected(history.path(), &["--since", "HEAD^"]), expected);
    // What tests did after the change is not what they did before it.
    let words = ["check", "--dry-run", "--since", "HEAD^", "--json", "-"];
    let report = Anyorder::at(history.path()).run(&words).json();
    assert_eq!(report["selection"]["related"][0]["test"], VICTIM, "{report:#}");
    history.git(&["checkout", "--quiet", "--detach"]);
    assert_eq!(affected(history.path(), &["--since", &base]), expected);
    history.git(&["checkout", "--quiet", "-b", "side", &base]);
    history.edit(&[("notes.txt", Some("nothing\n"))]);
    history.commit();
    history.git(&["merge", "--quiet", "--no-edit", "main"]);
    assert_eq!(affected(history.path(), &["--since", "HEAD^1"]), expected);
    assert_eq!(affected(history.path(), &["--since", "HEAD^2"]), BTreeSet::new());
    // What is not committed counts, also in files that git does not know yet.
    history.edit(&[("tests/test_more.py", Some("def test_more():\n    pass\n"))]);
    assert_eq!(
        affected(history.path(), &["--since", "HEAD"]),
        BTreeSet::from(["tests/test_more.py::test_more".to_owned()])
    );
}

#[test]
fn a_shallow_clone_says_what_to_fetch_and_checks_what_it_has() {
    let history = history();
    let base = history.commit_of("HEAD^");
    let home = TempDir::new().unwrap();
    let from = format!("file://{}", history.path().display());
    git(home.path(), &["clone", "--quiet", "--depth", "1", &from, "clone"]);
    let clone = home.path().join("clone");
    let ran = check(&clone, &["--since", &base]).with_code(2);
    assert!(
        ran.stderr.contains(&base) && ran.stderr.contains("hint: ") && ran.stderr.contains("git fetch"),
        "{}",
        ran.shown()
    );
    fs::write(clone.join("shop/cart.py"), CART).unwrap();
    assert_eq!(affected(&clone, &["--since", "HEAD", "--rts", "static"]).len(), 6);
}

#[test]
fn without_a_repository_or_a_commit_there_is_a_clear_error() {
    let lonely = common::suite(&[("test_a.py", "def test_a(): pass\n")]);
    let ran = check(lonely.path(), &[]).with_code(2);
    assert!(ran.stderr.contains("error: ") && ran.stderr.contains("hint: "), "{}", ran.shown());
    let ran = check(history().path(), &["--since", "nowhere"]).with_code(2);
    assert!(ran.stderr.contains("`nowhere`") && ran.stderr.contains("hint: "), "{}", ran.shown());
}

#[test]
fn without_a_revision_the_last_profiles_count_however_often_nothing_changed_since() {
    let history = History::of_shop(&[]);
    Anyorder::at(history.path()).run(&["profile"]).with_code(0);
    history.edit(&[("shop/cart.py", Some(&format!("# A cart.\n{CART}")))]);
    history.commit();
    let ran = check(history.path(), &[]).with_code(0);
    assert!(ran.stderr.contains("nothing that a test could notice has changed"), "{}", ran.shown());
    let last = history.commit_of("HEAD");
    history.edit(&[("shop/cart.py", Some(&cart_that_keeps()))]);
    history.commit();
    let ran = Anyorder::at(history.path()).run(&["check", "--dry-run", "--json", "-"]).with_code(0);
    assert_eq!(ran.json()["selection"]["since"], last, "{}", ran.shown());
    assert_eq!(affected(history.path(), &[]), BTreeSet::from([SUSPECT.to_owned()]));
}

/// The finding of a report on the victim.
#[test]
fn without_a_revision_what_has_failed_fails_until_it_is_gone_or_accepted() {
    let history = History::of_shop(&[]);
    Anyorder::at(history.path()).run(&["profile"]).with_code(0);
    let green = history.commit_of("HEAD");
    history.edit(&[("shop/cart.py", Some(&cart_that_keeps()))]);
    history.commit();
    let quickly = ["--json", "-"];
    for _ in 0..2 {
        let ran = check(history.path(), &quickly).with_code(1);
        assert_eq!(ran.json()["selection"]["since"], green, "{}", ran.shown());
    }
    check(history.path(), &["--since", "HEAD", "--quiet"]).with_code(0);
    history.edit(&[("shop/cart.py", Some(CART))]);
    history.commit();
    let ran = check(history.path(), &quickly).with_code(0);
    assert_eq!(ran.json()["selection"]["since"], green, "{}", ran.shown());
    let ran = Anyorder::at(history.path()).run(&["check", "--dry-run", "--json", "-"]).with_code(0);
    assert_eq!(ran.json()["selection"]["since"], history.commit_of("HEAD"), "{}", ran.shown());
}

fn victim(report: &Value) -> &Value {
    let findings = report["findings"].as_array().unwrap();
    findings.iter().find(|finding| finding["test"] == VICTIM).unwrap_or_else(|| panic!("{report:#}"))
}

#[test]
fn a_baseline_accepts_findings_until_their_day_and_a_bad_one_is_refused() {
    let history = history();
    let since = ["--since", "HEAD^", "--json", "-"];
    let baseline = history.path().join("anyorder-baseline.json");
    let elsewhere = TempDir::new().unwrap();
    let written = elsewhere.path().join("baseline.json");
    let named = ["--baseline", written.to_str().unwrap()];
    check(history.path(), &[&since[..], &named].concat()).with_code(2);
    let ran = check(history.path(), &[&since[..], &named, &["--write-baseline"]].concat()).with_code(0);
    assert_eq!(victim(&ran.json())["accepted"]["expired"], false);
    let mut file: Value = serde_json::from_str(&fs::read_to_string(&written).unwrap()).unwrap();
    assert_eq!(file["findings"].as_array().unwrap().len(), 1);
    for (day, code) in [(None, 0), (Some("2999-12-31"), 0), (Some("2020-02-29"), 1)] {
        file["findings"][0]["reason"] = json!("issue 12");
        file["findings"][0].as_object_mut().unwrap().remove("expires");
        day.into_iter().for_each(|day| file["findings"][0]["expires"] = json!(day));
        fs::write(&baseline, file.to_string()).unwrap();
        let report = check(history.path(), &since).with_code(code).json();
        let accepted = &victim(&report)["accepted"];
        assert_eq!((&accepted["reason"], &accepted["expired"]), (&json!("issue 12"), &json!(code == 1)));
    }
    for (field, value) in [("expires", "2026-02-30"), ("until", "2026-02-28"), ("id", "v-000000")] {
        let mut bad = file.clone();
        bad["findings"][0][field] = json!(value);
        fs::write(&baseline, bad.to_string()).unwrap();
        let ran = check(history.path(), &since).with_code(2);
        assert!(ran.stderr.contains("anyorder-baseline.json` is no baseline: "), "{}", ran.shown());
        assert!(ran.stderr.contains(value) || ran.stderr.contains(field), "{}", ran.shown());
        assert_eq!(ran.stdout, "");
    }
}

#[test]
fn github_gets_an_annotation_on_the_changed_line_and_a_summary() {
    let history = history();
    let elsewhere = TempDir::new().unwrap();
    let summary = elsewhere.path().join("summary.md");
    fs::write(&summary, "of an earlier step\n").unwrap();
    let words = ["check", "--plain-pairs", "1", "--no-explain", "--since", "HEAD^", "--github"];
    let ran = Anyorder::at(history.path()).variable("GITHUB_STEP_SUMMARY", &summary).run(&words).with_code(1);
    let line = 1 + CART.lines().position(|line| line.starts_with("def store")).unwrap();
    let expected = format!("::error file=shop/cart.py,line={line},title=victim ");
    let annotations: Vec<&str> = ran.stdout.lines().filter(|line| line.starts_with("::")).collect();
    assert!(
        matches!(annotations[..], [one] if one.starts_with(&expected) && one.contains(VICTIM)),
        "{}",
        ran.shown()
    );
    let text = fs::read_to_string(summary).unwrap();
    assert!(text.starts_with("of an earlier step\n## anyorder: 1 new order-dependent test since "), "{text}");
    assert!(text.contains("| finding | what | state |") && text.contains("```sh\n"), "{text}");
}

/// The blocks of a page that are written in this language.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let text = fs::read_to_string(repository().join(page)).unwrap();
    let begin = format!("```{language}\n");
    let parts = text.split(&begin).skip(1);
    parts.map(|part| part.split("```").next().unwrap().to_owned()).collect()
}

/// Whether the binary knows all words of a command line.
#[track_caller]
fn is_understood(line: &str) {
    let words = words_of(line);
    assert_eq!(words[0], "anyorder", "{line}");
    let nowhere = TempDir::new().unwrap();
    let words: Vec<&str> = words[1..].iter().map(String::as_str).chain(["--help"]).collect();
    Anyorder::without_python(nowhere.path()).run(&words).with_code(0);
}

#[test]
fn the_files_of_the_docs_are_yaml_and_their_commands_are_understood() {
    let files: Vec<Yaml> = blocks("docs/check.md", "yaml")
        .iter()
        .flat_map(|text| YamlLoader::load_from_str(text).unwrap())
        .collect();
    let [workflow, hooks] = &files[..] else { panic!("{files:?}") };
    let steps = workflow["jobs"]["check"]["steps"].as_vec().unwrap();
    assert!(workflow["on"]["pull_request"].is_null() && !workflow["on"]["push"].is_badvalue());
    assert!(
        steps.iter().all(|step| step["uses"].as_str().is_some() != step["run"].as_str().is_some()),
        "{steps:?}"
    );
    let runs = steps.iter().filter_map(|step| step["run"].as_str());
    let ours: Vec<&str> = runs.filter(|line| line.starts_with("anyorder ")).collect();
    assert_eq!(ours.len(), 1, "{ours:?}");
    let hook = &hooks["repos"][0]["hooks"][0];
    for name in ["id", "name", "entry", "language"] {
        assert!(hook[name].as_str().is_some(), "{name}");
    }
    assert_eq!(hook["pass_filenames"].as_bool(), Some(false));
    is_understood(ours[0]);
    is_understood(hook["entry"].as_str().unwrap());
    for block in blocks("docs/check.md", "sh") {
        let lines = block.lines().map(|line| line.trim_start_matches("exec ").split(" #").next().unwrap());
        lines.filter(|line| line.starts_with("anyorder ")).for_each(is_understood);
    }
}

#[test]
fn a_hook_of_git_refuses_a_commit_that_makes_a_victim() {
    let history = History::of_shop(&[]);
    let hook = blocks("docs/check.md", "sh").into_iter().find(|block| block.starts_with("#!")).unwrap();
    let binary = env!("CARGO_BIN_EXE_anyorder");
    let python = python(NEWEST);
    let ours = format!("'{binary}' check --python '{}' --plain-pairs 1 --no-explain ", python.display());
    let path = history.path().join(".git/hooks/pre-commit");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, hook.replace("anyorder check ", &ours)).unwrap();
    assert!(Command::new("chmod").arg("+x").arg(&path).status().unwrap().success());
    let commit = || {
        let mut command = Command::new("git");
        command.arg("-C").arg(history.path()).args(["-c", "user.name=a", "-c", "user.email=a@example.com"]);
        command.args(["commit", "--quiet", "--all", "--message", "edit"]).output().unwrap()
    };
    history.edit(&[("shop/cart.py", Some(&format!("# A cart.\n{CART}")))]);
    let harmless = commit();
    assert!(harmless.status.success(), "{}", String::from_utf8_lossy(&harmless.stderr));
    history.edit(&[("shop/cart.py", Some(&cart_that_keeps()))]);
    let refused = commit();
    let said =
        format!("{}{}", String::from_utf8_lossy(&refused.stdout), String::from_utf8_lossy(&refused.stderr));
    assert!(!refused.status.success() && said.contains(VICTIM), "{said}");
}

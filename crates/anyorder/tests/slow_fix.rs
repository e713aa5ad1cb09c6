//! `anyorder fix` as a user has it: patches are shown, written down, applied, and refused.

mod common;

use std::fs;
use std::path::Path;
use std::process::Command;

use common::{Anyorder, Ran, suite, words_of};
use tempfile::TempDir;

const SETTINGS: &str = "CURRENCY = \"USD\"\n";
const TESTS: &str = "\
import settings


def test_prices_in_dollars():
    assert settings.CURRENCY == \"USD\"


def test_prices_in_euros():
    settings.CURRENCY = \"EUR\"
    assert settings.CURRENCY == \"EUR\"
";
const VICTIM: &str = "test_prices.py::test_prices_in_dollars";

/// One victim of one polluter.
fn prices() -> TempDir {
    suite(&[("conftest.py", ""), ("settings.py", SETTINGS), ("test_prices.py", TESTS)])
}

fn git(directory: &Path, words: &[&str]) {
    let mut git = Command::new("git");
    git.arg("-C").arg(directory).args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(words);
    let ran = git.output().unwrap();
    assert!(ran.status.success(), "{words:?}: {ran:?}");
}

fn committed(directory: &Path) {
    git(directory, &["init", "--quiet"]);
    git(directory, &["add", "."]);
    git(directory, &["commit", "--quiet", "-m", "all"]);
}

fn fix(directory: &Path, words: &[&str], code: i32) -> Ran {
    Anyorder::at(directory).run(&[&["fix"], words].concat()).with_code(code)
}

/// What follows a name in the column beside a patch.
fn row<'ran>(ran: &'ran Ran, name: &str) -> &'ran str {
    let line = ran.stdout.lines().find_map(|line| line.strip_prefix(&format!("    {name:10}")));
    line.unwrap_or_else(|| panic!("no {name}: {}", ran.shown()))
}

#[test]
fn a_patch_is_hunted_shown_and_applied_by_the_command_that_is_printed() {
    let project = prices();
    committed(project.path());
    let shown = fix(project.path(), &[], 0);
    assert_eq!(fs::read_to_string(project.path().join("test_prices.py")).unwrap(), TESTS);
    let diff = project.path().join(row(&shown, "diff"));
    let text = fs::read_to_string(project.path().join(row(&shown, "text"))).unwrap();
    assert!(text.starts_with("# Let `test_prices_in_dollars` pass in any order\n"), "{text}");
    assert!(!text.contains(&*project.path().to_string_lossy()), "{text}");
    git(project.path(), &["apply", "--check", &diff.to_string_lossy()]);

    let printed = words_of(row(&shown, "apply"));
    assert_eq!(printed[0], "anyorder");
    let applied = Anyorder::at(project.path()).run(&printed[1..]).with_code(0);
    assert_eq!(row(&applied, "applied"), "test_prices.py");
    git(project.path(), &["apply", "--check", "--reverse", &diff.to_string_lossy()]);
    let again = fix(project.path(), &[], 0);
    assert!(again.stdout.contains("Summary  nothing to fix\n"), "{}", again.shown());
}

#[test]
fn a_report_says_what_is_patched_and_how_far_that_was_verified() {
    let project = prices();
    let report = fix(project.path(), &[VICTIM, "--json", "-"], 0).json();
    let (finding, patch) = (&report["findings"][0], &report["patches"][0]);
    assert_eq!(patch["cures"][0], finding["id"]);
    assert_eq!(finding["patch"], patch["diff"]);
    assert_eq!((&patch["strength"], &patch["applied"]), (&"safe".into(), &false.into()));
    assert!(finding["repair"]["tried"].as_u64() > Some(0), "{finding:#}");
    assert_eq!(patch["verified"]["plain"], 1, "{patch:#}");
    assert!(report["cost"]["processes"].as_u64() > Some(2), "changed trees count: {:#}", report["cost"]);
}

#[test]
fn uncommitted_changes_are_not_mixed_with_a_patch_unless_it_is_allowed() {
    let project = prices();
    committed(project.path());
    let mine = format!("{TESTS}\n\n# mine\n");
    fs::write(project.path().join("test_prices.py"), &mine).unwrap();
    let refused = fix(project.path(), &["--apply"], 2);
    assert!(refused.stderr.contains("a file with changes that git does not have"), "{}", refused.shown());
    assert!(refused.stderr.contains("--allow-dirty"), "{}", refused.shown());
    assert!(refused.stdout.contains("monkeypatch"), "it is shown all the same: {}", refused.shown());
    assert_eq!(fs::read_to_string(project.path().join("test_prices.py")).unwrap(), mine);
    fix(project.path(), &["--apply", "--allow-dirty"], 0);
    let patched = fs::read_to_string(project.path().join("test_prices.py")).unwrap();
    assert!(patched.ends_with("# mine\n") && patched.contains("monkeypatch"), "{patched}");
}

#[test]
fn an_order_that_its_author_fixed_is_left_alone() {
    let tests = "\
import pytest

opened = []


@pytest.mark.order(1)
def test_opens():
    opened.append(1)


@pytest.mark.order(2)
def test_is_open():
    assert opened
";
    let marks = "[pytest]\nmarkers =\n    order: a place\n";
    let project = suite(&[("pytest.ini", marks), ("test_declared.py", tests)]);
    let ran = fix(project.path(), &[], 1);
    assert!(ran.stdout.contains("no patch  its author fixed the order on purpose"), "{}", ran.shown());
    assert!(ran.stdout.contains("Summary  no patch for 1 finding\n"), "{}", ran.shown());
}

#[test]
fn what_is_not_known_is_told_with_a_hint() {
    let project = prices();
    let ran = fix(project.path(), &["v-000000"], 2);
    assert!(ran.stderr.contains("no finding `v-000000` is known here"), "{}", ran.shown());
    let ran = fix(project.path(), &["test_prices.py::test_prices_in_dollar"], 2);
    assert!(ran.stderr.contains(&format!("did you mean `{VICTIM}`?")), "{}", ran.shown());
    let ran = fix(project.path(), &["--disk", "shared"], 2);
    assert!(ran.stderr.contains("leave `--disk shared` out"), "{}", ran.shown());
    let ran = fix(project.path(), &["--unsafe"], 2);
    assert!(ran.stderr.contains("--apply"), "{}", ran.shown());
}

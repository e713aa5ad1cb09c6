//! Files that a command was changing when it was killed: nobody finds only some of them changed.

mod common;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use common::{Anyorder, suite};
use serde_json::json;
use tempfile::TempDir;

const BEFORE: &str = "def test_before(): pass\n";
const AFTER: &str = "def test_after(): pass\n";

/// A suite of so many files, all of which a command that is gone was about to change.
fn interrupted(files: usize) -> TempDir {
    let names: Vec<String> = (0..files).map(|number| format!("test_{number}.py")).collect();
    let texts: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), BEFORE)).collect();
    let suite = suite(&texts);
    let notes = suite.path().join(".anyorder/patches");
    fs::create_dir_all(&notes).unwrap();
    let change =
        |name: &String| json!({"path": name, "before": BEFORE.as_bytes(), "after": AFTER.as_bytes()});
    let changes: Vec<_> = names.iter().map(change).collect();
    fs::write(notes.join("apply.json"), json!({"root": suite.path(), "changes": changes}).to_string())
        .unwrap();
    suite
}

fn changed(directory: &Path) -> usize {
    let entries = fs::read_dir(directory).unwrap().map(Result::unwrap);
    let is_changed = |path: &Path| fs::read_to_string(path).is_ok_and(|text| text == AFTER);
    entries.filter(|entry| is_changed(&entry.path())).count()
}

#[test]
fn every_command_completes_what_an_interrupted_one_has_begun() {
    let suite = interrupted(2);
    let ran = Anyorder::at(suite.path()).run(&["collect"]).with_code(0);
    insta::assert_snapshot!(ran.shown(), @r"
    exit code 0
    --- stdout
    test_0.py::test_after
    test_1.py::test_after
    --- stderr
        Notice  an earlier `fix --apply` was interrupted; it is completed now: test_0.py, test_1.py
     Collected  2 tests (pytest [version], python [version])
    ");
    assert!(!suite.path().join(".anyorder/patches/apply.json").exists());
}

#[test]
fn every_command_undoes_it_where_a_file_was_edited_since() {
    let suite = interrupted(2);
    fs::write(suite.path().join("test_0.py"), AFTER).unwrap();
    fs::write(suite.path().join("test_1.py"), "def test_mine(): pass\n").unwrap();
    let ran = Anyorder::at(suite.path()).run(&["collect"]).with_code(0);
    insta::assert_snapshot!(ran.shown(), @r"
    exit code 0
    --- stdout
    test_0.py::test_before
    test_1.py::test_mine
    --- stderr
        Notice  an earlier `fix --apply` was interrupted; it is undone now, since `test_1.py` was edited
     Collected  2 tests (pytest [version], python [version])
    ");
    assert_eq!(fs::read_to_string(suite.path().join("test_0.py")).unwrap(), BEFORE);
}

#[test]
fn signals_do_not_stop_the_process_that_changes_files() {
    let files = 400;
    let suite = interrupted(files);
    let mut finisher = Command::new(env!("CARGO_BIN_EXE_anyorder"))
        .arg("__finish")
        .arg(suite.path().join(".anyorder/patches"))
        .spawn()
        .unwrap();
    while changed(suite.path()) == 0 {
        thread::sleep(Duration::from_millis(1));
    }
    for signal in ["INT", "TERM", "HUP", "QUIT"] {
        // It may be done already, which is as well.
        let _ = Command::new("kill").args(["-s", signal, &finisher.id().to_string()]).output();
    }
    assert_eq!(finisher.wait().unwrap().code(), Some(0));
    assert_eq!(changed(suite.path()), files);
}

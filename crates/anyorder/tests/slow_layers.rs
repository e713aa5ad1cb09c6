//! What layers and copies promise one by one: who may have them, what they cover, and what shows through.

mod common;

use std::fs;
use std::io::Write;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;
use std::thread;

use anyorder_testkit::fixture::Fixture;
use common::{Anyorder, Ran, suite};
use serde_json::Value;
use tempfile::TempDir;

const MODES: [&str; 2] = ["overlay", "copy"];

/// Each test passes only if nobody but `a` has written before it.
const NOTES: &str = r#"
import os

def seen_before(name):
    seen = sorted(other for other in "abc" if os.path.exists("note-" + other))
    open("note-" + name, "w").close()
    return seen

def test_a(): assert seen_before("a") == []
def test_b(): assert seen_before("b") == ["a"]
def test_c(): assert seen_before("c") == ["a"]
"#;

fn outcomes(report: &Value, name: &str) -> Value {
    let differs = report["differs"].as_array().expect("a sweep says what differs");
    let found = differs.iter().find(|differs| differs["test"].as_str().is_some_and(|id| id.ends_with(name)));
    found.unwrap_or_else(|| panic!("{name} does not differ: {report}"))["outcomes"].clone()
}

/// Words that take the right to mount away from root; an ordinary user does not have it.
fn without_the_right_to_mount() -> Vec<&'static str> {
    let is_root = fs::read_to_string("/proc/self/status").is_ok_and(|status| status.contains("\nUid:\t0\t"));
    let words = ["setpriv", "--bounding-set=-sys_admin", "--inh-caps=-sys_admin", "--"];
    if is_root { words.to_vec() } else { vec![] }
}

fn may_make_user_namespaces() -> bool {
    let words = [&without_the_right_to_mount(), &["unshare", "--user", "--mount", "true"][..]].concat();
    Command::new(words[0]).args(&words[1..]).status().is_ok_and(|status| status.success())
}

#[test]
fn whoever_may_not_mount_has_layers_in_a_user_namespace_with_the_same_outcomes() {
    if !may_make_user_namespaces() {
        return; // the kernel forbids it here, and then there are copies
    }
    let fixture = Fixture::pytest("file_writers");
    let files = ["test_project_files.py", "test_temporary_files.py"];
    let told = |anyorder: &Anyorder, disk: &str| {
        let words = ["sweep", "--strategy", "pairs", "--json", "-", "--disk", disk];
        let report = anyorder.run(&[&words, &files[..]].concat()).with_code(1).json();
        let differs = report["differs"].as_array().expect("a sweep says what differs").clone();
        let line = |differs: &Value| format!("{} {}", differs["test"], differs["outcomes"]);
        differs.iter().map(line).collect::<Vec<_>>()
    };
    let without = Anyorder::at(fixture.path()).through(&without_the_right_to_mount());
    let anyorder = Anyorder::at(fixture.path());
    assert_eq!(told(&without, "overlay"), told(&anyorder, "copy"));
}

#[test]
fn a_project_need_not_be_where_temporary_files_are() {
    let project = TempDir::new_in("/var/tmp").unwrap();
    fs::write(project.path().join("pytest.ini"), "[pytest]\n").unwrap();
    fs::write(project.path().join("test_notes.py"), NOTES).unwrap();
    let words = ["sweep", "--strategy", "pairs", "--json", "-", "--disk", "overlay"];
    let report = Anyorder::at(project.path()).run(&words).with_code(1).json();
    assert_eq!(outcomes(&report, "test_c")["passed"], 1, "{report}");
    assert_eq!(entries(project.path()), ["pytest.ini", "test_notes.py"]);
}

#[test]
fn where_layers_are_refused_each_worker_has_a_copy_and_doctor_says_so() {
    let suite = suite(&[("test_notes.py", NOTES)]);
    let parent = TempDir::new().unwrap();
    let temporary = parent.path().join("with, comma"); // which overlayfs cannot be told
    fs::create_dir(&temporary).unwrap();
    let anyorder = Anyorder::at(suite.path()).variable("TMPDIR", &temporary);
    let ran = anyorder.run(&["doctor"]);
    assert!(format!("{}{}", ran.stdout, ran.stderr).contains("each worker has a copy"), "{}", ran.shown());
    let report = anyorder.run(&["sweep", "--strategy", "pairs", "--json", "-"]).with_code(1).json();
    assert_eq!(outcomes(&report, "test_c")["passed"], 1, "{report}");
    let refused = anyorder.run(&["collect", "--disk", "overlay"]).with_code(3);
    assert!(refused.stderr.contains("`--disk copy`"), "{}", refused.shown());
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
}

#[test]
fn a_state_that_is_kept_keeps_its_disk_and_what_follows_is_apart() {
    for disk in MODES {
        let suite = suite(&[("test_notes.py", NOTES)]);
        let words = ["sweep", "--strategy", "pairs", "--json", "-", "--isolation", "fork", "--disk", disk];
        let report = Anyorder::at(suite.path()).run(&words).with_code(1).json();
        // Both after `a`, whose note they see, and neither sees the other's. In the original order `c` comes after `b`.
        assert_eq!(outcomes(&report, "test_b")["passed"], 1, "{disk}: {report}");
        assert_eq!(outcomes(&report, "test_c")["passed"], 1, "{disk}: {report}");
        assert_eq!(outcomes(&report, "test_c")["failed"], 3, "{disk}: {report}");
    }
}

#[test]
fn a_package_that_is_installed_from_its_sources_is_imported_from_the_copy() {
    let suite = suite(&[(
        "test_installed.py",
        "import os, shelf\ndef test_place():\n    here = os.getcwd()\n    \
         assert shelf.__file__ == os.path.join(here, 'src', 'shelf.py')\n    \
         assert here != os.environ['ORIGINAL']\n",
    )]);
    let original = suite.path().canonicalize().unwrap();
    fs::create_dir(original.join("src")).unwrap();
    fs::write(original.join("src/shelf.py"), "BOOKS = 3\n").unwrap();
    let anyorder = Anyorder::at(&original)
        .variable("PYTHONPATH", original.join("src"))
        .variable("PYTHONDONTWRITEBYTECODE", "1")
        .variable("ORIGINAL", &original)
        .input("test_installed.py::test_place\n");
    for isolation in ["fork", "process"] {
        let words = ["replay", "-", "--disk", "copy", "--isolation", isolation];
        let ran = anyorder.run(&words).with_code(0);
        assert!(!ran.stderr.contains("not from the copy"), "{}", ran.shown());
    }
}

#[test]
fn new_processes_on_the_user_s_own_disk_do_what_plain_pytest_does() {
    let order = "test_notes.py::test_c\ntest_notes.py::test_a\ntest_notes.py::test_b\n";
    let outcomes = |how: &[&str]| {
        let suite = suite(&[("test_notes.py", NOTES)]);
        let words = [&["replay", "-", "--disk", "shared", "--json", "-"], how].concat();
        let report = Anyorder::at(suite.path()).input(order).run(&words).with_code(1).json();
        assert!(suite.path().join("note-a").exists(), "it is what was asked for");
        let steps = report["runs"][0]["ran"].as_array().expect("it has run").clone();
        steps.iter().map(|step| step["outcome"].to_string()).collect::<Vec<_>>()
    };
    assert_eq!(outcomes(&["--isolation", "process"]), outcomes(&["--plain"]));
}

#[track_caller]
fn nothing_differs(ran: &Ran) {
    assert_eq!(ran.code, 0, "{}", ran.shown());
    assert!(ran.stdout.contains("0 tests differ"), "{}", ran.shown());
}

#[test]
fn a_file_that_is_open_for_appending_since_import_is_each_order_s_own() {
    let text = r#"
log = open("log.txt", "a")

def appends(letter):
    log.write(letter)
    log.flush()
    with open("log.txt") as file:
        assert file.read().count(letter) == 1

def test_a(): appends("a")
def test_b(): appends("b")
"#;
    for disk in MODES {
        let suite = suite(&[("test_log.py", text)]);
        let words = ["sweep", "--rounds", "3", "--workers", "2", "--disk", disk];
        // With copies, a fork does not get its own; the comparison with plain runs tells.
        nothing_differs(&Anyorder::at(suite.path()).calibrated().run(&words));
        assert!(!suite.path().join("log.txt").exists());
    }
}

#[test]
fn a_server_that_listens_in_the_temporary_directory_can_be_reached() {
    let text = r#"
import os, socket

def test_answer():
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(os.environ["SERVER"])
        assert connection.recv(5) == b"hello"
"#;
    let directory = TempDir::new().unwrap();
    let address = directory.path().join("server");
    let server = UnixListener::bind(&address).unwrap();
    thread::spawn(move || {
        while let Ok((mut guest, _)) = server.accept() {
            let _ = guest.write_all(b"hello");
        }
    });
    for disk in MODES {
        let suite = suite(&[("test_server.py", text)]);
        let anyorder =
            Anyorder::at(suite.path()).variable("SERVER", &address).input("test_server.py::test_answer\n");
        nothing_differs(&anyorder.run(&["sweep", "--rounds", "2", "--disk", disk]));
        anyorder.run(&["replay", "-", "--disk", disk]).with_code(0);
    }
}

#[test]
fn what_tests_write_to_the_home_directory_is_private_with_layers() {
    let text = r#"
import pathlib

def remembers(name):
    mark = pathlib.Path.home() / name
    assert not mark.exists()
    mark.write_text(name)

def test_a(): remembers("a")
def test_b(): remembers("b")
"#;
    let suite = suite(&[("test_home.py", text)]);
    // Somewhere else than the project: then there are two layers.
    let home = TempDir::new_in("/var/tmp").unwrap();
    let words = ["sweep", "--rounds", "3", "--workers", "2", "--disk", "overlay"];
    nothing_differs(&Anyorder::at(suite.path()).variable("HOME", home.path()).run(&words));
    assert_eq!(entries(home.path()), [""; 0]);
}

fn entries(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name != ".anyorder").collect();
    names.sort();
    names
}

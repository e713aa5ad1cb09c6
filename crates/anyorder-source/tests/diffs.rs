//! Differences are accepted by the programs that apply them.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use anyorder_source::diff;

const PAIRS: [(&str, &str); 11] = [
    ("a\nb\nc\n", "a\nB\nc\n"),
    ("a\nb", "a\nb\nc"),
    ("a\nb\n", "a\nb"),
    ("a\r\nb\r\nc\r\n", "a\r\nx\r\nb\r\nc\r\n"),
    ("a\r\nb\r\n", "a\r\nb\r\nc"),
    ("a\rb\n\x0c\nc\n", "a\rb\n\x0c\nd\n"),
    ("", "a\n"),
    ("a\n", ""),
    ("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"),
    ("-- a\n++ b\n@@ c\n", "-- a\n+++ b\n@@ d\n"),
    ("same\n", "same\n"),
];

fn run(program: &str, arguments: &[&str], directory: &Path, input: &[u8]) -> bool {
    let mut child = Command::new(program)
        .args(arguments)
        .current_dir(directory)
        .env_remove("GIT_DIR")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("the program starts");
    child.stdin.take().expect("piped").write_all(input).expect("it reads");
    child.wait().expect("it ends").success()
}

fn is_installed(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// The file after the difference is applied to the one before.
fn applied(program: &str, arguments: &[&str], path: &str, before: Option<&[u8]>, patch: &[u8]) -> Vec<u8> {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join(path);
    std::fs::create_dir_all(file.parent().expect("below")).expect("a directory");
    if let Some(before) = before {
        std::fs::write(&file, before).expect("written");
    }
    assert!(
        run(program, arguments, directory.path(), patch),
        "{program} takes\n{}",
        String::from_utf8_lossy(patch)
    );
    std::fs::read(&file).unwrap_or_default()
}

fn programs() -> Vec<(&'static str, &'static [&'static str])> {
    let git: (&str, &[&str]) = ("git", &["-c", "core.autocrlf=false", "apply", "--whitespace=nowarn"]);
    let patch: (&str, &[&str]) = ("patch", &["-p1", "--binary", "--quiet"]);
    [git, patch].into_iter().filter(|(program, _)| is_installed(program)).collect()
}

#[test]
fn both_programs_make_the_new_file_of_the_old_one() {
    for (program, arguments) in programs() {
        for (before, after) in PAIRS {
            let patch = diff("tests/test_x.py", Some(before.as_bytes()), after.as_bytes());
            if before == after {
                assert_eq!(patch, b"", "no difference is nothing");
                continue;
            }
            let result = applied(program, arguments, "tests/test_x.py", Some(before.as_bytes()), &patch);
            assert_eq!(String::from_utf8_lossy(&result), after, "{program} on {before:?}");
        }
    }
}

#[test]
fn both_programs_make_a_new_file_and_take_any_name() {
    for (program, arguments) in programs() {
        for path in ["conftest.py", "a b/c d.py", "ü/ä.py"] {
            let patch = diff(path, None, b"\xe4 = 1\n");
            assert!(patch.starts_with(b"--- /dev/null\n+++ b/"));
            assert_eq!(applied(program, arguments, path, None, &patch), b"\xe4 = 1\n", "{program} on {path}");
        }
    }
    for path in ["a\"b.py", "a\tb.py"] {
        let (program, arguments) = programs()[0];
        let patch = diff(path, Some(b"a\n"), b"b\n");
        assert_eq!(applied(program, arguments, path, Some(b"a\n"), &patch), b"b\n", "{program} on {path}");
    }
}

#[test]
fn a_difference_reads_as_usual() {
    let patch = diff("a.py", Some(b"1\n2\n3\n4\n5\n6"), b"1\n2\n3\n4\nfive\n6\n");
    assert_eq!(
        String::from_utf8(patch).expect("utf-8"),
        "--- a/a.py\n+++ b/a.py\n@@ -2,5 +2,5 @@\n 2\n 3\n 4\n-5\n-6\n\\ No newline at end of file\n+five\n+6\n"
    );
}

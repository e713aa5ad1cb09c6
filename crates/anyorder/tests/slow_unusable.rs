//! Suites, interpreters and places that cannot be used: what is said, and the exit code.

mod common;

use std::fs;
use std::path::Path;

use anyorder_testkit::environment::{BARE, NEWEST, python};
use anyorder_testkit::fixture::Fixture;
use common::{Anyorder, suite};

const ONE: &[(&str, &str)] = &[("test_a.py", "def test_one(): pass\n")];

#[test]
fn a_suite_without_tests_has_its_own_exit_code() {
    let fixture = Fixture::pytest("no_tests");
    for command in ["collect", "sweep"] {
        let ran = Anyorder::at(fixture.path()).run(&[command]).with_code(4);
        insta::allow_duplicates! {
            insta::assert_snapshot!(ran.errors(), @r"
            error: pytest collected no tests in this directory
            hint: name the directory or file that holds them, as you would for pytest: `anyorder collect tests`
            ");
        }
    }
}

#[test]
fn a_suite_of_unreadable_files_is_unusable() {
    let suite = suite(&[("test_a.py", "import no_such_module\n"), ("test_b.py", "def broken(:\n")]);
    for command in ["collect", "sweep"] {
        let ran = Anyorder::at(suite.path()).run(&[command]).with_code(3);
        assert_eq!(ran.stdout, "");
        let errors = ran.errors();
        assert!(
            errors.starts_with("error: pytest could read none of the files that hold tests\n"),
            "{errors}"
        );
        assert!(
            errors.contains("\n  test_a.py: ModuleNotFoundError: No module named 'no_such_module'\n"),
            "{errors}"
        );
        assert!(errors.contains("\n  test_b.py: SyntaxError"), "{errors}");
        assert!(errors.contains("\nhint: name the interpreter"), "{errors}");
    }
}

#[test]
fn a_conftest_that_cannot_be_imported_is_shown() {
    let suite = suite(&[("conftest.py", "import no_such_module\n"), ONE[0]]);
    let ran = Anyorder::at(suite.path()).run(&["collect"]).with_code(3);
    assert!(ran.stderr.contains("No module named 'no_such_module'"), "{}", ran.shown());
    assert!(ran.stderr.contains("hint: a conftest.py cannot be imported"), "{}", ran.shown());
}

#[test]
fn an_interpreter_without_pytest_is_unusable_and_pip_is_suggested() {
    let suite = suite(ONE);
    let ran = Anyorder::with(BARE, suite.path()).run(&["collect"]).with_code(3);
    insta::assert_snapshot!(ran.errors(), @r"
    error: none of the Python interpreters found has pytest
      [python] (--python)
    hint: name the one that has it with `--python`, or install it: `[python] -m pip install pytest`
    ");
}

#[test]
fn an_interpreter_that_does_not_exist_is_a_usage_error() {
    let suite = suite(ONE);
    let ran =
        Anyorder::without_python(suite.path()).run(&["collect", "--python", "/nonexistent"]).with_code(2);
    insta::assert_snapshot!(ran.errors(), @r"
    error: `/nonexistent` is not a Python interpreter that can be started
    hint: name a Python program or a virtual environment: `--python .venv`
    ");
}

#[test]
fn a_program_that_is_not_python_is_a_usage_error() {
    let suite = suite(ONE);
    for program in ["/bin/cat", "/bin/true", "/bin/false", "/bin/echo"] {
        let ran = Anyorder::without_python(suite.path()).run(&["collect", "--python", program]).with_code(2);
        let expected = format!("error: `{program}` is not a Python interpreter that can be started\n");
        assert!(ran.stderr.starts_with(&expected), "{}", ran.shown());
    }
}

#[test]
fn an_environment_may_be_named_instead_of_its_interpreter() {
    let suite = suite(ONE);
    let environment = python(NEWEST).parent().unwrap().parent().unwrap().to_owned();
    let words = ["collect", "--python", environment.to_str().unwrap()];
    Anyorder::without_python(suite.path()).run(&words).with_code(0);
    Anyorder::without_python(suite.path())
        .variable("ANYORDER_PYTHON", &environment)
        .run(&["collect"])
        .with_code(0);
    Anyorder::without_python(suite.path())
        .variable("VIRTUAL_ENV", &environment)
        .run(&["collect"])
        .with_code(0);
}

#[test]
fn a_report_that_cannot_be_written_is_known_before_anything_runs() {
    let suite = suite(&[("test_a.py", "open('it ran', 'w')\ndef test_one(): pass\n"), ("file", "")]);
    let ran = Anyorder::at(suite.path()).run(&["sweep", "--json", "file/report.json"]).with_code(2);
    insta::assert_snapshot!(ran.errors(), @r"
    error: cannot write `file/report.json`: Not a directory (os error 20)
    hint: name a file in a directory that you may write to, or `-` for standard output
    ");
    assert!(!suite.path().join("it ran").exists());
}

#[test]
fn orders_that_cannot_be_saved_are_told() {
    let suite = suite(&[
        ("test_a.py", "seen = []\ndef test_a(): assert not seen\ndef test_b(): seen.append(1)\n"),
        (".anyorder", ""),
    ]);
    let ran = Anyorder::at(suite.path()).run(&["sweep", "--strategy", "reverse"]).with_code(2);
    assert!(ran.stderr.contains("error: cannot write `"), "{}", ran.shown());
    assert!(ran.stderr.contains("hint: make the project's directory writable"), "{}", ran.shown());
}

#[test]
fn a_temporary_directory_that_does_not_exist_is_told() {
    let suite = suite(ONE);
    let ran = Anyorder::at(suite.path()).variable("TMPDIR", "/nowhere/at/all").run(&["collect"]).with_code(2);
    assert!(
        ran.stderr.starts_with("error: cannot make a private directory for temporary files: "),
        "{}",
        ran.shown()
    );
    assert!(ran.stderr.contains("/nowhere/at/all"), "{}", ran.shown());
    assert!(
        ran.stderr.contains("hint: name a writable directory in the environment variable `TMPDIR`"),
        "{}",
        ran.shown()
    );
}

#[test]
fn a_command_that_starts_no_pytest_is_unusable() {
    let suite = suite(ONE);
    let ran = Anyorder::at(suite.path()).run(&["collect", "--", "true"]).with_code(3);
    insta::assert_snapshot!(ran.errors(), @r"
    error: the agent inside `true` did not report
      it left with exit code 0; it printed nothing
    hint: no pytest that reads `PYTEST_ADDOPTS` was started; or leave the command out, so that anyorder starts pytest itself: `--python PATH`
    ");
}

#[test]
fn a_command_that_fails_shows_its_last_words_and_its_exit_code() {
    let suite = suite(ONE);
    let ran = Anyorder::at(suite.path())
        .run(&["collect", "--", "sh", "-c", "echo the kettle is cold; exit 7"])
        .with_code(3);
    assert!(
        ran.stderr.contains("it left with exit code 7; its last words:\n    the kettle is cold\n"),
        "{}",
        ran.shown()
    );
}

#[test]
fn a_command_that_does_not_exist_is_unusable() {
    let suite = suite(ONE);
    let ran = Anyorder::at(suite.path()).run(&["collect", "--", "no-such-program"]).with_code(3);
    assert!(ran.stderr.starts_with("error: cannot start `no-such-program`: "), "{}", ran.shown());
}

#[test]
fn the_runner_of_unittest_is_recognised() {
    let fixture = Fixture::pytest("unittest_only");
    let python = python(NEWEST);
    let words = ["collect", "--", python.to_str().unwrap(), "-m", "unittest"];
    let ran = Anyorder::at(fixture.path()).run(&words).with_code(3);
    assert!(
        ran.stderr.contains("hint: this looks like unittest's own runner; pytest runs such tests as well"),
        "{}",
        ran.shown()
    );
}

#[test]
fn an_interpreter_that_ignores_the_environment_is_recognised() {
    let suite = suite(ONE);
    let python = python(NEWEST);
    for flag in ["-E", "-I"] {
        let words = ["collect", "--", python.to_str().unwrap(), flag, "-m", "pytest"];
        let ran = Anyorder::at(suite.path()).run(&words).with_code(3);
        let hint = "hint: `python -E` and `python -I` ignore the environment that carries the agent; or leave the command out";
        assert!(ran.stderr.contains(hint), "{}", ran.shown());
    }
}

#[test]
fn a_collection_that_takes_too_long_is_unusable() {
    let suite = suite(&[("test_a.py", "import time\ntime.sleep(60)\ndef test_one(): pass\n")]);
    let ran = Anyorder::at(suite.path()).run(&["collect", "--timeout", "1s"]).with_code(3);
    assert!(ran.stderr.starts_with("error: "), "{}", ran.shown());
    assert!(ran.stderr.contains("it is still running"), "{}", ran.shown());
}

#[test]
fn nothing_is_left_in_the_temporary_directory() {
    let suite = suite(ONE);
    let home = tempfile::tempdir().unwrap();
    for (words, code) in [(&["collect"][..], 0), (&["sweep"], 0), (&["collect", "--", "true"], 3)] {
        Anyorder::at(suite.path()).variable("TMPDIR", home.path()).run(words).with_code(code);
        assert_eq!(entries(home.path()), [""; 0], "{words:?}");
    }
}

#[test]
fn nothing_is_left_in_the_temporary_directory_by_a_command_that_could_not_do_its_work() {
    let suite = suite(&[ONE[0], ("order.txt", "test_a.py::test_two\n")]);
    let empty = Fixture::pytest("no_tests");
    let home = tempfile::tempdir().unwrap();
    Anyorder::at(suite.path()).variable("TMPDIR", home.path()).run(&["replay", "order.txt"]).with_code(2);
    assert_eq!(entries(home.path()), [""; 0]);
    Anyorder::at(empty.path()).variable("TMPDIR", home.path()).run(&["collect"]).with_code(4);
    assert_eq!(entries(home.path()), [""; 0]);
}

fn entries(directory: &Path) -> Vec<String> {
    let names = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name());
    names.map(|name| name.to_string_lossy().into_owned()).collect()
}

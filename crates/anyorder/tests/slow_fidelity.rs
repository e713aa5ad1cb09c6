//! A test sees in anyorder what it would see in pytest: files, caches, options, garbage, children.

mod common;

use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyorder_testkit::environment::{NEWEST, python};
use common::{Anyorder, Ran, suite, write_order};

/// Replays `ids` with further words.
fn replay(directory: &Path, ids: &[&str], words: &[&str]) -> Ran {
    write_order(directory, "order.txt", ids);
    Anyorder::at(directory).run(&[&["replay", "order.txt"], words].concat())
}

/// The order passes in forks and in new processes alike.
#[track_caller]
fn passes(directory: &Path, ids: &[&str]) {
    for isolation in ["fork", "process"] {
        let ran = replay(directory, ids, &["--isolation", isolation]).with_code(0);
        has_passed(&ran, ids.len());
    }
}

#[track_caller]
fn has_passed(ran: &Ran, count: usize) {
    let noun = if count == 1 { "test" } else { "tests" };
    let expected = format!("  Replayed  {count} {noun}: {count} passed\n");
    assert!(ran.stdout.ends_with(&expected), "{}", ran.shown());
}

/// The sweep ends with code 0 and has nothing to say about any test; all `count` pass.
#[track_caller]
fn finds_nothing(directory: &Path, count: usize, words: &[&str]) {
    let ran = Anyorder::at(directory).run(&[&["sweep"], words].concat()).with_code(0);
    assert!(ran.stderr.contains(&format!("  Original  {count} passed\n")), "{words:?}\n{}", ran.shown());
    assert!(ran.stdout.starts_with("   Summary  "), "{words:?}\n{}", ran.shown());
}

fn python_path() -> String {
    python(NEWEST).to_str().expect("it has an ordinary name").to_owned()
}

/// How many processes have `word` among their arguments.
fn processes_with(word: &str) -> usize {
    let processes = fs::read_dir("/proc").expect("this is Linux");
    let lines = processes.filter_map(|entry| fs::read(entry.ok()?.path().join("cmdline")).ok());
    lines.filter(|line| line.split(|&byte| byte == 0).any(|part| part == word.as_bytes())).count()
}

#[test]
fn a_file_opened_at_import_is_read_from_the_same_position_in_every_order() {
    let suite = suite(&[
        ("data.txt", "1\n2\n"),
        (
            "test_a.py",
            "import pathlib\n\
             data = pathlib.Path(__file__).with_name('data.txt').open()\n\
             def test_a(): assert data.readline() == '1\\n'\n\
             def test_b(): assert data.readline() == '2\\n'\n",
        ),
    ]);
    finds_nothing(suite.path(), 2, &["--strategy", "original", "--rounds", "3"]);
    passes(suite.path(), &["test_a.py::test_a", "test_a.py::test_b"]);
}

#[test]
fn a_temporary_directory_of_the_session_belongs_to_one_order() {
    let suite = suite(&[
        (
            "conftest.py",
            "import pytest\n\
             @pytest.fixture(scope='session')\n\
             def box(tmp_path_factory): return tmp_path_factory.mktemp('box')\n",
        ),
        (
            "test_a.py",
            "import time\n\
             def test_a(box): (box / 'a').touch()\n\
             def test_limit(box):\n    time.sleep(0.2)\n    assert len(list(box.iterdir())) <= 1\n\
             def test_b(box): (box / 'b').touch()\n\
             def test_c(box): (box / 'c').touch()\n",
        ),
    ]);
    finds_nothing(suite.path(), 4, &["--strategy", "pairs", "--isolation", "fork"]);
    finds_nothing(suite.path(), 4, &["--strategy", "pairs", "--isolation", "process"]);
}

#[test]
fn the_cache_keeps_what_the_session_and_earlier_tests_put_there() {
    let suite = suite(&[
        ("conftest.py", "def pytest_sessionstart(session): session.config.cache.set('x/start', 1)\n"),
        (
            "test_a.py",
            "def test_start(cache): assert cache.get('x/start', None) == 1\n\
             def test_set(cache): cache.set('x/test', 2)\n\
             def test_get(cache): assert cache.get('x/test', None) == 2\n",
        ),
    ]);
    passes(suite.path(), &["test_a.py::test_start", "test_a.py::test_set", "test_a.py::test_get"]);
    passes(suite.path(), &["test_a.py::test_set", "test_a.py::test_get", "test_a.py::test_start"]);
}

#[test]
fn options_of_the_project_keep_their_values() {
    let suite = suite(&[
        (
            "conftest.py",
            "def pytest_addoption(parser):\n    \
             parser.addoption('--count', type=int, default=5)\n    \
             parser.addoption('--reverse', action='store_true', default=True)\n",
        ),
        (
            "test_a.py",
            "def test_count(pytestconfig): assert pytestconfig.getoption('count') == 5\n\
             def test_reverse(pytestconfig): assert pytestconfig.getoption('reverse') is True\n",
        ),
    ]);
    passes(suite.path(), &["test_a.py::test_count", "test_a.py::test_reverse"]);
}

#[test]
fn the_garbage_collector_sees_what_was_made_at_import() {
    let suite = suite(&[(
        "test_a.py",
        "import gc, weakref\n\
         class Node: pass\n\
         node = Node()\n\
         node.itself = node\n\
         reference = weakref.ref(node)\n\
         kept = [Node()]\n\
         def test_cycle():\n    global node\n    del node\n    gc.collect()\n    assert reference() is None\n\
         def test_objects(): assert any(thing is kept for thing in gc.get_objects())\n\
         def test_referrers(): assert any(thing is kept for thing in gc.get_referrers(kept[0]))\n",
    )]);
    passes(suite.path(), &["test_a.py::test_cycle", "test_a.py::test_objects", "test_a.py::test_referrers"]);
}

#[test]
fn a_forked_child_that_leaves_by_system_exit_is_nobody_s_failure() {
    let suite = suite(&[(
        "test_a.py",
        "import os, sys\n\
         def test_before(): pass\n\
         def test_fork():\n    \
             child = os.fork()\n    \
             if child == 0: sys.exit(0)\n    \
             os.waitpid(child, 0)\n\
         def test_after(): pass\n\
         def test_last(): pass\n",
    )]);
    passes(
        suite.path(),
        &["test_a.py::test_before", "test_a.py::test_fork", "test_a.py::test_after", "test_a.py::test_last"],
    );
}

#[test]
fn a_skipped_test_with_a_tear_down_error_is_an_error_with_and_without_the_agent() {
    let suite = suite(&[(
        "test_a.py",
        "import unittest\n\
         class Test(unittest.TestCase):\n    \
             @classmethod\n    \
             def tearDownClass(cls): raise RuntimeError('late')\n    \
             @unittest.skip('no')\n    \
             def test_a(self): pass\n",
    )]);
    for words in [&[][..], &["--plain"]] {
        let ran = replay(suite.path(), &["test_a.py::Test::test_a"], words).with_code(1);
        assert!(ran.stdout.contains("     Error  test_a.py::Test::test_a\n"), "{words:?}\n{}", ran.shown());
        assert!(ran.stdout.ends_with("  Replayed  1 test: 1 error\n"), "{words:?}\n{}", ran.shown());
    }
}

#[test]
fn quick_tests_that_leak_together_are_stopped_by_the_memory_limit() {
    let suite = suite(&[(
        "test_a.py",
        "import pytest\n\
         kept = []\n\
         @pytest.mark.parametrize('number', range(60))\n\
         def test_a(number): kept.append(bytearray(b'x' * (10 << 20)))\n",
    )]);
    let ids: Vec<_> = (0..60).map(|number| format!("test_a.py::test_a[{number}]")).collect();
    let ids: Vec<_> = ids.iter().map(String::as_str).collect();
    let ran = replay(suite.path(), &ids, &["--memory", "200M"]).with_code(1);
    assert!(ran.stdout.contains("   Crashed  test_a.py::test_a["), "{}", ran.shown());
    assert!(ran.stdout.contains("            memory: grew to "), "{}", ran.shown());
}

#[test]
fn a_crash_is_noticed_at_once_although_a_child_lives_on() {
    let suite = suite(&[(
        "test_a.py",
        "import os, signal, time\n\
         def test_a():\n    \
             if os.fork() == 0:\n        time.sleep(30)\n        os._exit(0)\n    \
             os.kill(os.getpid(), signal.SIGSEGV)\n\
         def test_b(): pass\n",
    )]);
    for isolation in ["fork", "process"] {
        let begin = Instant::now();
        let ids = ["test_a.py::test_a", "test_a.py::test_b"];
        let ran = replay(suite.path(), &ids, &["--isolation", isolation]).with_code(1);
        let took = begin.elapsed();
        let expected = "   Crashed  test_a.py::test_a\n            SIGSEGV: ";
        assert!(ran.stdout.contains(expected), "{isolation}\n{}", ran.shown());
        assert!(took < Duration::from_secs(15), "{isolation}: {took:?}");
    }
}

#[test]
fn processes_that_tests_leave_behind_do_not_outlive_the_command() {
    let word = format!("321.{}", std::process::id());
    let text = format!(
        "import subprocess\n\
         def test_a(): subprocess.Popen(['sleep', '{word}'])\n\
         def test_b(): subprocess.Popen(['sleep', '{word}'], stdout=subprocess.DEVNULL)\n\
         def test_c(): pass\n"
    );
    let suite = suite(&[("test_a.py", &text)]);
    for isolation in ["fork", "process"] {
        let words = ["sweep", "--rounds", "2", "--isolation", isolation];
        let begin = Instant::now();
        Anyorder::at(suite.path()).run(&words).with_code(0);
        assert!(begin.elapsed() < Duration::from_secs(50), "{isolation}: it waited for them");
        // The kernel may need a moment for those that were just killed.
        let deadline = Instant::now() + Duration::from_secs(2);
        while processes_with(&word) > 0 && Instant::now() < deadline {
            sleep(Duration::from_millis(20));
        }
        assert_eq!(processes_with(&word), 0, "{isolation}");
    }
}

#[test]
fn the_user_s_module_path_survives_a_plain_replay_with_repeats() {
    let suite =
        suite(&[("test_a.py", "import thing\ndef test_a(): assert thing.x == 1\ndef test_b(): pass\n")]);
    fs::create_dir(suite.path().join("src")).unwrap();
    fs::write(suite.path().join("src/thing.py"), "x = 1\n").unwrap();
    write_order(suite.path(), "order.txt", &["test_a.py::test_b", "test_a.py::test_a", "test_a.py::test_b"]);
    let ran = Anyorder::at(suite.path())
        .variable("PYTHONPATH", "src")
        .run(&["replay", "order.txt", "--plain"])
        .with_code(0);
    has_passed(&ran, 3);
}

#[test]
fn a_junit_prefix_of_the_project_does_not_confuse_a_plain_replay() {
    let suite = suite(&[
        ("pytest.ini", "[pytest]\naddopts = --junitprefix=foo\n"),
        ("test_a.py", "def test_a(): pass\nclass TestB:\n    def test_b(self): pass\n"),
    ]);
    let ran = replay(suite.path(), &["test_a.py::TestB::test_b", "test_a.py::test_a"], &["--plain"]);
    has_passed(&ran.with_code(0), 2);
}

#[test]
fn a_project_that_changes_its_directory_can_be_replayed_plainly() {
    let suite = suite(&[
        ("conftest.py", "import os\nos.chdir(os.path.join(os.path.dirname(__file__), 'elsewhere'))\n"),
        ("test_a.py", "import os\ndef test_a(): assert 'elsewhere' in os.getcwd()\ndef test_b(): pass\n"),
    ]);
    fs::create_dir(suite.path().join("elsewhere")).unwrap();
    let ids = ["test_a.py::test_a", "test_a.py::test_b"];
    has_passed(&replay(suite.path(), &ids, &["--plain"]).with_code(0), 2);
    passes(suite.path(), &ids);
}

#[test]
fn the_value_of_an_option_is_not_taken_for_a_target() {
    let suite = suite(&[("test_a.py", "def test_a(): pass\ndef test_b(): pass\ndef test_c(): pass\n")]);
    let python = python_path();
    let words = ["--plain", "--", &python, "-m", "pytest", "-k", "test_a.py", "test_a.py"];
    let ran = replay(suite.path(), &["test_a.py::test_b", "test_a.py::test_a"], &words);
    has_passed(&ran.with_code(0), 2);
}

#[test]
fn a_second_session_without_tests_leaves_the_exit_code_to_the_first() {
    for (fault, code) in [("pass", 0), ("assert not seen", 1)] {
        let text = format!("seen = []\ndef test_a(): {fault}\ndef test_b(): seen.append(1)\n");
        let suite = suite(&[("test_a.py", &text)]);
        fs::create_dir(suite.path().join("empty")).unwrap();
        let script = format!("py='{}'; \"$py\" -m pytest test_a.py; \"$py\" -m pytest empty", python_path());
        let words = ["sweep", "--strategy", "reverse", "--", "sh", "-c", &script];
        Anyorder::at(suite.path()).run(&words).with_code(code);
    }
}

#[test]
fn an_old_report_is_not_left_in_place_when_the_command_fails() {
    let suite = suite(&[("test_a.py", "x = 1\n")]);
    let path = suite.path().join("report.json");
    fs::write(&path, "{\"old\": true}\n").unwrap();
    let ran = Anyorder::at(suite.path()).run(&["sweep", "--json", "report.json"]);
    assert_ne!(ran.code, 0, "{}", ran.shown());
    assert_eq!(fs::read_to_string(&path).unwrap_or_default(), "", "{}", ran.shown());
}

#[test]
fn tests_that_collide_only_because_orders_run_in_parallel_do_not_differ() {
    let suite = suite(&[(
        "test_a.py",
        "import os, tempfile, time\n\
         path = os.path.join(tempfile.gettempdir(), 'fixed')\n\
         def collide():\n    \
             os.close(os.open(path, os.O_CREAT | os.O_EXCL))\n    \
             time.sleep(0.05)\n    \
             os.remove(path)\n\
         def test_a(): collide()\n\
         def test_b(): collide()\n",
    )]);
    let home = tempfile::tempdir().unwrap();
    let ran = Anyorder::at(suite.path())
        .variable("TMPDIR", home.path())
        .run(&["sweep", "--rounds", "6", "--workers", "4"])
        .with_code(0);
    assert!(ran.stderr.contains("  Original  2 passed\n"), "{}", ran.shown());
    assert!(!ran.stdout.contains("Differs"), "{}", ran.shown());
    let is_known = ran.stdout.starts_with("   Summary  ") || ran.shown().contains("Unsteady");
    assert!(is_known, "{}", ran.shown());
}

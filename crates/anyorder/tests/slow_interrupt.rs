//! Ctrl-C: the command ends soon, tells what it knows, and leaves nothing behind.

mod common;

use std::fs;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyorder_testkit::fixture::Fixture;
use common::{Anyorder, Ran, suite};
use tempfile::TempDir;

/// A process that began to run in the given directory or below, as far as `/proc` tells.
fn processes_in(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let inside = entries
        .filter(|entry| fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd.starts_with(directory)));
    let alive =
        inside.filter(|entry| fs::read(entry.path().join("cmdline")).is_ok_and(|line| !line.is_empty()));
    alive
        .map(|entry| fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default().replace('\0', " "))
        .collect()
}

fn gone_within(limit: Duration, directory: &Path) -> Result<(), Vec<String>> {
    let deadline = Instant::now() + limit;
    loop {
        let left = processes_in(directory);
        match left.is_empty() {
            true => return Ok(()),
            false if Instant::now() > deadline => return Err(left),
            false => sleep(Duration::from_millis(50)),
        }
    }
}

struct Interrupted {
    ran: Ran,
    took: Duration,
}

/// When to interrupt.
#[derive(Clone, Copy)]
enum Moment {
    /// So long after the start.
    After(Duration),
    /// So long after these words were printed on standard error.
    AfterWords(&'static str, Duration),
}

impl Moment {
    fn wait(self, stderr: &mut impl Read) -> Vec<u8> {
        let mut read = Vec::new();
        let after = match self {
            Moment::After(after) => after,
            Moment::AfterWords(words, after) => {
                let mut byte = [0];
                while !read.ends_with(words.as_bytes()) {
                    stderr.read_exact(&mut byte).expect("it says these words");
                    read.extend(byte);
                }
                after
            }
        };
        sleep(after);
        read
    }
}

/// Starts a command, sends it a signal after a while, and looks at what is left.
fn interrupt(directory: &Path, words: &[&str], after: Duration, signal: &str) -> Interrupted {
    interrupt_as(directory, words, Moment::After(after), signal, "")
}

/// `whom` is `-` for the whole process group, as a terminal does it.
fn interrupt_as(directory: &Path, words: &[&str], moment: Moment, signal: &str, whom: &str) -> Interrupted {
    let home = TempDir::new().unwrap();
    let anyorder = Anyorder::at(directory).variable("TMPDIR", home.path());
    let mut command = anyorder.command(words);
    let mut child = command.process_group(0).spawn().unwrap();
    let (mut stdout, mut stderr) = (Vec::new(), moment.wait(child.stderr.as_mut().unwrap()));
    assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
    let sent = Instant::now();
    assert!(
        Command::new("kill")
            .args(["-s", signal, "--", &format!("{whom}{}", child.id())])
            .status()
            .unwrap()
            .success()
    );
    let deadline = sent + Duration::from_secs(30);
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if Instant::now() > deadline {
            child.kill().unwrap();
            panic!("still running 30 s after the signal");
        }
        sleep(Duration::from_millis(10));
    };
    let took = sent.elapsed();
    child.stdout.take().unwrap().read_to_end(&mut stdout).unwrap();
    child.stderr.take().unwrap().read_to_end(&mut stderr).unwrap();
    let ran = anyorder.ran(status.code().unwrap_or(-1), &std::process::Output { status, stdout, stderr });
    let left: Vec<_> = fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    // pytest itself leaves the last `tmp_path`s of a user behind, on purpose.
    let left: Vec<_> =
        left.into_iter().filter(|name| !name.to_string_lossy().starts_with("pytest-of-")).collect();
    assert!(left.is_empty(), "left behind: {left:?}\n{}", ran.shown());
    let gone = gone_within(Duration::from_secs(2), &directory.canonicalize().unwrap());
    assert!(gone.is_ok(), "still there: {gone:?}\n{}", ran.shown());
    Interrupted { ran, took }
}

#[test]
fn an_interrupted_sweep_tells_what_is_known_and_leaves_nothing() {
    let fixture = Fixture::pytest("every_scope");
    let moment = Moment::AfterWords("  Original  ", Duration::from_millis(500));
    for signal in ["INT", "TERM"] {
        let words = ["sweep", "--strategy", "pairs"];
        let Interrupted { ran, took } = interrupt_as(fixture.path(), &words, moment, signal, "");
        let ran = ran.with_code(130);
        assert!(took < Duration::from_secs(3), "{took:?}");
        assert!(
            ran.stderr.contains("   Stopped  interrupted before all orders had run\n"),
            "{}",
            ran.shown()
        );
        assert!(ran.stdout.contains("   Summary  "), "{}", ran.shown());
        assert!(ran.stdout.contains("% of direct successions tried"), "{}", ran.shown());
    }
}

#[test]
fn an_interrupted_sweep_tells_what_it_has_found() {
    let suite = suite(&[(
        "test_a.py",
        "import time\nseen = []\ndef test_a(): assert not seen\ndef test_b(): seen.append(1)\ndef test_c(): time.sleep(0.2)\n",
    )]);
    let moment = Moment::AfterWords("  Original  ", Duration::from_secs(3));
    let Interrupted { ran, .. } =
        interrupt_as(suite.path(), &["sweep", "--rounds", "1000"], moment, "INT", "");
    let ran = ran.with_code(130);
    assert_eq!(ran.differing_names(), ["test_a"], "{}", ran.shown());
}

#[test]
fn an_interrupted_sweep_through_new_processes_leaves_nothing() {
    let fixture = Fixture::pytest("every_scope");
    let words = ["sweep", "--strategy", "isolated", "--isolation", "process"];
    let Interrupted { ran, took } = interrupt(fixture.path(), &words, Duration::from_secs(4), "INT");
    ran.with_code(130);
    assert!(took < Duration::from_secs(3), "{took:?}");
}

#[test]
fn a_test_that_hangs_and_ignores_signals_does_not_delay_the_end() {
    let text = "import signal, time\ndef test_hangs():\n    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 30))\n    time.sleep(1000)\n";
    let suite = suite(&[("test_a.py", text)]);
    let Interrupted { ran, took } = interrupt(suite.path(), &["sweep"], Duration::from_secs(2), "INT");
    ran.with_code(130);
    assert!(took < Duration::from_secs(3), "{took:?}");
}

#[test]
fn a_collection_that_hangs_can_be_interrupted() {
    let suite = suite(&[("test_a.py", "import time\ntime.sleep(1000)\n")]);
    let Interrupted { ran, took } = interrupt(suite.path(), &["collect"], Duration::from_secs(2), "INT");
    let ran = ran.with_code(130);
    assert!(ran.stderr.contains("interrupted"), "{}", ran.shown());
    assert!(took < Duration::from_secs(3), "{took:?}");
}

#[test]
fn a_command_of_the_user_s_own_is_ended_too() {
    let suite = suite(&[("test_a.py", "def test_a(): pass\n")]);
    let words = ["collect", "--", "sh", "-c", "sleep 1000 & sleep 1000"];
    let Interrupted { ran, .. } = interrupt(suite.path(), &words, Duration::from_secs(1), "INT");
    ran.with_code(130);
}

#[test]
fn a_plain_replay_can_be_interrupted() {
    let suite = suite(&[
        ("test_a.py", "import time\ndef test_a(): time.sleep(1000)\n"),
        ("order.txt", "test_a.py::test_a\n"),
    ]);
    let Interrupted { ran, took } =
        interrupt(suite.path(), &["replay", "--plain", "order.txt"], Duration::from_secs(3), "INT");
    ran.with_code(130);
    assert!(took < Duration::from_secs(3), "{took:?}");
}

#[test]
fn a_terminal_that_interrupts_the_whole_group_is_no_different() {
    let fixture = Fixture::pytest("every_scope");
    let words = ["sweep", "--strategy", "pairs"];
    let moment = Moment::AfterWords("  Original  ", Duration::from_millis(200));
    let Interrupted { ran, took } = interrupt_as(fixture.path(), &words, moment, "INT", "-");
    let ran = ran.with_code(130);
    assert!(took < Duration::from_secs(3), "{took:?}");
    assert!(ran.stdout.contains("   Summary  "), "{}", ran.shown());
    assert_eq!(ran.differing(), [""; 0], "no test fails because of the interruption");
}

#[test]
fn no_test_process_outlives_a_command_that_was_killed() {
    let fixture = Fixture::pytest("every_scope");
    let home = TempDir::new().unwrap();
    let anyorder = Anyorder::at(fixture.path()).variable("TMPDIR", home.path());
    let mut child = anyorder.command(&["sweep", "--strategy", "pairs"]).spawn().unwrap();
    sleep(Duration::from_secs(3));
    assert!(!processes_in(fixture.path()).is_empty());
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(gone_within(Duration::from_secs(5), fixture.path()), Ok(()));
    anyorder.run(&["collect"]).with_code(0);
    let left = fs::read_dir(home.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    assert_eq!(left.filter(|name| name.starts_with("anyorder-")).count(), 0, "the next command cleans up");
}

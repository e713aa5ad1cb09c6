//! One file of the hostile suite: `test_before`, `test_hostile`, `test_after`, and what becomes of them.

use std::fs;
use std::net::TcpListener;

use anyorder_testkit::fixture::Fixture;
use serde_json::Value;
use tempfile::TempDir;

use super::{Anyorder, Ran};

/// The words that keep hostile tests short.
pub(crate) const LIMITS: [&str; 4] = ["--timeout", "2s", "--memory", "200MB"];

/// A copy of the hostile suite, of which one file is run.
pub(crate) struct Hostile {
    name: &'static str,
    fixture: Fixture,
    /// For everybody's temporary files.
    temporary: TempDir,
    port: u16,
}

/// What happened to each test of an order: `(name, outcome, kind of its signature)`.
pub(crate) type Outcomes = Vec<(String, String, String)>;

impl Hostile {
    pub(crate) fn new(name: &'static str) -> Self {
        let port = free_port();
        let temporary = TempDir::new().expect("a temporary directory can be made");
        Hostile { name, fixture: Fixture::pytest("hostile"), temporary, port }
    }

    pub(crate) fn id(&self, test: &str) -> String {
        format!("test_{}.py::test_{test}", self.name)
    }

    pub(crate) fn anyorder(&self) -> Anyorder {
        Anyorder::at(self.fixture.path())
            .variable("HOSTILE_PORT", self.port.to_string())
            .variable("TMPDIR", self.temporary.path())
    }

    /// What is left of temporary files. pytest itself keeps the last directories of a user, on purpose.
    pub(crate) fn left_behind(&self) -> Vec<String> {
        let entries = fs::read_dir(self.temporary.path()).expect("nobody deletes it").flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names.filter(|name| !name.starts_with("pytest-of-")).collect()
    }

    /// Replays the named tests.
    #[track_caller]
    pub(crate) fn replay(&self, tests: &[&str], words: &[&str]) -> Outcomes {
        let order: String = tests.iter().map(|test| self.id(test) + "\n").collect();
        let words = [&["replay", "-", "--json", "-"], &LIMITS[..], words].concat();
        let ran = self.anyorder().input(&order).run(&words);
        assert!([0, 1].contains(&ran.code), "{}", ran.shown());
        assert_eq!(self.left_behind(), [""; 0], "{}", ran.shown());
        let report = ran.json();
        let steps = report["runs"][0]["ran"].as_array().unwrap_or_else(|| panic!("{}", ran.shown()));
        let kind = |step: &Value| step["signature"]["kind"].as_str().unwrap_or_default().to_owned();
        steps.iter().map(|step| (name_of(step), text(&step["outcome"]), kind(step))).collect()
    }

    /// Every ordered pair of the three tests, two orders at a time; the hostile test comes last in the original order.
    ///
    /// Nothing is lost, whatever the hostile test does: all orders run, and the innocent tests pass in the original one.
    #[track_caller]
    pub(crate) fn pairs(&self) -> Swept {
        let targets = ["before", "after", "hostile"].map(|test| self.id(test));
        let words = ["sweep", "--strategy", "pairs", "--workers", "2", "--json", "-"];
        let targets = targets.iter().map(String::as_str);
        let words: Vec<&str> = words.into_iter().chain(LIMITS).chain(targets).collect();
        let ran = self.anyorder().run(&words);
        assert_eq!(self.left_behind(), [""; 0], "{}", ran.shown());
        let report = ran.json();
        assert_eq!(report["stopped_early"], Value::Null, "{}", ran.shown());
        assert_eq!(report["coverage"]["orders"], 7, "{}", ran.shown());
        assert_eq!(report["coverage"]["tests_compared"], 3, "{}", ran.shown());
        let differs = report["differs"].as_array().unwrap_or_else(|| panic!("{}", ran.shown()));
        let steady = differs.iter().filter(|differs| differs["repeats"] != Value::Bool(false));
        Swept { differing: steady.map(name_of).collect(), ran }
    }
}

/// What a sweep of the pairs has found.
pub(crate) struct Swept {
    pub(crate) differing: Vec<String>,
    pub(crate) ran: Ran,
}

/// `before` of `test_x.py::test_before`.
fn name_of(step: &Value) -> String {
    let id = text(&step["test"]);
    id.rsplit("::test_").next().unwrap_or(&id).to_owned()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// A port that is free, and that nobody is given who does not ask for it by its number.
fn free_port() -> u16 {
    const FIRST: u16 = 15_000;
    const MANY: u32 = 15_000;
    let own = u16::try_from(std::process::id() % MANY).expect("it is small");
    let mut ports = (FIRST + own..).take(1000);
    ports.find(|&port| TcpListener::bind(("127.0.0.1", port)).is_ok()).expect("one of a thousand is free")
}

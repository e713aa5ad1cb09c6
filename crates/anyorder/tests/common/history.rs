//! Projects with a history: git repositories that a test builds, and what is true of each of their revisions.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyorder_engine::Settings;
use anyorder_model::{Order, TestIndex};
use anyorder_testkit::engine;
use tempfile::TempDir;

/// A small shop, whose tests pass in any order.
const SHOP: [(&str, &str); 11] = [
    ("pytest.ini", "[pytest]\npythonpath = .\n"),
    ("requirements.txt", "shoplib==1.0\n"),
    ("data/rates.json", "{\"USD\": 1}\n"),
    ("shop/__init__.py", ""),
    (
        "shop/settings.py",
        "CURRENCY = \"USD\"\nKEEPS = False\n\n\ndef switch(currency):\n    global CURRENCY\n    CURRENCY = currency\n",
    ),
    ("shop/cart.py", CART),
    ("shop/rates.py", RATES),
    ("tests/conftest.py", CONFTEST),
    ("tests/test_cart.py", TEST_CART),
    (
        "tests/test_euro.py",
        "from shop import cart\n\n\ndef test_price_in_euro(euro):\n    assert cart.price(1) == \"EUR 1\"\n",
    ),
    (
        "tests/test_rates.py",
        "from shop import rates\n\n\ndef test_load():\n    assert rates.load()[\"USD\"] == 1\n\n\ndef test_none_known():\n    assert rates.known() == 0\n",
    ),
];

pub(crate) const CART: &str = r#"from shop import settings

KEPT = []


def price(amount):
    return f"{settings.CURRENCY} {amount}"


def remember(item, kept=()):
    kept = list(kept)
    kept.append(item)
    return kept


def total(items):
    return sum(items)


def store(item):
    if settings.KEEPS:
        KEPT.append(item)
    return item
"#;

const RATES: &str = r#"import json
import pathlib

KNOWN = {}


def load():
    path = pathlib.Path(__file__).parent.parent / "data" / "rates.json"
    rates = json.loads(path.read_text())
    if "keep" in rates:
        KNOWN.update(rates)
    return rates


def known():
    return len(KNOWN)
"#;

pub(crate) const CONFTEST: &str = r#"import pytest

from shop import settings


@pytest.fixture
def euro():
    settings.switch("EUR")
    yield
    settings.switch("USD")
"#;

const TEST_CART: &str = r#"from shop import cart


def test_price_in_dollars():
    assert cart.price(1) == "USD 1"


def test_remember():
    assert cart.remember("a") == ["a"]


def test_total():
    assert cart.total([1, 2]) == 3


def test_store():
    assert cart.store("x") == "x"


def test_nothing_kept():
    assert cart.KEPT == []
"#;

/// A repository; it vanishes when it is dropped.
pub(crate) struct History {
    directory: TempDir,
}

/// A file with its new text; without one it is deleted.
pub(crate) type Edit<'a> = (&'a str, Option<&'a str>);

impl History {
    /// The shop, with these edits, committed once.
    pub(crate) fn of_shop(edits: &[Edit<'_>]) -> Self {
        let shop = SHOP.map(|(name, text)| (name, Some(text)));
        History::of(&[&shop, edits].concat())
    }

    /// These files, committed once.
    pub(crate) fn of(edits: &[Edit<'_>]) -> Self {
        let history = History { directory: TempDir::with_prefix("history ").unwrap() };
        history.git(&["init", "--quiet", "--initial-branch=main"]);
        history.edit(edits);
        history.commit();
        history
    }

    /// A clone of this one, with so many commits.
    pub(crate) fn cloned(&self, depth: u32) -> Self {
        let clone = History { directory: TempDir::with_prefix("clone ").unwrap() };
        let (from, depth) = (format!("file://{}", self.path().display()), depth.to_string());
        clone.git(&["clone", "--quiet", "--depth", &depth, &from, "."]);
        clone
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn edit(&self, edits: &[Edit<'_>]) {
        for (name, text) in edits {
            let path = self.path().join(name);
            match text {
                Some(text) => {
                    fs::create_dir_all(path.parent().unwrap()).unwrap();
                    fs::write(path, text).unwrap();
                }
                None => fs::remove_file(path).unwrap(),
            }
        }
    }

    /// Commits all there is.
    pub(crate) fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", "edit"]);
    }

    pub(crate) fn git(&self, words: &[&str]) -> String {
        git(self.path(), words)
    }

    /// The commit that a revision means.
    pub(crate) fn commit_of(&self, revision: &str) -> String {
        self.git(&["rev-parse", "--verify", &format!("{revision}^{{commit}}")]).trim().to_owned()
    }

    /// The files of a revision, elsewhere.
    pub(crate) fn files_of(&self, revision: &str) -> TempDir {
        let elsewhere = TempDir::with_prefix("then ").unwrap();
        let to = format!("--prefix={}/", elsewhere.path().display());
        let index = elsewhere.path().join(".index");
        let mut command = Command::new("git");
        command.arg("-C").arg(self.path()).env("GIT_INDEX_FILE", &index);
        assert!(command.args(["read-tree", revision]).status().unwrap().success());
        let mut command = Command::new("git");
        command.arg("-C").arg(self.path()).env("GIT_INDEX_FILE", &index);
        assert!(command.args(["checkout-index", "--all", &to]).status().unwrap().success());
        fs::remove_file(index).unwrap();
        elsewhere
    }
}

/// What git says; it has to succeed, and asks nobody's own settings.
pub(crate) fn git(directory: &Path, words: &[&str]) -> String {
    let mut command = Command::new("git");
    command.arg("-C").arg(directory).args(words);
    for (name, value) in [
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_CONFIG_SYSTEM", "/dev/null"),
        ("GIT_AUTHOR_NAME", "a"),
        ("GIT_AUTHOR_EMAIL", "a@example.com"),
        ("GIT_COMMITTER_NAME", "a"),
        ("GIT_COMMITTER_EMAIL", "a@example.com"),
    ] {
        command.env(name, value);
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "git {words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// What all pairs of a suite's tests show.
pub(crate) struct Truth {
    /// The tests.
    pub(crate) tests: BTreeSet<String>,
    /// Pairs whose second test ends otherwise than alone; a test with itself, if it does so again.
    pub(crate) pairs: BTreeSet<(String, String)>,
}

impl Truth {
    /// Runs every test alone, again, and behind every other.
    pub(crate) fn of(directory: &Path, python: &Path) -> Self {
        let directory: PathBuf = directory.canonicalize().unwrap();
        let settings = Settings { workers: 2, trusts_forks: true, ..Settings::default() };
        let engine = engine::open(python, &directory, &["-p", "no:cacheprovider"], settings);
        let suite = engine.suite();
        let tests: Vec<TestIndex> = suite.indices().collect();
        let pairs: Vec<(TestIndex, TestIndex)> =
            tests.iter().flat_map(|&first| tests.iter().map(move |&test| (first, test))).collect();
        let alone = tests.iter().map(|&test| Order(vec![test]));
        let behind = pairs.iter().map(|&(first, test)| Order(vec![first, test]));
        let records = engine::run(&engine, vec![alone.chain(behind).collect()]);
        let red: Vec<bool> =
            records.iter().map(|record| record.steps.last().unwrap().outcome.is_red()).collect();
        let (alone, behind) = red.split_at(tests.len());
        let differs = |(&(_, test), &is_red): (&(TestIndex, TestIndex), &bool)| is_red != alone[test.at()];
        let differing = pairs.iter().zip(behind).filter(|pair| differs(*pair)).map(|(pair, _)| *pair);
        let name = |test: TestIndex| suite.id(test).0.clone();
        Truth {
            pairs: differing.map(|(first, test)| (name(first), name(test))).collect(),
            tests: tests.iter().map(|&test| name(test)).collect(),
        }
    }

    /// The tests that some test, or they themselves, make end otherwise.
    pub(crate) fn dependent(&self) -> BTreeSet<String> {
        self.pairs.iter().map(|(_, test)| test.clone()).collect()
    }
}

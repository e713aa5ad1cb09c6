//! Checks in histories of every shape: branches that meet, clones that are cut off, edits that nobody has committed, packages
//! that were replaced. The selection has what all pairs before and after say is needed, and the verdict is theirs, too.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyorder_testkit::environment::{NEWEST, python};
use anyorder_testkit::thorough::usually_or_in_trials;
use common::Anyorder;
use common::change::{Case, READS_MODE, SETS_MODE, check, faults, mode};
use common::expected::in_lanes;
use common::history::{CART, Edit, History, Truth};
use tempfile::TempDir;

/// How many checks go on at the same time.
const LANES: usize = 2;

/// Checked every day; trials check all of them.
const USUAL: [&str; 1] = ["dirty tree"];

/// How a change comes into a history.
#[derive(Clone, Copy)]
enum Shape {
    /// One branch has what the case begins with, another one the change.
    Merge,
    /// The clone has two commits of three.
    Shallow,
    /// The change is committed on no branch.
    Detached,
    /// The first edit is staged, the others are not, and new files are unknown to git.
    Dirty,
    /// A package of the environment gets another version.
    Installed,
}

impl Shape {
    /// A history that stands before the change.
    fn begin(self, case: &Case<'_>) -> History {
        match self {
            Shape::Merge => {
                let history = History::of_shop(&[]);
                history.git(&["checkout", "--quiet", "-b", "side"]);
                committed(&history, &case.change);
                history.git(&["checkout", "--quiet", "main"]);
                committed(&history, &case.base);
                history
            }
            Shape::Shallow => {
                let origin = History::of_shop(&[]);
                committed(&origin, &case.base);
                committed(&origin, &case.change);
                let clone = origin.cloned(2);
                assert_eq!(clone.git(&["rev-list", "--count", "HEAD"]).trim(), "2");
                clone.git(&["checkout", "--quiet", "HEAD^"]);
                clone
            }
            Shape::Detached | Shape::Dirty | Shape::Installed => History::of_shop(&case.base),
        }
    }

    /// Makes the change.
    fn change(self, history: &History, case: &Case<'_>, environment: &Environment) {
        match self {
            Shape::Merge => {
                history.git(&["merge", "--quiet", "--no-edit", "side"]);
            }
            Shape::Shallow => {
                history.git(&["checkout", "--quiet", "main"]);
            }
            Shape::Detached => {
                history.git(&["checkout", "--quiet", "--detach"]);
                committed(history, &case.change);
            }
            Shape::Dirty => {
                history.edit(&case.change);
                history.git(&["add", case.change[0].0]);
            }
            Shape::Installed => {
                environment.install(NOTES);
                committed(history, &case.change);
            }
        }
    }

    /// What is compared with.
    fn since(self) -> &'static str {
        match self {
            Shape::Merge => "HEAD^1",
            Shape::Dirty => "HEAD",
            Shape::Shallow | Shape::Detached | Shape::Installed => "HEAD^",
        }
    }
}

fn committed(history: &History, edits: &[Edit<'_>]) {
    history.edit(edits);
    history.commit();
}

/// The first version of a package, which keeps nothing; and the next, which does.
const FORGETS: (&str, &str) = ("1.0", "NOTED = []\n\n\ndef note(text):\n    return text\n");
const NOTES: (&str, &str) =
    ("1.1", "NOTED = []\n\n\ndef note(text):\n    NOTED.append(text)\n    return text\n");

/// An environment of its own, with a package in it that can be replaced.
struct Environment {
    home: TempDir,
}

impl Environment {
    fn new() -> Self {
        let environment = Environment { home: TempDir::with_prefix("environment ").unwrap() };
        let mut venv = Command::new(python(NEWEST));
        venv.args(["-m", "venv", "--without-pip"]).arg(environment.home.path());
        assert!(venv.status().unwrap().success());
        let lent = site_packages(&python(NEWEST)).display().to_string();
        fs::write(site_packages(&environment.python()).join("lent.pth"), lent).unwrap();
        environment.install(FORGETS);
        environment
    }

    fn python(&self) -> PathBuf {
        self.home.path().join("bin/python")
    }

    /// Puts a version of the package in the place of whatever is there.
    fn install(&self, (version, text): (&str, &str)) {
        let site = site_packages(&self.python());
        let installed = fs::read_dir(&site).unwrap().map(|entry| entry.unwrap().path());
        let is_ours = |path: &PathBuf| path.to_string_lossy().contains("/shoplib-");
        installed.filter(is_ours).for_each(|path| fs::remove_dir_all(path).unwrap());
        fs::create_dir(site.join(format!("shoplib-{version}.dist-info"))).unwrap();
        fs::write(site.join("shoplib.py"), text).unwrap();
    }
}

/// Where an interpreter finds what is installed for it.
fn site_packages(python: &Path) -> PathBuf {
    let mut ask = Command::new(python);
    ask.args(["-I", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]);
    PathBuf::from(String::from_utf8(ask.output().unwrap().stdout).unwrap().trim())
}

const TEST_NOTES: &str = "import shoplib\n\n\ndef test_note():\n    assert shoplib.note(\"a\") == \"a\"\n\n\ndef test_nothing_noted():\n    assert shoplib.NOTED == []\n";

/// The shapes, each with a change that makes a victim.
fn cases(cart_that_keeps: &str) -> Vec<(&'static str, Shape, Case<'_>)> {
    let sets = ("tests/test_a_set.py", Some(SETS_MODE));
    let reads = ("tests/test_c_read.py", Some(READS_MODE));
    let cart = ("shop/cart.py", Some(cart_that_keeps));
    let (of_mode, of_cart) =
        ("tests/test_c_read.py::test_mode_is_a", "tests/test_cart.py::test_nothing_kept");
    vec![
        (
            "merge commit",
            Shape::Merge,
            Case { base: mode(&[reads]), change: mode(&[sets]), new: vec![of_mode], ..Case::default() },
        ),
        (
            "shallow clone",
            Shape::Shallow,
            Case { base: mode(&[reads]), change: vec![cart], new: vec![of_cart], ..Case::default() },
        ),
        (
            "detached head",
            Shape::Detached,
            Case { base: mode(&[sets]), change: vec![reads], new: vec![of_mode], ..Case::default() },
        ),
        (
            "dirty tree",
            Shape::Dirty,
            Case {
                base: mode(&[sets]),
                change: vec![cart, reads],
                new: vec![of_mode, of_cart],
                ..Case::default()
            },
        ),
        (
            "installed package",
            Shape::Installed,
            Case {
                base: vec![("tests/test_notes.py", Some(TEST_NOTES))],
                new: vec!["tests/test_notes.py::test_nothing_noted"],
                affects_all: Some(true),
                ..Case::default()
            },
        ),
    ]
}

/// Builds a history, checks it, and says what is wrong.
fn checked(name: &str, shape: Shape, case: &Case<'_>) -> Option<String> {
    let history = shape.begin(case);
    let environment = Environment::new();
    let anyorder = Anyorder::by(&environment.python(), history.path());
    anyorder.run(&["profile"]).with_code(0);
    let then = Truth::of(history.files_of("HEAD").path(), &environment.python());
    shape.change(&history, case, &environment);
    let now = Truth::of(history.path(), &environment.python());
    // What is new is so however often somebody asks.
    let wrong = (1..=usually_or_in_trials(1, 2)).filter_map(|time| {
        let ran = check(&anyorder, shape.since());
        let faults = faults(&ran, case, [&then, &now], true);
        (!faults.is_empty()).then(|| format!("{name}, {time}: {faults:#?}\n{}", ran.shown()))
    });
    let wrong: Vec<String> = wrong.collect();
    (!wrong.is_empty()).then(|| wrong.join("\n"))
}

#[test]
fn in_every_shape_of_history_all_that_is_needed_is_selected_and_the_verdict_is_right() {
    let cart_that_keeps = CART.replace("    if settings.KEEPS:\n        KEPT", "    KEPT");
    let wanted = cases(&cart_that_keeps).into_iter();
    let wanted = wanted.filter(|(name, ..)| usually_or_in_trials(USUAL.contains(name), true));
    let wanted: BTreeMap<String, (Shape, Case<'_>)> =
        wanted.map(|(name, shape, case)| (name.to_owned(), (shape, case))).collect();
    assert_eq!(wanted.len(), usually_or_in_trials(USUAL.len(), 5));
    let wrong = in_lanes(LANES, wanted, |name, (shape, case)| checked(name, *shape, case));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

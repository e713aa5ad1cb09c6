//! Tests that see files otherwise than the user has them: in forks, in new processes and in plain runs, on layers and on copies.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Command;
use std::time::SystemTime;

use anyorder_engine::{DiskMode, Engine, EngineError, FileChange, Isolation, PlainRequest, Settings};
use anyorder_model::{Order, Outcome, RunRecord};
use anyorder_testkit::engine;
use anyorder_testkit::environment::{NEWEST, python};
use tempfile::TempDir;

const PRICES: &str = "PRICE = 1\n";
const SUITE: &str = "import os, prices\n\
    def test_price(): assert prices.PRICE == 2\n\
    def test_here(): assert os.getcwd() == os.path.dirname(prices.__file__)\n\
    def test_fixture(rate): assert rate == 3\n";

const APART: [DiskMode; 2] = [DiskMode::Overlay, DiskMode::Copy];

struct Project(TempDir);

impl Project {
    fn new() -> Self {
        let project = TempDir::new().unwrap();
        fs::write(project.path().join("pytest.ini"), "[pytest]\npythonpath = .\n").unwrap();
        fs::write(project.path().join("prices.py"), PRICES).unwrap();
        fs::create_dir(project.path().join("tests")).unwrap();
        fs::write(project.path().join("tests/test_prices.py"), SUITE).unwrap();
        Project(project)
    }

    fn path(&self, inside: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(inside)
    }

    fn change(&self, inside: &str, contents: &str) -> FileChange {
        FileChange { path: self.path(inside), contents: Some(contents.as_bytes().to_vec()) }
    }

    /// What all tests pass with: another price, and files and a directory that are not there.
    fn cure(&self) -> Vec<FileChange> {
        vec![
            self.change("prices.py", "from shop.price import PRICE\n"),
            self.change("shop/price.py", "PRICE = 2\n"),
            self.change("tests/conftest.py", "import pytest\n@pytest.fixture\ndef rate(): return 3\n"),
        ]
    }

    fn open(&self, settings: Settings) -> Result<Engine, EngineError> {
        engine::try_open(&python(NEWEST), self.0.path(), &["-p", "no:cacheprovider"], settings)
    }

    /// Everything there is, with its time of change.
    fn files(&self) -> Vec<(PathBuf, Vec<u8>, SystemTime)> {
        let mut open = vec![self.path("")];
        let mut found = vec![];
        while let Some(path) = open.pop() {
            if path.is_dir() {
                open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            }
            let modified = fs::metadata(&path).unwrap().modified().unwrap();
            found.push((path.clone(), fs::read(&path).unwrap_or_default(), modified));
        }
        found.sort();
        found
    }
}

fn outcomes(record: &RunRecord) -> Vec<Outcome> {
    record.steps.iter().map(|step| step.outcome).collect()
}

/// What a fork or a new process makes of the suite, and what the user's own runner does.
fn run(engine: &Engine) -> [Vec<Outcome>; 2] {
    let order = Order::original(engine.suite());
    let records = engine::run(engine, vec![vec![order.clone()]]);
    let plain = engine.run_plain(PlainRequest::new(&order), |_| {}).expect("pytest can be started");
    [outcomes(&records[0]), outcomes(&plain.record)]
}

#[test]
fn a_changed_tree_is_seen_by_every_process_and_the_user_s_files_stay() {
    use Outcome::{Error, Failed, Passed};
    for disk in APART {
        for isolation in [Isolation::Fork, Isolation::Process] {
            let project = Project::new();
            let files = project.files();
            let settings =
                Settings { disk: Some(disk), isolation: Some(isolation), workers: 2, ..Settings::default() };
            let unchanged = project.open(settings.clone()).unwrap();
            let expected = vec![Failed, Passed, Error];
            assert_eq!(run(&unchanged), [expected.clone(), expected], "{disk:?} {isolation:?}");
            drop(unchanged);
            let changed = project.open(Settings { changes: project.cure(), ..settings }).unwrap();
            let expected = vec![Passed; 3];
            assert_eq!(run(&changed), [expected.clone(), expected], "{disk:?} {isolation:?}");
            drop(changed);
            assert_eq!(project.files(), files, "{disk:?} {isolation:?}");
        }
    }
}

#[test]
fn a_file_that_is_not_to_be_there_is_not_seen() {
    for disk in APART {
        let project = Project::new();
        fs::write(project.path("tests/test_more.py"), "def test_more(): pass\n").unwrap();
        let suite = "import os\ndef test_gone(): assert os.listdir(os.path.dirname(__file__)) and not os.path.exists('prices.py')\n";
        let gone = |inside: &str| FileChange { path: project.path(inside), contents: None };
        let mut changes = vec![project.change("tests/test_prices.py", suite)];
        changes.extend(["tests/test_more.py", "prices.py", "never/was.py"].map(gone));
        let changed = project.open(Settings { disk: Some(disk), changes, ..Settings::default() }).unwrap();
        assert_eq!(run(&changed), [[Outcome::Passed], [Outcome::Passed]], "{disk:?}");
        drop(changed);
        assert!(project.path("prices.py").exists() && project.path("tests/test_more.py").exists());
    }
}

/// Python takes what it has compiled before for a file of the same size and second.
#[test]
fn what_python_has_compiled_of_the_old_file_is_not_taken_for_the_new_one() {
    for disk in APART {
        let project = Project::new();
        let compiled =
            Command::new(python(NEWEST)).args(["-m", "compileall", "-q"]).arg(project.path("")).status();
        assert!(compiled.is_ok_and(|status| status.success()));
        let changes = vec![project.change("prices.py", &PRICES.replace('1', "2"))];
        let changed = project.open(Settings { disk: Some(disk), changes, ..Settings::default() }).unwrap();
        assert!(run(&changed).iter().all(|outcomes| outcomes[0] == Outcome::Passed), "{disk:?}");
    }
}

#[test]
fn a_file_that_nobody_may_write_to_is_changed_and_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt;
    for disk in APART {
        let project = Project::new();
        fs::set_permissions(project.path("prices.py"), fs::Permissions::from_mode(0o444)).unwrap();
        let suite =
            "import os, prices\ndef test_mode(): assert os.stat(prices.__file__).st_mode & 0o777 == 0o444\n";
        let changes = vec![project.change("prices.py", ""), project.change("tests/test_prices.py", suite)];
        let changed = project.open(Settings { disk: Some(disk), changes, ..Settings::default() }).unwrap();
        assert_eq!(run(&changed), [[Outcome::Passed], [Outcome::Passed]], "{disk:?}");
    }
}

#[test]
fn what_cannot_be_kept_from_the_user_s_files_is_refused() {
    let project = Project::new();
    let elsewhere = TempDir::new().unwrap();
    symlink(elsewhere.path(), project.path("out")).unwrap();
    let refused = |disk: DiskMode, changes: Vec<FileChange>| {
        let settings = Settings { disk: Some(disk), changes, ..Settings::default() };
        project.open(settings).map(|engine| engine.disk()).expect_err("it is refused")
    };
    let shared = refused(DiskMode::Shared, project.cure());
    assert_eq!(shared.evidence_and_hint().1.as_deref(), Some("leave `--disk shared` out"));
    for disk in APART {
        for path in [project.path("out/a.py"), elsewhere.path().join("a.py"), project.path("../a.py")] {
            let error = refused(disk, vec![FileChange { path, contents: None }]);
            assert!(matches!(error, EngineError::NotChanged { .. }), "{error}");
        }
    }
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
}

#[test]
fn packages_that_are_not_copied_cannot_be_changed_in_a_copy() {
    let project = Project::new();
    fs::create_dir(project.path("env")).unwrap();
    fs::write(project.path("env/pyvenv.cfg"), "").unwrap();
    let changes = vec![project.change("env/sitecustomize.py", "")];
    let settings = Settings { disk: Some(DiskMode::Copy), changes, ..Settings::default() };
    let refused = project.open(settings).map(|engine| engine.disk()).expect_err("it is refused");
    assert!(refused.to_string().contains("not copied"), "{refused}");
    assert!(!project.path("env/sitecustomize.py").exists());
}

/// A module that is found by its path, wherever the tests run.
#[test]
fn a_copy_that_the_tests_do_not_use_is_no_changed_tree() {
    let project = Project::new();
    let suite = format!(
        "import sys\nsys.path.insert(0, {:?})\nimport prices\ndef test_price(): assert prices.PRICE == 2\n",
        project.path("")
    );
    fs::write(project.path("pytest.ini"), "[pytest]\n").unwrap();
    fs::write(project.path("tests/test_prices.py"), suite).unwrap();
    let changes = vec![project.change("prices.py", "PRICE = 2\n")];
    let open =
        |disk| project.open(Settings { disk: Some(disk), changes: changes.clone(), ..Settings::default() });
    assert!(run(&open(DiskMode::Overlay).unwrap()).iter().all(|outcomes| outcomes == &[Outcome::Passed]));
    let refused = open(DiskMode::Copy).map(|engine| engine.disk()).expect_err("it is refused");
    assert_eq!(refused.evidence_and_hint().0, "not from the copy: `prices`");
}

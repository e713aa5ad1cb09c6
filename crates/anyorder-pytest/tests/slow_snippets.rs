//! Code that is tried right before a test: it sees a module's names, leaves none behind, and never harms anybody but itself.

use std::fs;
use std::ops::ControlFlow;
use std::time::Duration;

use anyorder_engine::{DiskMode, Engine, Isolation, Settings, Update};
use anyorder_model::{
    About, CellKind, Order, Outcome, Remedy, Snippet, TestIndex, Treated, Treatment, TreatmentRecord,
};
use anyorder_testkit::engine;
use anyorder_testkit::environment::{NEWEST, python};
use tempfile::TempDir;

const SHELF: &str = "BOOKS = []\ndef reset(): BOOKS.clear()\n";
const VICTIM: &str = "\
import shelf as shelf_of_books
COUNT = 0
def test_shelf_is_empty():
    assert not shelf_of_books.BOOKS
    assert COUNT == 0
";
const POLLUTER: &str = "\
import shelf
def test_adds(): shelf.BOOKS.append(1)
def test_needs_a_book(): assert shelf.BOOKS
";

const ADDS: TestIndex = TestIndex(0);
const NEEDS: TestIndex = TestIndex(1);
const VICTIM_TEST: TestIndex = TestIndex(2);

fn open(settings: Settings) -> (TempDir, Engine) {
    let project = TempDir::new().unwrap();
    for (name, text) in [
        ("pytest.ini", "[pytest]\npythonpath = .\n"),
        ("shelf.py", SHELF),
        ("test_a.py", POLLUTER),
        ("test_b.py", VICTIM),
    ] {
        fs::write(project.path().join(name), text).unwrap();
    }
    let engine = engine::open(&python(NEWEST), project.path(), &["-p", "no:cacheprovider"], settings);
    (project, engine)
}

fn treat(engine: &Engine, treatment: Treatment) -> TreatmentRecord {
    let mut record = None;
    let hear = |update| {
        if let Update::Ran { record: found, .. } = update {
            record = Some(found);
        }
        ControlFlow::Continue(())
    };
    engine.treat(&[treatment], hear).expect("the suite runs");
    record.expect("it was carried out")
}

fn run(text: &str, beside: TestIndex) -> Remedy {
    Remedy::Run(Snippet { text: text.to_owned(), beside })
}

/// The victim behind its polluter, once behind each snippet, which sees the names of the victim's module.
fn behind_polluter(engine: &Engine, snippets: &[&str]) -> Vec<Treated> {
    let remedies = snippets.iter().map(|text| run(text, VICTIM_TEST)).collect();
    treat(engine, Treatment::new(Order(vec![ADDS]), VICTIM_TEST, remedies)).treated
}

fn told(treated: &Treated) -> (Outcome, &str) {
    let why = treated.failed.first().map_or("", |failed| {
        assert_eq!(failed.path, "snippet");
        failed.why.as_str()
    });
    (treated.step.outcome, why)
}

const EVERYWHERE: [(Isolation, DiskMode); 3] = [
    (Isolation::Fork, DiskMode::Overlay),
    (Isolation::Process, DiskMode::Overlay),
    (Isolation::Fork, DiskMode::Copy),
];

#[test]
fn a_snippet_cures_a_victim_with_the_names_of_its_module_and_leaves_none_there() {
    for (isolation, disk) in EVERYWHERE {
        let settings =
            Settings { isolation: Some(isolation), disk: Some(disk), workers: 1, ..Settings::default() };
        let (_project, engine) = open(settings);
        let treated = behind_polluter(
            &engine,
            &[
                "pass",
                "shelf_of_books.reset()",
                "import shelf\nshelf.BOOKS.clear()",
                "COUNT = 1\nshelf_of_books.reset()",
                "global COUNT\nCOUNT = 1\nshelf_of_books.reset()",
                "print('x' * 10000)\nshelf_of_books.BOOKS[:] = []",
            ],
        );
        let outcomes: Vec<_> = treated.iter().map(told).collect();
        let cured = (Outcome::Passed, "");
        assert_eq!(outcomes, [(Outcome::Failed, ""), cured, cured, cured, cured, cured], "{isolation:?}");
    }
}

#[test]
fn a_snippet_sets_up_what_a_brittle_needs_in_the_fresh_state() {
    for (isolation, disk) in EVERYWHERE {
        let settings =
            Settings { isolation: Some(isolation), disk: Some(disk), workers: 1, ..Settings::default() };
        let (_project, engine) = open(settings);
        let remedies = vec![run("pass", NEEDS), run("shelf.BOOKS.append(2)", ADDS)];
        let treated = treat(&engine, Treatment::new(Order(vec![]), NEEDS, remedies)).treated;
        let outcomes: Vec<_> = treated.iter().map(told).collect();
        assert_eq!(outcomes, [(Outcome::Failed, ""), (Outcome::Passed, "")], "{isolation:?}");
    }
}

#[test]
fn a_snippet_that_fails_says_why_and_the_test_is_not_reached() {
    let (_project, engine) = open(Settings { workers: 1, ..Settings::default() });
    let treated = behind_polluter(
        &engine,
        &[
            "nobody.reset()",
            "raise SystemExit(3)",
            "raise KeyboardInterrupt",
            "def",
            "class Odd(Exception):\n    def __str__(self): raise ValueError\nraise Odd",
            "raise ValueError('x' * 100_000)",
            "import os\nos._exit(0)",
            "import os\nos.fork() or os.kill(os.getppid(), 9)\nimport time\ntime.sleep(60)",
            "shelf_of_books.reset()",
        ],
    );
    let outcomes: Vec<_> = treated.iter().map(told).collect();
    let expected = [
        "NameError: name 'nobody' is not defined",
        "SystemExit: 3",
        "KeyboardInterrupt",
        "SyntaxError: ",
        "Odd",
        "ValueError: xxx",
        "the process ended",
        "the process ended",
    ];
    for ((outcome, why), start) in outcomes.iter().zip(expected) {
        assert_eq!(*outcome, Outcome::NotReached);
        assert!(why.starts_with(start) && why.len() < 400, "{why} instead of {start}");
    }
    assert_eq!(outcomes.last(), Some(&(Outcome::Passed, "")), "others come to no harm");
}

#[test]
fn a_snippet_that_hangs_is_ended_by_the_limit_of_its_test() {
    let (_project, engine) =
        open(Settings { timeout: Duration::from_secs(1), workers: 1, ..Settings::default() });
    let treated = behind_polluter(&engine, &["while True: pass", "shelf_of_books.reset()"]);
    let outcomes: Vec<_> = treated.iter().map(told).collect();
    assert_eq!(outcomes, [(Outcome::NotReached, "no end within 1 s"), (Outcome::Passed, "")]);
}

#[test]
fn what_is_told_about_a_cell_makes_a_snippet_that_cures() {
    for (isolation, disk) in EVERYWHERE {
        let settings =
            Settings { isolation: Some(isolation), disk: Some(disk), workers: 1, ..Settings::default() };
        let (_project, engine) = open(settings);
        let about = vec!["shelf.BOOKS[0:]".to_owned(), "nobody.knows".to_owned()];
        let question = Treatment { about, ..Treatment::new(Order(vec![ADDS]), VICTIM_TEST, vec![]) };
        let record = treat(&engine, question);
        let [books, nobody] = &record.about[..] else { panic!("{record:?}") };
        assert_eq!(nobody, &About { path: "nobody.knows".to_owned(), ..About::default() });
        assert_eq!((books.kind, books.file.as_deref()), (Some(CellKind::Item), Some("shelf.py")));
        let parts = [&books.module, &books.expression, &books.key, &books.literal];
        let [module, expression, key, literal] = parts.map(|part| part.clone().unwrap_or_default());
        let text = format!("import {module}\n{expression}[{key}] = {literal}");
        assert_eq!(text, "import shelf\nshelf.BOOKS[0:] = []");
        assert_eq!(told(&behind_polluter(&engine, &[&text])[0]), (Outcome::Passed, ""), "{isolation:?}");
    }
}

//! Checks after changes of every kind: the selection has every test that all pairs at both revisions say is needed, and the
//! verdict is theirs, too.

mod common;

use std::collections::BTreeMap;

use anyorder_testkit::environment::{NEWEST, python};
use anyorder_testkit::thorough::usually_or_in_trials;
use common::Anyorder;
use common::change::{Case, READS_MODE, SETS_MODE, check, faults, mode};
use common::expected::in_lanes;
use common::history::{CART, CONFTEST, History, Truth};

/// How many checks go on at the same time.
const LANES: usize = 2;

/// Checked every day; trials check all of them, and each with and without earlier profiles.
const USUAL: [&str; 3] = ["decorator", "deleted cleaner", "new polluter"];

const RESETS_MODE: &str = "from shop import mode\n\n\ndef test_reset_mode():\n    mode.MODE = \"a\"\n";

/// Modules that only a look into the directory finds.
const FINDS_PARTS: &str = "import importlib\nimport pathlib\n\nFILES = sorted(pathlib.Path(__file__).parent.glob(\"o*.py\"))\nPARTS = [importlib.import_module(__name__ + \".\" + file.stem) for file in FILES]\n";
const TEST_PARTS: &str = "from shop import parts\n\n\ndef test_names():\n    assert [part.name() for part in parts.PARTS] == [\"one\"]\n";
const PART_THAT_KEEPS: &str = "from shop import cart\n\n\nclass Name(str):\n    pass\n\n\ndef name():\n    cart.KEPT.append(1)\n    return \"one\"\n";
/// A file that no string of the code names.
const TEST_EURO_RATES: &str = "import json\nimport pathlib\n\nfrom shop import rates\n\n\ndef test_euro():\n    name = \"-\".join([\"rates\", \"eur\"]) + \".json\"\n    for path in pathlib.Path(__file__).parent.parent.iterdir():\n        for file in [path / name] if (path / name).exists() else []:\n            found = json.loads(file.read_text())\n            rates.KNOWN.update(found)\n            assert len(found) < 2\n";

/// Tests come, go and are renamed.
fn changes_of_tests(texts: &Texts) -> Vec<(&'static str, Case<'_>)> {
    let sets = ("tests/test_a_set.py", Some(SETS_MODE));
    let reads = ("tests/test_c_read.py", Some(READS_MODE));
    let victim = "tests/test_c_read.py::test_mode_is_a";
    vec![
        (
            "new victim",
            Case { base: mode(&[sets]), change: vec![reads], new: vec![victim], ..Case::default() },
        ),
        (
            "new polluter",
            Case { base: mode(&[reads]), change: vec![sets], new: vec![victim], ..Case::default() },
        ),
        (
            "renamed test",
            Case {
                base: mode(&[sets, reads]),
                change: vec![("tests/test_a_set.py", Some(&texts.renamed_polluter))],
                before: vec![victim],
                ..Case::default()
            },
        ),
        (
            "renamed victim",
            Case {
                base: mode(&[sets, reads]),
                change: vec![("tests/test_c_read.py", Some(&texts.renamed_victim))],
                before: vec!["tests/test_c_read.py::test_mode_is_still_a"],
                ..Case::default()
            },
        ),
        (
            "another polluter",
            Case {
                base: mode(&[sets, reads]),
                change: vec![("tests/test_d_set.py", Some(&texts.another_polluter))],
                new: vec![victim],
                was_there: true,
                ..Case::default()
            },
        ),
        (
            "renamed file",
            Case {
                base: mode(&[sets, reads]),
                change: vec![("tests/test_c_read.py", None), ("tests/test_d_read.py", Some(READS_MODE))],
                before: vec!["tests/test_d_read.py::test_mode_is_a"],
                ..Case::default()
            },
        ),
        (
            "deleted cleaner",
            Case {
                base: mode(&[sets, ("tests/test_b_reset.py", Some(RESETS_MODE)), reads]),
                change: vec![("tests/test_b_reset.py", None)],
                before: vec![victim],
                ..Case::default()
            },
        ),
    ]
}

/// What tests run, import or use is changed.
fn changes_of_code(texts: &Texts) -> Vec<(&'static str, Case<'_>)> {
    vec![
        (
            "code that writes",
            Case {
                change: vec![("shop/cart.py", Some(&texts.cart_that_keeps))],
                new: vec!["tests/test_cart.py::test_nothing_kept"],
                ..Case::default()
            },
        ),
        (
            "code moved",
            Case {
                change: vec![("shop/cart.py", Some(&texts.cart_moved))],
                affects_all: Some(false),
                ..Case::default()
            },
        ),
        (
            "comment",
            Case {
                change: vec![
                    ("shop/cart.py", Some(&texts.cart_with_comment)),
                    ("README.md", Some("A shop.\n")),
                ],
                affects_all: Some(false),
                ..Case::default()
            },
        ),
        (
            "constant",
            Case {
                change: vec![("shop/settings.py", Some(&texts.settings_that_keep))],
                // The conftest of all tests imports it, but only some look it up.
                new: vec!["tests/test_cart.py::test_nothing_kept"],
                ..Case::default()
            },
        ),
        (
            "default argument",
            Case {
                change: vec![("shop/cart.py", Some(&texts.cart_with_shared_default))],
                new: vec!["tests/test_cart.py::test_remember"],
                ..Case::default()
            },
        ),
        (
            "decorator",
            Case {
                change: vec![("shop/cart.py", Some(&texts.cart_with_cache))],
                new: vec![
                    "tests/test_cart.py::test_price_in_dollars",
                    "tests/test_euro.py::test_price_in_euro",
                ],
                ..Case::default()
            },
        ),
        (
            "conftest",
            Case {
                change: vec![("tests/conftest.py", Some(&texts.conftest_without_reset))],
                new: vec!["tests/test_cart.py::test_price_in_dollars"],
                ..Case::default()
            },
        ),
    ]
}

/// What tests open, or find by looking around, is changed.
fn changes_of_files() -> Vec<(&'static str, Case<'static>)> {
    vec![
        (
            "data file",
            Case {
                change: vec![("data/rates.json", Some("{\"USD\": 1, \"keep\": 1}\n"))],
                new: vec!["tests/test_rates.py::test_none_known"],
                ..Case::default()
            },
        ),
        (
            "module that is found",
            Case {
                base: vec![
                    ("shop/parts/__init__.py", Some(FINDS_PARTS)),
                    ("shop/parts/one.py", Some("def name():\n    return \"one\"\n")),
                    ("tests/test_parts.py", Some(TEST_PARTS)),
                ],
                change: vec![("shop/parts/one.py", Some(PART_THAT_KEEPS))],
                new: vec!["tests/test_cart.py::test_nothing_kept"],
                ..Case::default()
            },
        ),
        (
            "file with a name that is put together",
            Case {
                base: vec![
                    ("data/rates-eur.json", Some("{}\n")),
                    ("tests/test_euro_rates.py", Some(TEST_EURO_RATES)),
                ],
                change: vec![("data/rates-eur.json", Some("{\"keep\": 1}\n"))],
                new: vec!["tests/test_rates.py::test_none_known"],
                ..Case::default()
            },
        ),
        (
            "dependency",
            Case {
                change: vec![("requirements.txt", Some("shoplib==1.1\n"))],
                affects_all: Some(true),
                ..Case::default()
            },
        ),
    ]
}

/// Files as changes leave them.
struct Texts {
    cart_that_keeps: String,
    cart_moved: String,
    cart_with_comment: String,
    cart_with_shared_default: String,
    cart_with_cache: String,
    settings_that_keep: String,
    conftest_without_reset: String,
    renamed_polluter: String,
    renamed_victim: String,
    another_polluter: String,
}

impl Texts {
    fn new() -> Self {
        let edited = |text: &str, from: &str, to: &str| {
            assert!(text.contains(from), "{from}");
            text.replace(from, to)
        };
        let total = "def total(items):\n    return sum(items)\n\n\n";
        let shared = "def remember(item, kept=[]):\n    kept.append(item)\n";
        Texts {
            cart_that_keeps: edited(CART, "    if settings.KEEPS:\n        KEPT", "    KEPT"),
            cart_moved: edited(&edited(CART, total, ""), "def price", &format!("{total}def price")),
            cart_with_comment: edited(CART, "def total", "# The sum of all items.\ndef total"),
            cart_with_shared_default: edited(
                CART,
                "def remember(item, kept=()):\n    kept = list(kept)\n    kept.append(item)\n",
                shared,
            ),
            cart_with_cache: edited(CART, "def price", "@__import__(\"functools\").cache\ndef price"),
            settings_that_keep: "CURRENCY = \"USD\"\nKEEPS = True\n\n\ndef switch(currency):\n    global CURRENCY\n    CURRENCY = currency\n".to_owned(),
            conftest_without_reset: edited(CONFTEST, "    yield\n    settings.switch(\"USD\")\n", "    yield\n"),
            renamed_polluter: edited(SETS_MODE, "test_set_mode", "test_switch_mode"),
            renamed_victim: edited(READS_MODE, "test_mode_is_a", "test_mode_is_still_a"),
            another_polluter: edited(SETS_MODE, "\"b\"", "\"c\""),
        }
    }
}

/// With the profiles of before the change.
const WARM: &str = "warm";

/// Builds the history of a case, checks it with and without earlier profiles, and says what is wrong.
fn checked(name: &str, case: &Case<'_>) -> Option<String> {
    let history = History::of_shop(&case.base);
    let (base, anyorder) = (history.commit_of("HEAD"), Anyorder::at(history.path()));
    anyorder.run(&["profile"]).with_code(0);
    history.edit(&case.change);
    history.commit();
    let then = Truth::of(history.files_of(&base).path(), &python(NEWEST));
    let now = Truth::of(history.path(), &python(NEWEST));
    let mut wrong = Vec::new();
    let mut look = |how: &str| {
        let ran = check(&anyorder, &base);
        let faults = faults(&ran, case, [&then, &now], how == WARM);
        wrong.extend((!faults.is_empty()).then(|| format!("{name}, {how}: {faults:#?}\n{}", ran.shown())));
    };
    look(WARM);
    if usually_or_in_trials(name == "decorator", true) {
        look("once more");
    }
    if usually_or_in_trials(name == "new polluter", true) {
        std::fs::remove_dir_all(history.path().join(".anyorder")).unwrap();
        look("cold");
    }
    (!wrong.is_empty()).then(|| wrong.join("\n"))
}

#[test]
fn after_every_kind_of_change_all_that_is_needed_is_selected_and_the_verdict_is_right() {
    let texts = Texts::new();
    let cases = changes_of_tests(&texts).into_iter().chain(changes_of_code(&texts)).chain(changes_of_files());
    let wanted = cases.filter(|(name, _)| usually_or_in_trials(USUAL.contains(name), true));
    let cases: BTreeMap<String, Case<'_>> = wanted.map(|(name, case)| (name.to_owned(), case)).collect();
    assert_eq!(cases.len(), usually_or_in_trials(USUAL.len(), 18));
    let wrong = in_lanes(LANES, cases, |name, case| checked(name, case));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

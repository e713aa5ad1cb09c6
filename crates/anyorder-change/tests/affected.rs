//! Which tests a change affects: by hand, one sort of change each.

mod common;

use anyorder_change::Rts;
use anyorder_model::{Suite, TestId};
use common::{NONE, between, names, ran, recorded, suite, tree, why};

/// A shop: `test_total` runs `total`, `test_name` runs `name`, and `test_other` imports nothing.
const SHOP: [(&str, &str); 6] = [
    ("shop/__init__.py", ""),
    ("shop/settings.py", "CURRENCY = 'USD'\n"),
    (
        "shop/cart.py",
        "from . import settings\n\nclass Cart:\n    def total(self, rate=1):\n        return rate\n\n    def name(self):\n        return settings.CURRENCY\n",
    ),
    ("tests/conftest.py", "import pytest\n\n@pytest.fixture\ndef cart(): return 1\n"),
    (
        "tests/test_cart.py",
        "from shop.cart import Cart\n\ndef test_total(): Cart().total()\n\ndef test_name(): Cart().name()\n",
    ),
    ("tests/test_other.py", "def test_other(): pass\n"),
];
const TOTAL: &str = "tests/test_cart.py::test_total";
const NAME: &str = "tests/test_cart.py::test_name";
const OTHER: &str = "tests/test_other.py::test_other";

/// The shop with files replaced, added (`""` as what is replaced) or deleted (`""` for both).
fn shop(edits: &[(&str, &str, &str)]) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> =
        SHOP.map(|(path, text)| (path.to_owned(), text.to_owned())).to_vec();
    for &(path, from, to) in edits {
        match (files.iter_mut().find(|file| file.0 == path), from.is_empty()) {
            (Some(file), false) => {
                assert!(file.1.contains(from), "{from} in {path}");
                file.1 = file.1.replace(from, to);
            }
            (Some(_), true) if to.is_empty() => files.retain(|file| file.0 != path),
            (Some(file), true) => file.1.push_str(to),
            (None, _) => files.push((path.to_owned(), to.to_owned())),
        }
    }
    files
}

fn profiles() -> anyorder_change::OldProfiles {
    let total = ran(
        &["tests/test_cart.py:test_total", "shop/cart.py:Cart.total"],
        &["tests.test_cart.Cart", ".total"],
    );
    let reads = ["tests.test_cart.Cart", ".name", "shop.cart.settings", "shop.settings.CURRENCY"];
    let name = ran(&["tests/test_cart.py:test_name", "shop/cart.py:Cart.name"], &reads);
    let other = ran(&["tests/test_other.py:test_other"], NONE);
    recorded(&tree(&SHOP), vec![(TOTAL, total), (NAME, name), (OTHER, other)])
}

fn tests() -> Suite {
    suite(&[TOTAL, NAME, OTHER])
}

fn hit(edits: &[(&str, &str, &str)], rts: Rts) -> Vec<String> {
    let tests = tests();
    let affected = between(&tree(&SHOP), &tree(&shop(edits))).affected(&tests, &profiles(), rts);
    assert!(affected.unknown.is_empty(), "{:?}", affected.unknown);
    names(&tests, &affected.tests).into_iter().map(str::to_owned).collect()
}

fn dynamic(edits: &[(&str, &str, &str)]) -> Vec<String> {
    hit(edits, Rts::Dynamic)
}

#[test]
fn a_function_that_changed_affects_those_who_ran_it() {
    let edit = ("shop/cart.py", "return rate", "return rate + 0");
    assert_eq!(dynamic(&[edit]), [TOTAL]);
    assert_eq!(hit(&[edit], Rts::Static), [TOTAL, NAME]);
    assert_eq!(dynamic(&[("tests/test_cart.py", "Cart().name()", "Cart().name() * 2")]), [NAME]);
}

#[test]
fn comments_and_formatting_affect_nobody() {
    let edits = [
        ("shop/cart.py", "return rate\n", "# as it is\n        return (rate)\n"),
        ("shop/settings.py", "'USD'", "\"USD\"  # dollars"),
        ("tests/conftest.py", "def cart(): return 1", "def cart():\n    return 1"),
    ];
    for rts in [Rts::Dynamic, Rts::Static] {
        assert_eq!(hit(&edits, rts), [] as [&str; 0]);
    }
}

#[test]
fn a_constant_of_a_module_affects_those_who_may_look_it_up() {
    let edit = ("shop/settings.py", "USD", "EUR");
    assert_eq!(dynamic(&[edit]), [NAME]);
    assert_eq!(hit(&[edit], Rts::Static), [TOTAL, NAME]);
    assert_eq!(dynamic(&[edit, ("shop/settings.py", "", "print(CURRENCY)\n")]), [TOTAL, NAME]);
}

/// What a change of `X` in `a.py` affects: `test_y` runs `y` of `b.py`, which looks up `Y`.
fn hit_through(b: &str) -> Vec<String> {
    let files = |x: &str| {
        let a = format!("X = {x}\ndef look(): return X\n");
        let test = "from b import y\ndef test_y(): y()\n".to_owned();
        tree(&[("a.py", a), ("b.py", format!("{b}def y(): return Y\n")), ("test_b.py", test)])
    };
    let tests = suite(&["test_b.py::test_y"]);
    let profile = ran(&["test_b.py:test_y", "b.py:y"], &["test_b.y", "b.Y"]);
    let old = recorded(&files("1"), vec![("test_b.py::test_y", profile)]);
    let affected = between(&files("1"), &files("2")).affected(&tests, &old, Rts::Dynamic);
    names(&tests, &affected.tests).into_iter().map(str::to_owned).collect()
}

#[test]
fn a_name_that_is_used_at_import_affects_all_who_load_what_uses_it() {
    for b in [
        "import a\nY = a.X\n",
        "from a import X as Y\n",
        "from a import *\nY = 1\n",
        "import a\nY = a.look()\n",
        "import a\ndef f(x=a.X): pass\nY = 1\n",
    ] {
        assert_eq!(hit_through(b), ["test_b.py::test_y"], "{b}");
    }
    for b in ["import a\nY = 1\n", "from a import X\nY = 1\n", "import a\ndef f(): return a.X\nY = 1\n"] {
        assert_eq!(hit_through(b), [] as [&str; 0], "{b}");
    }
}

#[test]
fn remarks_and_annotations_affect_nobody_unless_somebody_looks_at_them() {
    let doc = ("shop/cart.py", "rate=1):", "rate: int = 1) -> int:\n        'All of it.'");
    let class = ("shop/cart.py", "class Cart:", "class Cart:\n    'A cart.'");
    let module = ("shop/cart.py", "from . import", "'All about carts.'\nfrom . import");
    for edit in [doc, class, module] {
        assert_eq!(dynamic(&[edit]), [] as [&str; 0], "{edit:?}");
    }
    assert_eq!(dynamic(&[doc, ("shop/settings.py", "", "\nX = print.__doc__\n")]), [TOTAL]);
    assert_eq!(
        hit(&[doc, ("shop/settings.py", "", "\ndef f(x): return x.__doc__\n")], Rts::Static),
        [TOTAL, NAME]
    );
}

/// How many tests are affected if one ran this code and read this name, in a shop whose settings have a function that says `looks`.
fn noticed(looks: &str, (from, to): (&str, &str), code: &[&str], read: &str) -> usize {
    let function = format!("\ndef f(x): return x.{looks}\n");
    let class = ("shop/cart.py", "class Cart:", "class Till(Exception):\n    'A till.'\nclass Cart:");
    let before = shop(&[class, ("shop/settings.py", "", &function)]);
    let after = before.iter().map(|(path, text)| (path.clone(), text.replace(from, to)));
    let after: Vec<(String, String)> = after.collect();
    let tests = suite(&[TOTAL]);
    let total = ran(code, &["tests.test_cart.Cart", read]);
    let profiles = recorded(&tree(&before), vec![(TOTAL, total)]);
    between(&tree(&before), &tree(&after)).affected(&tests, &profiles, Rts::Dynamic).tests.len()
}

#[test]
fn remarks_affect_those_who_ran_code_that_looks_at_them() {
    let doc = ("rate=1):", "rate=1):\n        'All of it.'");
    let code = ["tests/test_cart.py:test_total", "shop/cart.py:Cart.total", "shop/settings.py:f"];
    assert_eq!(noticed("__doc__", doc, &code[..2], ".total"), 0);
    assert_eq!(noticed("__doc__", doc, &code[..2], ".__doc__"), 1);
    assert_eq!(noticed("__doc__", doc, &code, ".total"), 1);
    for docstring in [doc, ("'A till.'", "'The till.'"), ("from . import", "'Carts.'\nfrom . import")] {
        assert_eq!(noticed("__doc__", docstring, &code, ".Till"), 1, "{docstring:?}");
        assert_eq!(noticed("signature", docstring, &code, ".Till"), 0, "{docstring:?}");
    }
    assert_eq!(noticed("signature", ("rate=1):", "rate: int = 1):"), &code, ".total"), 1);
}

#[test]
fn what_is_to_be_installed_affects_nobody_as_long_as_nothing_is_built() {
    let setup = |text| ("setup.py", "", text);
    assert_eq!(dynamic(&[setup("setup(install_requires=['a'])\n")]), [] as [&str; 0]);
    assert_eq!(dynamic(&[setup("setup(ext_modules=cythonize('a.pyx'))\n")]), [TOTAL, NAME, OTHER]);
}

#[test]
fn a_method_that_python_looks_up_by_itself_affects_those_who_know_the_class() {
    let eq = |class| ("shop/cart.py", class, "\nclass Cart:\n    def __eq__(self, other): return True\n");
    assert_eq!(dynamic(&[eq("\nclass Cart:\n")]), [TOTAL, NAME]);
    let apart = "\nclass Apart:\n    def size(self): pass\n";
    assert_eq!(dynamic(&[("shop/settings.py", "", apart)]), [] as [&str; 0]);
}

#[test]
fn a_default_affects_those_who_ran_the_function() {
    assert_eq!(dynamic(&[("shop/cart.py", "rate=1", "rate=2")]), [TOTAL]);
    assert_eq!(dynamic(&[("shop/cart.py", "rate=1", "rate=make()")]), [TOTAL, NAME]);
}

#[test]
fn a_decorator_that_may_do_anything_affects_all_whose_imports_reach_it() {
    let decorated = |decorator: &'static str| ("shop/cart.py", "    def total", decorator);
    assert_eq!(dynamic(&[decorated("    @functools.cache\n    def total")]), [TOTAL]);
    assert_eq!(dynamic(&[decorated("    @log\n    def total")]), [TOTAL, NAME]);
}

#[test]
fn a_conftest_affects_all_tests_below_it_by_what_runs_at_import_and_hooks() {
    assert_eq!(dynamic(&[("tests/conftest.py", "", "\nX = 1\nprint(X)\n")]), [TOTAL, NAME, OTHER]);
    assert_eq!(
        dynamic(&[("tests/conftest.py", "", "\ndef pytest_configure(): pass\n")]),
        [TOTAL, NAME, OTHER]
    );
    assert_eq!(
        dynamic(&[("tests/conftest.py", "@pytest.fixture", "@pytest.fixture(autouse=True)")]),
        [TOTAL, NAME, OTHER]
    );
    assert_eq!(dynamic(&[("tests/conftest.py", "return 1", "return 2")]), [] as [&str; 0]);
}

#[test]
fn a_function_that_comes_affects_those_who_may_look_up_its_name() {
    assert_eq!(
        dynamic(&[("shop/cart.py", "    def name", "    def size(self): pass\n\n    def name")]),
        [] as [&str; 0]
    );
    assert_eq!(dynamic(&[("shop/cart.py", "", "\nclass Sub(Cart):\n    def total(self): pass\n")]), [TOTAL]);
    assert_eq!(dynamic(&[("shop/cart.py", "", "\nclass Other:\n    def total(self): pass\n")]), [TOTAL]);
}

#[test]
fn methods_with_names_that_are_put_together_affect_users_of_their_class() {
    let methods = |names: &[&str]| {
        let text: Vec<String> = names.iter().map(|name| format!("    def {name}(self): pass\n\n")).collect();
        let text = text.concat();
        shop(&[("shop/cart.py", "    def name", &format!("{text}    def name"))])
    };
    let (before, after) = (methods(&["visit_a"]), methods(&["visit_a", "visit_b"]));
    let old = tree(&before);
    let total = ran(&["tests/test_cart.py:test_total", "shop/cart.py:Cart.total"], &[".total"]);
    let known = recorded(&old, vec![(TOTAL, total)]);
    let tests = suite(&[TOTAL]);
    let affected = between(&old, &tree(&after)).affected(&tests, &known, Rts::Dynamic);
    assert_eq!(names(&tests, &affected.tests), [TOTAL]);
}

#[test]
fn a_function_that_runs_at_import_affects_all_whose_imports_reach_that() {
    let old = shop(&[("shop/settings.py", "", "def make():\n    return 1\nTABLE = make()\n")]);
    let new = shop(&[("shop/settings.py", "", "def make():\n    return 2\nTABLE = make()\n")]);
    let (old, new) = (tree(&old), tree(&new));
    let known = recorded(
        &old,
        vec![
            (TOTAL, ran(&["tests/test_cart.py:test_total", "shop/cart.py:Cart.total"], NONE)),
            (OTHER, ran(&["tests/test_other.py:test_other"], NONE)),
        ],
    );
    let tests = suite(&[TOTAL, OTHER]);
    let affected = between(&old, &new).affected(&tests, &known, Rts::Dynamic);
    assert_eq!(why(&tests, &affected.tests, TOTAL), ["imports shop.settings.make at shop/settings.py:2"]);
    assert_eq!(affected.tests.len(), 1);
}

#[test]
fn code_that_moved_to_another_file_affects_those_who_ran_it() {
    let edits = [
        ("shop/cart.py", "    def total(self, rate=1):\n        return rate\n\n", ""),
        ("shop/cart.py", "class Cart:", "from .base import Base\n\nclass Cart(Base):"),
        ("shop/base.py", "", "class Base:\n    def total(self, rate=1):\n        return rate\n"),
    ];
    assert!(dynamic(&edits).contains(&TOTAL.to_owned()));
}

#[test]
fn a_file_that_is_gone_affects_those_who_ran_its_code() {
    assert!(dynamic(&[("shop/cart.py", "", "")]).contains(&TOTAL.to_owned()));
}

#[test]
fn a_data_file_affects_those_whose_code_mentions_it_or_stands_beside_it() {
    let edits = [("tests/test_cart.py", "def test_name", "FILE = 'prices.json'\n\ndef test_name")];
    let old = shop(&edits);
    let mut new = old.clone();
    new.push(("prices.json".to_owned(), "{}".to_owned()));
    let tests = tests();
    let known = recorded(
        &tree(&old),
        vec![
            (TOTAL, ran(&["tests/test_cart.py:test_total"], NONE)),
            (OTHER, ran(&["tests/test_other.py:test_other"], NONE)),
        ],
    );
    let affected = between(&tree(&old), &tree(&new)).affected(&tests, &known, Rts::Dynamic);
    assert_eq!(why(&tests, &affected.tests, TOTAL), ["data prices.json"]);
    assert!(!names(&tests, &affected.tests).contains(&OTHER));
    assert_eq!(dynamic(&[("tests/data/x.json", "", "1")]), [TOTAL, NAME, OTHER]);
    assert_eq!(dynamic(&[("README.md", "", "1")]), [] as [&str; 0]);
}

#[test]
fn what_is_installed_affects_everything_and_is_said() {
    let tests = tests();
    let new = shop(&[("uv.lock", "", "1"), ("pyproject.toml", "", "1")]);
    let affected = between(&tree(&SHOP), &tree(&new)).affected(&tests, &profiles(), Rts::Dynamic);
    assert_eq!(affected.everything.as_deref(), Some("pyproject.toml, uv.lock"));
    assert_eq!(names(&tests, &affected.tests), [TOTAL, NAME, OTHER]);
    assert_eq!(why(&tests, &affected.tests, OTHER), ["everything pyproject.toml", "everything uv.lock"]);
}

#[test]
fn tests_that_were_not_there_are_new_and_do_not_affect_others() {
    let new = shop(&[("tests/test_other.py", "", "\ndef test_more(): pass\n")]);
    let more = "tests/test_other.py::test_more";
    let tests = suite(&[TOTAL, NAME, OTHER, more]);
    let affected = between(&tree(&SHOP), &tree(&new)).affected(&tests, &profiles(), Rts::Dynamic);
    assert_eq!(names(&tests, &affected.tests), [more]);
    assert_eq!(why(&tests, &affected.tests, more)[0], "new");
    assert_eq!(affected.unknown, []);
}

#[test]
fn parameters_that_were_not_there_are_new_tests_and_those_that_went_are_deleted() {
    let (one, two, three) = ("t.py::test_it[1]", "t.py::test_it[2]", "t.py::test_it[3]");
    let text = |last: &str| format!("@pytest.mark.parametrize('x', [1, {last}])\ndef test_it(x): pass\n");
    let (old, new) = (tree(&[("t.py", text("2"))]), tree(&[("t.py", text("3"))]));
    let known =
        recorded(&old, vec![(one, ran(&["t.py:test_it"], NONE)), (two, ran(&["t.py:test_it"], NONE))]);
    let tests = suite(&[one, three]);
    let affected = between(&old, &new).affected(&tests, &known, Rts::Dynamic);
    assert_eq!(why(&tests, &affected.tests, three)[0], "new");
    assert_eq!(affected.deleted, [TestId(two.to_owned())]);
}

#[test]
fn a_renamed_test_is_a_new_one_and_a_deleted_one() {
    let new = shop(&[("tests/test_other.py", "test_other", "test_another")]);
    let another = "tests/test_other.py::test_another";
    let tests = suite(&[TOTAL, NAME, another]);
    let affected = between(&tree(&SHOP), &tree(&new)).affected(&tests, &profiles(), Rts::Dynamic);
    assert_eq!(names(&tests, &affected.tests), [another]);
    assert_eq!(affected.deleted, [TestId(OTHER.to_owned())]);
}

#[test]
fn a_test_that_is_only_not_collected_is_not_deleted() {
    let tests = suite(&[TOTAL]);
    let affected = between(&tree(&SHOP), &tree(&SHOP)).affected(&tests, &profiles(), Rts::Dynamic);
    assert_eq!((affected.deleted, affected.tests.len()), (vec![], 0));
}

#[test]
fn a_test_without_a_profile_is_judged_by_imports() {
    let tests = tests();
    let none = recorded(&tree(&SHOP), vec![]);
    let new = shop(&[("shop/cart.py", "return rate", "return -rate")]);
    let affected = between(&tree(&SHOP), &tree(&new)).affected(&tests, &none, Rts::Dynamic);
    assert_eq!(names(&tests, &affected.tests), [TOTAL, NAME]);
    assert_eq!(affected.unknown.len(), 1);
}

#[test]
fn a_profile_that_no_longer_holds_is_no_profile() {
    // When it was made, `total` did not call `name`; by now it does, and what changed is `name`.
    let calls = ("shop/cart.py", "return rate", "return self.name()");
    let (old, new) =
        (shop(&[calls]), shop(&[calls, ("shop/cart.py", "return settings.CURRENCY", "return 1")]));
    let tests = tests();
    let affected = between(&tree(&old), &tree(&new)).affected(&tests, &profiles(), Rts::Dynamic);
    assert_eq!(names(&tests, &affected.tests), [TOTAL, NAME]);
}

#[test]
fn a_profile_without_the_test_s_own_code_tells_nothing() {
    let tests = suite(&[TOTAL]);
    let known = recorded(&tree(&SHOP), vec![(TOTAL, ran(NONE, NONE))]);
    let new = shop(&[("shop/cart.py", "return rate", "return -rate")]);
    let affected = between(&tree(&SHOP), &tree(&new)).affected(&tests, &known, Rts::Dynamic);
    assert_eq!(affected.tests.len(), 1);
}

#[test]
fn a_test_that_starts_processes_may_have_run_anything_that_it_imports() {
    let tests = suite(&[TOTAL]);
    let spawning = ran(&["tests/test_cart.py:test_total"], &["subprocess._execute_child()"]);
    let known = recorded(&tree(&SHOP), vec![(TOTAL, spawning)]);
    let new = shop(&[("shop/cart.py", "return settings", "return not settings")]);
    let affected = between(&tree(&SHOP), &tree(&new)).affected(&tests, &known, Rts::Dynamic);
    assert_eq!(affected.tests.len(), 1);
}

#[test]
fn names_without_those_around_them_are_understood() {
    let tests = suite(&[TOTAL]);
    let bare = ran(&["tests/test_cart.py:test_total", "shop/cart.py:total"], NONE);
    let known = recorded(&tree(&SHOP), vec![(TOTAL, bare)]);
    let new = shop(&[("shop/cart.py", "return rate", "return -rate")]);
    let affected = between(&tree(&SHOP), &tree(&new)).affected(&tests, &known, Rts::Dynamic);
    assert_eq!(why(&tests, &affected.tests, TOTAL), ["touches shop.cart.Cart.total at shop/cart.py:4"]);
}

#[test]
fn a_file_that_cannot_be_read_affects_all_whose_imports_reach_it() {
    assert_eq!(dynamic(&[("shop/cart.py", "class Cart:", "class Cart(:")]), [TOTAL, NAME]);
}

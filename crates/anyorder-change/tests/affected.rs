//! Which tests a change affects: by hand, one sort of change each.

mod common;

use anyorder_change::Rts;
use anyorder_model::{Suite, Test, TestId};
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

/// What another import in `lib.py` affects: `test_cart` runs `Cart.add` of it, `test_sum` runs `summed`, which looks up `total`, and
/// `test_far` runs `look` of `far.py`, which reads what is said.
fn hit_by_import(from: &str, to: &str, far: &str, far_reads: &str) -> Vec<String> {
    let files = |import: &str| {
        let lib =
            format!("{import}\nclass Cart:\n    def add(self): return 1\n\ndef summed(): return total(1)\n");
        let far = format!("{far}\ndef look(): return 1\n");
        let test = "from lib import Cart, summed\nimport far\ndef test_cart(): Cart().add()\ndef test_sum(): summed()\ndef test_far(): far.look()\n";
        let (money, loud) = ("def total(x): return x\n", "from money import total\nprint(1)\n");
        tree(&[
            ("lib.py", lib.as_str()),
            ("far.py", &far),
            ("test_lib.py", test),
            ("money.py", money),
            ("other.py", money),
            ("loud.py", loud),
        ])
    };
    let ids = ["test_lib.py::test_cart", "test_lib.py::test_sum", "test_lib.py::test_far"];
    let profiles = [
        ran(&["test_lib.py:test_cart", "lib.py:Cart.add"], &["test_lib.Cart", ".add"]),
        ran(&["test_lib.py:test_sum", "lib.py:summed"], &["test_lib.summed", "lib.total", "builtins.total"]),
        ran(&["test_lib.py:test_far", "far.py:look"], &["test_lib.far", "far.look", far_reads]),
    ];
    let old = recorded(&files(from), ids.into_iter().zip(profiles).collect());
    let affected = between(&files(from), &files(to)).affected(&suite(&ids), &old, Rts::Dynamic);
    names(&suite(&ids), &affected.tests).into_iter().map(|id| id.replace("test_lib.py::", "")).collect()
}

const ALL_THREE: [&str; 3] = ["test_cart", "test_sum", "test_far"];

#[test]
fn a_name_that_is_imported_otherwise_affects_those_who_may_look_it_up() {
    let both = "import money, other\n";
    let [money, other] = ["money", "other"].map(|module| format!("{both}from {module} import total"));
    let hit = |far: &str, reads: &str| hit_by_import(&money, &other, far, reads);
    assert_eq!(hit("", "far.x"), ["test_sum"]);
    assert_eq!(hit_by_import(&money, both, "", "far.x"), ["test_sum"]);
    assert_eq!(hit_by_import(both, &money, "", "far.x"), ["test_sum"]);
    assert_eq!(hit("from lib import total", "far.total"), ["test_sum", "test_far"]);
    // A module may be handed over.
    assert_eq!(hit("", ".total"), ["test_sum", "test_far"]);
}

#[test]
fn a_name_that_is_imported_otherwise_affects_all_who_load_what_uses_it_at_import() {
    let both = "import money, other\n";
    let [money, other] = ["money", "other"].map(|module| format!("{both}from {module} import total"));
    let hit = |far: &str| hit_by_import(&money, &other, far, "far.X");
    for far in
        ["from lib import total as t", "from lib import total\nX = total(1)", "import lib\nX = lib.total(1)"]
    {
        assert_eq!(hit(far), ALL_THREE, "{far}");
    }
    let with_member = |import: &str| format!("{import}\nclass Sum:\n    total = staticmethod(total)\n");
    assert_eq!(hit_by_import(&with_member(&money), &with_member(&other), "", "far.x"), ALL_THREE);
}

#[test]
fn an_import_that_loads_something_may_do_anything() {
    let hit = |from: &str, to: &str| hit_by_import(from, to, "", "far.x");
    assert_eq!(hit("from money import total", "from other import total"), ALL_THREE);
    // What a function imports is loaded when that runs, and not before.
    assert_eq!(hit("from loud import total", "def use():\n    from loud import total"), ALL_THREE);
}

#[test]
fn an_import_for_annotations_affects_those_who_look_at_them() {
    let files = |module: &str, looks: &str| {
        let lib = format!("import a, b\nfrom {module} import Amount\ndef f(x: Amount): pass\n");
        let test = format!("import lib\ndef test_a(): lib.{looks}\n");
        tree(&[
            ("lib.py", lib.as_str()),
            ("test_a.py", &test),
            ("a.py", "class Amount: pass\n"),
            ("b.py", "class Amount: pass\n"),
        ])
    };
    let tests = suite(&["test_a.py::test_a"]);
    for (looks, number) in [("f", 0), ("f.__annotations__", 1)] {
        let (from, to) = (files("a", looks), files("b", looks));
        let old = recorded(
            &from,
            vec![("test_a.py::test_a", ran(&["test_a.py:test_a"], &["test_a.lib", "lib.f"]))],
        );
        assert_eq!(between(&from, &to).affected(&tests, &old, Rts::Dynamic).tests.len(), number, "{looks}");
    }
}

#[test]
fn a_declaration_affects_those_who_look_at_annotations() {
    let files = |declared: &str, looks: &str| {
        let test = format!("import lib\ndef test_a(): lib.Cart.{looks}\n");
        tree(&[("lib.py", format!("class Cart:\n    y = 1\n{declared}")), ("test_a.py", test)])
    };
    let tests = suite(&["test_a.py::test_a"]);
    for (looks, number) in [("y", 0), ("__annotations__", 1)] {
        let (from, to) = (files("", looks), files("    x: int\n", looks));
        let profile = ran(&["test_a.py:test_a"], &["test_a.lib", "lib.Cart"]);
        let old = recorded(&from, vec![("test_a.py::test_a", profile)]);
        assert_eq!(between(&from, &to).affected(&tests, &old, Rts::Dynamic).tests.len(), number, "{looks}");
    }
}

#[test]
fn a_name_that_a_package_no_longer_passes_on_affects_those_who_look_it_up_there() {
    let files = |import: &str| {
        let test = "import pkg\nimport pkg.lib\ndef test_a(): pkg.total()\ndef test_b(): pass\n";
        tree(&[("pkg/__init__.py", import), ("pkg/lib.py", "def total(): pass\n"), ("test_a.py", test)])
    };
    let ids = ["test_a.py::test_a", "test_a.py::test_b"];
    let profiles =
        [ran(&["test_a.py:test_a"], &["test_a.pkg", "pkg.total"]), ran(&["test_a.py:test_b"], NONE)];
    let (from, to) = (files("from . import lib\nfrom .lib import total\n"), files("from . import lib\n"));
    let old = recorded(&from, ids.into_iter().zip(profiles).collect());
    let affected = between(&from, &to).affected(&suite(&ids), &old, Rts::Dynamic);
    assert_eq!(names(&suite(&ids), &affected.tests), [ids[0]]);
}

#[test]
fn what_pytest_finds_by_name_affects_all_who_load_the_file() {
    let fixture = "import pytest\n@pytest.fixture(autouse=True)\ndef clean(): pass\nmade = pytest.fixture(autouse=True)(print)\nclass TestX: pass\ndef __getattr__(name): pass\n";
    for name in ["clean", "made", "TestX", "__getattr__"] {
        let files = |import: &str| {
            let test = format!("import passed_on\n{import}def test_a(): pass\n");
            let passed_on = format!("from fixtures import {name}\n");
            tree(&[("fixtures.py", fixture), ("passed_on.py", &passed_on), ("test_a.py", test.as_str())])
        };
        let tests = suite(&["test_a.py::test_a"]);
        let (without, with) = (files(""), files(&format!("from passed_on import {name}\n")));
        for (from, to) in [(&without, &with), (&with, &without)] {
            let old = recorded(from, vec![("test_a.py::test_a", ran(&["test_a.py:test_a"], NONE))]);
            let affected = between(from, to).affected(&tests, &old, Rts::Dynamic);
            assert_eq!(names(&tests, &affected.tests), ["test_a.py::test_a"], "{name}");
        }
    }
}

#[test]
fn a_test_that_is_inherited_stands_on_the_file_that_it_is_collected_in() {
    let files = |limit: &str| {
        let test = format!("from base import Base\nclass TestA(Base):\n    limit = {limit}\n");
        tree(&[
            ("base.py", "class Base:\n    def test_y(self): assert self.limit == 3\n"),
            ("test_a.py", test.as_str()),
        ])
    };
    let id = "test_a.py::TestA::test_y";
    let tests = inherited(&suite(&[id]), "base.py");
    let old = recorded(&files("3"), vec![(id, ran(&["base.py:Base.test_y"], &[".limit"]))]);
    assert_eq!(between(&files("3"), &files("4")).affected(&tests, &old, Rts::Dynamic).tests.len(), 1);
}

/// The same tests, with functions in another file.
fn inherited(suite: &Suite, file: &str) -> Suite {
    let elsewhere = |test: &Test| Test { file: file.to_owned(), ..test.clone() };
    Suite::new("pytest", suite.tests().iter().map(elsewhere).collect())
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
    // What had gone before is not deleted once more by each change that comes, unless that may concern it.
    let later = tree(&[("t.py", text("3")), ("u.py", "X = 1\n".to_owned())]);
    let affected = between(&new, &later).affected(&tests, &known, Rts::Dynamic);
    assert_eq!(affected.deleted, []);
    let other = tree(&[("t.py", format!("print(1)\n{}", text("3")))]);
    assert_eq!(
        between(&new, &other).affected(&tests, &known, Rts::Dynamic).deleted,
        [TestId(two.to_owned())]
    );
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

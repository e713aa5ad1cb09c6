//! What a file's parts are, and which changes they show.

use anyorder_source::{Part, Parts};
use proptest::prelude::*;

fn parts(text: &str) -> Parts {
    Parts::read(text.as_bytes()).unwrap()
}

fn names(text: &str) -> Vec<String> {
    parts(text).parts.into_iter().map(|part| part.name).collect()
}

fn part(text: &str, name: &str) -> Part {
    parts(text).part(name).unwrap_or_else(|| panic!("{name} in {text}")).clone()
}

fn steps(text: &str) -> Vec<[u8; 16]> {
    parts(text).steps.iter().map(|step| step.digest).collect()
}

/// All that runs, without lines.
fn says(text: &str) -> (Vec<[u8; 16]>, Vec<Part>) {
    let parts = parts(text).parts.into_iter().map(|part| Part { line: 0, ..part });
    (steps(text), parts.collect())
}

#[test]
fn names_are_those_that_python_gives_to_code() {
    let text = "
def f():
    def g():
        class C:
            def m(self): pass
    key = lambda: [x for x in g()]
class C:
    class D:
        async def m(self): pass
    if True:
        def n(self): pass
try:
    import json
except ImportError:
    def h(): pass
";
    let expected = [
        "f",
        "f.<locals>.g",
        "f.<locals>.g.<locals>.C",
        "f.<locals>.g.<locals>.C.m",
        "C",
        "C.D",
        "C.D.m",
        "C.n",
        "h",
    ];
    assert_eq!(names(text), expected);
}

#[test]
fn what_is_there_for_type_checkers_has_no_parts_and_the_other_branch_has() {
    let text = "if TYPE_CHECKING:\n    def f(): pass\nelse:\n    def g(): pass\n";
    let inside = format!(
        "def h():\n    if TYPE_CHECKING:\n        def i(): pass\n    else:\n        def j(): pass\n{text}"
    );
    assert_eq!(names(text), ["g"]);
    assert_eq!(names(&inside), ["h", "h.<locals>.j", "g"]);
}

#[test]
fn formatting_comments_and_lines_do_not_count() {
    let before = "'''doc'''\nimport os\nX = ['a', \"b\"]\nclass C(Base):\n  y = (1)\n  def m(self, a, b=1):\n    return f(a, b) # type: int\n";
    let after = "# what it is\n\"\"\"doc\"\"\"\n\nimport os\n\nX = [\n    \"a\",\n    'b',\n]\n\n\nclass C(Base):\n    y = 1  # one\n\n    def m(\n        self,\n        a,\n        b=1,\n    ):\n        # type: (...) -> int\n\n        return (f(a, b))\n";
    assert_eq!(says(before), says(after));
    assert_eq!(says(before), says(&before.replace('\n', "\r\n")));
    assert_eq!(says("def f():\n  '''a\n  b'''\n"), says("def f():\r\n  '''a\r\n  b'''\r\n"));
}

#[test]
fn a_body_is_a_function_s_own_and_not_that_of_functions_in_it() {
    let text = |inner: &str| format!("def f():\n    def g():\n        return {inner}\n    return g\n");
    assert_eq!(part(&text("1"), "f"), part(&text("2"), "f"));
    assert_ne!(part(&text("1"), "f.<locals>.g").body, part(&text("2"), "f.<locals>.g").body);
    let lambda = |inner: &str| format!("def f():\n    return lambda: {inner}\n");
    assert_ne!(part(&lambda("1"), "f").body, part(&lambda("2"), "f").body);
    let header = |default: &str| format!("def f():\n    def g(x={default}): pass\n");
    assert_ne!(part(&header("1"), "f").body, part(&header("2"), "f").body);
}

#[test]
fn docstrings_and_annotations_are_told_apart_because_they_may_be_tests() {
    let text = |doc: &str, kind: &str| format!("def f(x: {kind}):\n    '{doc}'\n");
    let texts = [text(">>> f()", "int"), text(">>> f(1)", "int"), text(">>> f()", "str")];
    let [one, other, third] = texts.map(|text| part(&text, "f"));
    assert_eq!((one.header, one.body), (other.header, other.body));
    assert_eq!((one.header, one.body), (third.header, third.body));
    assert!(one.docstring != other.docstring && one.annotations == other.annotations);
    assert!(one.docstring == third.docstring && one.annotations != third.annotations);
    // Decorators may look at them.
    let told = |doc: &str| part(&format!("@tell\ndef f():\n    '{doc}'\n"), "f");
    assert_ne!(told("a").body, told("b").body);
}

#[test]
fn bodies_run_later_and_everything_else_at_import() {
    let text = |constant: &str, body: &str| format!("X = {constant}\ndef f(): return {body}\n");
    assert_eq!(steps(&text("1", "1")), steps(&text("1", "2")));
    assert_ne!(steps(&text("1", "1")), steps(&text("2", "1")));
    assert_ne!(steps("class C:\n    x = 1\n"), steps("class C:\n    x = 2\n"));
    assert_ne!(steps("class C:\n    x = 1\n"), steps("class D:\n    x = 1\n"));
    assert_ne!(steps("class C(A): pass\n"), steps("class C(B): pass\n"));
    assert_ne!(steps("if x:\n    def f(a=1): pass\n"), steps("if x:\n    def f(a=2): pass\n"));
}

#[test]
fn a_definition_that_only_binds_a_name_is_no_step() {
    for quiet in [
        "def f(a, b: int = 1, *, c=None) -> str: pass",
        "@property\ndef f(self): pass",
        "@pytest.fixture(params=[1, 2])\ndef f(): pass",
        "@pytest.mark.parametrize('x', [pytest.param(1, id='a'), range(3)])\ndef f(x): pass",
        "@functools.lru_cache(maxsize=None)\ndef f(): pass",
        "class TestNew:\n    def test_it(self): pass",
        "import os",
        "if TYPE_CHECKING:\n    from shop import Cart",
    ] {
        assert_eq!(steps(quiet), [] as [[u8; 16]; 0], "{quiet}");
    }
    for loud in [
        "def f(a=register()): pass",
        "@app.route('/')\ndef f(): pass",
        "@pytest.fixture(autouse=True)\ndef f(): pass",
        "@pytest.fixture(name='g')\ndef f(): pass",
        "@pytest.mark.parametrize('x', load())\ndef f(x): pass",
        "def pytest_configure(config): pass",
        "def setup_module(): pass",
        "class C:\n    def __repr__(self): pass",
        "class C(Base): pass",
        "from shop import *",
        "from __future__ import annotations",
        "if os.name:\n    import nt",
    ] {
        assert_ne!(steps(loud), [] as [[u8; 16]; 0], "{loud}");
    }
}

#[test]
fn a_header_that_is_no_step_is_told_apart_all_the_same() {
    let header = |text: &str| part(text, "f").header;
    assert_ne!(header("def f(a=1): pass"), header("def f(a=2): pass"));
    assert_ne!(header("def f(a): pass"), header("async def f(a): pass"));
    assert_ne!(header("@property\ndef f(a): pass"), header("def f(a): pass"));
}

#[test]
fn of_functions_with_one_name_each_counts() {
    let text = |first: &str, second: &str| {
        format!(
            "class C:\n    @property\n    def x(self): return {first}\n    @x.setter\n    def x(self, y): {second}\n"
        )
    };
    assert_eq!(names(&text("1", "2")), ["C", "C.x"]);
    assert_ne!(part(&text("1", "2"), "C.x").body, part(&text("0", "2"), "C.x").body);
    assert_ne!(part(&text("1", "2"), "C.x").body, part(&text("1", "0"), "C.x").body);
}

#[test]
fn a_constant_of_the_module_is_known_as_one() {
    let is_constant = |text: &str| parts(text).steps[0].constant.is_some();
    assert!(is_constant("X = {'a': [1, -2, None]}") && is_constant("X: int = 1"));
    assert!(!is_constant("X = f()") && !is_constant("X = Y") && !is_constant("class C:\n    x = 1"));
    assert!(!is_constant("__all__ = ['a']") && !is_constant("pytest_plugins = ['a']"));
}

#[test]
fn globals_are_names_that_are_assigned_at_import_and_not_final() {
    let text = "X = 1\nY: Final = 2\nclass C:\n    z = []\n    def f(self):\n        w = 1\nif X:\n    V = {}\n__all__ = []\n";
    let globals: Vec<String> = parts(text).globals.into_iter().collect();
    assert_eq!(globals, ["C.z", "V", "X"]);
}

#[test]
fn calls_are_what_may_run() {
    let text = "X = make(shop.cart.total)\n@register\ndef f():\n    g().close()\n    def h(): i()\nclass C(B, metaclass=M): pass\n";
    let parts = parts(text);
    let calls =
        |calls: &std::collections::BTreeSet<String>| calls.iter().cloned().collect::<Vec<_>>().join(" ");
    assert_eq!(calls(&parts.calls), "&shop.cart.total M make register");
    let function = parts.part("f").unwrap();
    assert_eq!(
        (calls(&function.calls), calls(&function.decorators)),
        (".close g".to_owned(), "register".to_owned())
    );
    assert_eq!(calls(&parts.part("C").unwrap().calls), "B M");
}

#[test]
fn imports_and_strings_are_found_wherever_they_stand() {
    let parts =
        parts("def f():\n    from . import a\n    open(f'data/{x}.json', 'r')\nif x:\n    import b.c\n");
    let modules: Vec<_> = parts.imports.iter().map(|import| (import.module.as_str(), import.level)).collect();
    assert_eq!(modules, [("", 1), ("b.c", 0)]);
    assert!(["data/", ".json", "r"].iter().all(|text| parts.strings.contains(*text)));
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Parts::read(&bytes);
    }

    #[test]
    fn blank_lines_and_comments_between_statements_say_nothing(
        statements in prop::collection::vec("[a-z]{1,3} = [0-9]{1,3}", 1..8),
        blank in prop::collection::vec(0..3usize, 8),
    ) {
        let plain = statements.join("\n");
        let airy: Vec<String> = statements
            .iter()
            .zip(&blank)
            .map(|(statement, &blank)| format!("{}{statement}  # why", "# note\n\n".repeat(blank)))
            .collect();
        let keywords = ["as", "if", "in", "is", "or", "and", "def", "del", "for", "not", "try"];
        prop_assume!(!statements.iter().any(|one| keywords.contains(&one.split(' ').next().unwrap())));
        let plain_numbers = statements.iter().all(|one| !one.contains(" 0") || one.ends_with(" 0"));
        prop_assume!(plain_numbers);
        prop_assert_eq!(says(&plain), says(&airy.join("\n")));
    }
}

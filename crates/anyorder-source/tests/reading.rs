//! What is read from files.

use anyorder_source::{
    Function, How, LiteralKind, ParameterKind, Shape, Source, Statement, Target, Text, Unreadable,
};

fn source(text: &str) -> Source {
    Source::parse(text).expect("readable")
}

fn words(texts: &[Text]) -> Vec<&str> {
    texts.iter().map(Text::as_str).collect()
}

/// The first statement.
fn statement(text: &str) -> Statement {
    source(text).top_level()[0].clone()
}

#[test]
fn functions_have_the_names_of_all_around_them() {
    let text = "class A:\n  class B:\n    def f(self):\n      async def g(): yield\n      class C:\n        def h(self): pass\n";
    let source = source(text);
    let names: Vec<String> = source.functions().iter().map(|function| function.names.join(".")).collect();
    assert_eq!(names, ["A.B.f", "A.B.f.g", "A.B.f.C.h"]);
    let classes: Vec<String> = source.classes().iter().map(|class| class.names.join(".")).collect();
    assert_eq!(classes, ["A", "A.B", "A.B.f.C"]);
    let g = source.function(&["A", "B", "f", "g"]).expect("there");
    assert!(g.is_async && g.is_generator && g.class.is_none());
    let f = source.function(&["A", "B", "f"]).expect("there");
    assert!(!f.is_generator);
    assert_eq!(f.class.as_deref(), Some(&["A".to_owned(), "B".to_owned()][..]));
    assert_eq!(source.function_at(4).map(Function::name), Some("g"));
    assert_eq!(source.function_at(5).map(Function::name), Some("f"));
    assert_eq!(source.function_at(1).map(Function::name), None);
}

#[test]
fn the_last_of_several_definitions_counts() {
    let source = source("if x:\n    def f(): pass\nelse:\n    def f(a): pass\n");
    assert_eq!(source.function(&["f"]).map(|function| function.line), Some(4));
}

#[test]
fn parameters_and_decorators_are_read() {
    let source =
        source("@a.b(\n  'c')\n@d\ndef f(p, /, q, r: int=1, *s, t, u=2, **v) -> None:\n    'Doc.'\n    x\n");
    let function = &source.functions()[0];
    let parameters: Vec<_> =
        function.parameters.iter().map(|it| (it.name.as_str(), it.has_default, it.kind)).collect();
    assert_eq!(
        parameters,
        [
            ("p", false, ParameterKind::PositionalOnly),
            ("q", false, ParameterKind::Plain),
            ("r", true, ParameterKind::Plain),
            ("s", false, ParameterKind::Rest),
            ("t", false, ParameterKind::KeywordOnly),
            ("u", true, ParameterKind::KeywordOnly),
            ("v", false, ParameterKind::KeywordRest),
        ]
    );
    let decorators: Vec<_> = function.decorators.iter().map(|it| (it.text.as_str(), it.line)).collect();
    assert_eq!(decorators, [("a.b(\n  'c')", 1), ("d", 3)]);
    assert_eq!((function.line, function.end_line), (4, 6));
    assert_eq!(function.docstring().map(Text::as_str), Some("'Doc.'"));
    assert_eq!(source.function_at(1).map(|function| function.line), Some(4));
}

#[test]
fn assignments_say_what_they_change() {
    let Shape::Assign { targets, value } = statement("a = b.c = d['k'] = (e, f) = (x or\n y)").shape else {
        panic!("an assignment")
    };
    assert_eq!(value, "(x or\n y)");
    let text = Text::new;
    assert_eq!(
        targets,
        [
            Target::Name(text("a")),
            Target::Attribute { object: text("b"), name: text("c") },
            Target::Item { object: text("d"), key: text("'k'") },
            Target::Other(text("(e, f)")),
        ]
    );
    assert!(matches!(statement("x: int = 1").shape, Shape::Assign { .. }));
    assert!(matches!(statement("x: int").shape, Shape::Other));
    assert!(matches!(statement("a.b += 1").shape, Shape::AugAssign { operator: "+", .. }));
    assert!(matches!(statement("del (a).b, c[1:2]").shape, Shape::Delete { targets } if targets == [
        Target::Attribute { object: text("(a)"), name: text("b") },
        Target::Item { object: text("c"), key: text("1:2") },
    ]));
}

#[test]
fn calls_are_read_with_their_arguments() {
    let Shape::Call { call, is_awaited } = statement("await a.b[0](1, *c, (d\n), e=(f), **g)").shape else {
        panic!("a call")
    };
    assert!(is_awaited);
    assert_eq!(call.function, "a.b[0]");
    assert_eq!(words(&call.arguments), ["1", "*c", "(d\n)"]);
    assert_eq!(call.keywords, [(Some(Text::new("e")), Text::new("(f)")), (None, Text::new("g"))]);
    let inner = statement("a(b(c).d())");
    let functions: Vec<&str> = inner.calls.iter().map(|call| call.function.as_str()).collect();
    assert_eq!(functions, ["a", "b(c).d", "b"]);
    assert_eq!(inner.calls[1].receiver(), Some((Text::new("b(c)"), Text::new("d"))));
    assert_eq!(inner.calls[0].receiver(), None);
}

#[test]
fn names_are_loaded_from_outside_or_bound() {
    for (text, loads, stores) in [
        ("a = b + c.d", &["b", "c"][..], &["a"][..]),
        ("a += 1", &["a"], &["a"]),
        ("import a.b, c as d", &[], &["a", "d"]),
        ("from a import b, c as d", &[], &["b", "d"]),
        ("[x for x in y if z]", &["y", "z"], &[]),
        ("f(lambda x, y=z: x + y + w)", &["f", "z", "w"], &[]),
        ("if (n := g()):\n  n", &["g"], &["n"]),
        ("[(last := x) for x in y]", &["y"], &["last"]),
        ("for x in y:\n  print(x)\n  z = x\n  z", &["y", "print"], &["x", "z"]),
        ("if a:\n  b = 1\nelse:\n  b", &["a", "b"], &["b"]),
        ("with a as b, c:\n  b.d", &["a", "c"], &["b"]),
        ("try:\n  import a\nexcept E as e:\n  a = e\n", &["E"], &["e", "a"]),
        (
            "def f(x: T = d, *r):\n  global g\n  g = h = x\n  return h + k + g\n",
            &["d", "T", "k", "g"],
            &["f"],
        ),
        ("class A(B, m=C):\n  x = 1\n  y = x\n  def f(self): return z\n", &["B", "C", "z"], &["A"]),
        ("match a:\n  case B(c, d=[e, *f]) if e:\n    g = e\n", &["a", "B"], &["c", "e", "f", "g"]),
        ("def f[T](x: T): return T\n", &[], &["f"]),
        ("f'{a} {b!r:{c}}'", &["a", "b", "c"], &[]),
        ("del a", &["a"], &[]),
    ] {
        let statement = statement(text);
        assert_eq!(
            (words(&statement.loads), words(&statement.stores)),
            (loads.to_vec(), stores.to_vec()),
            "of {text}"
        );
    }
}

#[test]
fn functions_say_what_they_write() {
    let text = "def f(self):\n    global G\n    G = local = 1\n    self.a.b = 2\n    C['k'] += 1\n    del D[0], self.e\n    with x:\n        Registry.jobs.pop('a').close()\n";
    let source = source(text);
    let writes: Vec<_> =
        source.functions()[0].writes.iter().map(|write| (write.target.as_str(), write.how.clone())).collect();
    let call = |name: &str| How::Call(Text::new(name));
    assert_eq!(
        writes,
        [
            ("G", How::Assign),
            ("self.a.b", How::Assign),
            ("C", How::AssignItem),
            ("D", How::DeleteItem),
            ("self.e", How::Delete),
            ("Registry.jobs.pop('a')", call("close")),
            ("Registry.jobs", call("pop")),
        ]
    );
}

#[test]
fn names_lead_where_imports_say() {
    for (text, path, name) in [
        ("import shop.settings", "shop.settings", Some("shop.settings")),
        ("from shop import settings as s", "shop.settings.CURRENCY", Some("s.CURRENCY")),
        ("from os import environ", "os.environ", Some("environ")),
        ("import os as o", "os.environ", Some("o.environ")),
        ("import os\nfrom os import environ", "os.environ", Some("environ")),
        ("import os.path", "os.environ", Some("os.environ")),
        ("import osx", "os.environ", None),
        ("from os import environ\nenviron = {}", "os.environ", None),
        ("import os\ndef f():\n    global os\n    os = 1", "os.environ", None),
        ("import os\nimport my as os", "os.environ", None),
        ("import os, os.path", "os.environ", Some("os.environ")),
        ("def f():\n    import os", "os.environ", None),
        ("from . import settings", "settings", None),
        ("from os import *", "os.environ", None),
    ] {
        assert_eq!(source(text).name_of(path).as_deref(), name, "{path} in {text}");
    }
}

#[test]
fn literals_are_mined_but_for_docstrings() {
    let source = source(
        "'Doc.'\ndef f():\n    'Doc.'\n    g('a', b'b', -1, 2.5, None, User, m.Item, CONST, f'{\"in\"}')\nx = True\n",
    );
    let mined: Vec<_> =
        source.literals().iter().map(|it| (it.text.as_str(), it.kind, it.function.is_some())).collect();
    assert_eq!(
        mined,
        [
            ("User", LiteralKind::Class, true),
            ("m.Item", LiteralKind::Class, true),
            ("'a'", LiteralKind::String, true),
            ("b'b'", LiteralKind::Bytes, true),
            ("-1", LiteralKind::Number, true),
            ("2.5", LiteralKind::Number, true),
            ("None", LiteralKind::None, true),
            ("\"in\"", LiteralKind::String, true),
            ("True", LiteralKind::Bool, false),
        ]
    );
}

#[test]
fn syntax_from_3_8_to_3_14_is_read() {
    for text in [
        "def f(a, /, b): print(f'{a=}', (n := 1))",
        "with (open(a) as b, open(c) as d): pass",
        "match x:\n    case {'a': [1, *_]} | None: pass",
        "try: pass\nexcept* E: pass",
        "type A[T: int, *Ts, **P] = list[T]\nclass B[T = int]: pass",
        "f'{'a' + f'{x}'}'",
        "t'{x}'",
        "try: pass\nexcept A, B: pass",
        "async def f():\n    async with a: [x async for x in y]",
        "x = 1_000; y = 0o7\n\x0cdef f():\n\treturn x\n",
    ] {
        assert_eq!(source(text).bytes(), text.as_bytes());
    }
}

#[test]
fn what_cannot_be_read_is_told() {
    assert!(matches!(Source::parse("x = 1\nprint 'a'\n"), Err(Unreadable::Syntax { line: 2, .. })));
    assert_eq!(
        Source::parse(b"x = '\xff'"[..].to_vec()).unwrap_err(),
        Unreadable::Bytes { encoding: "utf-8".into() }
    );
    assert!(matches!(Source::parse("# coding: cp1252\n"), Err(Unreadable::Encoding { .. })));
}

#[test]
fn a_latin_1_file_is_changed_in_latin_1() {
    let bytes = b"# coding: latin-1\nx = '\xe4'\ny = '\xe9'\n".to_vec();
    let source = Source::parse(bytes.clone()).expect("readable");
    assert_eq!(source.bytes(), bytes);
    assert_eq!(source.top_level()[0].text, "x = 'ä'");
    let changed =
        source.edit().replace(&source.top_level()[1], "z = \"ö\"").finish().expect("can be changed");
    assert_eq!(changed, b"# coding: latin-1\nx = '\xe4'\nz = '\xf6'\n");
}

#[test]
fn the_style_is_that_of_most_of_the_file() {
    let source = source("if a:\r\n\tif b:\r\n\t\tc = 'd'\r\n");
    let style = source.style();
    assert_eq!((style.newline, style.indentation.as_str(), style.quote), ("\r\n", "\t", '\''));
    let plain = Source::parse("").expect("readable");
    assert_eq!(*plain.style(), anyorder_source::Style::default());
}

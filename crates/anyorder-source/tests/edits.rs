//! Every kind of change, on files as people write them.

mod common {
    pub(crate) mod edited;
}

use anyorder_source::{CannotEdit, Source};
use common::edited::edited;

/// The file with `x = 1` first in its function `f`.
fn with_first(text: &str) -> String {
    edited(text, |source, editor| editor.insert_first(source.function(&["f"]).expect("has f"), "x = 1"))
}

#[test]
fn lines_go_first_in_a_body() {
    assert_eq!(with_first("def f():\n    y = 2\n"), "def f():\n    x = 1\n    y = 2\n");
}

#[test]
fn lines_go_behind_the_docstring_and_the_blank_line_below_it() {
    assert_eq!(
        with_first("def f():\n    \"\"\"Doc.\"\"\"\n\n    y = 2\n"),
        "def f():\n    \"\"\"Doc.\"\"\"\n\n    x = 1\n    y = 2\n"
    );
    assert_eq!(with_first("def f():\n    \"\"\"Doc.\"\"\""), "def f():\n    \"\"\"Doc.\"\"\"\n    x = 1");
}

#[test]
fn lines_go_above_the_comment_of_the_first_statement() {
    assert_eq!(with_first("def f():\n    # why\n    y = 2\n"), "def f():\n    x = 1\n    # why\n    y = 2\n");
}

#[test]
fn lines_above_a_definition_have_a_blank_line_below_them() {
    assert_eq!(
        with_first("def f():\n    def g():\n        pass\n"),
        "def f():\n    x = 1\n\n    def g():\n        pass\n"
    );
}

#[test]
fn a_body_on_the_line_of_its_def_is_broken_over_lines() {
    assert_eq!(with_first("def f(): pass\n"), "def f():\n    x = 1\n    pass\n");
    assert_eq!(with_first("def f(): a; b  # c\n"), "def f():\n    x = 1\n    a; b  # c\n");
    assert_eq!(with_first("def f(): 'doc'; b"), "def f():\n    'doc'\n    x = 1\n    b");
    assert_eq!(with_first("def f(): \\\n  a\n"), "def f():\n    x = 1\n    a\n");
}

#[test]
fn tabs_line_ends_and_quotes_are_those_of_the_file() {
    let text = "def f():\r\n\ty = 'a'\r\n";
    let changed = edited(text, |source, editor| {
        editor.insert_first(source.function(&["f"]).expect("has f"), "if x:\n    y = \"b\"\n    z = \"it's\"")
    });
    assert_eq!(changed, "def f():\r\n\tif x:\r\n\t\ty = 'b'\r\n\t\tz = \"it's\"\r\n\ty = 'a'\r\n");
}

#[test]
fn the_inside_of_a_string_is_not_indented() {
    let changed = edited("def f():\n  pass\n", |source, editor| {
        editor.insert_first(source.function(&["f"]).expect("has f"), "x = \"\"\"a\n    b\n\"\"\"\ny = 1")
    });
    assert_eq!(changed, "def f():\n  x = \"\"\"a\n    b\n\"\"\"\n  y = 1\n  pass\n");
}

#[test]
fn statements_of_one_line_are_parted_where_lines_go_between_them() {
    let text = "def f():\n    a; b; c\n";
    let before = edited(text, |source, editor| editor.insert_before(&source.functions()[0].body[1], "x"));
    assert_eq!(before, "def f():\n    a\n    x\n    b; c\n");
    let behind = edited(text, |source, editor| editor.insert_behind(&source.functions()[0].body[1], "x"));
    assert_eq!(behind, "def f():\n    a; b\n    x\n    c\n");
    let both = edited(text, |source, editor| {
        let body = &source.functions()[0].body;
        editor
            .insert_behind(&body[0], "x")
            .insert_before(&body[1], "y")
            .insert_first(&source.functions()[0], "z")
    });
    assert_eq!(both, "def f():\n    z\n    a\n    x\n    y\n    b; c\n");
}

#[test]
fn a_statement_is_replaced_and_the_comment_behind_it_stays() {
    let one =
        edited("a; b = 1; c  # why\n", |source, editor| editor.replace(&source.top_level()[1], "x = \"1\""));
    assert_eq!(one, "a; x = \"1\"; c  # why\n");
    let many = edited("if t: a; b; c\n", |source, editor| {
        let block = &source.top_level()[0].blocks[0];
        editor.replace(&block[1], "with x:\n    b")
    });
    assert_eq!(many, "if t:\n    a\n    with x:\n        b\n    c\n");
}

#[test]
fn parameters_are_added_where_they_may_stand() {
    for (before, after) in [
        ("()", "(new)"),
        ("(a)", "(a, new)"),
        ("(self, a, b=1)", "(self, a, new, b=1)"),
        ("(a=1)", "(new, a=1)"),
        ("(*args)", "(new, *args)"),
        ("(*, a)", "(new, *, a)"),
        ("(**kw)", "(new, **kw)"),
        ("(a, *args, b, **kw)", "(a, new, *args, b, **kw)"),
        ("(a, /)", "(a, /, new)"),
        ("(a, /, b=1)", "(a, /, new, b=1)"),
        ("(a=1, /)", "(a=1, /, *, new)"),
        ("(a=1, /, b=2,)", "(a=1, /, b=2, *, new,)"),
        ("(a=1, /, *args)", "(a=1, /, *args, new)"),
        ("(a=1, /, **kw)", "(a=1, /, *, new, **kw)"),
        ("(new)", "(new)"),
        ("(\n    a,\n    b,\n)", "(\n    a,\n    b,\n    new,\n)"),
        ("(\n    a,\n    b,  # why\n)", "(\n    a,\n    b,  # why\n    new,\n)"),
        ("(\n    a,\n    b  # why\n)", "(\n    a,\n    b,  # why\n    new\n)"),
        ("(a,\n      b)", "(a,\n      b,\n      new)"),
        ("(\n    a=1,\n)", "(\n    new,\n    a=1,\n)"),
        ("(a: (int), b: int = (2))", "(a: (int), new, b: int = (2))"),
    ] {
        let text = format!("def f{before}:\n    pass\n");
        let changed = edited(&text, |source, editor| editor.add_parameter(&source.functions()[0], "new"));
        assert_eq!(changed, format!("def f{after}:\n    pass\n"));
    }
}

#[test]
fn two_parameters_of_one_function_are_added_together() {
    let changed = edited("def f[T](): pass\n", |source, editor| {
        let function = &source.functions()[0];
        editor.add_parameter(function, "a").add_parameter(function, "b").add_parameter(function, "a")
    });
    assert_eq!(changed, "def f[T](a, b): pass\n");
}

#[test]
fn a_definition_goes_above_decorators_and_comments_with_blank_lines_around() {
    let above = |text: &str, names: &[&str]| {
        edited(text, |source, editor| {
            editor.insert_definition_before(source.function(names).expect("there"), "def new():\n    pass")
        })
    };
    assert_eq!(
        above("import a\n\n\n# why\n@a.b\ndef f():\n    pass\n", &["f"]),
        "import a\n\n\ndef new():\n    pass\n\n\n# why\n@a.b\ndef f():\n    pass\n"
    );
    assert_eq!(
        above("import a\ndef f(): pass\n", &["f"]),
        "import a\n\n\ndef new():\n    pass\n\n\ndef f(): pass\n"
    );
    assert_eq!(
        above("class T:\n    def f(self): pass\n", &["T", "f"]),
        "class T:\n    def new():\n        pass\n\n    def f(self): pass\n"
    );
    assert_eq!(
        above("class T:\n    x = 1\n    async def f(self): pass\n", &["T", "f"]),
        "class T:\n    x = 1\n\n    def new():\n        pass\n\n    async def f(self): pass\n"
    );
}

#[test]
fn a_definition_goes_below_another_one_with_blank_lines_around_it() {
    let below = |text: &str, names: &[&str]| {
        edited(text, |source, editor| {
            let function = source.function(names).expect("is there");
            editor.insert_definition_behind(function, "def new():\n    pass")
        })
    };
    assert_eq!(below("def f():\n    a\n", &["f"]), "def f():\n    a\n\n\ndef new():\n    pass\n");
    assert_eq!(
        below("def f(): a\n\n\n# why\ndef g(): b\n", &["f"]),
        "def f(): a\n\n\ndef new():\n    pass\n\n\n# why\ndef g(): b\n"
    );
    assert_eq!(
        below("class T:\n    def f(self): a\n\n    def g(self): b\n", &["T", "f"]),
        "class T:\n    def f(self): a\n\n    def new():\n        pass\n\n    def g(self): b\n"
    );
    assert_eq!(
        below("class T:\n    def f(self): a\n\n\nx = 1", &["T", "f"]),
        "class T:\n    def f(self): a\n\n    def new():\n        pass\n\n\nx = 1"
    );
}

#[test]
fn a_decorator_goes_above_the_others() {
    let text = "class T:\n    # why\n    @a\n    def f(self): pass\n";
    let changed = edited(text, |source, editor| {
        editor.add_decorator(&source.functions()[0], "mark(\"b\")").add_decorator(&source.classes()[0], "@c")
    });
    assert_eq!(changed, "@c\nclass T:\n    # why\n    @mark(\"b\")\n    @a\n    def f(self): pass\n");
}

#[test]
fn a_block_goes_to_the_end_behind_two_blank_lines() {
    for (before, after) in [
        ("", "x = 1\n"),
        ("a", "a\n\n\nx = 1\n"),
        ("a\n", "a\n\n\nx = 1\n"),
        ("a\n\n\n\n", "a\n\n\n\nx = 1\n"),
    ] {
        assert_eq!(edited(before, |_, editor| editor.append("x = 1\n")), after);
    }
}

#[test]
fn no_change_gives_the_same_bytes() {
    for text in ["", "\u{feff}", "x = 1", "\r\nx\r\n", "if x:\n\ty\n\x0c\nz", "a;b;\n"] {
        assert_eq!(edited(text, |_, editor| editor), text);
    }
}

#[test]
fn what_cannot_be_done_is_said() {
    let source = Source::parse("a = 1\n").expect("readable");
    let other = Source::parse("def f():\n    b = 2\n").expect("readable");
    let statement = &source.top_level()[0];
    let twice = source.edit().replace(statement, "b").replace(statement, "c").finish();
    assert_eq!(twice, Err(CannotEdit::Overlap { line: 1 }));
    assert_eq!(
        source.edit().replace(&other.functions()[0].body[0], "b").finish(),
        Err(CannotEdit::NotHere { line: 2 })
    );
    assert_eq!(
        source.edit().add_parameter(&other.functions()[0], "b").finish(),
        Err(CannotEdit::NotHere { line: 1 })
    );
    assert!(matches!(source.edit().replace(statement, "b =").finish(), Err(CannotEdit::Block { .. })));
    let ascii = Source::parse("# coding: ascii\na = 1\n").expect("readable");
    assert_eq!(ascii.edit().append("\"é\"").finish(), Err(CannotEdit::Encoding));
}
#[test]
fn a_decorator_and_a_definition_above_it_do_not_get_mixed_up() {
    let changed = edited("if a:\n    def f():\n        pass", |source, editor| {
        let function = &source.functions()[0];
        editor.add_decorator(function, "new").insert_definition_before(function, "x = 1")
    });
    assert_eq!(changed, "if a:\n    x = 1\n\n    @new\n    def f():\n        pass");
}

#[test]
fn a_new_file_is_made_of_an_empty_one() {
    let mut editor = Source::parse("").expect("nothing is Python").edit();
    editor.append("@pytest.fixture\ndef f():\n    pass").add_import("import pytest");
    let bytes = editor.finish().expect("can be changed");
    assert_eq!(bytes, b"import pytest\n\n\n@pytest.fixture\ndef f():\n    pass\n");
}

#[test]
fn comments_in_a_statement_stay_with_it() {
    let text = "if a:\n    b\n    # c\n\n    # d\n# e\nf\n";
    let behind = edited(text, |source, editor| editor.insert_behind(&source.top_level()[0], "x"));
    assert_eq!(behind, "if a:\n    b\n    # c\n\n    # d\nx\n# e\nf\n");
    let without = edited(text, |source, editor| editor.remove(&source.top_level()[0]));
    assert_eq!(without, "# e\nf\n");
}

#[test]
fn cases_of_a_match_are_blocks_like_others() {
    let text = "match a:\n    case 1: b; c\n    case {'k': v} if v:\n        # why\n        d\n    case _:\n        e\n";
    let source = Source::parse(text).expect("readable");
    let blocks = &source.top_level()[0].blocks;
    let mut editor = source.edit();
    editor.insert_behind(&blocks[0][0], "x").insert_before(&blocks[1][0], "y").remove(&blocks[2][0]);
    assert_eq!(
        String::from_utf8(editor.finish().expect("can be changed")).expect("utf-8"),
        "match a:\n    case 1:\n        b\n        x\n        c\n    case {'k': v} if v:\n        y\n        # why\n        d\n    case _:\n        pass\n"
    );
}

#[test]
fn a_form_feed_is_no_indentation() {
    let changed = edited("\x0cclass T:\n    a\n\x0c    b\n", |source, editor| {
        editor
            .insert_before(&source.classes()[0].body[1], "x")
            .insert_definition_before(&source.classes()[0], "y = 1")
    });
    assert_eq!(changed, "y = 1\n\n\n\x0cclass T:\n    a\n    x\n\x0c    b\n");
}

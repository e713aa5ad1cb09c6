//! Statements taken out, and functions wrapped.

use anyorder_source::{Editor, Source};

fn edited(text: &str, change: impl for<'a> FnOnce(&Source, &'a mut Editor) -> &'a mut Editor) -> String {
    let source = Source::parse(text).expect("readable");
    let mut editor = source.edit();
    change(&source, &mut editor);
    String::from_utf8(editor.finish().expect("can be changed")).expect("utf-8")
}

/// The file without these statements of its first function.
fn without(text: &str, gone: &[usize]) -> String {
    edited(text, |source, editor| {
        gone.iter().fold(editor, |editor, &at| editor.remove(&source.functions()[0].body[at]))
    })
}

#[test]
fn a_statement_goes_with_its_line_and_the_comment_behind_it() {
    assert_eq!(without("def f():\n    a\n    b  # why\n    c\n", &[1]), "def f():\n    a\n    c\n");
    assert_eq!(without("def f():\n    # about a\n    a\n    b\n", &[0]), "def f():\n    # about a\n    b\n");
    assert_eq!(without("def f():\n    a\n    b(\n        1)\n", &[1]), "def f():\n    a\n");
}

#[test]
fn an_emptied_block_gets_a_pass() {
    assert_eq!(without("def f():\n    a  # b\n", &[0]), "def f():\n    pass  # b\n");
    assert_eq!(without("def f(): a; b\n", &[0, 1]), "def f(): pass\n");
    assert_eq!(without("def f():\n    a\n    b\n", &[0, 1]), "def f():\n    pass\n");
    let emptied = edited("if x:\n    a\nelse:\n    b\n", |source, editor| {
        editor.remove(&source.top_level()[0].blocks[1][0])
    });
    assert_eq!(emptied, "if x:\n    a\nelse:\n    pass\n");
}

#[test]
fn an_emptied_block_that_gets_something_else_needs_no_pass() {
    let changed = edited("def f():\n    a\n    b\n", |source, editor| {
        let function = &source.functions()[0];
        editor.remove(&function.body[0]).insert_last(function, "c").remove(&function.body[1])
    });
    assert_eq!(changed, "def f():\n    c\n");
}

#[test]
fn any_of_several_statements_of_one_line_can_go() {
    let text = "def f():\n    a; b; c;  # d\n";
    for (gone, left) in [
        (&[0][..], "b; c;  # d"),
        (&[1], "a; c;  # d"),
        (&[2], "a; b;  # d"),
        (&[0, 1], "c;  # d"),
        (&[1, 2], "a;  # d"),
        (&[0, 2], "b;  # d"),
        (&[0, 1, 2], "pass;  # d"),
    ] {
        assert_eq!(without(text, gone), format!("def f():\n    {left}\n"), "without {gone:?}");
    }
}

#[test]
fn blank_lines_around_what_goes_do_not_pile_up() {
    assert_eq!(without("def f():\n    a\n\n    b\n\n    c\n", &[1]), "def f():\n    a\n\n    c\n");
    assert_eq!(without("def f():\n    a\n\n    b\n\n\nx\n", &[1]), "def f():\n    a\n\n\nx\n");
    assert_eq!(without("def f():\n    a\n\n    b\n", &[0]), "def f():\n    b\n");
    assert_eq!(without("def f():\n    a\n\n    b\n    c\n", &[1]), "def f():\n    a\n\n    c\n");
}

fn wrapped(text: &str) -> String {
    edited(text, |source, editor| editor.wrap_in_finally(&source.functions()[0], "clean()"))
}

#[test]
fn a_function_is_wrapped_behind_its_docstring() {
    assert_eq!(
        wrapped("def f():\n    'Doc.'\n\n    # why\n    a\n\n    if b:\n        c\n    # end\n\n\nx\n"),
        "def f():\n    'Doc.'\n\n    try:\n        # why\n        a\n\n        if b:\n            c\n    finally:\n        clean()\n    # end\n\n\nx\n"
    );
    assert_eq!(wrapped("def f():\n    'Doc.'\n"), "def f():\n    'Doc.'\n    clean()\n");
    assert_eq!(wrapped("def f(): a; b"), "def f():\n    try:\n        a; b\n    finally:\n        clean()");
    assert_eq!(
        wrapped("async def f(): 'Doc.'; await b\n"),
        "async def f():\n    'Doc.'\n    try:\n        await b\n    finally:\n        clean()\n"
    );
}

#[test]
fn strings_of_a_wrapped_function_keep_their_words() {
    assert_eq!(
        wrapped("def f():\r\n\ta = '''x\r\ny\r\n'''\r\n\tb = f'''\r\n{\r\na}'''\r\n\tc(1,\r\n\r\n2)\r\n"),
        "def f():\r\n\ttry:\r\n\t\ta = '''x\r\ny\r\n'''\r\n\t\tb = f'''\r\n{\r\na}'''\r\n\t\tc(1,\r\n\r\n\t2)\r\n\tfinally:\r\n\t\tclean()\r\n"
    );
}

#[test]
fn lines_that_are_added_first_stand_above_the_try_whatever_is_asked_first() {
    let after = "def f():\n    x\n    try:\n        a\n    finally:\n        clean()\n";
    let before = "def f():\n    a\n";
    let first = edited(before, |source, editor| {
        let function = &source.functions()[0];
        editor.insert_first(function, "x").wrap_in_finally(function, "clean()")
    });
    let last = edited(before, |source, editor| {
        let function = &source.functions()[0];
        editor.wrap_in_finally(function, "clean()").insert_first(function, "x")
    });
    assert_eq!([first.as_str(), last.as_str()], [after, after]);
}

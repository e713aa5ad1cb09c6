//! Tests that must fail: the last check of each is given another value to expect, so that it can be seen whether it still checks.

use std::collections::BTreeSet;

use anyorder_model::{Change, Suite, TestIndex};
use anyorder_source::{Literal, LiteralKind, Shape, Statement};

use super::site::Site;
use crate::workshop::Tree;

/// The files with the last check of each of these tests spoilt, and the tests that have one.
pub(crate) fn mutated(tree: &Tree<'_>, suite: &Suite, tests: &[TestIndex]) -> (Vec<Change>, Vec<TestIndex>) {
    let (mut spoilt, mut known, mut done) = (tree.clone(), BTreeSet::new(), vec![]);
    for &test in tests {
        let Some(site) = Site::of_test(&spoilt, suite, test) else { continue };
        if !known.insert((site.file.clone(), site.function.names.clone())) {
            continue;
        }
        let mut checks =
            site.function.body.iter().flat_map(Statement::walk).filter(|statement| is_check(statement));
        let Some(check) = checks.next_back() else { continue };
        let mut editor = site.source.edit();
        match another_value(&site, check) {
            Some(text) => editor.replace(check, &text),
            None => editor.insert_behind(check, "raise AssertionError"),
        };
        if let Ok(bytes) = editor.finish() {
            spoilt.write(&site.file, bytes);
            done.push(test);
        }
    }
    (spoilt.changes(), done)
}

fn is_check(statement: &Statement) -> bool {
    match &statement.shape {
        Shape::Assert => true,
        Shape::Call { call, .. } => {
            let name = call.function.rsplit('.').next().unwrap_or_default();
            name.starts_with("assert")
        }
        _ => false,
    }
}

/// The check with its last literal changed; what it would say when it fails is left alone.
fn another_value(site: &Site, check: &Statement) -> Option<String> {
    let is_in_it = |literal: &&Literal| check.line <= literal.line && literal.line <= check.end_line;
    let literals = site.source.literals().iter().filter(is_in_it);
    let (checked, message) = check.text.split_at(end_of_check(check));
    let mut values = literals.rev().filter_map(|literal| {
        let (before, behind) = checked.rsplit_once(literal.text.as_str())?;
        Some(format!("{before}{}{behind}{message}", other_than(literal)?))
    });
    values.next()
}

/// Where the message begins: behind the first comma of an `assert`, behind the second of a call.
fn end_of_check(check: &Statement) -> usize {
    let (depth, comma) = if matches!(check.shape, Shape::Assert) { (0, 1) } else { (1, 2) };
    let (mut open, mut seen, mut quote) = (0_usize, 0, None);
    for (at, letter) in check.text.char_indices() {
        match (quote, letter) {
            (Some(end), _) if letter == end => quote = None,
            (None, '"' | '\'') => quote = Some(letter),
            (None, '(' | '[' | '{') => open += 1,
            (None, ')' | ']' | '}') => open = open.saturating_sub(1),
            (None, ',') if open == depth => {
                seen += 1;
                if seen == comma {
                    return at;
                }
            }
            _ => {}
        }
    }
    check.text.len()
}

fn other_than(literal: &Literal) -> Option<String> {
    let text = literal.text.as_str();
    match literal.kind {
        LiteralKind::Number => Some(format!("({text} + 1)")),
        LiteralKind::String if !text.contains('\n') => Some(format!("({text} + \"?\")")),
        LiteralKind::Bytes if !text.contains('\n') => Some(format!("({text} + b\"?\")")),
        LiteralKind::Bool => Some(if text == "True" { "False" } else { "True" }.to_owned()),
        LiteralKind::None => Some("NotImplemented".to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use anyorder_model::Test;

    use super::*;
    use crate::workshop::Files;

    struct OneFile(&'static str);

    impl Files for OneFile {
        fn read(&self, _: &str) -> Option<Vec<u8>> {
            Some(self.0.as_bytes().to_vec())
        }

        fn temporary(&self) -> String {
            "/tmp".to_owned()
        }
    }

    fn spoilt(text: &'static str) -> Option<String> {
        let test = Test::in_file("t.py::test_a", "t.py");
        let (suite, files) = (Suite::new("pytest", vec![test]), OneFile(text));
        let (changes, done) = mutated(&Tree::new(&files), &suite, &[TestIndex(0)]);
        assert_eq!(done.len(), changes.len());
        changes.first().map(|change| String::from_utf8(change.after.clone()).unwrap())
    }

    #[test]
    fn the_last_check_expects_something_else_or_is_followed_by_a_failure() {
        for (check, other) in [
            ("assert a == 3", "assert a == (3 + 1)"),
            ("assert a == 'b', c", "assert a == ('b' + '?'), c"),
            ("assert a == 3, 'it is 4'", "assert a == (3 + 1), 'it is 4'"),
            ("assert f(1, 2) == [3, 'x, y']", "assert f(1, 2) == [3, ('x, y' + '?')]"),
            ("self.assertEqual(a, 3, 'it is 4')", "self.assertEqual(a, (3 + 1), 'it is 4')"),
            ("assert a is None", "assert a is NotImplemented"),
            ("self.assertEqual(a, True)", "self.assertEqual(a, False)"),
            ("assert not a", "assert not a\n    raise AssertionError"),
        ] {
            let text = format!("def test_a():\n    assert 'b'\n    {check}\n    c()\n");
            let text: &'static str = Box::leak(text.into_boxed_str());
            assert_eq!(spoilt(text), Some(text.replace(check, other)), "{check}");
        }
        assert_eq!(spoilt("def test_a():\n    b()\n"), None);
    }
}

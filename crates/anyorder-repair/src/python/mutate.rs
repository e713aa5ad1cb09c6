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

/// The check with its last literal changed.
fn another_value(site: &Site, check: &Statement) -> Option<String> {
    let is_in_it = |literal: &&Literal| check.line <= literal.line && literal.line <= check.end_line;
    let literals = site.source.literals().iter().filter(is_in_it);
    let mut values = literals.filter_map(|literal| Some((literal, other_than(literal)?)));
    let (literal, other) = values.next_back()?;
    let at = check.text.rfind(literal.text.as_str())?;
    let (before, behind) = (&check.text[..at], &check.text[at + literal.text.len()..]);
    Some(format!("{before}{other}{behind}"))
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
    use anyorder_model::{Test, TestId};

    use super::*;
    use crate::workshop::Files;

    struct OneFile(&'static str);

    impl Files for OneFile {
        fn read(&self, _: &str) -> Option<Vec<u8>> {
            Some(self.0.as_bytes().to_vec())
        }
    }

    fn spoilt(text: &'static str) -> Option<String> {
        let test = Test {
            id: TestId("t.py::test_a".to_owned()),
            group: "t.py".to_owned(),
            file: "t.py".to_owned(),
            line: 1,
            markers: vec![],
        };
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

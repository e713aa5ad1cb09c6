//! Lets more tests share a fixture.

use anyorder_source::{Function, Source};

use super::Proposal;
use crate::role::{Role, fixture_decorator};

/// Fixtures of pytest that are made for each test; no fixture of a wider scope may use them.
const FOR_EACH_TEST: [&str; 11] = [
    "monkeypatch",
    "tmp_path",
    "tmpdir",
    "capsys",
    "capfd",
    "capsysbinary",
    "capfdbinary",
    "caplog",
    "recwarn",
    "pytester",
    "testdir",
];

/// A fixture for each test becomes one for the module, one for a class or module one for the session.
pub(super) fn widened(source: &Source, function: &Function, role: Role) -> Vec<Proposal> {
    let Some(decorator) = fixture_decorator(function).filter(|_| role == Role::Fixture) else {
        return vec![];
    };
    let needs_each = |name: &str| FOR_EACH_TEST.contains(&name);
    if function.parameters.iter().any(|parameter| needs_each(&parameter.name)) {
        return vec![];
    }
    let Some(text) = with_wider_scope(&decorator.text) else { return vec![] };
    let mut editor = source.edit();
    editor.replace_decorator(decorator, &text);
    vec![Proposal {
        range: decorator.text.range(),
        line: decorator.line,
        words: decorator.text.to_string(),
        editor,
        stays_inside: false,
    }]
}

fn with_wider_scope(decorator: &str) -> Option<String> {
    let Some((name, arguments)) = decorator.split_once('(') else {
        return Some(format!("{decorator}(scope=\"module\")"));
    };
    for (scope, wider) in [("function", "module"), ("class", "module"), ("module", "session")] {
        for quote in ['"', '\''] {
            let written = format!("scope={quote}{scope}{quote}");
            if arguments.contains(&written) {
                let arguments = arguments.replace(&written, &format!("scope={quote}{wider}{quote}"));
                return Some(format!("{name}({arguments}"));
            }
        }
    }
    let rest = arguments.trim_start();
    let comma = if rest.starts_with(')') { "" } else { ", " };
    (!arguments.contains("scope")).then(|| format!("{name}(scope=\"module\"{comma}{rest}"))
}

#[cfg(test)]
mod tests {
    use super::super::testing::changed;
    use crate::{Operator, role::Role};

    #[test]
    fn each_scope_has_a_wider_one_but_the_session() {
        for (before, after) in [
            ("pytest.fixture", Some("pytest.fixture(scope=\"module\")")),
            ("pytest.fixture()", Some("pytest.fixture(scope=\"module\")")),
            ("fixture(autouse=True)", Some("fixture(scope=\"module\", autouse=True)")),
            ("pytest.fixture(scope='class')", Some("pytest.fixture(scope='module')")),
            ("pytest.fixture(scope=\"module\")", Some("pytest.fixture(scope=\"session\")")),
            ("pytest.fixture(scope=\"session\")", None),
        ] {
            let text = format!("@{before}\ndef cart():\n    return []\n");
            let expected: Vec<String> =
                after.map(|after| format!("-@{before} +@{after}")).into_iter().collect();
            assert_eq!(changed(Operator::WidenScope, &text, Role::Fixture), expected);
        }
    }

    #[test]
    fn a_fixture_that_needs_one_for_each_test_stays() {
        let text = "@pytest.fixture\ndef cart(tmp_path):\n    return []\n";
        assert!(changed(Operator::WidenScope, text, Role::Fixture).is_empty());
    }
}

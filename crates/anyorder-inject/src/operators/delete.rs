//! Takes single statements out, as the FLAKER paper does.

use anyorder_source::{Function, Shape, Source, Statement};

use super::Proposal;
use crate::assertion::{checks, checks_itself};
use crate::role::{Role, behind_yield, yields};

/// Each statement of a test that checks nothing.
pub(super) fn in_test(source: &Source, function: &Function, role: Role) -> Vec<Proposal> {
    if role == Role::Test { each(source, function.statements()) } else { vec![] }
}

/// Each statement of a set-up, or of a fixture before its `yield`.
pub(super) fn in_set_up(source: &Source, function: &Function, role: Role) -> Vec<Proposal> {
    match role {
        Role::SetUp => each(source, function.statements()),
        Role::Fixture => {
            let behind = behind_yield(&function.body).unwrap_or_default();
            let is_before = |proposal: &Proposal| {
                !behind.iter().any(|statement| statement.range.contains(&proposal.range.start))
            };
            each(source, function.statements()).into_iter().filter(is_before).collect()
        }
        Role::Test | Role::TearDown => vec![],
    }
}

/// Each statement of a tear-down, or of a fixture behind its `yield`.
pub(super) fn in_tear_down(source: &Source, function: &Function, role: Role) -> Vec<Proposal> {
    match role {
        Role::TearDown => each(source, function.statements()),
        Role::Fixture => behind_yield(&function.body)
            .unwrap_or_default()
            .into_iter()
            .flat_map(|statement| each(source, std::slice::from_ref(statement)))
            .collect(),
        Role::Test | Role::SetUp => vec![],
    }
}

/// Each of these and of the statements in them, without what checks something.
fn each(source: &Source, statements: &[Statement]) -> Vec<Proposal> {
    statements.iter().flat_map(helpers).map(|statement| without(source, statement)).collect()
}

/// The statement and those in it that may go; what runs in a `with pytest.raises` is part of the assertion.
fn helpers(statement: &Statement) -> Vec<&Statement> {
    if checks_itself(statement) {
        return vec![];
    }
    let own = Some(statement).filter(|statement| is_helper(statement));
    own.into_iter().chain(statement.blocks.iter().flat_map(|block| block.iter()).flat_map(helpers)).collect()
}

fn is_helper(statement: &Statement) -> bool {
    let does_nothing = matches!(statement.shape, Shape::Docstring | Shape::Pass);
    !does_nothing && !checks(statement) && !statement.walk().into_iter().any(yields)
}

/// The file without a statement.
pub(super) fn without(source: &Source, statement: &Statement) -> Proposal {
    let mut editor = source.edit();
    editor.remove(statement);
    Proposal {
        range: statement.range.clone(),
        line: statement.line,
        words: statement.text.to_string(),
        editor,
        stays_inside: true,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::changed;
    use crate::{Operator, role::Role};

    #[test]
    fn every_statement_of_a_test_goes_once_but_assertions_and_what_holds_them() {
        let text = "\
def test_total():
    \"\"\"Sums up.\"\"\"
    cart = Cart()
    for price in (1, 2):
        cart.add(price)
    with freeze():
        assert cart.total == 3
        cart.clear()
    with pytest.raises(Empty):
        cart.pop()
";
        let changed = changed(Operator::DelStatement, text, Role::Test);
        let expected = [
            "-cart = Cart()",
            "-for price in (1, 2): -cart.add(price)",
            "-cart.add(price) +pass",
            "-cart.clear()",
        ];
        assert_eq!(changed, expected);
    }

    const FIXTURE: &str = "\
@pytest.fixture
def base():
    base = connect()
    try:
        yield base
    finally:
        base.close()
";

    #[test]
    fn a_fixture_sets_up_before_its_yield_and_tears_down_behind_it() {
        assert_eq!(changed(Operator::DelSetup, FIXTURE, Role::Fixture), ["-base = connect()"]);
        assert_eq!(changed(Operator::DelTeardown, FIXTURE, Role::Fixture), ["-base.close() +pass"]);
        assert!(changed(Operator::DelStatement, FIXTURE, Role::Fixture).is_empty());
    }

    #[test]
    fn set_up_and_tear_down_of_a_class_are_told_apart() {
        let text = "class T:\n    def setUp(self):\n        self.a = 1\n";
        assert_eq!(changed(Operator::DelSetup, text, Role::SetUp), ["-self.a = 1 +pass"]);
        assert!(changed(Operator::DelTeardown, text, Role::SetUp).is_empty());
        assert_eq!(changed(Operator::DelTeardown, text, Role::TearDown), ["-self.a = 1 +pass"]);
    }
}

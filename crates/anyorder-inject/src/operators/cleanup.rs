//! Takes all of a clean-up out: a tear-down, the part behind a `yield`, a `finally`, a registered clean-up.

use anyorder_source::{Function, Shape, Source, Statement};

use super::Proposal;
use super::delete::without;
use crate::assertion::checks;
use crate::role::{Role, behind_yield};

/// Methods that register a clean-up.
const REGISTERED: [&str; 5] =
    ["addCleanup", "addClassCleanup", "addModuleCleanup", "addAsyncCleanup", "addfinalizer"];

/// Each clean-up of the function, whole.
pub(super) fn dropped(source: &Source, function: &Function, role: Role) -> Vec<Proposal> {
    let mut dropped = Vec::new();
    match role {
        Role::TearDown => dropped.extend(all_of(source, &function.statements().iter().collect::<Vec<_>>())),
        Role::Fixture => {
            dropped.extend(all_of(source, &behind_yield(&function.body).unwrap_or_default()));
        }
        Role::Test | Role::SetUp => {}
    }
    let own_range = dropped.first().map(|proposal: &Proposal| proposal.range.clone());
    for statement in function.statements().iter().flat_map(Statement::walk) {
        if is_registration(statement) {
            dropped.push(without(source, statement));
        } else if statement.has_finally {
            let last: Vec<&Statement> =
                statement.blocks.last().into_iter().flat_map(|block| block.iter()).collect();
            dropped.extend(
                all_of(source, &last).into_iter().filter(|found| Some(&found.range) != own_range.as_ref()),
            );
        }
    }
    dropped
}

/// The file without these statements; nothing if one of them checks something, or there is none.
fn all_of(source: &Source, statements: &[&Statement]) -> Option<Proposal> {
    let (first, last) = (*statements.first()?, *statements.last()?);
    if statements.iter().any(|statement| checks(statement) || matches!(statement.shape, Shape::Pass)) {
        return None;
    }
    let mut editor = source.edit();
    statements.iter().for_each(|statement| {
        editor.remove(statement);
    });
    let range = first.range.start..last.range.end;
    let words = source.text()[range.clone()].to_owned();
    Some(Proposal { range, line: first.line, words, editor, stays_inside: true })
}

fn is_registration(statement: &Statement) -> bool {
    let Shape::Call { call, .. } = &statement.shape else { return false };
    call.receiver().is_some_and(|(_, method)| REGISTERED.contains(&&*method))
}

#[cfg(test)]
mod tests {
    use super::super::testing::changed;
    use crate::{Operator, role::Role};

    #[test]
    fn a_tear_down_goes_as_a_whole() {
        let text = "class T:\n    def tearDown(self):\n        a.clear()\n        b.clear()\n";
        let changed = changed(Operator::DropCleanup, text, Role::TearDown);
        assert_eq!(changed, ["-a.clear() -b.clear() +pass"]);
    }

    #[test]
    fn finally_and_registered_clean_ups_go_wherever_they_stand() {
        let text = "\
def test_it(self):
    self.addCleanup(a.clear)
    try:
        use(a)
    finally:
        b.clear()
";
        let expected = ["-self.addCleanup(a.clear)", "-b.clear() +pass"];
        assert_eq!(changed(Operator::DropCleanup, text, Role::Test), expected);
    }

    #[test]
    fn a_finally_around_a_yield_is_one_clean_up_not_two() {
        let text = "\
@pytest.fixture
def a():
    try:
        yield 1
    finally:
        b.clear()
";
        assert_eq!(changed(Operator::DropCleanup, text, Role::Fixture), ["-b.clear() +pass"]);
    }
}

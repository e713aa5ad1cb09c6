//! What a function is for: a test, or something that runs around tests.

use anyorder_source::{Function, Shape, Statement};

/// What a function of a test file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A test.
    Test,
    /// Runs before tests.
    SetUp,
    /// Runs behind tests.
    TearDown,
    /// A fixture of pytest's; what is behind its `yield` runs behind tests.
    Fixture,
}

const SET_UPS: [&str; 10] = [
    "setUp",
    "asyncSetUp",
    "setUpClass",
    "setUpModule",
    "setup_method",
    "setup_class",
    "setup_function",
    "setup_module",
    "setup",
    "setup_test",
];

const TEAR_DOWNS: [&str; 9] = [
    "tearDown",
    "asyncTearDown",
    "tearDownClass",
    "tearDownModule",
    "teardown_method",
    "teardown_class",
    "teardown_function",
    "teardown_module",
    "teardown",
];

impl Role {
    /// What a function that is no test is for, if it runs around tests.
    pub(crate) fn around_tests(function: &Function) -> Option<Self> {
        let name = function.name();
        if fixture_decorator(function).is_some() {
            Some(Role::Fixture)
        } else if SET_UPS.contains(&name) {
            Some(Role::SetUp)
        } else if TEAR_DOWNS.contains(&name) {
            Some(Role::TearDown)
        } else {
            None
        }
    }
}

/// The decorator that makes a function a fixture.
pub(crate) fn fixture_decorator(function: &Function) -> Option<&anyorder_source::Expression> {
    let is_fixture = |text: &str| {
        let name = text.split('(').next().unwrap_or(text).trim();
        name == "fixture" || name.ends_with(".fixture")
    };
    function.decorators.iter().find(|decorator| is_fixture(&decorator.text))
}

/// Whether the statement hands a fixture's value over.
pub(crate) fn yields(statement: &Statement) -> bool {
    match &statement.shape {
        Shape::Assign { value, .. } => value.starts_with("yield"),
        Shape::Other => statement.text.starts_with("yield") || statement.text.starts_with("(yield"),
        _ => false,
    }
}

/// The statements that run behind the `yield` of a fixture, the outermost of each; nothing if it has none.
pub(crate) fn behind_yield(body: &[Statement]) -> Option<Vec<&Statement>> {
    for (at, statement) in body.iter().enumerate() {
        if yields(statement) {
            return Some(body[at + 1..].iter().collect());
        }
        if matches!(statement.shape, Shape::FunctionDef { .. } | Shape::ClassDef { .. }) {
            continue;
        }
        for (number, block) in statement.blocks.iter().enumerate() {
            let Some(mut rest) = behind_yield(block) else { continue };
            let is_last = number + 1 == statement.blocks.len();
            if statement.has_finally && !is_last {
                rest.extend(statement.blocks.last().into_iter().flat_map(|block| block.iter()));
            }
            rest.extend(&body[at + 1..]);
            return Some(rest);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyorder_source::Source;

    #[test]
    fn what_is_behind_a_yield_is_clean_up_wherever_the_yield_stands() {
        let text = "\
@pytest.fixture
def db():
    base = connect()
    with lock:
        try:
            yield base
            base.flush()
        except E:
            pass
        finally:
            base.close()
    forget()
";
        let source = Source::parse(text).unwrap();
        let function = source.function(&["db"]).unwrap();
        let behind: Vec<&str> =
            behind_yield(&function.body).unwrap().into_iter().map(|statement| &*statement.text).collect();
        assert_eq!(behind, ["base.flush()", "base.close()", "forget()"]);
        assert_eq!(Role::around_tests(function), Some(Role::Fixture));
    }
}

//! Which statements check something: these are never taken out, or a mutant would pass because nothing is looked at.

use anyorder_source::{Call, Shape, Statement};

/// How the last part of the name of a function begins that checks something.
const BEGINNINGS: [&str; 3] = ["assert", "failIf", "failUnless"];

/// The last part of the names of other functions that check something: those of pytest and `unittest`.
const NAMES: [&str; 5] = ["raises", "warns", "deprecated_call", "fail", "does_not_raise"];

/// Whether the statement, or one in it, checks something.
pub(crate) fn checks(statement: &Statement) -> bool {
    statement.walk().into_iter().any(checks_itself)
}

/// `assert`, `self.assertEqual(..)`, `mock.assert_called_with(..)`, `with pytest.raises(..)` and the like.
pub(crate) fn checks_itself(statement: &Statement) -> bool {
    matches!(statement.shape, Shape::Assert) || statement.calls.iter().any(is_check)
}

fn is_check(call: &Call) -> bool {
    let name = call.function.rsplit('.').next().unwrap_or(&call.function).trim();
    NAMES.contains(&name) || BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyorder_source::Source;

    fn is_assertion(line: &str) -> bool {
        checks(&Source::parse(line).unwrap().top_level()[0])
    }

    #[test]
    fn every_form_of_an_assertion_is_known() {
        for line in [
            "assert total == 3",
            "self.assertEqual(total, 3)",
            "np.testing.assert_allclose(a, b)",
            "sender.send.assert_called_once_with(3)",
            "await sender.assert_awaited()",
            "with pytest.raises(ValueError):\n    parse('x')",
            "with self.assertRaises(ValueError) as caught, other():\n    parse('x')",
            "with pytest.warns(UserWarning): parse('x')",
            "error = pytest.raises(ValueError, parse, 'x')",
            "pytest.fail('not reached')",
            "self.failUnless(total)",
            "for item in items:\n    assert item",
        ] {
            assert!(is_assertion(line), "{line}");
        }
    }

    #[test]
    fn what_only_prepares_is_none() {
        for line in
            ["cart.add(3)", "asserted = 3", "with open(path) as file:\n    file.read()", "failures.clear()"]
        {
            assert!(!is_assertion(line), "{line}");
        }
    }
}

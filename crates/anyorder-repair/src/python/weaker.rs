//! Whether an edit takes something from what tests check.

use anyorder_source::{Call, Source, Statement};

/// Whether there are fewer checks in a file than before, or more ways around them.
pub(crate) fn is_weaker(before: &[u8], after: &[u8]) -> bool {
    let count = |bytes: &[u8]| Source::parse(bytes).ok().map(|source| counted(&source));
    match (count(before), count(after)) {
        (Some((checks, ways_around)), Some((checks_now, ways_around_now))) => {
            checks_now < checks || ways_around_now > ways_around
        }
        _ => true,
    }
}

/// How many checks there are, and how many ways around them.
fn counted(source: &Source) -> (usize, usize) {
    let statements: Vec<&Statement> = source.top_level().iter().flat_map(Statement::walk).collect();
    let asserts =
        statements.iter().filter(|statement| matches!(statement.shape, anyorder_source::Shape::Assert));
    let names =
        || source.calls().map(|call: &Call| call.function.rsplit('.').next().unwrap_or_default().to_owned());
    let checks = names().filter(|name| name.starts_with("assert") || name == "raises" || name == "fail");
    let decorators = source.functions().iter().flat_map(|function| &function.decorators);
    let marks =
        decorators.filter(|decorator| decorator.text.contains("skip") || decorator.text.contains("xfail"));
    let around =
        names().filter(|name| matches!(name.as_str(), "skip" | "xfail" | "skipTest" | "importorskip"));
    (asserts.count() + checks.count(), marks.count() + around.count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewer_checks_and_more_skips_are_weaker_and_more_code_is_not() {
        let test = "def test_a():\n    assert x\n    self.assertEqual(1, 2)\n";
        let skipped = format!("@pytest.mark.skip\n{test}");
        let longer = format!("import os\n{test}    os.getcwd()\n");
        assert!(is_weaker(test.as_bytes(), b"def test_a():\n    assert x\n"));
        assert!(is_weaker(test.as_bytes(), skipped.as_bytes()));
        assert!(is_weaker(test.as_bytes(), b"def ("));
        assert!(!is_weaker(test.as_bytes(), longer.as_bytes()));
    }
}

//! Order files: one test id per line, or a JSON list of ids.
//!
//! Blank lines and lines that begin with `#` say nothing. A line that begins with a double quote is a JSON string, so
//! that ids with line breaks, or that begin with `#`, `"`, `[` or a space, can be written too.

use thiserror::Error;

use crate::TestId;

/// Why a text is not an order.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum OrderFileError {
    /// A quoted line that is not a JSON string.
    #[error("line {line} begins with a quote but is not a JSON string: {problem}")]
    Line {
        /// Counted from 1.
        line: usize,
        /// What the JSON parser said.
        problem: String,
    },
    /// The text begins like a JSON list and is none.
    #[error("not a JSON list of test ids: {0}")]
    List(String),
    /// No id in it.
    #[error("it names no test")]
    Empty,
}

/// The ids that `text` names, in order.
pub fn parse_order_file(text: &str) -> Result<Vec<TestId>, OrderFileError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let ids: Vec<TestId> = if text.trim_start().starts_with('[') {
        serde_json::from_str(text).map_err(|error| OrderFileError::List(error.to_string()))?
    } else {
        text.lines()
            .enumerate()
            .filter_map(|(at, line)| parse_line(at + 1, line).transpose())
            .collect::<Result<_, _>>()?
    };
    if ids.is_empty() { Err(OrderFileError::Empty) } else { Ok(ids) }
}

fn parse_line(line: usize, text: &str) -> Result<Option<TestId>, OrderFileError> {
    if text.trim().is_empty() || text.starts_with('#') {
        return Ok(None);
    }
    if !text.starts_with('"') {
        return Ok(Some(TestId(text.to_owned())));
    }
    serde_json::from_str(text)
        .map(Some)
        .map_err(|error| OrderFileError::Line { line, problem: error.to_string() })
}

/// A text that [`parse_order_file`] reads back as the same ids.
pub fn format_order_file<'id>(ids: impl IntoIterator<Item = &'id TestId>) -> String {
    ids.into_iter().map(|id| format_line(&id.0) + "\n").collect()
}

fn format_line(id: &str) -> String {
    let plain = !id.trim().is_empty()
        && !id.starts_with(['#', '"', '[', '\u{feff}'])
        && id.trim() == id
        && !id.contains(['\n', '\r']);
    if plain { id.to_owned() } else { serde_json::Value::from(id).to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ids(names: &[&str]) -> Vec<TestId> {
        names.iter().map(|&name| TestId(name.to_owned())).collect()
    }

    #[test]
    fn comments_and_blank_lines_say_nothing() {
        let text = "# from CI\n\ntests/test_a.py::test_x\n\"t.py::test[a\\nb]\"\n";
        assert_eq!(parse_order_file(text), Ok(ids(&["tests/test_a.py::test_x", "t.py::test[a\nb]"])));
    }

    #[test]
    fn a_json_list_is_an_order_too() {
        assert_eq!(parse_order_file(" [\"a\", \"b\", \"a\"]\n"), Ok(ids(&["a", "b", "a"])));
    }

    #[test]
    fn a_broken_quote_names_its_line() {
        let error = parse_order_file("a\n\"b\n").unwrap_err();
        assert!(matches!(error, OrderFileError::Line { line: 2, .. }), "{error}");
    }

    #[test]
    fn a_file_of_comments_is_empty() {
        assert_eq!(parse_order_file("# nothing\n"), Err(OrderFileError::Empty));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(names in proptest::collection::vec(".*|[#\"\\[ ].*", 1..8)) {
            let ids: Vec<TestId> = names.into_iter().map(TestId).collect();
            prop_assert_eq!(parse_order_file(&format_order_file(&ids)), Ok(ids));
        }

        #[test]
        fn no_text_makes_it_panic(text in ".*") {
            let _ = parse_order_file(&text);
        }
    }
}

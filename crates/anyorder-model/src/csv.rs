//! Lines of tables as RFC 4180 has them.

/// The cells of a line, with commas between them and quotes where they are needed; without an end.
pub fn csv_line<S: AsRef<str>>(cells: impl IntoIterator<Item = S>) -> String {
    cells.into_iter().map(|cell| quoted(cell.as_ref())).collect::<Vec<_>>().join(",")
}

fn quoted(cell: &str) -> String {
    if cell.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_with_commas_quotes_and_line_ends_are_quoted() {
        assert_eq!(csv_line(["a", "x,\"y\"", "1\n2"]), "a,\"x,\"\"y\"\"\",\"1\n2\"");
    }
}

//! Tables as RFC 4180 has them.

/// A table with a line for the names of its columns.
pub(super) fn table(columns: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> Vec<u8> {
    let mut text = line(columns.iter().map(|&name| name.to_owned()));
    rows.into_iter().for_each(|row| text += &line(row.into_iter()));
    text.into_bytes()
}

fn line(cells: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = cells.map(|cell| quoted(&cell)).collect();
    cells.join(",") + "\r\n"
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
        let made = table(&["a", "b"], [vec!["x,\"y\"".to_owned(), "1\n2".to_owned()]]);
        assert_eq!(String::from_utf8(made).unwrap(), "a,b\r\n\"x,\"\"y\"\"\",\"1\n2\"\r\n");
    }
}

//! Where the cells of a cause are written, read and reset.

use anyorder_model::{Cause, CodeLine, Group, Lines, Read, Reset, Suspect, Written};

use crate::case::{Case, Stop};
use crate::cures::Found;

/// So many cleaners are looked at.
const CLEANERS: usize = 3;
/// So many characters of a failure are told.
const TEXT: usize = 20_000;

/// Adds lines to the cells of `cause`; the full text of the failure, if the test fails behind the group.
pub(crate) fn tell(
    case: &mut Case<'_>,
    suspects: &[Suspect],
    found: &Found,
    cleaners: &[Group],
    cause: &mut Cause,
) -> Result<Option<String>, Stop> {
    let cells: Vec<&Suspect> = found.cells().into_iter().map(|at| &suspects[at]).collect();
    let written: Vec<String> = cells.iter().map(|suspect| suspect.cell.path.clone()).collect();
    let mut read: Vec<String> = cells.iter().flat_map(|suspect| suspect.cell.names.clone()).collect();
    read.sort();
    read.dedup();
    let record = case.lines(Lines { written: written.clone(), read })?;
    let treated = record.treated.first();
    let text = treated.and_then(|treated| treated.step.output.clone());
    for (state, suspect) in cause.state.iter_mut().zip(&cells) {
        if let Some(line) = line_of(&record.written, &state.cell) {
            state.written = Some(line.at.place());
            state.stack = line.stack.iter().map(in_function).collect();
        }
        let reads = treated.map_or(&[][..], |treated| &treated.read);
        state.read = reading(reads, &suspect.cell.names, text.as_deref().unwrap_or_default());
    }
    let lines = Lines { written, read: vec![] };
    for cleaner in cleaners.iter().take(CLEANERS) {
        let after = case.lines_between(cleaner, lines.clone())?;
        let differs = |path: &str| {
            let mut suspects = after.differing.iter().flatten();
            suspects.any(|suspect| suspect.paths().any(|other| other == path))
        };
        for path in lines.written.iter().filter(|path| !differs(path)) {
            let polluted = line_of(&record.written, path);
            let line = line_of(&after.written, path).filter(|line| polluted != Some(line));
            let written = line.map(|line| line.at.place());
            cause.resets.push(Reset { cleaner: cleaner.clone(), cell: path.clone(), written });
        }
    }
    let text = text.map(|text| text.chars().take(TEXT).collect::<String>());
    Ok(text.filter(|text| !text.is_empty()))
}

fn line_of<'a>(written: &'a [Written], path: &str) -> Option<&'a Written> {
    written.iter().find(|line| line.path == path)
}

fn in_function(line: &CodeLine) -> String {
    format!("{} in {}", line.place(), line.function)
}

/// Where one of these names is loaded: in the traceback if it is there, else by its full name.
fn reading(reads: &[Read], names: &[String], traceback: &str) -> Option<String> {
    let mine: Vec<&Read> = reads.iter().filter(|read| names.contains(&read.name)).collect();
    let is_in_traceback = |read: &&&Read| traceback.contains(&format!("{}:", read.at.place()));
    let is_full = |read: &&&Read| !read.name.starts_with('.');
    let innermost = mine.iter().rev().find(is_in_traceback);
    innermost.or_else(|| mine.iter().find(is_full)).or(mine.first()).map(|read| read.at.place())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, file: &str, line: u32) -> Read {
        Read { name: name.to_owned(), at: CodeLine { file: file.to_owned(), line, function: String::new() } }
    }

    #[test]
    fn a_line_of_the_traceback_goes_before_all_others_and_a_full_name_before_an_attribute() {
        let reads = [read(".RATE", "a.py", 1), read("shop.RATE", "b.py", 2), read("shop.RATE", "c.py", 3)];
        let names = [".RATE".to_owned(), "shop.RATE".to_owned()];
        assert_eq!(reading(&reads, &names, "").as_deref(), Some("b.py:2"));
        assert_eq!(reading(&reads, &names, "c.py:3: AssertionError").as_deref(), Some("c.py:3"));
        assert_eq!(reading(&reads, &names, "c.py:33: AssertionError").as_deref(), Some("b.py:2"));
        assert_eq!(reading(&reads, &names[..1], "").as_deref(), Some("a.py:1"));
        assert_eq!(reading(&reads, &["other".to_owned()], ""), None);
    }
}

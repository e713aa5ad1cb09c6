//! Profiles in words: one test in full, or what the tests of a suite leave changed, cell by cell.

use std::collections::{BTreeMap, BTreeSet};

use anyorder_model::{Cell, Code, Outcome, Profile, Profiles, Suite, TestId, TestIndex, Write};

use crate::style::{BAD, DIM, GOOD, NAME, WARN, count, grouped};

/// How many cells and tests are listed.
const CELLS: usize = 15;
const TESTS: usize = 5;

/// How many functions of a file, and files, are listed for one test.
const FUNCTIONS: usize = 4;
const FILES: usize = 12;

/// How wide the column of names beside a test is.
const NAMES: usize = 10;

/// The profiles as one text: a single one in full.
pub(crate) fn story(suite: &Suite, profiles: &Profiles, no_times: bool) -> String {
    match &profiles.profiles[..] {
        [only] => one(suite, only, no_times),
        all => [cells(all), writers(suite, all)].into_iter().flatten().collect::<Vec<_>>().join("\n"),
    }
}

/// How many tests leave something, where there are several, and what is not shown.
pub(crate) fn summary(profiles: &Profiles) -> Option<String> {
    let Profiles { profiles: all, hidden } = profiles;
    let mut lines = if all.len() == 1 { vec![] } else { totals(all) };
    if *hidden > 0 {
        let writes = count(*hidden as u64, "write");
        lines.push(format!("{writes} that nobody can observe not shown: `--all` shows them"));
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn totals(all: &[Profile]) -> Vec<String> {
    let writing = all.iter().filter(|profile| !profile.writes.is_empty()).count();
    let lasting = all.iter().filter(|profile| profile.writes.iter().any(|write| !write.is_torn_down)).count();
    let places: BTreeSet<&str> =
        all.iter().flat_map(|profile| &profile.writes).map(|write| write.cell.path.as_str()).collect();
    let mut lines = vec![match writing {
        0 => format!("no test of {} leaves shared state changed", grouped(all.len() as u64)),
        _ => format!(
            "{} of {} leave shared state changed, {} of them for good; {}",
            grouped(writing as u64),
            count(all.len() as u64, "test"),
            grouped(lasting as u64),
            count(places.len() as u64, "cell")
        ),
    }];
    let differ =
        all.iter().filter(|profile| profile.again.is_some_and(|again| again != profile.alone.outcome));
    match differ.count() {
        0 => {}
        1 => lines.push("1 test ends otherwise when it runs again: `anyorder twice`".to_owned()),
        number => lines.push(format!("{number} tests end otherwise when they run again: `anyorder twice`")),
    }
    lines
}

/// Cells that are items of one container, seen as one.
struct Place<'a> {
    cells: BTreeMap<&'a str, &'a Cell>,
    writers: BTreeSet<TestIndex>,
    names: BTreeSet<&'a str>,
    needs_no_name: bool,
}

impl Place<'_> {
    fn readers(&self, profiles: &[Profile]) -> usize {
        let reads = |profile: &&Profile| {
            self.needs_no_name || self.names.iter().any(|&name| profile.reads.contains(name))
        };
        profiles.iter().filter(reads).count()
    }
}

fn places(profiles: &[Profile]) -> Vec<(&str, Place<'_>)> {
    let mut places: BTreeMap<&str, Place<'_>> = BTreeMap::new();
    for profile in profiles {
        for Write { cell, .. } in &profile.writes {
            let place = places.entry(cell.holder()).or_insert_with(|| Place {
                cells: BTreeMap::new(),
                writers: BTreeSet::new(),
                names: BTreeSet::new(),
                needs_no_name: false,
            });
            place.cells.entry(&cell.path).or_insert(cell);
            place.writers.insert(profile.test);
            place.names.extend(cell.names.iter().map(String::as_str));
            place.needs_no_name |= cell.names.is_empty();
        }
    }
    let mut places: Vec<(&str, Place<'_>)> = places.into_iter().collect();
    places.sort_by_key(|(_, place)| std::cmp::Reverse(place.writers.len()));
    places
}

/// The cells that most tests leave changed.
fn cells(profiles: &[Profile]) -> Option<String> {
    let places = places(profiles);
    let mut lines = vec![format!("{:>8}{:>9}  cell", "writers", "readers")];
    for (holder, place) in places.iter().take(CELLS) {
        let (writers, readers) = (place.writers.len() as u64, place.readers(profiles) as u64);
        let what = match place.cells.values().next() {
            Some(cell) if place.cells.len() == 1 => change(cell),
            _ => format!("{NAME}{holder}[…]{NAME:#}   {}", count(place.cells.len() as u64, "item")),
        };
        lines.push(format!("{:>8}{:>9}  {what}", grouped(writers), grouped(readers)));
    }
    lines.extend(more(places.len(), CELLS).map(|more| format!("{:19}{more}", "")));
    (!places.is_empty()).then(|| lines.join("\n") + "\n")
}

/// The tests that leave most cells changed.
fn writers(suite: &Suite, profiles: &[Profile]) -> Option<String> {
    let mut writers: Vec<&Profile> = profiles.iter().filter(|profile| !profile.writes.is_empty()).collect();
    writers.sort_by_key(|profile| std::cmp::Reverse(profile.writes.len()));
    let mut lines = vec![format!("{:>8}  test", "cells")];
    let line = |profile: &&Profile| {
        format!("{:>8}  {}", grouped(profile.writes.len() as u64), colored(suite.id(profile.test)))
    };
    lines.extend(writers.iter().take(TESTS).map(line));
    lines.extend(more(writers.len(), TESTS).map(|more| format!("{:10}{more}", "")));
    (!writers.is_empty()).then(|| lines.join("\n") + "\n")
}

fn more(there: usize, listed: usize) -> Option<String> {
    let left = there.checked_sub(listed).filter(|&left| left > 0)?;
    Some(format!("and {} more: `--json` has them all", grouped(left as u64)))
}

/// All that is known of one test.
fn one(suite: &Suite, profile: &Profile, no_times: bool) -> String {
    let mut lines = vec![colored(suite.id(profile.test))];
    let mut rows = |name: &str, texts: Vec<String>| {
        for (at, text) in texts.into_iter().enumerate() {
            let name = if at == 0 { name } else { "" };
            lines.push(format!("    {name:NAMES$}{text}"));
        }
    };
    let took = format!(", {:.3} s", profile.alone.duration.as_secs_f64());
    let mut alone = vec![outcome(profile.alone.outcome) + if no_times { "" } else { &took }];
    alone.extend(profile.alone.signature.as_ref().map(ToString::to_string));
    rows("alone", alone);
    rows("again", profile.again.map(outcome).into_iter().collect());
    rows("writes", if profile.writes.is_empty() { vec!["nothing".to_owned()] } else { writes(profile) });
    rows("reads", vec![count(profile.reads.len() as u64, "name")]);
    rows("code", code(&profile.code));
    lines.join("\n") + "\n"
}

fn writes(profile: &Profile) -> Vec<String> {
    let words = |write: &Write| {
        let remarks = [
            (write.is_torn_down, "undone by a tear-down"),
            (write.is_unstable, "differs between two identical runs"),
            (write.is_elsewhere, "only behind other tests"),
        ];
        let remarks: Vec<&str> =
            remarks.iter().filter(|(applies, _)| *applies).map(|(_, remark)| *remark).collect();
        let remarks = if remarks.is_empty() { String::new() } else { format!("   ({})", remarks.join("; ")) };
        change(&write.cell) + &remarks
    };
    profile.writes.iter().map(words).collect()
}

fn change(cell: &Cell) -> String {
    format!("{NAME}{}{NAME:#}   {} -> {}", cell.path, cell.before, cell.after)
}

/// File by file, the functions in the order of their lines.
fn code(code: &[Code]) -> Vec<String> {
    let mut files: BTreeMap<&str, Vec<(u32, &str)>> = BTreeMap::new();
    for Code { file, function, line } in code {
        files.entry(file).or_default().push((*line, function));
    }
    let mut rows: Vec<String> = Vec::new();
    for (file, mut functions) in files.iter().map(|(file, functions)| (file, functions.clone())).take(FILES) {
        functions.sort_unstable();
        let named: Vec<&str> = functions.iter().take(FUNCTIONS).map(|(_, function)| *function).collect();
        let left = functions.len().saturating_sub(FUNCTIONS);
        let left = if left > 0 { format!(", and {left} more") } else { String::new() };
        rows.push(format!("{file}   {DIM}{}{left}{DIM:#}", named.join(", ")));
    }
    rows.extend(more(files.len(), FILES));
    rows
}

fn outcome(outcome: Outcome) -> String {
    let style = match outcome {
        outcome if outcome.is_red() => BAD,
        Outcome::Passed => GOOD,
        _ => WARN,
    };
    format!("{style}{outcome}{style:#}")
}

fn colored(id: &TestId) -> String {
    format!("{NAME}{id}{NAME:#}")
}

#[cfg(test)]
mod tests {
    use anyorder_model::{CellKind, Step};

    use super::*;
    use crate::example;

    fn suite() -> Suite {
        example::suite(&["a", "b"])
    }

    fn write(path: &str, kind: CellKind) -> Write {
        let cell = Cell {
            path: path.to_owned(),
            kind,
            before: "0".to_owned(),
            after: "1".to_owned(),
            names: path.split('[').next().map(str::to_owned).into_iter().collect(),
            key: String::new(),
            place: String::new(),
        };
        Write { cell, is_torn_down: false, is_unstable: false, is_elsewhere: false }
    }

    fn profile(test: u32, writes: Vec<Write>, reads: &[&str]) -> Profile {
        Profile {
            test: TestIndex(test),
            alone: Step::bare(TestIndex(test), Outcome::Passed),
            again: Some(Outcome::Passed),
            writes,
            reads: reads.iter().map(|&name| name.to_owned()).collect(),
            code: vec![],
            opened: None,
        }
    }

    /// The text without colours.
    fn told(profiles: Vec<Profile>) -> String {
        let profiles = Profiles { profiles, hidden: 2 };
        let told = story(&suite(), &profiles, true) + &summary(&profiles).unwrap_or_default();
        anstream::adapter::strip_str(&told).to_string()
    }

    #[test]
    fn items_of_one_container_are_one_line_with_all_their_writers_and_readers() {
        let items = |paths: &[&str]| paths.iter().map(|path| write(path, CellKind::Item)).collect();
        let told = told(vec![
            profile(0, items(&["m.known['x']", "m.known['y'][0]"]), &[]),
            profile(1, items(&["m.known['x']"]), &["m.known"]),
        ]);
        assert!(told.contains("       2        1  m.known[…]   2 items\n"), "{told}");
        assert!(
            told.contains("2 of 2 tests leave shared state changed, 2 of them for good; 2 cells"),
            "{told}"
        );
        assert!(told.contains("2 writes that nobody can observe not shown"), "{told}");
    }

    #[test]
    fn a_cell_that_stands_alone_is_shown_with_its_change() {
        let told =
            told(vec![profile(0, vec![write("m.x", CellKind::Global)], &[]), profile(1, vec![], &["m.x"])]);
        assert!(told.contains("       1        1  m.x   0 -> 1\n"), "{told}");
        assert!(told.contains("       1  t.py::a\n"), "{told}");
    }

    #[test]
    fn one_test_has_remarks_beside_its_writes() {
        let torn = Write { is_torn_down: true, is_unstable: true, ..write("m.x", CellKind::Global) };
        let told = told(vec![profile(0, vec![torn], &["m.x", "m.y"])]);
        assert!(
            told.contains(
                "    writes    m.x   0 -> 1   (undone by a tear-down; differs between two identical runs)\n"
            ),
            "{told}"
        );
        assert!(told.contains("    reads     2 names\n"), "{told}");
    }

    #[test]
    fn tests_that_leave_nothing_are_told_in_one_line() {
        let told = told(vec![profile(0, vec![], &[]), profile(1, vec![], &[])]);
        assert!(told.starts_with("no test of 2 leaves shared state changed\n"), "{told}");
    }
}

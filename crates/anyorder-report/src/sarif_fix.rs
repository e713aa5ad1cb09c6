//! A unified difference as a fix of SARIF: lines that go, and lines that come in their place.

use serde::Serialize;
use serde_json::Value;

use crate::sarif::{Artifact, Text};

/// A change that cures a finding.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Fix {
    description: Text,
    artifact_changes: Vec<Change>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Change {
    artifact_location: Artifact,
    replacements: Vec<Replacement>,
}

#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Replacement {
    deleted_region: Region,
    inserted_content: Inserted,
}

#[derive(Debug, PartialEq, Serialize)]
struct Inserted {
    text: String,
}

/// Whole lines: up to the beginning of the one behind them.
#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: usize,
    start_column: usize,
    end_line: usize,
    end_column: usize,
}

/// The patch as a fix, unless it is none that we can read.
pub(crate) fn fix(patch: &Value, artifact: impl Fn(&str) -> Artifact) -> Option<Fix> {
    let changes = files(patch["text"].as_str()?);
    let artifact_changes: Vec<Change> = changes
        .into_iter()
        .map(|(file, replacements)| Change { artifact_location: artifact(file), replacements })
        .collect();
    let text = patch["summary"].as_str().unwrap_or_default().to_owned();
    (!artifact_changes.is_empty()).then_some(Fix { description: Text { text }, artifact_changes })
}

/// What is replaced in each file.
fn files(diff: &str) -> Vec<(&str, Vec<Replacement>)> {
    let mut files: Vec<(&str, Vec<Replacement>)> = Vec::new();
    let mut lines = diff.split_inclusive('\n');
    while let Some(line) = lines.next() {
        if let Some(file) = line.strip_prefix("+++ b/") {
            files.push((file.trim_end_matches(['\n', '\t']), Vec::new()));
        } else if let (Some(hunk), Some((_, replacements))) = (hunk(line), files.last_mut()) {
            replacements.extend(replaced(&hunk, &mut lines));
        }
    }
    files
}

/// A part of a file: the first line of the old one, and how many lines the old and the new one have.
struct Hunk {
    start: usize,
    old: usize,
    new: usize,
}

/// Reads `@@ -4,4 +4,5 @@`; a number of lines that is left out is 1.
fn hunk(line: &str) -> Option<Hunk> {
    let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let span = |text: &str| -> Option<(usize, usize)> {
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    let ((start, old), (_, new)) = (span(old)?, span(new)?);
    // Where there are no old lines, the number is that of the line before.
    Some(Hunk { start: start + usize::from(old == 0), old, new })
}

/// Takes the lines of a part, and gives the changes in it.
fn replaced<'a>(hunk: &Hunk, lines: &mut impl Iterator<Item = &'a str>) -> Vec<Replacement> {
    let Hunk { start: mut at, mut old, mut new } = *hunk;
    let mut replacements: Vec<Replacement> = Vec::new();
    let mut is_open = false;
    while old + new > 0 {
        let Some(line) = lines.next() else { break };
        let sign = line.chars().next().unwrap_or(' ');
        if sign == '\\' {
            continue;
        }
        if matches!(sign, '-' | '+') && !is_open {
            let deleted_region = Region { start_line: at, start_column: 1, end_line: at, end_column: 1 };
            replacements
                .push(Replacement { deleted_region, inserted_content: Inserted { text: String::new() } });
        }
        is_open = matches!(sign, '-' | '+');
        if sign == '+' {
            replacements
                .iter_mut()
                .last()
                .into_iter()
                .for_each(|last| last.inserted_content.text += &line[1..]);
        } else {
            (at, old) = (at + 1, old.saturating_sub(1));
        }
        if sign == '-' {
            replacements.iter_mut().last().into_iter().for_each(|last| last.deleted_region.end_line = at);
        } else {
            new = new.saturating_sub(1);
        }
    }
    replacements
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(start: usize, end: usize, text: &str) -> Replacement {
        Replacement {
            deleted_region: Region { start_line: start, start_column: 1, end_line: end, end_column: 1 },
            inserted_content: Inserted { text: text.to_owned() },
        }
    }

    #[test]
    fn lines_that_go_and_come_are_replacements_by_their_old_numbers() {
        let diff = "--- a/t.py\n+++ b/t.py\n@@ -4,4 +4,3 @@\n a\n-b\n--- c\n+B\n d\n@@ -20 +21,3 @@\n x\n+y\n+z\n\
                    --- /dev/null\n+++ b/new dir/n.py\t\n@@ -0,0 +1,1 @@\n+n\n";
        let expected = vec![
            ("t.py", vec![lines(5, 7, "B\n"), lines(21, 21, "y\nz\n")]),
            ("new dir/n.py", vec![lines(1, 1, "n\n")]),
        ];
        assert_eq!(files(diff), expected);
    }
}

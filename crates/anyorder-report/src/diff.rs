//! A patch as bytes that `git apply` and `patch -p1` accept.

use anyorder_model::{Change, Patch};
use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices, group_diff_ops};

/// How many lines are shown around a change.
const CONTEXT: usize = 3;

/// All files of a patch, one after the other.
pub fn unified_diff(patch: &Patch) -> Vec<u8> {
    patch.changes.iter().flat_map(file_diff).collect()
}

fn file_diff(change: &Change) -> Vec<u8> {
    let before = lines(change.before.as_deref().unwrap_or_default());
    let after = lines(&change.after);
    let old = change.before.as_ref().map_or("/dev/null".to_owned(), |_| named("a", &change.path));
    let mut text = format!("--- {old}\n+++ {}\n", named("b", &change.path)).into_bytes();
    for hunk in group_diff_ops(capture_diff_slices(Algorithm::Patience, &before, &after), CONTEXT) {
        write_hunk(&mut text, &hunk, &before, &after);
    }
    text
}

/// A path with a space ends in a tab, as git writes it; else the rest would be taken for a date.
fn named(side: &str, path: &str) -> String {
    let end = if path.contains(' ') { "\t" } else { "" };
    format!("{side}/{path}{end}")
}

fn write_hunk(text: &mut Vec<u8>, hunk: &[DiffOp], before: &[&[u8]], after: &[&[u8]]) {
    let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else { return };
    let old = extent(first.old_range().start, last.old_range().end);
    let new = extent(first.new_range().start, last.new_range().end);
    text.extend(format!("@@ -{old} +{new} @@\n").bytes());
    for step in hunk {
        let (removed, added) = (&before[step.old_range()], &after[step.new_range()]);
        if step.tag() == DiffTag::Equal {
            removed.iter().for_each(|line| write_line(text, b' ', line));
        } else {
            removed.iter().for_each(|line| write_line(text, b'-', line));
            added.iter().for_each(|line| write_line(text, b'+', line));
        }
    }
}

fn write_line(text: &mut Vec<u8>, sign: u8, line: &[u8]) {
    text.push(sign);
    text.extend(line);
    if !line.ends_with(b"\n") {
        text.extend(b"\n\\ No newline at end of file\n");
    }
}

/// Where lines begin, from 1, and how many there are.
fn extent(start: usize, end: usize) -> String {
    match end - start {
        0 => format!("{start},0"),
        1 => format!("{}", start + 1),
        number => format!("{},{number}", start + 1),
    }
}

/// With their ends. Only a line feed ends a line here, whatever the language says: the readers of diffs know no other.
fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|&byte| byte == b'\n').collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diff(path: &str, before: Option<&str>, after: &str) -> String {
        let before = before.map(|text| text.as_bytes().to_vec());
        let change = Change { path: path.to_owned(), before, after: after.into() };
        String::from_utf8(file_diff(&change)).unwrap()
    }

    #[test]
    fn a_changed_line_stands_between_three_lines_on_each_side() {
        let told = diff("t.py", Some("1\n2\n3\n4\n5\n6\n7\n8\n9\n"), "1\n2\n3\n4\nfive\n6\n7\n8\n9\n");
        assert_eq!(told, "--- a/t.py\n+++ b/t.py\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
    }

    #[test]
    fn a_new_file_comes_from_nothing_and_a_missing_end_of_line_is_told() {
        assert_eq!(
            diff("a b.py", None, "x"),
            "--- /dev/null\n+++ b/a b.py\t\n@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n"
        );
    }

    #[test]
    fn line_ends_of_the_file_stay_in_the_diff() {
        let told = diff("t.py", Some("a\r\nb\rc\r\n"), "a\r\nx\rc\r\n");
        assert!(told.ends_with("@@ -1,2 +1,2 @@\n a\r\n-b\rc\r\n+x\rc\r\n"), "{told:?}");
    }
}

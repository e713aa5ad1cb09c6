//! Unified differences that `git apply` and `patch -p1` accept.

use std::fmt::Write;

use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices, group_diff_ops};

const CONTEXT: usize = 3;

/// The unified difference between two states of a file; empty if there is none.
///
/// Bytes, as the lines of the file are in it as they are. `path` is relative with `/` between names; without
/// `before` the file is new.
pub fn diff(path: &str, before: Option<&[u8]>, after: &[u8]) -> Vec<u8> {
    let [old, new] =
        [before.unwrap_or_default(), after].map(|bytes| bytes.split_inclusive(|byte| *byte == b'\n'));
    let [old, new]: [Vec<&[u8]>; 2] = [old.collect(), new.collect()];
    let groups = group_diff_ops(capture_diff_slices(Algorithm::Myers, &old, &new), CONTEXT);
    if groups.is_empty() {
        return Vec::new();
    }
    let before_name = before.map_or_else(|| "/dev/null".to_owned(), |_| name("a", path));
    let mut patch = format!("--- {before_name}\n+++ {}\n", name("b", path)).into_bytes();
    groups.iter().for_each(|group| hunk(group, &old, &new, &mut patch));
    patch
}

/// A name as git writes it: quoted where it must be, and with a tab behind one with spaces.
fn name(side: &str, path: &str) -> String {
    if !path.contains(|letter: char| letter.is_control() || "\"\\".contains(letter)) {
        return format!("{side}/{path}{}", if path.contains(' ') { "\t" } else { "" });
    }
    let mut quoted = format!("\"{side}/");
    for byte in path.bytes() {
        match byte {
            b'"' | b'\\' => quoted.extend(['\\', char::from(byte)]),
            0..0x20 | 0x7f.. => write!(quoted, "\\{byte:03o}").expect("strings do not fail"),
            _ => quoted.push(char::from(byte)),
        }
    }
    quoted + "\""
}

fn hunk(group: &[DiffOp], old: &[&[u8]], new: &[&[u8]], patch: &mut Vec<u8>) {
    let (Some(first), Some(last)) = (group.first(), group.last()) else { return };
    let [removed, added] =
        [first.old_range().start..last.old_range().end, first.new_range().start..last.new_range().end];
    patch.extend(format!("@@ -{} +{} @@\n", span(&removed), span(&added)).into_bytes());
    for operation in group {
        if operation.tag() == DiffTag::Equal {
            old[operation.old_range()].iter().for_each(|text| line(b' ', text, patch));
        } else {
            old[operation.old_range()].iter().for_each(|text| line(b'-', text, patch));
            new[operation.new_range()].iter().for_each(|text| line(b'+', text, patch));
        }
    }
}

/// First line and number of lines; where there are none, the line before.
fn span(range: &std::ops::Range<usize>) -> String {
    match range.len() {
        0 => format!("{},0", range.start),
        1 => format!("{}", range.start + 1),
        count => format!("{},{count}", range.start + 1),
    }
}

fn line(sign: u8, text: &[u8], patch: &mut Vec<u8>) {
    patch.push(sign);
    patch.extend(text);
    if !text.ends_with(b"\n") {
        patch.extend(b"\n\\ No newline at end of file\n");
    }
}

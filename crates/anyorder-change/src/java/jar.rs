//! The classes in a jar. Knows as much of the format of archives as that takes; what is no archive has no classes, as for Java.

use std::io::Read;

use flate2::read::DeflateDecoder;

/// How the list of all files begins, ends, and how each file does.
const LISTED: u32 = 0x0201_4b50;
const END: u32 = 0x0605_4b50;
const FILE: u32 = 0x0403_4b50;

/// The end has so many bytes, and a comment behind it.
const END_LENGTH: usize = 22;
const COMMENT: usize = 0xffff;

const STORED: usize = 0;
const DEFLATED: usize = 8;

/// The contents of all class files but those for single versions of Java.
pub(super) fn class_files(jar: &[u8]) -> Vec<Vec<u8>> {
    let Some(end) = end_of(jar) else { return vec![] };
    let (Some(count), Some(mut at)) = (number(jar, end + 10, 2), number(jar, end + 16, 4)) else {
        return vec![];
    };
    let mut files = Vec::new();
    for _ in 0..count {
        let Some(entry) = Entry::read(jar, at) else { break };
        at = entry.next;
        if entry.name.ends_with(b".class") && !entry.name.starts_with(b"META-INF/") {
            files.extend(entry.contents(jar));
        }
    }
    files
}

fn end_of(jar: &[u8]) -> Option<usize> {
    let last = jar.len().checked_sub(END_LENGTH)?;
    let is_end = |at: &usize| number(jar, *at, 4) == Some(END as usize);
    (last.saturating_sub(COMMENT)..=last).rev().find(is_end)
}

/// A number of so many bytes, the lowest first.
fn number(bytes: &[u8], at: usize, length: usize) -> Option<usize> {
    let bytes = bytes.get(at..at.checked_add(length)?)?;
    Some(bytes.iter().rev().fold(0, |number, &byte| number << 8 | usize::from(byte)))
}

/// A file as it is listed.
struct Entry<'a> {
    name: &'a [u8],
    method: usize,
    packed: usize,
    unpacked: usize,
    begins: usize,
    /// Where the next one is listed.
    next: usize,
}

impl<'a> Entry<'a> {
    fn read(jar: &'a [u8], at: usize) -> Option<Self> {
        let field = |offset: usize, length: usize| number(jar, at.checked_add(offset)?, length);
        (field(0, 4)? == LISTED as usize).then_some(())?;
        let name_ends = at + 46 + field(28, 2)?;
        Some(Entry {
            name: jar.get(at + 46..name_ends)?,
            method: field(10, 2)?,
            packed: field(20, 4)?,
            unpacked: field(24, 4)?,
            begins: field(42, 4)?,
            next: name_ends + field(30, 2)? + field(32, 2)?,
        })
    }

    fn contents(&self, jar: &[u8]) -> Option<Vec<u8>> {
        let field = |offset: usize, length: usize| number(jar, self.begins.checked_add(offset)?, length);
        (field(0, 4)? == FILE as usize).then_some(())?;
        let begins = self.begins + 30 + field(26, 2)? + field(28, 2)?;
        let packed = jar.get(begins..begins.checked_add(self.packed)?)?;
        match self.method {
            STORED => Some(packed.to_vec()),
            DEFLATED => {
                let mut contents = Vec::new();
                let mut decoder = DeflateDecoder::new(packed).take(self.unpacked as u64);
                decoder.read_to_end(&mut contents).ok()?;
                Some(contents)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_archive_or_is_cut_off_has_no_classes() {
        let end =
            [&END.to_le_bytes()[..], &[0, 0, 0, 0, 1, 0, 1, 0, 9, 0, 0, 0, 200, 0, 0, 0, 0, 0]].concat();
        for bytes in [&b""[..], b"PK", &end[..END_LENGTH - 1], &end] {
            assert_eq!(class_files(bytes), [[0; 0]; 0]);
        }
    }
}

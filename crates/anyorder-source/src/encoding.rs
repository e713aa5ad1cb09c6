//! From bytes to text and back: byte order marks and the encodings that a first line can name (PEP 263).

use crate::Unreadable;

/// How a file's text is kept in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Utf8,
    Latin1,
    Ascii,
}

const MARK: &[u8] = b"\xef\xbb\xbf";

impl Encoding {
    /// The encoding that the file says it has.
    pub(crate) fn of(bytes: &[u8]) -> Result<Self, Unreadable> {
        if bytes.starts_with(MARK) {
            return Ok(Encoding::Utf8);
        }
        match declared(bytes) {
            None => Ok(Encoding::Utf8),
            Some(name) => Encoding::named(&name).ok_or(Unreadable::Encoding { name }),
        }
    }

    fn named(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase().replace('_', "-");
        match name.as_str() {
            "utf-8" | "utf8" | "utf-8-sig" | "u8" | "cp65001" => Some(Encoding::Utf8),
            "latin-1" | "latin1" | "iso-8859-1" | "iso8859-1" | "iso-latin-1" | "8859" | "cp819" | "l1"
            | "latin" => Some(Encoding::Latin1),
            "ascii" | "us-ascii" | "646" => Some(Encoding::Ascii),
            // What editors of old wrote, with the platform behind it: `utf-8-unix`.
            _ if name.starts_with("utf-8-") => Some(Encoding::Utf8),
            _ if ["latin-1-", "iso-8859-1-", "iso-latin-1-"].iter().any(|start| name.starts_with(start)) => {
                Some(Encoding::Latin1)
            }
            _ => None,
        }
    }

    /// The text, with the byte order mark if there is one.
    pub(crate) fn decode(self, bytes: &[u8]) -> Result<String, Unreadable> {
        let not_in = |name: &str| Unreadable::Bytes { encoding: name.to_owned() };
        match self {
            Encoding::Utf8 => String::from_utf8(bytes.to_vec()).map_err(|_| not_in("utf-8")),
            Encoding::Ascii if !bytes.is_ascii() => Err(not_in("ascii")),
            Encoding::Ascii | Encoding::Latin1 => Ok(bytes.iter().copied().map(char::from).collect()),
        }
    }

    /// The bytes; `None` if a character has none in this encoding.
    pub(crate) fn encode(self, text: &str) -> Option<Vec<u8>> {
        match self {
            Encoding::Utf8 => Some(text.as_bytes().to_vec()),
            Encoding::Ascii => text.is_ascii().then(|| text.as_bytes().to_vec()),
            Encoding::Latin1 => text.chars().map(|letter| u8::try_from(letter).ok()).collect(),
        }
    }
}

/// The encoding named in a comment of the first two lines; in the second only if the first has no code.
fn declared(bytes: &[u8]) -> Option<String> {
    let mut lines = bytes.split(|byte| *byte == b'\n' || *byte == b'\r').filter(|line| !line.is_empty());
    let first = lines.next()?;
    if let Some(name) = named_in(first) {
        return Some(name);
    }
    if !is_without_code(first) || bytes.starts_with(b"\n\n") || bytes.starts_with(b"\r\n\r\n") {
        return None;
    }
    named_in(lines.next()?)
}

fn is_without_code(line: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    line.is_empty() || line.starts_with(b"#")
}

fn named_in(line: &[u8]) -> Option<String> {
    let line = String::from_utf8_lossy(line);
    let comment = line.trim_start_matches([' ', '\t', '\x0c']).strip_prefix('#')?;
    comment.match_indices("coding").find_map(|(at, word)| {
        let behind = comment[at + word.len()..].strip_prefix([':', '='])?.trim_start_matches([' ', '\t']);
        let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
        let end = behind.find(|letter| !is_letter(letter)).unwrap_or(behind.len());
        (end > 0).then(|| behind[..end].to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_names_no_encoding_is_utf_8() {
        assert_eq!(Encoding::of(b"x = 1\n# coding: latin-1\n"), Ok(Encoding::Utf8));
        assert_eq!(Encoding::of(b"\xef\xbb\xbfx = 1"), Ok(Encoding::Utf8));
        assert_eq!(Encoding::of(b""), Ok(Encoding::Utf8));
    }

    #[test]
    fn an_encoding_is_named_in_the_first_or_second_line() {
        assert_eq!(Encoding::of(b"# -*- coding: latin-1 -*-\n"), Ok(Encoding::Latin1));
        assert_eq!(
            Encoding::of(b"#!/usr/bin/python\n# vim: set fileencoding=ISO-8859-1 :\n"),
            Ok(Encoding::Latin1)
        );
        assert_eq!(Encoding::of(b"#!/usr/bin/python\r\n# coding: us-ascii\r\n"), Ok(Encoding::Ascii));
    }

    #[test]
    fn an_encoding_that_we_do_not_know_is_named_in_the_error() {
        assert_eq!(
            Encoding::of(b"# coding: koi8-r\n"),
            Err(Unreadable::Encoding { name: "koi8-r".to_owned() })
        );
    }

    #[test]
    fn every_byte_of_latin_1_comes_back() {
        let bytes: Vec<u8> = (0..=255).collect();
        let text = Encoding::Latin1.decode(&bytes).expect("any byte is latin-1");
        assert_eq!(Encoding::Latin1.encode(&text), Some(bytes));
        assert_eq!(Encoding::Latin1.encode("€"), None);
        assert_eq!(Encoding::Ascii.encode("é"), None);
    }
}

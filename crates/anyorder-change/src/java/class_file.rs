//! One class file: what it is called, which classes it mentions, and which static fields tests could share.
//!
//! Knows the format as far as that takes. Where lines are, and how local variables are called, does not count.

use std::collections::BTreeSet;

use anyorder_source::Digest;
use serde::{Deserialize, Serialize};

use crate::tree::short;

const MAGIC: u32 = 0xcafe_babe;
const STATIC: u16 = 0x0008;
const FINAL: u16 = 0x0010;
const SYNTHETIC: u16 = 0x1000;

/// Attributes that say nothing about what a class does.
const ABOUT_SOURCE: [&str; 5] =
    ["LineNumberTable", "LocalVariableTable", "LocalVariableTypeTable", "SourceDebugExtension", "SourceFile"];

/// Types of which nobody can change an object.
const IMMUTABLE: [&str; 15] = [
    "Ljava/lang/Boolean;",
    "Ljava/lang/Byte;",
    "Ljava/lang/Character;",
    "Ljava/lang/Class;",
    "Ljava/lang/Double;",
    "Ljava/lang/Float;",
    "Ljava/lang/Integer;",
    "Ljava/lang/Long;",
    "Ljava/lang/Short;",
    "Ljava/lang/String;",
    "Ljava/math/BigDecimal;",
    "Ljava/math/BigInteger;",
    "Ljava/time/Duration;",
    "Ljava/util/UUID;",
    "Ljava/util/regex/Pattern;",
];

/// What is known of a class by its file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ClassFile {
    /// With dots between packages: `acme.Cart$Item`.
    pub(crate) name: String,
    /// Of all but what only debuggers want to know.
    pub(crate) digest: Digest,
    /// Names of all classes that it mentions, and texts that may be such names.
    pub(crate) mentions: BTreeSet<String>,
    /// Its static fields, but for final ones of which nobody can change the object.
    pub(crate) statics: Vec<String>,
    /// The source file, as a path below a directory of sources.
    pub(crate) source: Option<String>,
}

/// Reads a class file; nothing if it is none, or if it is cut off.
pub(crate) fn read(bytes: &[u8]) -> Option<ClassFile> {
    let mut reader = Reader { bytes, at: 0 };
    (reader.u32()? == MAGIC).then_some(())?;
    reader.skip(4)?;
    let pool = Pool::read(&mut reader)?;
    let mut hasher = blake3::Hasher::new();
    hasher.update(bytes.get(..reader.at)?);
    let begun = reader.at;
    reader.skip(2)?;
    let name = pool.class(reader.u16()?)?.replace('/', ".");
    reader.skip(2)?;
    let interfaces = reader.u16()?;
    reader.skip(usize::from(interfaces) * 2)?;
    hasher.update(bytes.get(begun..reader.at)?);
    let mut statics = Vec::new();
    let mut source = None;
    for is_field in [true, false] {
        for _ in 0..reader.u16()? {
            let access = reader.u16()?;
            let (field, descriptor) = (pool.text(reader.u16()?)?, pool.text(reader.u16()?)?);
            [field, descriptor].iter().for_each(|word| add(&mut hasher, word.as_bytes()));
            hasher.update(&access.to_be_bytes());
            attributes(&mut reader, &pool, &mut hasher, &mut source)?;
            if is_field && is_shared(access, descriptor) {
                statics.push(field.to_owned());
            }
        }
    }
    attributes(&mut reader, &pool, &mut hasher, &mut source)?;
    let package = name.rsplit_once('.').map(|(package, _)| package.replace('.', "/"));
    let source = source.map(|file| package.map_or(file.clone(), |package| format!("{package}/{file}")));
    Some(ClassFile { mentions: pool.mentions(), digest: short(&hasher), name, statics, source })
}

/// Whether one test could leave something in a field for another.
fn is_shared(access: u16, descriptor: &str) -> bool {
    let is_immutable = !descriptor.starts_with(['L', '[']) || IMMUTABLE.contains(&descriptor);
    access & STATIC != 0 && access & SYNTHETIC == 0 && !(access & FINAL != 0 && is_immutable)
}

/// Goes over attributes, without those about the source; `Code` has some of them inside.
fn attributes(
    reader: &mut Reader<'_>,
    pool: &Pool<'_>,
    hasher: &mut blake3::Hasher,
    source: &mut Option<String>,
) -> Option<()> {
    for _ in 0..reader.u16()? {
        let name = pool.text(reader.u16()?)?;
        let length = usize::try_from(reader.u32()?).ok()?;
        let mut inside = Reader { bytes: reader.take(length)?, at: 0 };
        match name {
            "SourceFile" => *source = Some(pool.text(inside.u16()?)?.to_owned()),
            name if ABOUT_SOURCE.contains(&name) => {}
            "Code" => code(&mut inside, pool, hasher, source)?,
            name => {
                add(hasher, name.as_bytes());
                add(hasher, inside.bytes);
            }
        }
    }
    Some(())
}

fn code(
    reader: &mut Reader<'_>,
    pool: &Pool<'_>,
    hasher: &mut blake3::Hasher,
    source: &mut Option<String>,
) -> Option<()> {
    reader.skip(4)?;
    let length = usize::try_from(reader.u32()?).ok()?;
    reader.skip(length)?;
    let handlers = reader.u16()?;
    reader.skip(usize::from(handlers) * 8)?;
    add(hasher, &reader.bytes[..reader.at]);
    attributes(reader, pool, hasher, source)
}

/// Adds bytes so that they cannot be taken for parts of others.
fn add(hasher: &mut blake3::Hasher, bytes: &[u8]) {
    hasher.update(&(bytes.len() as u64).to_be_bytes()).update(bytes);
}

/// The constants of a class, by their numbers.
struct Pool<'a> {
    constants: Vec<Constant<'a>>,
}

#[derive(Clone, Copy)]
enum Constant<'a> {
    /// Text, as it is in the file. Names of classes in other alphabets are not known.
    Text(&'a str),
    /// A class, by the number of its name.
    Class(u16),
    Other,
}

impl<'a> Pool<'a> {
    fn read(reader: &mut Reader<'a>) -> Option<Self> {
        let count = usize::from(reader.u16()?);
        let mut constants = vec![Constant::Other];
        while constants.len() < count {
            let tag = reader.u8()?;
            let constant = match tag {
                1 => {
                    let length = usize::from(reader.u16()?);
                    Constant::Text(std::str::from_utf8(reader.take(length)?).unwrap_or_default())
                }
                7 => Constant::Class(reader.u16()?),
                8 | 16 | 19 | 20 => reader.skip(2).map(|()| Constant::Other)?,
                15 => reader.skip(3).map(|()| Constant::Other)?,
                3 | 4 | 9..=12 | 17 | 18 => reader.skip(4).map(|()| Constant::Other)?,
                5 | 6 => reader.skip(8).map(|()| Constant::Other)?,
                _ => return None,
            };
            constants.push(constant);
            if matches!(tag, 5 | 6) {
                constants.push(Constant::Other); // such a number takes two places
            }
        }
        Some(Pool { constants })
    }

    fn text(&self, number: u16) -> Option<&'a str> {
        match self.constants.get(usize::from(number))? {
            Constant::Text(text) => Some(text),
            _ => None,
        }
    }

    fn class(&self, number: u16) -> Option<&'a str> {
        match self.constants.get(usize::from(number))? {
            Constant::Class(name) => self.text(*name),
            _ => None,
        }
    }

    /// All texts may be names: of classes, in descriptors and signatures, and for whoever loads classes by name.
    fn mentions(&self) -> BTreeSet<String> {
        let texts = self.constants.iter().filter_map(|constant| match constant {
            Constant::Text(text) => Some(*text),
            _ => None,
        });
        texts.flat_map(words).collect()
    }
}

/// The words of a text that may be names of classes. In a descriptor an `L` stands before the name.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$' | '/' | '.');
    let words = text.split(move |letter| !is_part(letter));
    let names = words.flat_map(|word| [word.find('L').map(|at| &word[at + 1..]), Some(word)]);
    names.flatten().filter(|name| !name.is_empty()).map(|name| name.replace('/', "."))
}

/// Bytes, from the front.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let taken = self.bytes.get(self.at..self.at.checked_add(length)?)?;
        self.at += length;
        Some(taken)
    }

    fn skip(&mut self, length: usize) -> Option<()> {
        self.take(length).map(|_| ())
    }

    fn u8(&mut self) -> Option<u8> {
        self.take(1).map(|bytes| bytes[0])
    }

    fn u16(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes(self.take(2)?.try_into().ok()?))
    }

    fn u32(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(self.take(4)?.try_into().ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_class_file_or_is_cut_off_is_refused() {
        assert_eq!(read(b""), None);
        assert_eq!(read(b"PK\x03\x04 and more"), None);
        assert_eq!(read(&[0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52, 0, 9, 1, 0]), None);
    }

    #[test]
    fn a_field_is_shared_unless_it_is_final_and_immutable() {
        assert!(is_shared(STATIC, "I"));
        assert!(is_shared(STATIC | FINAL, "Ljava/util/List;"));
        assert!(is_shared(STATIC | FINAL, "[I"));
        assert!(!is_shared(STATIC | FINAL, "I"));
        assert!(!is_shared(STATIC | FINAL, "Ljava/lang/String;"));
        assert!(!is_shared(STATIC | FINAL | SYNTHETIC, "[Lacme/Kind;"));
        assert!(!is_shared(FINAL, "Ljava/util/List;"));
    }
}

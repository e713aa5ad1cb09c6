//! Digests over lists of byte strings. Knows how to keep `["ab", "c"]` and `["a", "bc"]` apart, not what is digested.

use std::fs::File;
use std::io;
use std::path::Path;

/// As many bytes of a digest as we keep: two different inputs meet by chance once in 2^64 inputs.
pub(crate) const LENGTH: usize = 16;

/// Tells byte strings apart, in hexadecimal digits.
pub fn digest_of(bytes: &[u8]) -> String {
    let mut digester = Digester::default();
    digester.add(bytes);
    digester.hex()
}

#[derive(Default)]
pub(crate) struct Digester(blake3::Hasher);

impl Digester {
    pub(crate) fn add(&mut self, part: &[u8]) {
        self.0.update(&(part.len() as u64).to_le_bytes());
        self.0.update(part);
    }

    /// Adds one part, whatever is in the file.
    pub(crate) fn add_contents(&mut self, file: &Path) -> io::Result<()> {
        let mut contents = blake3::Hasher::new();
        contents.update_reader(File::open(file)?)?;
        self.add(contents.finalize().as_bytes());
        Ok(())
    }

    pub(crate) fn bytes(&self) -> [u8; LENGTH] {
        let mut bytes = [0; LENGTH];
        bytes.copy_from_slice(&self.0.finalize().as_bytes()[..LENGTH]);
        bytes
    }

    pub(crate) fn hex(&self) -> String {
        self.0.finalize().to_hex()[..2 * LENGTH].to_owned()
    }
}

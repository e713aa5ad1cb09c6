//! Digests of code: equal for code that says the same, however it is written.

use std::hash::{Hash, Hasher};

use ruff_python_ast::Stmt;
use ruff_python_ast::comparable::ComparableStmt;

use crate::part::Digest;

/// Takes in what can be hashed.
#[derive(Default)]
pub(super) struct Print(blake3::Hasher);

impl Print {
    pub(super) fn add(&mut self, what: &impl Hash) {
        what.hash(self);
    }

    pub(super) fn finish(&self) -> Digest {
        let mut digest = Digest::default();
        let length = digest.len();
        digest.copy_from_slice(&self.0.finalize().as_bytes()[..length]);
        digest
    }
}

impl Hasher for Print {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        let mut short = [0; 8];
        short.copy_from_slice(&self.0.finalize().as_bytes()[..8]);
        u64::from_le_bytes(short)
    }
}

/// The digest of these statements.
pub(super) fn print_of(statements: &[Stmt]) -> Digest {
    let mut print = Print::default();
    print.add(&statements.iter().map(ComparableStmt::from).collect::<Vec<_>>());
    print.finish()
}

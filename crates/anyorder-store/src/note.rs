//! Notes: what is kept of a suite as a whole, by name. Does not know what is in them.

use rusqlite::{OptionalExtension, params};

use crate::error::StoreError;
use crate::store::Store;

impl Store {
    /// Keeps something of one start of the suite, instead of what was kept under that name.
    pub fn save_note(&mut self, session: u32, name: &str, contents: &[u8]) -> Result<(), StoreError> {
        let sql = "INSERT OR REPLACE INTO note (session, name, contents) VALUES (?1, ?2, ?3)";
        self.history.connection.execute(sql, params![session, name, contents])?;
        Ok(())
    }

    /// What is kept under that name.
    pub fn note(&self, session: u32, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let sql = "SELECT contents FROM note WHERE session = ?1 AND name = ?2";
        let mut select = self.history.connection.prepare_cached(sql)?;
        Ok(select.query_row(params![session, name], |row| row.get(0)).optional()?)
    }
}

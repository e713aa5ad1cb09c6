//! Runs of other machines that are to be replayed here. Kept until a hunt has done so.

use rusqlite::params;

use crate::error::StoreError;
use crate::hunt::HuntNumber;
use crate::store::Store;

impl Store {
    /// Notes a run of the suite with this number that a hunt is to replay, even if one has replayed it before. `digest` tells it
    /// from others.
    pub fn import(&mut self, session: u32, digest: &str, run: &[u8]) -> Result<(), StoreError> {
        let sql = "INSERT INTO imported (session, digest, run) VALUES (?1, ?2, ?3)
                   ON CONFLICT (session, digest) DO UPDATE SET hunt = NULL";
        self.history.connection.execute(sql, params![session, digest, run])?;
        Ok(())
    }

    /// The runs of a suite that no hunt has replayed yet, the first one first.
    pub fn to_replay(&self, session: u32) -> Result<Vec<Vec<u8>>, StoreError> {
        let sql = "SELECT run FROM imported WHERE session = ?1 AND hunt IS NULL ORDER BY number";
        let mut select = self.history.connection.prepare_cached(sql)?;
        let runs = select.query_map([session], |row| row.get(0))?;
        Ok(runs.collect::<Result<_, _>>()?)
    }

    /// Notes that a hunt has replayed all runs of a suite.
    pub fn has_replayed(&mut self, session: u32, hunt: HuntNumber) -> Result<(), StoreError> {
        let sql = "UPDATE imported SET hunt = ?2 WHERE session = ?1 AND hunt IS NULL";
        self.history.connection.execute(sql, params![session, hunt.0])?;
        Ok(())
    }
}

//! Profiles: the newest of each test, with the fingerprint that it was made under. Knows neither what is in a profile nor
//! what is in the sources.
//!
//! Unlike runs, profiles outlive their fingerprint: after a change, what a test did before it says what the change can have
//! to do with the test. Whoever finds that a profile still holds renews it; those that nobody has made or renewed for a
//! while are dropped. A profile that is missing costs time, never truth.

use anyorder_model::TestId;
use rusqlite::{Connection, OptionalExtension, params};

use crate::error::StoreError;
use crate::fingerprint::Fingerprint;
use crate::store::{Store, fingerprint_from};

/// Profiles are kept while they belong to one of so many fingerprints, those used last.
pub const KEPT_STATES: u32 = 50;

/// A profile as it was saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptProfile {
    /// Whose it is.
    pub test: TestId,
    /// The state that it was made in, or was last found to hold in: a number of [`KeptState`].
    pub state: i64,
    /// The profile itself.
    pub profile: Vec<u8>,
}

/// A state of the project that profiles belong to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptState {
    /// What profiles call it.
    pub number: i64,
    /// What outcomes depended on then.
    pub fingerprint: Fingerprint,
    /// The sources, as they were described; nothing if nobody did.
    pub sources: Option<Vec<u8>>,
}

impl Store {
    /// Keeps the profiles of tests of one start of the suite, instead of those that were kept of these tests.
    pub fn save_profiles(&mut self, session: u32, profiles: &[(&TestId, Vec<u8>)]) -> Result<(), StoreError> {
        let transaction = self.history.connection.transaction()?;
        {
            let mut insert = transaction.prepare_cached(
                "INSERT OR REPLACE INTO profile (session, test, fingerprint, profile) VALUES (?1, ?2, ?3, ?4)",
            )?;
            for (test, profile) in profiles {
                insert.execute(params![session, test.0, self.fingerprint, profile])?;
            }
        }
        Ok(transaction.commit()?)
    }

    /// Notes that the profiles of these tests hold in the present state, too.
    pub fn renew_profiles(&mut self, session: u32, tests: &[&TestId]) -> Result<(), StoreError> {
        let transaction = self.history.connection.transaction()?;
        {
            let sql = "UPDATE profile SET fingerprint = ?3 WHERE session = ?1 AND test = ?2";
            let mut update = transaction.prepare_cached(sql)?;
            for test in tests {
                update.execute(params![session, test.0, self.fingerprint])?;
            }
        }
        Ok(transaction.commit()?)
    }

    /// Describes the sources of the present state, for those who compare profiles with later ones.
    pub fn describe_sources(&mut self, sources: &[u8]) -> Result<(), StoreError> {
        let sql = "INSERT OR REPLACE INTO state (fingerprint, sources) VALUES (?1, ?2)";
        self.history.connection.execute(sql, params![self.fingerprint, sources])?;
        Ok(())
    }

    /// Whether the sources of the present state are described.
    pub fn has_described_sources(&self) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM state WHERE fingerprint = ?1";
        let found = self.history.connection.query_row(sql, [self.fingerprint], |_| Ok(())).optional()?;
        Ok(found.is_some())
    }

    /// The profiles of one start of the suite, by the names of their tests, of whatever state.
    pub fn profiles(&self, session: u32) -> Result<Vec<KeptProfile>, StoreError> {
        let sql = "SELECT test, fingerprint, profile FROM profile WHERE session = ?1 ORDER BY test";
        let mut select = self.history.connection.prepare_cached(sql)?;
        let profiles = select.query_map([session], |row| {
            Ok(KeptProfile { test: TestId(row.get(0)?), state: row.get(1)?, profile: row.get(2)? })
        })?;
        Ok(profiles.collect::<Result<_, _>>()?)
    }

    /// The states that profiles belong to, the one used last first.
    pub fn states(&self) -> Result<Vec<KeptState>, StoreError> {
        let mut select = self.history.connection.prepare_cached(
            "SELECT fingerprint.sources, interpreter, packages, settings, agent, number, state.sources
             FROM fingerprint LEFT JOIN state ON state.fingerprint = number
             WHERE number IN (SELECT fingerprint FROM profile) ORDER BY used DESC",
        )?;
        let states = select.query_map([], |row| {
            Ok(KeptState { fingerprint: fingerprint_from(row)?, number: row.get(5)?, sources: row.get(6)? })
        })?;
        Ok(states.collect::<Result<_, _>>()?)
    }
}

/// Drops profiles that belong to no state of late, and descriptions that belong to no profile and no state of late.
pub(crate) fn prune(connection: &Connection) -> rusqlite::Result<()> {
    let late = "(SELECT number FROM fingerprint ORDER BY used DESC LIMIT ?1)";
    connection.execute(&format!("DELETE FROM profile WHERE fingerprint NOT IN {late}"), [KEPT_STATES])?;
    let unused = "fingerprint NOT IN (SELECT fingerprint FROM profile)";
    connection
        .execute(&format!("DELETE FROM state WHERE {unused} AND fingerprint NOT IN {late}"), [KEPT_STATES])?;
    Ok(())
}

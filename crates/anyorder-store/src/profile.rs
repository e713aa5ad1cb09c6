//! Profiles: the newest of each test, with the fingerprint that it was made under. Does not
//! know what is in a profile.
//!
//! Unlike runs, profiles outlive their fingerprint: after a change, what a test did before it says what the change can have
//! to do with the test. Whoever finds that a profile still holds renews it; those that nobody has made or renewed for a
//! while are dropped. A profile that is missing costs time, never truth.

use anyorder_model::TestId;
use rusqlite::{Connection, params};

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
    /// The commit that was checked out then, if that was noted.
    pub commit: Option<String>,
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

    /// Notes which commit is checked out in the present state.
    pub fn note_commit(&mut self, commit: &str) -> Result<(), StoreError> {
        let sql = "INSERT OR REPLACE INTO checkout (fingerprint, commit_id) VALUES (?1, ?2)";
        self.history.connection.execute(sql, params![self.fingerprint, commit])?;
        Ok(())
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
            "SELECT sources, interpreter, packages, settings, agent, number, commit_id
             FROM fingerprint LEFT JOIN checkout ON checkout.fingerprint = number
             WHERE number IN (SELECT fingerprint FROM profile) ORDER BY used DESC",
        )?;
        let states = select.query_map([], |row| {
            Ok(KeptState { fingerprint: fingerprint_from(row)?, number: row.get(5)?, commit: row.get(6)? })
        })?;
        Ok(states.collect::<Result<_, _>>()?)
    }

    /// The states in which profiles were made while this commit was checked out.
    pub fn states_at(&self, commit: &str) -> Result<Vec<Fingerprint>, StoreError> {
        let mut select = self.history.connection.prepare_cached(
            "SELECT sources, interpreter, packages, settings, agent
             FROM fingerprint JOIN checkout ON checkout.fingerprint = number WHERE commit_id = ?1 ORDER BY number",
        )?;
        let states = select.query_map([commit], fingerprint_from)?;
        Ok(states.collect::<Result<_, _>>()?)
    }
}

/// Drops profiles that belong to no state of late.
pub(crate) fn prune(connection: &Connection) -> rusqlite::Result<()> {
    let sql = "DELETE FROM profile WHERE fingerprint NOT IN
               (SELECT number FROM fingerprint ORDER BY used DESC LIMIT ?1)";
    connection.execute(sql, [KEPT_STATES]).map(|_| ())
}

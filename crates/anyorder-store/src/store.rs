//! The one writer: takes the lock, opens the database, and says under which fingerprint runs are recorded.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use anyorder_model::TestId;
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::error::StoreError;
use crate::fingerprint::Fingerprint;
use crate::history::History;
use crate::lock::WriterLock;
use crate::{database, directory, profile};

/// Runs are kept for this many fingerprints, those used last; of older ones only hunts and findings remain.
pub const KEPT_FINGERPRINTS: u32 = 5;

/// The history of a project, open for recording. There is one at a time.
#[derive(Debug)]
pub struct Store {
    pub(crate) history: History,
    pub(crate) fingerprint: i64,
    pub(crate) test_numbers: HashMap<TestId, i64>,
    set_aside: Option<PathBuf>,
    changed: Vec<&'static str>,
    /// Dropped last, after the database is closed.
    _lock: WriterLock,
}

impl Store {
    /// Opens the history of the project in this directory for recording, and makes what is not there yet.
    ///
    /// A database file that is broken or not ours is renamed, see [`Store::set_aside`].
    pub fn open(project: &Path, fingerprint: &Fingerprint) -> Result<Self, StoreError> {
        let directory = directory::make(project)?;
        let lock = WriterLock::take(&directory)?;
        let (connection, set_aside) = database::open_to_write(&directory.join(database::NAME))?;
        let previous = fingerprint_used_last(&connection)?;
        let changed = previous.map_or_else(Vec::new, |previous| previous.differences(fingerprint));
        let number = use_fingerprint(&connection, fingerprint)?;
        prune_runs(&connection)?;
        profile::prune(&connection)?;
        let history = History { connection };
        let test_numbers = history.test_ids()?.into_iter().map(|(number, id)| (id, number)).collect();
        Ok(Store { history, fingerprint: number, test_numbers, set_aside, changed, _lock: lock })
    }

    /// All that can be read.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Where the file has gone that was in the database's place and was broken, or was not ours.
    pub fn set_aside(&self) -> Option<&Path> {
        self.set_aside.as_deref()
    }

    /// The parts of the fingerprint that have changed since the store was last open: why earlier runs do not count.
    pub fn changed(&self) -> &[&'static str] {
        &self.changed
    }

    /// Gives a number to each test that has none.
    pub(crate) fn number_tests<'test>(
        &mut self,
        tests: impl Iterator<Item = &'test TestId>,
    ) -> Result<(), StoreError> {
        let unknown: BTreeSet<&TestId> = tests.filter(|id| !self.test_numbers.contains_key(*id)).collect();
        if unknown.is_empty() {
            return Ok(());
        }
        let transaction = self.history.connection.transaction()?;
        let mut numbered = Vec::with_capacity(unknown.len());
        {
            let mut insert = transaction.prepare_cached("INSERT INTO test (id) VALUES (?1)")?;
            for id in unknown {
                numbered.push((id.clone(), insert.insert([&id.0])?));
            }
        }
        transaction.commit()?;
        self.test_numbers.extend(numbered);
        Ok(())
    }
}

impl History {
    pub(crate) fn test_ids(&self) -> Result<HashMap<i64, TestId>, StoreError> {
        let mut select = self.connection.prepare_cached("SELECT number, id FROM test")?;
        let rows = select.query_map([], |row| Ok((row.get(0)?, TestId(row.get(1)?))))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

fn fingerprint_used_last(connection: &Connection) -> rusqlite::Result<Option<Fingerprint>> {
    let sql =
        "SELECT sources, interpreter, packages, settings, agent FROM fingerprint ORDER BY used DESC LIMIT 1";
    connection.query_row(sql, [], fingerprint_from).optional()
}

/// The fingerprint whose parts are the first columns.
pub(crate) fn fingerprint_from(row: &Row<'_>) -> rusqlite::Result<Fingerprint> {
    Ok(Fingerprint {
        sources: row.get(0)?,
        interpreter: row.get(1)?,
        packages: row.get(2)?,
        settings: row.get(3)?,
        agent: row.get(4)?,
    })
}

fn use_fingerprint(connection: &Connection, fingerprint: &Fingerprint) -> rusqlite::Result<i64> {
    let Fingerprint { sources, interpreter, packages, settings, agent } = fingerprint;
    connection.query_row(
        "INSERT INTO fingerprint (digest, sources, interpreter, packages, settings, agent, used)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, (SELECT coalesce(max(used), 0) + 1 FROM fingerprint))
         ON CONFLICT (digest) DO UPDATE SET used = excluded.used
         RETURNING number",
        params![fingerprint.digest(), sources, interpreter, packages, settings, agent],
        |row| row.get(0),
    )
}

fn prune_runs(connection: &Connection) -> rusqlite::Result<()> {
    let sql = "DELETE FROM run WHERE fingerprint NOT IN
               (SELECT number FROM fingerprint ORDER BY used DESC LIMIT ?1)";
    connection.execute(sql, [KEPT_FINGERPRINTS]).map(|_| ())
}

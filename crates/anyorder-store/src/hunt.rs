//! Hunts: when, with what, and how they ended. Never pruned.

use rusqlite::{Row, params};

use crate::error::StoreError;
use crate::history::History;
use crate::store::Store;

/// Hunts are numbered from 1, in the order in which they began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HuntNumber(pub i64);

/// A hunt, and when it began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HuntTime {
    /// Which hunt.
    pub hunt: HuntNumber,
    /// Seconds since 1970.
    pub began: i64,
}

/// What is known when a hunt begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HuntStart {
    /// Seconds since 1970.
    pub began: i64,
    /// What was typed.
    pub argv: Vec<String>,
    /// Where its random orders come from.
    pub seed: u64,
    /// As it was typed, for example `5m` or `20x`.
    pub budget: String,
}

/// What is known when a hunt has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HuntEnd {
    /// Seconds since 1970.
    pub ended: i64,
    /// The exit code.
    pub exit: i32,
}

/// A hunt of the past.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunt {
    /// Which.
    pub number: HuntNumber,
    /// The digest of the fingerprint that it saw.
    pub fingerprint: String,
    /// How it began.
    pub start: HuntStart,
    /// How it ended; `None` if it was killed or still goes on.
    pub end: Option<HuntEnd>,
}

impl Store {
    /// Notes that a hunt begins.
    pub fn begin_hunt(&mut self, start: &HuntStart) -> Result<HuntNumber, StoreError> {
        let argv = serde_json::to_string(&start.argv).expect("a list of strings has a JSON form");
        let connection = &self.history.connection;
        connection.execute(
            "INSERT INTO hunt (fingerprint, began, argv, seed, budget) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![self.fingerprint, start.began, argv, start.seed.cast_signed(), start.budget],
        )?;
        Ok(HuntNumber(connection.last_insert_rowid()))
    }

    /// Notes how a hunt ended.
    pub fn end_hunt(&mut self, hunt: HuntNumber, end: HuntEnd) -> Result<(), StoreError> {
        let sql = "UPDATE hunt SET ended = ?2, exit = ?3 WHERE number = ?1";
        self.history.connection.execute(sql, params![hunt.0, end.ended, end.exit])?;
        Ok(())
    }
}

impl History {
    /// All hunts, the first one first.
    pub fn hunts(&self) -> Result<Vec<Hunt>, StoreError> {
        let mut select = self.connection.prepare_cached(
            "SELECT hunt.number, digest, began, argv, seed, budget, ended, exit
             FROM hunt JOIN fingerprint ON fingerprint.number = hunt.fingerprint ORDER BY hunt.number",
        )?;
        let hunts = select.query_map([], read_hunt)?;
        Ok(hunts.collect::<Result<_, _>>()?)
    }
}

fn read_hunt(row: &Row<'_>) -> rusqlite::Result<Hunt> {
    let argv: String = row.get(3)?;
    let (ended, exit): (Option<i64>, Option<i32>) = (row.get(6)?, row.get(7)?);
    Ok(Hunt {
        number: HuntNumber(row.get(0)?),
        fingerprint: row.get(1)?,
        start: HuntStart {
            began: row.get(2)?,
            argv: serde_json::from_str(&argv).unwrap_or_default(),
            seed: row.get::<_, i64>(4)?.cast_unsigned(),
            budget: row.get(5)?,
        },
        end: ended.zip(exit).map(|(ended, exit)| HuntEnd { ended, exit }),
    })
}

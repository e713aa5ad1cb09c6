//! Opening the database file: is it ours, is it whole, do we know its schema?
//!
//! Knows SQLite's settings and what to do with a file that is not what it should be. Asks it no other question.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::error::StoreError;

pub(crate) const NAME: &str = "history.sqlite";

/// What each version has added to the one before, from the first on.
const SCHEMAS: [&str; 3] =
    [include_str!("schema.sql"), include_str!("schema_2.sql"), include_str!("schema_3.sql")];
const VERSION: i64 = 3;
/// SQLite keeps this number in the file's header for us; `anyo` in ASCII.
const APPLICATION: i64 = 0x616e_796f;

/// What a file turned out to be.
#[derive(Debug, PartialEq)]
enum State {
    Empty,
    Ours,
    /// Ours, and of this earlier version.
    Older(usize),
    Newer(i64),
    Foreign,
}

/// The database, made if need be; and where a file that was in its place has gone.
pub(crate) fn open_to_write(path: &Path) -> Result<(Connection, Option<PathBuf>), StoreError> {
    match judged(path, || untouched(Connection::open(path)?))? {
        (Some(connection), State::Empty) => Ok((upgraded(connection, 0)?, None)),
        (Some(connection), State::Ours) if is_whole(&connection)? => Ok((tuned(connection)?, None)),
        (Some(connection), State::Older(version)) if is_whole(&connection)? => {
            Ok((upgraded(connection, version)?, None))
        }
        (_, State::Newer(found)) => Err(newer(path, found)),
        (connection, _) => {
            drop(connection);
            let aside = set_aside(path)?;
            Ok((upgraded(Connection::open(path)?, 0)?, Some(aside)))
        }
    }
}

/// The database as it is; `None` if nothing was recorded yet.
pub(crate) fn open_to_read(path: &Path) -> Result<Option<Connection>, StoreError> {
    if !path.exists() {
        return Ok(None);
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let usual = judged(path, || Connection::open_with_flags(path, flags));
    let found = match usual {
        Err(StoreError::Database(error)) if needs_a_writable_directory(&error) && !has_journal(path) => {
            judged(path, || Connection::open_with_flags(immutable(path), flags | OpenFlags::SQLITE_OPEN_URI))
        }
        other => other,
    };
    match found? {
        (_, State::Empty) => Ok(None),
        (Some(connection), State::Ours | State::Older(_)) => Ok(Some(connection)),
        (_, State::Newer(found)) => Err(newer(path, found)),
        _ => Err(StoreError::Foreign { path: path.to_owned() }),
    }
}

fn judged(
    path: &Path,
    open: impl FnOnce() -> rusqlite::Result<Connection>,
) -> Result<(Option<Connection>, State), StoreError> {
    if path.is_dir() {
        return Ok((None, State::Foreign));
    }
    let opened = open().and_then(|connection| {
        let state = state(&connection)?;
        Ok((Some(connection), state))
    });
    match opened {
        Err(error) if is_broken(&error) => Ok((None, State::Foreign)),
        other => Ok(other?),
    }
}

fn state(connection: &Connection) -> rusqlite::Result<State> {
    let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    let application = number("PRAGMA application_id")?;
    let version = number("PRAGMA user_version")?;
    let tables = number("SELECT count(*) FROM sqlite_schema")?;
    Ok(match application {
        0 if tables == 0 => State::Empty,
        APPLICATION if version > VERSION => State::Newer(version),
        APPLICATION if version == VERSION => State::Ours,
        APPLICATION if version > 0 => State::Older(usize::try_from(version).expect("it is positive")),
        _ => State::Foreign,
    })
}

fn is_whole(connection: &Connection) -> Result<bool, StoreError> {
    match connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0)) {
        Ok(verdict) => Ok(verdict == "ok"),
        Err(error) if is_broken(&error) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn is_broken(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt))
}

/// With what later versions than `version` have added. All or nothing: a process that is killed in here leaves it as it was.
fn upgraded(connection: Connection, version: usize) -> rusqlite::Result<Connection> {
    let mut connection = tuned(connection)?;
    let transaction = connection.transaction()?;
    SCHEMAS[version..].iter().try_for_each(|schema| transaction.execute_batch(schema))?;
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()?;
    Ok(connection)
}

/// Closing this connection leaves the file and its log as they are, whatever they are.
fn untouched(connection: Connection) -> rusqlite::Result<Connection> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    Ok(connection)
}

/// With a write-ahead log a commit survives the death of the process at once, and the machine's after the next
/// checkpoint; readers and the writer do not wait for each other.
fn tuned(connection: Connection) -> rusqlite::Result<Connection> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
    // A file system that cannot share memory keeps its own journal mode, which is slower and as safe.
    connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "normal")?;
    Ok(connection)
}

/// Renames the file to the first free `history.sqlite.set-aside-N`.
fn set_aside(path: &Path) -> Result<PathBuf, StoreError> {
    let aside = (1..=u32::MAX)
        .map(|number| with_suffix(path, &format!(".set-aside-{number}")))
        .find(|aside| !aside.exists())
        .expect("a number is free");
    // The log first: left behind, it would be taken for the log of the new database.
    for suffix in ["-wal", "-shm", ""] {
        let from = with_suffix(path, suffix);
        if from.exists() {
            fs::rename(&from, with_suffix(&aside, suffix)).map_err(StoreError::unwritable(&from))?;
        }
    }
    Ok(aside)
}

fn newer(path: &Path, found: i64) -> StoreError {
    StoreError::Newer { path: path.to_owned(), found, known: VERSION }
}

fn needs_a_writable_directory(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly))
}

fn has_journal(path: &Path) -> bool {
    fs::metadata(with_suffix(path, "-wal")).is_ok_and(|file| file.len() > 0)
}

/// An address by which SQLite opens the file without making others beside it.
fn immutable(path: &Path) -> String {
    let path = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    format!("file:{path}?immutable=1")
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

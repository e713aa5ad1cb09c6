//! Why the store cannot be used. Each error carries one thing to try.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;
use thiserror::Error;

/// Why the store cannot be used.
#[derive(Debug, Error)]
pub enum StoreError {
    /// A file or directory of ours could not be made or changed.
    #[error("cannot write `{path}`: {source}")]
    Unwritable {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another process is writing.
    #[error("{} is already recording in `{directory}`", writer(*pid))]
    Locked {
        /// The `.anyorder` directory.
        directory: PathBuf,
        /// Who, if it has said so yet.
        pid: Option<u32>,
    },
    /// The database was written by a later version of the tool.
    #[error("`{path}` has schema {found}; this version of anyorder reads schemas up to {known}")]
    Newer {
        /// The database.
        path: PathBuf,
        /// Its schema.
        found: i64,
        /// The latest schema that this version knows.
        known: i64,
    },
    /// The file is broken, or is not a database of ours. A writer sets it aside instead.
    #[error("`{path}` is not a history of anyorder, or is broken")]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// SQLite could not do what it was asked.
    #[error("the history in `.anyorder` cannot be used: {0}")]
    Database(#[from] rusqlite::Error),
}

impl StoreError {
    /// One thing to try.
    pub fn hint(&self) -> String {
        match self {
            StoreError::Unwritable { .. } => WRITABLE.to_owned(),
            StoreError::Locked { pid: Some(pid), .. } => {
                format!("wait until it ends, or end it: `kill {pid}`")
            }
            StoreError::Locked { pid: None, .. } => "wait until it ends".to_owned(),
            StoreError::Newer { path, .. } => format!(
                "use the later version, or begin a new history: `rm {}`",
                shlex::try_quote(&path.display().to_string()).unwrap_or_default()
            ),
            StoreError::Foreign { .. } => {
                "hunt once: `anyorder hunt` sets the file aside and begins a new one".to_owned()
            }
            StoreError::Database(error) => hint_for_database(error.sqlite_error_code()).to_owned(),
        }
    }

    pub(crate) fn unwritable(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| StoreError::Unwritable { path, source }
    }
}

const WRITABLE: &str = "make the project's directory writable, or copy the project";

fn hint_for_database(code: Option<ErrorCode>) -> &'static str {
    match code {
        Some(ErrorCode::DiskFull) => "make room on the disk and start again: what was recorded is kept",
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => WRITABLE,
        _ => "begin a new history: delete the `.anyorder` directory",
    }
}

fn writer(pid: Option<u32>) -> String {
    pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"))
}

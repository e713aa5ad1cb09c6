//! The history as a reader sees it. The questions stand with the things they are about: `run.rs`, `hunt.rs`,
//! `finding.rs`, `duration.rs`.

use std::path::Path;

use rusqlite::Connection;

use crate::error::StoreError;
use crate::{database, directory};

/// What was recorded in a project. Reading hinders no writer and waits for none.
#[derive(Debug)]
pub struct History {
    pub(crate) connection: Connection,
}

impl History {
    /// The history of the project in this directory; `None` if nothing was recorded yet.
    pub fn open(project: &Path) -> Result<Option<Self>, StoreError> {
        let path = project.join(directory::NAME).join(database::NAME);
        Ok(database::open_to_read(&path)?.map(|connection| History { connection }))
    }
}

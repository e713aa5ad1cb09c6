//! How long tests take, for the time limits of later hunts. Belongs to a test's name, not to a fingerprint.

use std::collections::BTreeMap;
use std::time::Duration;

use anyorder_model::TestId;

use crate::error::StoreError;
use crate::history::History;
use crate::store::Store;

impl Store {
    /// Notes how long these tests took. What was noted for them before is forgotten.
    pub fn note_durations(&mut self, durations: &[(&TestId, Duration)]) -> Result<(), StoreError> {
        self.number_tests(durations.iter().map(|(id, _)| *id))?;
        let transaction = self.history.connection.transaction()?;
        {
            let mut update = transaction.prepare_cached("UPDATE test SET micros = ?2 WHERE number = ?1")?;
            for (id, duration) in durations {
                let micros = i64::try_from(duration.as_micros()).unwrap_or(i64::MAX);
                update.execute([self.test_numbers[*id], micros])?;
            }
        }
        Ok(transaction.commit()?)
    }
}

impl History {
    /// What each test took when it was timed last, to the microsecond.
    pub fn durations(&self) -> Result<BTreeMap<TestId, Duration>, StoreError> {
        let sql = "SELECT id, micros FROM test WHERE micros IS NOT NULL";
        let mut select = self.connection.prepare_cached(sql)?;
        let rows = select.query_map([], |row| {
            let micros = row.get::<_, i64>(1)?.cast_unsigned();
            Ok((TestId(row.get(0)?), Duration::from_micros(micros)))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

//! Runs: an answer under a key. Knows how an order is told from another; does not look into the answers.

use std::slice;

use anyorder_model::TestId;
use rusqlite::types::{ToSql, ToSqlOutput};
use rusqlite::{OptionalExtension, params};

use crate::digest::{Digester, LENGTH};
use crate::error::StoreError;
use crate::history::History;
use crate::store::Store;

/// Tells orders apart by the names of their tests; equal across processes and collections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OrderDigest([u8; LENGTH]);

impl OrderDigest {
    /// The digest of the order in which these tests stand.
    pub fn of(tests: &[&TestId]) -> Self {
        let mut digester = Digester::default();
        tests.iter().for_each(|id| digester.add(id.0.as_bytes()));
        OrderDigest(digester.bytes())
    }
}

impl ToSql for OrderDigest {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        self.0.to_sql()
    }
}

/// What makes two runs the same run, under one fingerprint.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunKey<'run> {
    /// Which start of the suite it was run from.
    pub session: u32,
    /// What it was run for, for example `baseline`.
    pub purpose: &'run str,
    /// Which of several equal runs.
    pub repetition: u32,
    /// The order that was asked for.
    pub order: OrderDigest,
}

/// A run to be recorded.
#[derive(Clone, Debug)]
pub struct Run<'run> {
    /// Under which key it is recalled.
    pub key: RunKey<'run>,
    /// The tests that ran, in their order.
    pub tests: &'run [&'run TestId],
    /// What became of each of them, as briefly as the caller likes, for example one letter each.
    pub outcomes: &'run str,
    /// What [`Store::recall`] gives back.
    pub answer: &'run [u8],
}

/// A run that was recorded, without its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastRun {
    /// The digest of the fingerprint that it was recorded with.
    pub fingerprint: String,
    /// Which start of the suite it was run from.
    pub session: u32,
    /// What it was run for.
    pub purpose: String,
    /// Which of several equal runs.
    pub repetition: u32,
    /// The tests that ran, in their order.
    pub tests: Vec<TestId>,
    /// What became of them, as the caller wrote it.
    pub outcomes: String,
}

impl Store {
    /// Records a run. Once this has returned, the death of this process does not undo it.
    ///
    /// A run with the same key gives way to it.
    pub fn record(&mut self, run: &Run<'_>) -> Result<(), StoreError> {
        self.record_all(slice::from_ref(run))
    }

    /// Records all of them or, when it fails or is killed, none. Much faster than one by one.
    pub fn record_all(&mut self, runs: &[Run<'_>]) -> Result<(), StoreError> {
        self.number_tests(runs.iter().flat_map(|run| run.tests.iter().copied()))?;
        let transaction = self.history.connection.transaction()?;
        {
            let mut insert = transaction.prepare_cached(
                "INSERT OR REPLACE INTO run
                 (fingerprint, order_digest, purpose, session, repetition, tests, outcomes, answer)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?;
            for Run { key, tests, outcomes, answer } in runs {
                let tests = packed(tests.iter().map(|id| self.test_numbers[*id]));
                let RunKey { session, purpose, repetition, order } = key;
                insert.execute(params![
                    self.fingerprint,
                    order,
                    purpose,
                    session,
                    repetition,
                    tests,
                    outcomes,
                    answer
                ])?;
            }
        }
        Ok(transaction.commit()?)
    }

    /// The answer that was recorded for this run under the present fingerprint.
    pub fn recall(&self, key: &RunKey<'_>) -> Result<Option<Vec<u8>>, StoreError> {
        let mut select = self.history.connection.prepare_cached(
            "SELECT answer FROM run
             WHERE fingerprint = ?1 AND order_digest = ?2 AND purpose = ?3 AND session = ?4 AND repetition = ?5",
        )?;
        let RunKey { session, purpose, repetition, order } = key;
        let key = params![self.fingerprint, order, purpose, session, repetition];
        Ok(select.query_row(key, |row| row.get(0)).optional()?)
    }

    /// How many runs can be recalled under the present fingerprint.
    pub fn recorded_runs(&self) -> Result<u64, StoreError> {
        let sql = "SELECT count(*) FROM run WHERE fingerprint = ?1";
        let count: i64 = self.history.connection.query_row(sql, [self.fingerprint], |row| row.get(0))?;
        Ok(count.cast_unsigned())
    }
}

impl History {
    /// All runs that are kept, of whatever fingerprint, in the order in which they were recorded.
    pub fn runs(&self) -> Result<Vec<PastRun>, StoreError> {
        let ids = self.test_ids()?;
        let mut select = self.connection.prepare_cached(
            "SELECT digest, session, purpose, repetition, tests, outcomes
             FROM run JOIN fingerprint ON fingerprint.number = run.fingerprint ORDER BY run.number",
        )?;
        let runs = select.query_map([], |row| {
            Ok(PastRun {
                fingerprint: row.get(0)?,
                session: row.get(1)?,
                purpose: row.get(2)?,
                repetition: row.get(3)?,
                tests: unpacked(row.get_ref(4)?.as_blob()?).map(|number| ids[&number].clone()).collect(),
                outcomes: row.get(5)?,
            })
        })?;
        Ok(runs.collect::<Result<_, _>>()?)
    }
}

/// Seven bits to a byte, the low ones first; the high bit says that more follow. Most tests take two bytes.
fn packed(numbers: impl Iterator<Item = i64>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for number in numbers {
        let mut rest = number.cast_unsigned();
        while rest > 0x7f {
            bytes.push(rest.to_le_bytes()[0] | 0x80);
            rest >>= 7;
        }
        bytes.push(rest.to_le_bytes()[0]);
    }
    bytes
}

fn unpacked(bytes: &[u8]) -> impl Iterator<Item = i64> {
    bytes
        .split_inclusive(|byte| byte & 0x80 == 0)
        .map(|digits| digits.iter().rev().fold(0, |number: i64, digit| number << 7 | i64::from(digit & 0x7f)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn unpacked_numbers_are_those_that_were_packed(numbers: Vec<i64>) {
            let bytes = packed(numbers.iter().copied());
            prop_assert_eq!(unpacked(&bytes).collect::<Vec<_>>(), numbers);
        }
    }

    #[test]
    fn orders_differ_when_tests_swap_repeat_or_share_a_name_end() {
        let ids = ["ab", "c", "a", "bc"].map(|id| TestId(id.to_owned()));
        let [ab, c, a, bc] = &ids;
        let orders: [&[&TestId]; 5] = [&[ab, c], &[c, ab], &[a, bc], &[ab, c, c], &[]];
        for (place, order) in orders.iter().enumerate() {
            for other in &orders[..place] {
                assert_ne!(OrderDigest::of(order), OrderDigest::of(other));
            }
        }
    }
}

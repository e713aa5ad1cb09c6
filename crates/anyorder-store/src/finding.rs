//! Findings over time: a log of when each was seen and when it could not be reproduced. Never pruned.

use anyorder_model::TestId;
use rusqlite::{Row, params};

use crate::error::StoreError;
use crate::history::History;
use crate::hunt::{HuntNumber, HuntTime};
use crate::store::Store;

/// A finding as a hunt has it.
#[derive(Clone, Copy, Debug)]
pub struct FoundFinding<'finding> {
    /// Stable, for example `v-3f2a9c`.
    pub id: &'finding str,
    /// For example `victim`.
    pub kind: &'finding str,
    /// The test that it speaks of.
    pub test: &'finding TestId,
    /// All of it.
    pub json: &'finding str,
}

/// The latest state of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownFinding {
    /// Stable, for example `v-3f2a9c`.
    pub id: String,
    /// For example `victim`.
    pub kind: String,
    /// The test that it speaks of.
    pub test: TestId,
    /// All of it, as it was saved last.
    pub json: String,
    /// The first hunt that saw it.
    pub first_seen: HuntTime,
    /// The latest hunt that saw it.
    pub last_seen: HuntTime,
    /// The latest hunt that tried and could not reproduce it.
    pub last_not_reproduced: Option<HuntTime>,
    /// Whether the last that was heard of it is that it was seen.
    pub stands: bool,
}

impl Store {
    /// Notes that this hunt has seen the finding. It may be saved again as more of it is known.
    pub fn save_finding(&mut self, hunt: HuntNumber, finding: &FoundFinding<'_>) -> Result<(), StoreError> {
        let FoundFinding { id, kind, test, json } = finding;
        self.history.connection.execute(
            "INSERT INTO finding (hunt, id, kind, test, json) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![hunt.0, id, kind, test.0, json],
        )?;
        Ok(())
    }

    /// Notes that this hunt has tried to see the finding again, and has not.
    pub fn not_reproduced(&mut self, hunt: HuntNumber, id: &str) -> Result<(), StoreError> {
        let sql = "INSERT INTO finding (hunt, id) VALUES (?1, ?2)";
        self.history.connection.execute(sql, params![hunt.0, id])?;
        Ok(())
    }
}

impl History {
    /// Every finding that was ever saved, by id, each in its latest state.
    pub fn known_findings(&self) -> Result<Vec<KnownFinding>, StoreError> {
        self.findings(None)
    }

    /// The finding with this id.
    pub fn finding(&self, id: &str) -> Result<Option<KnownFinding>, StoreError> {
        Ok(self.findings(Some(id))?.pop())
    }

    /// Which hunt has seen which finding, hunt by hunt; one that was saved several times is there several times.
    pub fn sightings(&self) -> Result<Vec<(HuntNumber, String)>, StoreError> {
        let sql = "SELECT hunt, id FROM finding WHERE json IS NOT NULL ORDER BY hunt, id";
        let mut select = self.connection.prepare_cached(sql)?;
        let rows = select.query_map([], |row| Ok((HuntNumber(row.get(0)?), row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn findings(&self, id: Option<&str>) -> Result<Vec<KnownFinding>, StoreError> {
        let mut select = self.connection.prepare_cached(LATEST)?;
        let findings = select.query_map([id], read_finding)?;
        Ok(findings.collect::<Result<_, _>>()?)
    }
}

/// A line of the log that has no `json` says "not reproduced".
const LATEST: &str = "
    SELECT last.id, last.kind, last.test, last.json,
           first_hunt.number, first_hunt.began, last_hunt.number, last_hunt.began,
           gone_hunt.number, gone_hunt.began, last.number > coalesce(gone.number, 0)
    FROM (SELECT min(number) FILTER (WHERE json IS NOT NULL) AS first_line,
                 max(number) FILTER (WHERE json IS NOT NULL) AS last_line,
                 max(number) FILTER (WHERE json IS NULL) AS gone_line
          FROM finding WHERE ?1 IS NULL OR id = ?1 GROUP BY id)
    JOIN finding AS first ON first.number = first_line
    JOIN hunt AS first_hunt ON first_hunt.number = first.hunt
    JOIN finding AS last ON last.number = last_line
    JOIN hunt AS last_hunt ON last_hunt.number = last.hunt
    LEFT JOIN finding AS gone ON gone.number = gone_line
    LEFT JOIN hunt AS gone_hunt ON gone_hunt.number = gone.hunt
    ORDER BY last.id";

fn read_finding(row: &Row<'_>) -> rusqlite::Result<KnownFinding> {
    Ok(KnownFinding {
        id: row.get(0)?,
        kind: row.get(1)?,
        test: TestId(row.get(2)?),
        json: row.get(3)?,
        first_seen: HuntTime { hunt: HuntNumber(row.get(4)?), began: row.get(5)? },
        last_seen: HuntTime { hunt: HuntNumber(row.get(6)?), began: row.get(7)? },
        last_not_reproduced: Option::zip(row.get(8)?, row.get(9)?)
            .map(|(hunt, began)| HuntTime { hunt: HuntNumber(hunt), began }),
        stands: row.get(10)?,
    })
}

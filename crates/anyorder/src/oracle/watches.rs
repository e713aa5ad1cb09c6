//! Watches: what is remembered of them, and carrying out the rest.

use std::ops::ControlFlow;

use anyorder_engine::Update;
use anyorder_model::{Halted, Watch, WatchRecord};
use anyorder_store::StoreError;

use super::{EngineOracle, Trouble};
use crate::session::ends_its_parent;

impl EngineOracle<'_, '_> {
    pub(super) fn watch_all(&mut self, watches: &[Watch]) -> Result<Vec<WatchRecord>, Halted> {
        let known: Result<Vec<Option<WatchRecord>>, StoreError> =
            watches.iter().map(|watch| self.memory.watch(watch)).collect();
        let mut records = known.map_err(|error| self.broken(error.into()))?;
        self.advance(records.iter().flatten().count());
        if records.contains(&None) {
            self.halted()?;
            self.watch_missing(watches, &mut records).map_err(|trouble| self.broken(trouble))?;
        }
        Ok(records.into_iter().flatten().collect())
    }

    fn watch_missing(
        &mut self,
        watches: &[Watch],
        records: &mut [Option<WatchRecord>],
    ) -> Result<(), Trouble> {
        let places: Vec<usize> = (0..watches.len()).filter(|&place| records[place].is_none()).collect();
        let missing: Vec<Watch> = places.iter().map(|&place| watches[place].clone()).collect();
        let mut failed = None;
        let engine = self.engine;
        engine.watch(&missing, |update| {
            match update {
                Update::Ran { number, record } => {
                    let at = usize::try_from(number - 1).expect("watches fit into memory");
                    failed = failed.take().or(self.memory.note_watch(&missing[at], &record).err());
                    records[places[at]] = Some(record);
                    self.advance(1);
                }
                Update::EndsItsParent { test } => self.session.tell(&ends_its_parent(engine, test)),
                Update::Tick { running, .. } => self.tick(running),
            }
            let goes_on = failed.is_none() && !self.is_out_of_time();
            if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        let is_complete = !records.contains(&None);
        self.written(failed, is_complete)
    }
}

//! Looks at shared state: what is remembered of them, and carrying out the rest.

use std::ops::ControlFlow;

use anyorder_engine::Update;
use anyorder_model::Halted;
use anyorder_store::StoreError;

use super::{EngineOracle, Trouble};
use crate::look::Look;
use crate::session::ends_its_parent;

impl EngineOracle<'_, '_> {
    pub(super) fn look_all<L: Look>(&mut self, looks: &[L]) -> Result<Vec<L::Record>, Halted> {
        let known: Result<Vec<Option<L::Record>>, StoreError> =
            looks.iter().map(|look| self.memory.look(look)).collect();
        let mut records = known.map_err(|error| self.broken(error.into()))?;
        self.advance(records.iter().flatten().count());
        if records.contains(&None) {
            self.halted()?;
            self.look_at_missing(looks, &mut records).map_err(|trouble| self.broken(trouble))?;
        }
        Ok(records.into_iter().flatten().collect())
    }

    fn look_at_missing<L: Look>(
        &mut self,
        looks: &[L],
        records: &mut [Option<L::Record>],
    ) -> Result<(), Trouble> {
        let places: Vec<usize> = (0..looks.len()).filter(|&place| records[place].is_none()).collect();
        let missing: Vec<L> = places.iter().map(|&place| looks[place].clone()).collect();
        let mut failed = None;
        let engine = self.engine;
        L::carry_out(engine, &missing, |update| {
            match update {
                Update::Ran { number, record } => {
                    let at = usize::try_from(number - 1).expect("looks fit into memory");
                    failed = failed.take().or(self.memory.note_look(&missing[at], &record).err());
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

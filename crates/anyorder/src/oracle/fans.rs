//! Fans: what is remembered of them, and running the rest.

use std::ops::ControlFlow;

use anyorder_engine::Update;
use anyorder_model::{Fan, FanRecord, Halted, Order, Outcome, RunRecord, Signature, Step, TailRecord};
use anyorder_store::StoreError;

use super::{EngineOracle, Trouble};
use crate::memory::Memory;
use crate::session::ends_its_parent;

impl EngineOracle<'_, '_> {
    pub(super) fn run_fans(&mut self, fans: &[Fan]) -> Result<Vec<FanRecord>, Halted> {
        let mut answers = self.recall(fans).map_err(|error| self.broken(error.into()))?;
        if answers.iter().any(|answer| answer.missing().next().is_some()) {
            self.halted()?;
            self.complete(fans, &mut answers).map_err(|trouble| self.broken(trouble))?;
        }
        Ok(answers.into_iter().map(Answer::record).collect())
    }

    fn recall(&mut self, fans: &[Fan]) -> Result<Vec<Answer>, StoreError> {
        let answers: Result<Vec<Answer>, StoreError> =
            fans.iter().map(|fan| Answer::from_memory(fan, &self.memory)).collect();
        let answers = answers?;
        self.advance(answers.iter().map(Answer::known).sum());
        Ok(answers)
    }

    /// Runs what is missing.
    fn complete(&mut self, fans: &[Fan], answers: &mut [Answer]) -> Result<(), Trouble> {
        let mut places = Vec::new();
        let mut batches = Vec::new();
        for (at, (fan, answer)) in fans.iter().zip(&*answers).enumerate() {
            let missing: Vec<usize> = answer.missing().collect();
            places.extend(missing.iter().map(|&tail| (at, tail)));
            batches.push(missing.iter().map(|&tail| whole(fan, tail)).collect::<Vec<Order>>());
        }
        batches.retain(|batch| !batch.is_empty());
        let (mut done, mut failed) = (0, None);
        let engine = self.engine;
        engine.run(batches.into_iter(), |update| {
            match update {
                Update::Ran { number, record } => {
                    let place = usize::try_from(number - 1).expect("orders fit into memory");
                    let (at, tail) = places[place];
                    let noted = answers[at].note(&fans[at], tail, record, &mut self.memory);
                    failed = failed.take().or(noted.err());
                    self.advance(1);
                    done += 1;
                }
                Update::EndsItsParent { test } => self.session.tell(&ends_its_parent(engine, test)),
                Update::Tick { running, .. } => self.tick(running),
            }
            let goes_on = failed.is_none() && !self.is_out_of_time();
            if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        let is_complete = done == places.len();
        self.written(failed, is_complete)
    }
}

/// What is known of one fan.
struct Answer {
    prefix: Option<Vec<Step>>,
    tails: Vec<Option<TailRecord>>,
}

impl Answer {
    fn from_memory(fan: &Fan, memory: &Memory<'_>) -> Result<Self, StoreError> {
        let Some(prefix) = memory.prefix(fan)? else {
            return Ok(Answer { prefix: None, tails: vec![None; fan.tails.len()] });
        };
        let tails: Result<_, _> = fan.tails.iter().map(|tail| memory.tail(fan, tail)).collect();
        Ok(Answer { prefix: Some(prefix), tails: tails? })
    }

    fn known(&self) -> usize {
        self.tails.iter().flatten().count()
    }

    fn missing(&self) -> impl Iterator<Item = usize> {
        self.tails.iter().enumerate().filter(|(_, tail)| tail.is_none()).map(|(at, _)| at)
    }

    /// The record of one tail has arrived.
    fn note(
        &mut self,
        fan: &Fan,
        tail: usize,
        record: RunRecord,
        memory: &mut Memory<'_>,
    ) -> Result<(), StoreError> {
        let mut prefix = record.steps;
        let steps = prefix.split_off(fan.prefix.len());
        let late = late(&mut prefix);
        if self.prefix.is_none() {
            memory.note_prefix(fan, &prefix)?;
            self.prefix = Some(prefix);
        }
        let record = TailRecord { late, steps };
        memory.note_tail(fan, &fan.tails[tail], &record)?;
        self.tails[tail] = Some(record);
        Ok(())
    }

    fn record(self) -> FanRecord {
        FanRecord {
            prefix: self.prefix.unwrap_or_default(),
            tails: self.tails.into_iter().flatten().collect(),
        }
    }
}

/// Takes the error of a put-off tear-down away from the prefix, where the record charges it.
fn late(prefix: &mut [Step]) -> Option<Signature> {
    let last = prefix.last_mut().filter(|last| last.is_late)?;
    last.outcome = Outcome::Passed;
    last.phase = None;
    last.is_late = false;
    last.signature.take()
}

fn whole(fan: &Fan, tail: usize) -> Order {
    fan.prefix.tests().iter().chain(fan.tails[tail].tests()).copied().collect()
}

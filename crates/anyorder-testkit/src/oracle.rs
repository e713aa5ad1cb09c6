//! The world as the search sees it, over forks of a real suite: no store, no progress, no plain runs.

use std::ops::ControlFlow;

use anyorder_engine::{Engine, EngineError, Update};
use anyorder_model::{
    Fan, FanRecord, Halted, News, Oracle, Order, PlainAsk, PlainSeen, Suite, TailRecord, Treatment,
    TreatmentRecord, Watch, WatchRecord,
};

use crate::engine;

/// Answers questions by forks.
pub struct Forks<'a>(pub &'a Engine);

impl Oracle for Forks<'_> {
    fn suite(&self) -> &Suite {
        self.0.suite()
    }

    fn run(&mut self, fans: Vec<Fan>) -> Result<Vec<FanRecord>, Halted> {
        let order = |fan: &Fan, tail: &Order| -> Order {
            fan.prefix.tests().iter().chain(tail.tests()).copied().collect()
        };
        let batches =
            fans.iter().map(|fan| fan.tails.iter().map(|tail| order(fan, tail)).collect()).collect();
        let mut records = engine::run(self.0, batches).into_iter();
        let fans = fans.iter().map(|fan| {
            let mut prefix = Vec::new();
            let tails = records.by_ref().take(fan.tails.len()).map(|mut record| {
                let steps = record.steps.split_off(fan.prefix.len());
                prefix = record.steps;
                TailRecord { late: None, steps }
            });
            let tails = tails.collect();
            FanRecord { prefix, tails }
        });
        Ok(fans.collect())
    }

    fn run_plain(&mut self, _asked: Vec<PlainAsk>) -> Result<Vec<PlainSeen>, Halted> {
        Err(Halted::Broken)
    }

    fn can_watch(&self) -> bool {
        self.0.can_watch().is_ok()
    }

    fn watch(&mut self, watches: Vec<Watch>) -> Result<Vec<WatchRecord>, Halted> {
        answered(|hear| self.0.watch(&watches, hear))
    }

    fn can_treat(&self) -> bool {
        self.0.can_treat().is_ok()
    }

    fn treat(&mut self, treatments: Vec<Treatment>) -> Result<Vec<TreatmentRecord>, Halted> {
        answered(|hear| self.0.treat(&treatments, hear))
    }

    fn spent(&self) -> f64 {
        0.0
    }

    fn tell(&mut self, _news: News) {}
}

/// Hears all answers of the engine, and gives them in the order asked.
fn answered<R>(
    asked: impl FnOnce(&mut dyn FnMut(Update<R>) -> ControlFlow<()>) -> Result<(), EngineError>,
) -> Result<Vec<R>, Halted> {
    let mut records = Vec::new();
    let mut hear = |update| {
        if let Update::Ran { number, record } = update {
            records.push((number, record));
        }
        ControlFlow::Continue(())
    };
    asked(&mut hear).map_err(|_| Halted::Broken)?;
    records.sort_by_key(|(number, _)| *number);
    Ok(records.into_iter().map(|(_, record)| record).collect())
}

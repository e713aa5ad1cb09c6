//! Questions about shared state: how each is told from others, and who carries it out.

use std::ops::ControlFlow;

use anyorder_engine::{Engine, EngineError, Update};
use anyorder_model::{Order, Step, Treatment, TreatmentRecord, Watch, WatchRecord};
use anyorder_store::digest_of;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A question about shared state.
pub(crate) trait Look: Clone {
    type Record: Clone + PartialEq + Serialize + DeserializeOwned;

    /// What tells it from other questions about the same order.
    fn purpose(&self) -> String;
    fn repetition(&self) -> u32;
    fn order(&self) -> Order;

    /// What ran, for those who read the history.
    fn steps(record: &Self::Record) -> Vec<Step>;

    fn carry_out(
        engine: &Engine,
        asked: &[Self],
        hear: impl FnMut(Update<Self::Record>) -> ControlFlow<()>,
    ) -> Result<(), EngineError>;
}

impl Look for Watch {
    type Record = WatchRecord;

    /// Which of its tests are watched, and what is looked at.
    fn purpose(&self) -> String {
        let verb = if self.traces { "trace" } else { "watch" };
        let only = if self.only_bare { ", on if bare" } else { "" };
        format!("{verb} {} after {}{only}", self.tests.len(), self.prefix.len())
    }

    fn repetition(&self) -> u32 {
        self.repetition
    }

    fn order(&self) -> Order {
        Watch::order(self)
    }

    fn steps(record: &WatchRecord) -> Vec<Step> {
        let watched = record.watched.iter().map(|watched| &watched.step);
        watched.chain(&record.then).cloned().collect()
    }

    fn carry_out(
        engine: &Engine,
        asked: &[Self],
        hear: impl FnMut(Update<WatchRecord>) -> ControlFlow<()>,
    ) -> Result<(), EngineError> {
        engine.watch(asked, hear)
    }
}

impl Look for Treatment {
    type Record = TreatmentRecord;

    /// The remedies, and what is asked for besides.
    fn purpose(&self) -> String {
        let words = serde_json::to_vec(&(&self.remedies, self.looks, self.places, &self.lines, &self.about))
            .expect("they have a JSON form");
        format!("treat {}", digest_of(&words))
    }

    fn repetition(&self) -> u32 {
        self.repetition
    }

    fn order(&self) -> Order {
        Treatment::order(self)
    }

    /// One for each remedy: these are forks of one state.
    fn steps(record: &TreatmentRecord) -> Vec<Step> {
        record.treated.iter().map(|treated| treated.step.clone()).collect()
    }

    fn carry_out(
        engine: &Engine,
        asked: &[Self],
        hear: impl FnMut(Update<TreatmentRecord>) -> ControlFlow<()>,
    ) -> Result<(), EngineError> {
        engine.treat(asked, hear)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyorder_model::{Remedy, Snippet, TestIndex};

    #[test]
    fn treatments_that_try_other_code_or_ask_about_other_cells_are_told_apart() {
        let with = |text: &str, beside: u32, about: &[&str]| {
            let snippet = Snippet { text: text.to_owned(), beside: TestIndex(beside) };
            let asked = Treatment::new(Order(vec![]), TestIndex(0), vec![Remedy::Run(snippet)]);
            Treatment { about: about.iter().map(|&path| path.to_owned()).collect(), ..asked }.purpose()
        };
        let same = with("shop.reset()", 0, &["shop.FLAGS"]);
        assert_eq!(same, with("shop.reset()", 0, &["shop.FLAGS"]));
        for other in [
            with("shop.clear()", 0, &["shop.FLAGS"]),
            with("shop.reset()", 1, &["shop.FLAGS"]),
            with("shop.reset()", 0, &["shop.RATES"]),
            with("shop.reset()", 0, &[]),
        ] {
            assert_ne!(same, other);
        }
    }
}

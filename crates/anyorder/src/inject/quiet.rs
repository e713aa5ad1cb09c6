//! A search that is only a part of something else, and tells nobody of what it finds.

use anyorder_model::{
    Fan, FanRecord, Halted, News, Oracle, PlainAsk, PlainSeen, Suite, Treatment, TreatmentRecord, Watch,
    WatchRecord,
};

/// The same oracle, without an ear.
pub(super) struct Quiet<'a>(pub(super) &'a mut dyn Oracle);

impl Oracle for Quiet<'_> {
    fn suite(&self) -> &Suite {
        self.0.suite()
    }

    fn run(&mut self, fans: Vec<Fan>) -> Result<Vec<FanRecord>, Halted> {
        self.0.run(fans)
    }

    fn run_plain(&mut self, asked: Vec<PlainAsk>) -> Result<Vec<PlainSeen>, Halted> {
        self.0.run_plain(asked)
    }

    fn can_watch(&self) -> bool {
        self.0.can_watch()
    }

    fn watch(&mut self, watches: Vec<Watch>) -> Result<Vec<WatchRecord>, Halted> {
        self.0.watch(watches)
    }

    fn can_treat(&self) -> bool {
        self.0.can_treat()
    }

    fn treat(&mut self, treatments: Vec<Treatment>) -> Result<Vec<TreatmentRecord>, Halted> {
        self.0.treat(treatments)
    }

    fn spent(&self) -> f64 {
        self.0.spent()
    }

    fn tell(&mut self, _news: News) {}
}

//! Carries out watches: tests that run one by one in a process that has marked its state, and what each leaves changed.

use std::ops::ControlFlow;
use std::sync::Arc;

use anyorder_model::{Cell, Signature, Step, TestIndex, Watch, WatchRecord, Watched};

use crate::crew;
use crate::error::EngineError;
use crate::lab::Lab;
use crate::leg::{LegEnd, Trace, charge_late};
use crate::marked::marked_process;
use crate::node::Node;
use crate::pool::Update;

/// Carries out all of `asked`; tells `hear` of each. `Break` ends everything that is going on.
pub(crate) fn run(
    lab: &Arc<Lab>,
    asked: &[Watch],
    hear: impl FnMut(Update<WatchRecord>) -> ControlFlow<()>,
) -> Result<(), EngineError> {
    crew::run(lab, asked, carry_out, hear)
}

/// Whatever the tests do ends up in the record; an error means that nothing can be run any more.
fn carry_out(lab: &Arc<Lab>, desk: usize, watch: &Watch) -> Result<WatchRecord, EngineError> {
    let node = marked_process(lab, desk, &watch.order())?;
    let mut seen = Seen { watched: vec![], lab, node };
    let mut record = WatchRecord { watched: vec![], is_bare: false, in_the_end: None, then: vec![] };
    if seen.comes_to_watched(watch) && seen.watch(watch.tests.tests()) {
        (record.is_bare, record.in_the_end) = seen.in_the_end();
        let goes_on = record.in_the_end.is_some() && (record.is_bare || !watch.only_bare);
        if goes_on && !watch.then.is_empty() {
            record.then = seen.run_on(watch.then.tests());
        }
    }
    Ok(WatchRecord { watched: seen.watched, ..record })
}

/// A process that has marked its state, and what was seen in it.
struct Seen<'lab> {
    watched: Vec<Watched>,
    lab: &'lab Lab,
    node: Node,
}

impl Seen<'_> {
    /// Runs what nobody watches; whether the process is ready for the rest.
    fn comes_to_watched(&self, watch: &Watch) -> bool {
        let (lab, node, prefix) = (self.lab, &self.node, watch.prefix.tests());
        let has_come = prefix.is_empty()
            || (matches!(node.run(lab, prefix, false).end, LegEnd::Ran(_)) && node.mark(lab).is_ok());
        has_come && (!watch.traces || node.trace().is_ok())
    }

    /// Runs the tests one by one; whether the process comes to their end.
    fn watch(&mut self, tests: &[TestIndex]) -> bool {
        for (at, &test) in tests.iter().enumerate() {
            let mut leg = self.node.run(self.lab, &[test], false);
            self.charge(leg.late.take());
            let Some(step) = leg.steps.pop() else { return false };
            let has_ran = matches!(leg.end, LegEnd::Ran(_));
            let is_understood = self.node.study(self.lab, &mut leg.trace).is_ok();
            let Trace { reads, code, opened, .. } = leg.trace;
            let writes = (has_ran && is_understood)
                .then(|| self.node.diff(self.lab, at + 1 < tests.len()).ok())
                .flatten();
            let goes_on = writes.is_some();
            self.watched.push(Watched { step, writes: writes.unwrap_or_default(), reads, code, opened });
            if !goes_on {
                return false;
            }
        }
        true
    }

    /// Tears everything down; whether that was nothing, and what is changed then, unless the process is gone.
    fn in_the_end(&mut self) -> (bool, Option<Vec<Cell>>) {
        let leg = self.node.finish(self.lab);
        self.charge(leg.late);
        let is_finished = matches!(leg.end, LegEnd::Ran(_));
        (leg.is_bare, is_finished.then(|| self.node.diff(self.lab, false).ok()).flatten())
    }

    /// Runs what nobody watches, and tears everything down.
    fn run_on(&self, tests: &[TestIndex]) -> Vec<Step> {
        self.node.run(self.lab, tests, true).steps
    }

    fn charge(&mut self, late: Option<Signature>) {
        if let Some((signature, last)) = late.zip(self.watched.last_mut()) {
            charge_late(&mut last.step, signature);
        }
    }
}

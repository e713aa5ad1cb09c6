//! Carries out watches: tests that run one by one in a process that has marked its state, and what each leaves changed.
//!
//! The mark is made once, in a fork of the zygote that is kept for all watches to be forked from, so that orders that
//! nobody watches pay nothing for it.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread;

use anyorder_model::{Cell, Order, Signature, Step, TestIndex, Watch, WatchRecord, Watched};

use crate::disk::DiskState;
use crate::error::EngineError;
use crate::lab::Lab;
use crate::leg::{LegEnd, Trace, charge_late};
use crate::lock::Locked;
use crate::node::Node;
use crate::pool::{Update, listen};
use crate::settings::Isolation;

/// What workers share.
struct Watches<'a> {
    asked: &'a [Watch],
    next: AtomicUsize,
    error: Mutex<Option<EngineError>>,
}

/// Carries out all of `asked`; tells `hear` of each. `Break` ends everything that is going on.
pub(crate) fn run(
    lab: &Lab,
    asked: &[Watch],
    hear: impl FnMut(Update<WatchRecord>) -> ControlFlow<()>,
) -> Result<(), EngineError> {
    let watches = Watches { asked, next: AtomicUsize::new(0), error: Mutex::default() };
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for worker in 0..lab.settings.workers.min(asked.len()) {
            let (watches, sender) = (&watches, sender.clone());
            scope.spawn(move || watches.work(lab, lab.disk.desk_of(worker), &sender));
        }
        drop(sender);
        listen(lab, &receiver, hear);
    });
    lab.halt.run_is_over();
    watches.error.into_inner().expect("no worker panicked").map_or(Ok(()), Err)
}

impl Watches<'_> {
    fn work(&self, lab: &Lab, desk: usize, updates: &Sender<Update<WatchRecord>>) {
        while !lab.halt.is_called() {
            let place = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(watch) = self.asked.get(place) else { return };
            let done =
                carry_out(lab, desk, watch).and_then(|record| Ok((record, lab.suspects.examine(lab, desk)?)));
            match done {
                Ok((record, guilty)) => {
                    guilty.into_iter().for_each(|test| drop(updates.send(Update::EndsItsParent { test })));
                    if !lab.halt.is_called() {
                        let _ = updates.send(Update::Ran { number: place as u64 + 1, record });
                    }
                }
                Err(error) => {
                    lab.halt.stop_run();
                    self.error.locked().get_or_insert(error);
                }
            }
        }
    }
}

/// Whatever the tests do ends up in the record; an error means that nothing can be run any more.
fn carry_out(lab: &Lab, desk: usize, watch: &Watch) -> Result<WatchRecord, EngineError> {
    let node = marked_process(lab, desk, &watch.order())?;
    let mut seen = Seen { watched: vec![], lab, node };
    let mut record = WatchRecord { watched: vec![], in_the_end: None, then: vec![] };
    if seen.comes_to_watched(watch) && seen.watch(watch.tests.tests()) {
        if watch.then.is_empty() {
            record.in_the_end = seen.in_the_end();
        } else {
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
            let Trace { reads, code } = leg.trace;
            let has_ran = matches!(leg.end, LegEnd::Ran(_));
            let writes = has_ran.then(|| self.node.diff(self.lab, at + 1 < tests.len()).ok()).flatten();
            let goes_on = writes.is_some();
            self.watched.push(Watched { step, writes: writes.unwrap_or_default(), reads, code });
            if !goes_on {
                return false;
            }
        }
        true
    }

    /// Tears everything down; what is changed then, unless the process is gone.
    fn in_the_end(&mut self) -> Option<Vec<Cell>> {
        let leg = self.node.finish(self.lab);
        self.charge(leg.late);
        matches!(leg.end, LegEnd::Ran(_)).then(|| self.node.diff(self.lab, false).ok())?
    }

    /// Runs what nobody watches, and tears everything down.
    fn run_on(&mut self, tests: &[TestIndex]) -> Vec<Step> {
        let leg = self.node.run(self.lab, tests, true);
        self.charge(leg.late);
        leg.steps
    }

    fn charge(&mut self, late: Option<Signature>) {
        if let Some((signature, last)) = late.zip(self.watched.last_mut()) {
            charge_late(&mut last.step, signature);
        }
    }
}

/// A process in the fresh state that remembers it.
fn marked_process(lab: &Lab, desk: usize, order: &Order) -> Result<Node, EngineError> {
    const TRIES: u32 = 3;
    if lab.isolation_of(order) == Isolation::Process {
        return with_mark(lab, lab.launch_again(desk)?);
    }
    for _ in 0..TRIES {
        let marked = || Ok(with_mark(lab, lab.fresh(Isolation::Fork, desk)?)?.into_parent());
        let parent = lab.marked[desk].holder(marked)?;
        lab.bring_back(desk, DiskState::Fresh)?;
        let may_end_its_parent = lab.suspects.are_in(|test| order.tests().contains(&test));
        let child = parent.fork(lab);
        match if may_end_its_parent { child.and_then(|child| child.into_parent().fork(lab)) } else { child } {
            Ok(node) => return Ok(node),
            Err(_) if lab.halt.is_called() => return Err(EngineError::Cancelled),
            // It is well, but its children are not.
            Err(_) if parent.answers() => return with_mark(lab, lab.launch_again(desk)?),
            Err(_) => lab.marked[desk].vacate(&parent),
        }
    }
    Err(EngineError::ZygoteLost(TRIES))
}

fn with_mark(lab: &Lab, node: Node) -> Result<Node, EngineError> {
    match node.mark(lab) {
        Ok(()) => Ok(node),
        Err(_) if lab.halt.is_called() => Err(EngineError::Cancelled),
        Err(lost) => {
            let said: String = format!("{lost:?}").chars().take(2000).collect();
            Err(EngineError::Agent(format!("asked to remember the shared state, it said {said}")))
        }
    }
}

//! Carries out watches: tests that run one by one in a process that has marked its state, and what each leaves changed.
//!
//! The mark is made once, in a fork of the zygote that is kept for all watches to be forked from, so that orders that
//! nobody watches pay nothing for it.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread;

use anyorder_model::{Cell, Order, TestIndex, Watch, WatchRecord, Watched};

use crate::disk::DiskState;
use crate::error::EngineError;
use crate::lab::Lab;
use crate::leg::{Leg, LegEnd, Trace, charge_late};
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
    let node = marked_process(lab, desk, watch)?;
    let mut seen = Seen { watched: vec![], lab, node };
    let in_the_end = if seen.comes_to_watched(watch) { seen.watch(watch.tests.tests()) } else { None };
    Ok(WatchRecord { watched: seen.watched, in_the_end })
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

    /// Runs the tests one by one, as far as the process comes; what is changed in the end, if it comes to that.
    fn watch(&mut self, tests: &[TestIndex]) -> Option<Vec<Cell>> {
        for (at, &test) in tests.iter().enumerate() {
            let leg = self.node.run(self.lab, &[test], false);
            let writes = self.see(leg, at + 1 < tests.len())?;
            self.watched.last_mut()?.writes = writes;
        }
        let leg = self.node.finish(self.lab);
        self.see(leg, false)
    }

    /// Notes what ran; gives what has changed, unless the process is gone.
    fn see(&mut self, leg: Leg, advance: bool) -> Option<Vec<Cell>> {
        let Leg { late, mut steps, trace, end } = leg;
        if let Some((signature, last)) = late.zip(self.watched.last_mut()) {
            charge_late(&mut last.step, signature);
        }
        if let Some(step) = steps.pop() {
            let Trace { reads, code } = trace;
            self.watched.push(Watched { step, writes: vec![], reads, code });
        }
        matches!(end, LegEnd::Ran(_)).then(|| self.node.diff(self.lab, advance).ok())?
    }
}

/// A process in the fresh state that remembers it.
fn marked_process(lab: &Lab, desk: usize, watch: &Watch) -> Result<Node, EngineError> {
    const TRIES: u32 = 3;
    let order: Order = watch.prefix.tests().iter().chain(watch.tests.tests()).copied().collect();
    if lab.isolation_of(&order) == Isolation::Process {
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

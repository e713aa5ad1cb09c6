//! A node of the snapshot tree: one process in a known state, waiting to be told what to do.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyorder_model::{Outcome, Signature, Step, TestIndex};

use crate::cost::Meter;
use crate::disk::{DiskState, Snapshot};
use crate::family;
use crate::gate::Arrival;
use crate::guard::{Guard, Stop};
use crate::lab::Lab;
use crate::launch::Launched;
use crate::leg::{Leg, LegEnd, step_from};
use crate::link::{Link, Lost};
use crate::lock::Locked;
use crate::status::describe_status;
use crate::wire::{Message, Request, TestOutcome, places};

/// How long an agent may take for anything but running tests.
const AGENT_PATIENCE: Duration = Duration::from_mins(1);

/// How long a child that was just forked may take to say hello.
const CHILD_PATIENCE: Duration = Duration::from_secs(20);

pub(crate) struct Node {
    pid: i32,
    link: Mutex<Link>,
    origin: Origin,
    /// Where each test of the suite stands in the list that this process has collected.
    place_of: Arc<[u32]>,
    children_to_reap: Mutex<Vec<i32>>,
    scratch: PathBuf,
    role: Role,
    desk: usize,
    is_mute: AtomicBool,
    is_barren: AtomicBool,
    is_orphan: AtomicBool,
}

/// What a process is for.
enum Role {
    /// It runs tests.
    Runner,
    /// It is forked, for the orders that go on from its state, which includes the disk.
    Kept { _permit: Permit, disk: Option<Snapshot> },
    /// It is forked once, by somebody who may end it.
    StandIn,
}

enum Origin {
    Forked(Arc<Node>),
    Launched(Arc<Mutex<Launched>>),
}

/// Counts a kept state for as long as it is kept.
pub(crate) struct Permit(Arc<Lab>);

impl Permit {
    pub(crate) fn new(lab: &Arc<Lab>) -> Self {
        lab.kept_states.fetch_add(1, Ordering::Relaxed);
        Permit(Arc::clone(lab))
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.kept_states.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Node {
    pub(crate) fn launched(
        launched: Arc<Mutex<Launched>>,
        pid: i32,
        link: Link,
        place_of: Arc<[u32]>,
        scratch: PathBuf,
    ) -> Self {
        let desk = launched.locked().desk();
        Node {
            pid,
            link: Mutex::new(link),
            origin: Origin::Launched(launched),
            place_of,
            children_to_reap: Mutex::default(),
            scratch,
            role: Role::Runner,
            desk,
            is_mute: AtomicBool::new(false),
            is_barren: AtomicBool::new(false),
            is_orphan: AtomicBool::new(false),
        }
    }

    /// From now on this state is only forked, never run in.
    pub(crate) fn keep(mut self, permit: Permit, disk: Option<Snapshot>) -> Arc<Node> {
        self.role = Role::Kept { _permit: permit, disk };
        Arc::new(self)
    }

    /// The parent of one process that may end it.
    pub(crate) fn stand_in(mut self) -> Arc<Node> {
        self.role = Role::StandIn;
        Arc::new(self)
    }

    /// Where its tests run.
    pub(crate) fn desk(&self) -> usize {
        self.desk
    }

    /// The disk that belongs to its state.
    pub(crate) fn disk_state(&self) -> DiskState<'_> {
        match &self.role {
            Role::Kept { disk: Some(disk), .. } => DiskState::Kept(disk),
            _ => DiskState::Fresh,
        }
    }

    /// Whether its parent was ended while it ran tests.
    pub(crate) fn is_orphan(&self) -> bool {
        self.is_orphan.load(Ordering::Relaxed)
    }

    /// A child with this very state. One that is lost before it says hello is replaced once.
    pub(crate) fn fork(self: &Arc<Self>, lab: &Lab) -> Result<Node, Lost> {
        match self.fork_once(lab) {
            Err(_) if self.answers() && !self.is_barren() && !lab.halt.is_called() => self.fork_once(lab),
            child => child,
        }
    }

    /// Whether it has said that it cannot be forked. What hinders a kept state is part of it, and it may take seconds to say so.
    fn is_barren(&self) -> bool {
        self.is_barren.load(Ordering::Relaxed)
    }

    fn fork_once(self: &Arc<Self>, lab: &Lab) -> Result<Node, Lost> {
        if self.is_barren() {
            return Err(Lost::Closed);
        }
        let number = lab.next_node();
        let reap = std::mem::take(&mut *self.children_to_reap.locked());
        let pid = match self.ask(lab, &Request::Fork { node: number, reap })? {
            Message::Forked { pid } => pid,
            other => {
                self.is_barren.store(matches!(self.role, Role::Kept { .. }), Ordering::Relaxed);
                return Err(Lost::Garbage(format!("{other:?}")));
            }
        };
        let arrival = self.arrival_of(lab, number, pid).inspect_err(|_| self.give_up(pid))?;
        Meter::count(&lab.meter.forks, 1);
        Ok(Node {
            pid,
            link: Mutex::new(arrival.link),
            origin: Origin::Forked(Arc::clone(self)),
            place_of: Arc::clone(&self.place_of),
            children_to_reap: Mutex::default(),
            scratch: lab.scratch.nodes().join(number.to_string()),
            role: Role::Runner,
            desk: self.desk,
            is_mute: AtomicBool::new(false),
            is_barren: AtomicBool::new(false),
            is_orphan: AtomicBool::new(false),
        })
    }

    /// The connection of a child that was just forked: anybody may claim to be it, but only it and its parent are believed.
    fn arrival_of(&self, lab: &Lab, number: u64, pid: i32) -> Result<Arrival, Lost> {
        const LOOK: Duration = Duration::from_millis(100);
        if family::parent_of(pid).is_some_and(|parent| parent != self.pid) {
            return Err(Lost::Garbage(format!("process {pid} is not a child of {}", self.pid)));
        }
        let deadline = Instant::now() + CHILD_PATIENCE;
        loop {
            let was_alive = family::is_alive(pid);
            match lab.gate.arrival(number, LOOK) {
                Some(arrival) if [self.pid, pid].contains(&arrival.hello.pid) => return Ok(arrival),
                None if !was_alive || Instant::now() > deadline => return Err(Lost::Closed),
                _ => {}
            }
        }
    }

    /// A child that has never said hello.
    fn give_up(&self, child: i32) {
        if family::parent_of(child) == Some(self.pid) {
            family::end(child);
            self.children_to_reap.locked().push(child);
        }
    }

    /// Whether it can still be asked for something.
    pub(crate) fn answers(&self) -> bool {
        !self.is_mute.load(Ordering::Relaxed)
    }

    /// A process that has once not answered is not asked again: the answer might still come.
    fn ask(&self, lab: &Lab, request: &Request<'_>) -> Result<Message, Lost> {
        let mut link = self.link.locked();
        if !self.answers() {
            return Err(Lost::Closed);
        }
        let answer = link.send(request).and_then(|()| link.receive(&self.guard(lab, AGENT_PATIENCE)));
        self.is_mute.store(answer.is_err(), Ordering::Relaxed);
        answer
    }

    fn guard<'lab>(&self, lab: &'lab Lab, limit: Duration) -> Guard<'lab> {
        Guard::new(&lab.halt, self.pid, lab.largest(), limit)
    }

    /// Runs `tests`; with `finish`, everything is torn down after the last one.
    pub(crate) fn run(&self, lab: &Lab, tests: &[TestIndex], finish: bool) -> Leg {
        let places = places(tests, &self.place_of);
        let request = Request::Run { tests: &places, finish, output: lab.settings.output };
        self.follow(lab, &request, tests)
    }

    /// Tears down what still stands.
    pub(crate) fn finish(&self, lab: &Lab) -> Leg {
        self.follow(lab, &Request::Finish, &[])
    }

    /// Sends `request` and follows what is said of `tests` until the end.
    fn follow(&self, lab: &Lab, request: &Request<'_>, tests: &[TestIndex]) -> Leg {
        let mut link = self.link.locked();
        let mut leg = Leg { late: None, steps: Vec::with_capacity(tests.len()), end: LegEnd::Lost };
        if let Err(lost) = link.send(request) {
            self.lose(lab, &mut leg, tests, &lost);
            return leg;
        }
        let mut guard = self.guard(lab, AGENT_PATIENCE);
        loop {
            if let Some(&test) = tests.get(leg.steps.len()) {
                guard.restart(lab.limit_for(test));
                lab.running.store(test.0, Ordering::Relaxed);
            }
            let is_next = |outcome: &TestOutcome| {
                outcome.at as usize == leg.steps.len() && leg.steps.len() < tests.len()
            };
            match link.receive(&guard) {
                Ok(Message::Outcome(outcome)) if is_next(&outcome) => {
                    let test = tests[leg.steps.len()];
                    if outcome.orphaned && !self.is_orphan.swap(true, Ordering::Relaxed) {
                        lab.suspects.note(test);
                    }
                    leg.add(lab, step_from(test, outcome));
                    continue;
                }
                Ok(Message::Late { signature }) if leg.steps.is_empty() && leg.late.is_none() => {
                    leg.late = Some(signature);
                    continue;
                }
                Ok(Message::Ran { gained }) if leg.steps.len() == tests.len() => {
                    leg.end = LegEnd::Ran(gained);
                }
                Ok(Message::Finished) => leg.end = LegEnd::Ran(None),
                Ok(Message::Ran { .. }) => {} // the framework would have stopped here
                Ok(other) => self.lose(lab, &mut leg, tests, &Lost::Garbage(format!("{other:?}"))),
                Err(Lost::Stopped(Stop::Cancelled)) => {
                    self.kill();
                    leg.end = LegEnd::Cancelled;
                }
                Err(lost) => self.lose(lab, &mut leg, tests, &lost),
            }
            return leg;
        }
    }

    /// The process is gone: the test in flight gets the blame, the rest were not reached.
    fn lose(&self, lab: &Lab, leg: &mut Leg, tests: &[TestIndex], lost: &Lost) {
        let (outcome, signature) = self.how_it_ended(lab, lost);
        if let Some(&test) = tests.get(leg.steps.len()) {
            leg.add(lab, Step { signature: Some(signature), ..Step::bare(test, outcome) });
        }
    }

    fn kill(&self) {
        family::end(self.pid);
        if let Origin::Launched(launched) = &self.origin {
            launched.locked().end();
        }
    }

    /// Makes sure that the process has ended, and tells what became of the test that it was running.
    fn how_it_ended(&self, lab: &Lab, lost: &Lost) -> (Outcome, Signature) {
        // A process that is ending already keeps the status it ended with.
        family::end(self.pid);
        if let Lost::Stopped(stop) = lost
            && let Some(verdict) = stop.verdict()
        {
            return verdict;
        }
        let signature = match lost {
            Lost::Garbage(said) => {
                let message = said.chars().take(2000).collect();
                Signature { kind: "agent".to_owned(), message, at: None }
            }
            Lost::Stopped(_) | Lost::Closed => {
                self.exit_status(lab).map_or_else(Signature::default, describe_status)
            }
        };
        (Outcome::Crashed, signature)
    }

    /// As `waitpid` gives it.
    fn exit_status(&self, lab: &Lab) -> Option<i32> {
        match &self.origin {
            Origin::Forked(parent) => match parent.ask(lab, &Request::Wait { pid: self.pid }) {
                Ok(Message::Waited { status }) => Some(status),
                _ => None,
            },
            Origin::Launched(launched) => {
                use std::os::unix::process::ExitStatusExt;
                launched.locked().end().map(ExitStatusExt::into_raw)
            }
        }
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let reap = std::mem::take(&mut *self.children_to_reap.locked());
        let _ = self.link.locked().send(&Request::Exit { reap });
        match &self.origin {
            Origin::Forked(parent) => {
                // It has done its work; whatever its tests have left running goes with it. One that was forked has
                // nothing running, and leaves by itself, because it has to wait for its own children.
                if matches!(self.role, Role::Runner) {
                    family::end(self.pid);
                }
                parent.children_to_reap.locked().push(self.pid);
            }
            Origin::Launched(launched) => launched.locked().told_to_leave(),
        }
        for suffix in ["", "-cache"] {
            let mut path = self.scratch.clone().into_os_string();
            path.push(suffix);
            let _ = fs::remove_dir_all(path);
        }
    }
}

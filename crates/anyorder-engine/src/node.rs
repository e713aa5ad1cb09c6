//! A node of the snapshot tree: one process in a known state, waiting to be told what to do.

mod birth;
mod end;
mod state;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use anyorder_model::TestIndex;

use crate::disk::{DiskState, Snapshot};
use crate::guard::{Guard, Stop};
use crate::lab::Lab;
use crate::launch::Launched;
use crate::leg::{Leg, LegEnd};
use crate::link::{Link, Lost};
use crate::lock::Locked;
use crate::studies::Studies;
use crate::wire::{Message, Request, TestOutcome, places};

/// How long an agent may take for anything but running tests.
const AGENT_PATIENCE: Duration = Duration::from_mins(1);

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
    /// What the numbers of code mean, from the first mark on; forks have the same numbers.
    studies: OnceLock<Arc<Studies>>,
}

/// What a process is for.
enum Role {
    /// It runs tests.
    Runner,
    /// It is forked, for the orders that go on from its state, which includes the disk.
    Kept { _permit: Permit, disk: Option<Snapshot> },
    /// It is forked; its disk is that of the fresh state.
    Parent,
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
            studies: OnceLock::new(),
        }
    }

    /// From now on this state is only forked, never run in.
    pub(crate) fn keep(mut self, permit: Permit, disk: Option<Snapshot>) -> Arc<Node> {
        self.role = Role::Kept { _permit: permit, disk };
        Arc::new(self)
    }

    /// From now on this process, which has run no test, is only forked.
    pub(crate) fn into_parent(mut self) -> Arc<Node> {
        self.role = Role::Parent;
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

    /// Whether it can still be asked for something.
    pub(crate) fn answers(&self) -> bool {
        !self.is_mute.load(Ordering::Relaxed)
    }

    /// A process that has once not answered is not asked again: the answer might still come.
    fn ask(&self, lab: &Lab, request: &Request<'_>) -> Result<Message, Lost> {
        self.ask_within(lab, request, AGENT_PATIENCE)
    }

    fn ask_within(&self, lab: &Lab, request: &Request<'_>, limit: Duration) -> Result<Message, Lost> {
        let mut link = self.link.locked();
        if !self.answers() {
            return Err(Lost::Closed);
        }
        let answer = link.send(request).and_then(|()| link.receive(&self.guard(lab, limit)));
        self.is_mute.store(answer.is_err(), Ordering::Relaxed);
        answer
    }

    /// What it says next.
    fn hear(&self, lab: &Lab) -> Result<Message, Lost> {
        let answer = self.link.locked().receive(&self.guard(lab, AGENT_PATIENCE));
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

    /// Runs one test, and tears everything down; with `output`, what it prints is told.
    pub(crate) fn run_last(&self, lab: &Lab, test: TestIndex, output: bool) -> Leg {
        let places = places(&[test], &self.place_of);
        self.follow(lab, &Request::Run { tests: &places, finish: true, output }, &[test])
    }

    /// Tears down what still stands.
    pub(crate) fn finish(&self, lab: &Lab) -> Leg {
        self.follow(lab, &Request::Finish, &[])
    }

    /// Sends `request` and follows what is said of `tests` until the end.
    fn follow(&self, lab: &Lab, request: &Request<'_>, tests: &[TestIndex]) -> Leg {
        let mut link = self.link.locked();
        let mut leg = Leg::with_room_for(tests.len());
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
                    leg.add_outcome(lab, test, outcome);
                    continue;
                }
                Ok(Message::Late { signature }) if leg.steps.is_empty() && leg.late.is_none() => {
                    leg.late = Some(signature);
                    continue;
                }
                Ok(Message::Ran { gained }) if leg.steps.len() == tests.len() => {
                    leg.end = LegEnd::Ran(gained);
                }
                Ok(Message::Finished { bare }) => {
                    leg.is_bare = bare;
                    leg.end = LegEnd::Ran(None);
                }
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
}

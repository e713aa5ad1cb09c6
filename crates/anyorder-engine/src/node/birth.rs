//! How a process of the tree gets a child, and how that child is known.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::cost::Meter;
use crate::family;
use crate::gate::Arrival;
use crate::lab::Lab;
use crate::link::Lost;
use crate::lock::Locked;
use crate::wire::{Message, Request};

use super::{Node, Origin, Role};

/// How long a child that was just forked may take to say hello.
const CHILD_PATIENCE: Duration = Duration::from_secs(20);

impl Node {
    /// A child with this very state; `is_guarded` if its tests may end their parent, which is a stand-in then.
    pub(crate) fn fork_behind(self: &Arc<Self>, lab: &Lab, is_guarded: bool) -> Result<Node, Lost> {
        let child = self.fork(lab)?;
        if is_guarded { child.into_parent().fork(lab) } else { Ok(child) }
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
            studies: self.studies.clone(),
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
}

//! How a process of the tree ends, and what that says of the test that it was running.

use std::fs;

use anyorder_model::{Outcome, Signature, Step, TestIndex};

use crate::family;
use crate::lab::Lab;
use crate::leg::Leg;
use crate::link::Lost;
use crate::lock::Locked;
use crate::status::describe_status;
use crate::wire::{Message, Request};

use super::{Node, Origin, Role};

impl Node {
    /// The process is gone: the test in flight gets the blame, the rest were not reached.
    pub(super) fn lose(&self, lab: &Lab, leg: &mut Leg, tests: &[TestIndex], lost: &Lost) {
        let (outcome, signature) = self.how_it_ended(lab, lost);
        if let Some(&test) = tests.get(leg.steps.len()) {
            leg.add(lab, Step { signature: Some(signature), ..Step::bare(test, outcome) });
        }
    }

    pub(super) fn kill(&self) {
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

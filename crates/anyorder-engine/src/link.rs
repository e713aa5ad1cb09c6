//! The engine's end of one connection to an agent.

use std::io;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::guard::{Guard, Stop};
use crate::wire::{self, Inbox, Message, Request};

/// Why no message came.
#[derive(Debug)]
pub(crate) enum Lost {
    /// The other end has closed: its process has ended, or a test has closed its descriptors.
    Closed,
    /// What came is no message.
    Garbage(String),
    /// The engine has stopped waiting.
    Stopped(Stop),
}

#[derive(Debug)]
pub(crate) struct Link {
    stream: UnixStream,
    inbox: Inbox,
}

impl Link {
    pub(crate) fn new(stream: UnixStream, inbox: Inbox) -> Self {
        Link { stream, inbox }
    }

    pub(crate) fn send(&mut self, request: &Request<'_>) -> Result<(), Lost> {
        wire::send(&mut self.stream, request).map_err(|_| Lost::Closed)
    }

    /// The next message, as long as `guard` has no reason to stop waiting.
    pub(crate) fn receive(&mut self, guard: &Guard<'_>) -> Result<Message, Lost> {
        loop {
            guard.check().map_or(Ok(()), |stop| Err(Lost::Stopped(stop)))?;
            if let Some(message) = self.inbox.take().map_err(Lost::Garbage)? {
                return Ok(message);
            }
            if !is_readable(&self.stream, guard.patience()) {
                continue;
            }
            match self.inbox.fill(&mut self.stream) {
                Ok(0) => return Err(Lost::Closed),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return Err(Lost::Closed),
            }
        }
    }
}

/// Whether something comes within `patience`, if only the end.
pub(crate) fn is_readable(stream: &UnixStream, patience: Duration) -> bool {
    let timeout = Timespec::try_from(patience).expect("less than centuries");
    let mut polled = [PollFd::new(stream, PollFlags::IN)];
    // An interrupted poll is a poll that saw nothing.
    poll(&mut polled, Some(&timeout)).is_ok_and(|ready| ready > 0)
}

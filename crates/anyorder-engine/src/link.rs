//! The engine's end of one connection to an agent.

use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::guard::{Guard, Stop};
use crate::inbox::Inbox;
use crate::wire::{self, Message, Request};

/// Why no message came.
#[derive(Debug)]
pub(crate) enum Lost {
    /// The other end has closed: its process has ended, or a test has closed its descriptors. Or it does not read.
    Closed,
    /// What came is no message.
    Garbage(String),
    /// The engine has stopped waiting.
    Stopped(Stop),
}

/// How long a process may leave unread what it is told. Only a long list of tests needs to be read at all before the
/// engine can go on.
const SEND_PATIENCE: Duration = Duration::from_mins(1);

#[derive(Debug)]
pub(crate) struct Link {
    stream: UnixStream,
    inbox: Inbox,
}

impl Link {
    pub(crate) fn new(stream: UnixStream, inbox: Inbox) -> io::Result<Self> {
        Link::with_patience(stream, inbox, SEND_PATIENCE)
    }

    fn with_patience(stream: UnixStream, inbox: Inbox, patience: Duration) -> io::Result<Self> {
        stream.set_write_timeout(Some(patience))?;
        Ok(Link { stream, inbox })
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
pub(crate) fn is_readable(stream: &impl AsFd, patience: Duration) -> bool {
    let timeout = Timespec::try_from(patience).expect("less than centuries");
    let mut polled = [PollFd::new(stream, PollFlags::IN)];
    // An interrupted poll is a poll that saw nothing.
    poll(&mut polled, Some(&timeout)).is_ok_and(|ready| ready > 0)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::guard::Halt;

    const SHORT: Duration = Duration::from_millis(200);

    fn pair() -> (Link, UnixStream) {
        let (ours, theirs) = UnixStream::pair().unwrap();
        (Link::with_patience(ours, Inbox::default(), SHORT).unwrap(), theirs)
    }

    fn receive(link: &mut Link) -> Result<Message, Lost> {
        let own_pid = i32::try_from(std::process::id()).unwrap();
        link.receive(&Guard::new(&Halt::default(), own_pid, u64::MAX, SHORT))
    }

    #[test]
    fn a_process_that_does_not_read_is_given_up() {
        let (mut link, _theirs) = pair();
        let tests = vec![4_000_000_000; 1 << 20];
        let request = Request::Run { tests: &tests, finish: true, output: false };
        assert!(matches!(link.send(&request), Err(Lost::Closed)));
    }

    #[test]
    fn a_message_that_never_ends_runs_out_of_time() {
        let (mut link, mut theirs) = pair();
        theirs.write_all(&[0, 255, 255, 255, b'{']).unwrap();
        assert!(matches!(receive(&mut link), Err(Lost::Stopped(Stop::TimedOut(SHORT)))));
    }

    #[test]
    fn what_was_said_before_the_end_is_still_heard() {
        let (mut link, mut theirs) = pair();
        theirs.write_all(b"\0\0\0\x12{\"say\":\"finished\"}\0\0").unwrap();
        drop(theirs);
        assert!(matches!(receive(&mut link), Ok(Message::Finished { .. })));
        assert!(matches!(receive(&mut link), Err(Lost::Closed)));
    }

    #[test]
    fn garbage_stays_garbage_whatever_follows() {
        let (mut link, mut theirs) = pair();
        theirs.write_all(b"\0\0\0\x02[]\0\0\0\x12{\"say\":\"finished\"}").unwrap();
        assert!(matches!(receive(&mut link), Err(Lost::Garbage(_))));
        assert!(matches!(receive(&mut link), Err(Lost::Garbage(_))));
    }
}

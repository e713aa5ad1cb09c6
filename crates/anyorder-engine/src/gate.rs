//! The gate: the socket where agents come in, each saying which node of the tree it is.

use std::collections::HashMap;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use std::{fs, io};

use rustix::event::{PollFd, PollFlags, poll};

use crate::link::Link;
use crate::lock::Locked;
use crate::wire::{Hello, Inbox, Message};

/// Somebody who has said hello.
pub(crate) struct Arrival {
    pub(crate) hello: Hello,
    pub(crate) link: Link,
}

#[derive(Default)]
struct Lobby {
    arrivals: Mutex<HashMap<u64, Vec<Arrival>>>,
    news: Condvar,
}

/// Accepts connections on a thread of its own, until the process ends.
pub(crate) struct Gate {
    address: PathBuf,
    lobby: Arc<Lobby>,
}

impl Gate {
    pub(crate) fn open(directory: &Path) -> io::Result<Self> {
        let address = directory.join("gate");
        let _ = fs::remove_file(&address); // of an engine that had to start again
        let listener = UnixListener::bind(&address)?;
        let lobby = Arc::new(Lobby::default());
        let door = Arc::clone(&lobby);
        thread::Builder::new().name("gate".to_owned()).spawn(move || keep_door(&listener, &door))?;
        Ok(Gate { address, lobby })
    }

    pub(crate) fn address(&self) -> &Path {
        &self.address
    }

    /// Waits a while for `node` to say hello.
    pub(crate) fn arrival(&self, node: u64, patience: Duration) -> Option<Arrival> {
        let arrivals = self.lobby.arrivals.locked();
        let (mut arrivals, _) = self
            .lobby
            .news
            .wait_timeout_while(arrivals, patience, |arrivals| !arrivals.contains_key(&node))
            .unwrap_or_else(PoisonError::into_inner);
        let queue = arrivals.get_mut(&node)?;
        let first = queue.remove(0);
        if queue.is_empty() {
            arrivals.remove(&node);
        }
        Some(first)
    }
}

/// Reads hellos as they come; somebody who says nothing keeps nobody waiting.
fn keep_door(listener: &UnixListener, lobby: &Lobby) {
    let mut silent: Vec<(UnixStream, Inbox)> = Vec::new();
    loop {
        let mut polled = vec![PollFd::new(listener, PollFlags::IN)];
        polled.extend(silent.iter().map(|(stream, _)| PollFd::new(stream, PollFlags::IN)));
        if poll(&mut polled, None).is_err() {
            continue;
        }
        let ready: Vec<bool> = polled.iter().map(|polled| !polled.revents().is_empty()).collect();
        let waiting = std::mem::take(&mut silent);
        for ((stream, inbox), speaks) in waiting.into_iter().zip(&ready[1..]) {
            if *speaks {
                silent.extend(let_in(stream, inbox, lobby));
            } else {
                silent.push((stream, inbox));
            }
        }
        if ready[0] {
            match listener.accept() {
                Ok((stream, _)) => silent.push((stream, Inbox::default())),
                Err(_) => thread::sleep(Duration::from_millis(50)), // out of descriptors: others are about to close some
            }
        }
    }
}

/// Gives the connection back if its hello is not complete yet; drops one that says anything else.
fn let_in(mut stream: UnixStream, mut inbox: Inbox, lobby: &Lobby) -> Option<(UnixStream, Inbox)> {
    if inbox.fill(&mut stream).ok()? == 0 {
        return None;
    }
    match inbox.take() {
        Ok(None) => return Some((stream, inbox)),
        Ok(Some(Message::Hello(hello))) => {
            let arrival = Arrival { link: Link::new(stream, inbox), hello };
            let mut arrivals = lobby.arrivals.locked();
            arrivals.entry(arrival.hello.node).or_default().push(arrival);
            lobby.news.notify_all();
        }
        Ok(Some(_)) | Err(_) => {}
    }
    None
}

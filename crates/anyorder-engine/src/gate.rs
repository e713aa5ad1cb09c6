//! The gate: the socket where agents come in, each saying which node of the tree it is.

use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use std::{fs, io};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::net::sockopt::socket_peercred;

use crate::inbox::Inbox;
use crate::link::Link;
use crate::lock::Locked;
use crate::wire::{Hello, Message};

/// Somebody who has said hello.
pub(crate) struct Arrival {
    pub(crate) hello: Hello,
    pub(crate) link: Link,
}

/// Who connects says hello at once, and who has said hello is called soon. When so many do not and are not, they are a
/// test's doing; the first of them have to go, so that there are descriptors for the others.
const MOST_WAITING: usize = 100;

#[derive(Default)]
struct Lobby {
    /// In the order of their coming.
    arrivals: Mutex<Vec<Arrival>>,
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
        let place_in = |arrivals: &[Arrival]| arrivals.iter().position(|arrival| arrival.hello.node == node);
        let (mut arrivals, _) = self
            .lobby
            .news
            .wait_timeout_while(arrivals, patience, |arrivals| place_in(arrivals).is_none())
            .unwrap_or_else(PoisonError::into_inner);
        place_in(&arrivals).map(|place| arrivals.remove(place))
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
                Ok((stream, _)) => push_bounded(&mut silent, (stream, Inbox::default())),
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
        Ok(Some(Message::Hello(mut hello))) => {
            hello.pid = socket_peercred(&stream).ok()?.pid.as_raw_pid();
            if hello.wire.is_some() {
                inbox.expect_suite();
            }
            let link = Link::new(stream, inbox).ok()?;
            push_bounded(&mut lobby.arrivals.locked(), Arrival { hello, link });
            lobby.news.notify_all();
        }
        Ok(Some(_)) | Err(_) => {}
    }
    None
}

fn push_bounded<T>(waiting: &mut Vec<T>, new: T) {
    if waiting.len() == MOST_WAITING {
        waiting.remove(0);
    }
    waiting.push(new);
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use super::*;

    const SOON: Duration = Duration::from_secs(20);

    struct Scene {
        gate: Gate,
        _directory: tempfile::TempDir,
    }

    impl Scene {
        fn new() -> Self {
            let directory = tempfile::tempdir().unwrap();
            Scene { gate: Gate::open(directory.path()).unwrap(), _directory: directory }
        }

        fn connect(&self) -> UnixStream {
            let stream = UnixStream::connect(self.gate.address()).unwrap();
            stream.set_read_timeout(Some(SOON)).unwrap();
            stream
        }

        fn say(&self, body: &str) -> UnixStream {
            let mut stream = self.connect();
            stream.write_all(&framed(body)).unwrap();
            stream
        }

        fn has_arrived(&self, node: u64) -> bool {
            self.gate.arrival(node, SOON).is_some()
        }
    }

    fn framed(body: &str) -> Vec<u8> {
        [&u32::try_from(body.len()).unwrap().to_be_bytes(), body.as_bytes()].concat()
    }

    fn is_shown_out(mut stream: UnixStream) -> bool {
        // A connection that is closed with something unread in it is reset.
        !matches!(stream.read(&mut [0]), Err(error) if error.kind() == io::ErrorKind::WouldBlock)
    }

    #[test]
    fn whoever_says_anything_but_hello_is_shown_out() {
        let scene = Scene::new();
        for body in [r#"{"say":"finished"}"#, "hello", "", r#"{"say":"hello","node":-1}"#] {
            assert!(is_shown_out(scene.say(body)), "{body}");
        }
        let mut endless = scene.connect();
        endless.write_all(&u32::MAX.to_be_bytes()).unwrap();
        assert!(is_shown_out(endless));
    }

    #[test]
    fn connections_that_say_nothing_keep_nobody_out_and_are_not_kept_for_ever() {
        let scene = Scene::new();
        let first = scene.connect();
        let mut half = scene.connect();
        half.write_all(&framed(r#"{"say":"hello","node":8}"#)[..9]).unwrap();
        let _silent: Vec<UnixStream> = (0..MOST_WAITING).map(|_| scene.connect()).collect();
        let _honest = scene.say(r#"{"say":"hello","node":7}"#);
        assert!(scene.has_arrived(7));
        assert!(is_shown_out(first));
        assert!(is_shown_out(half));
    }

    #[test]
    fn hellos_that_nobody_waits_for_are_not_kept_for_ever() {
        let scene = Scene::new();
        let first = scene.say(r#"{"say":"hello","node":99}"#);
        let _others: Vec<UnixStream> =
            (0..MOST_WAITING).map(|_| scene.say(r#"{"say":"hello","node":98}"#)).collect();
        assert!(is_shown_out(first));
        let _honest = scene.say(r#"{"say":"hello","node":7}"#);
        assert!(scene.has_arrived(7));
    }

    #[test]
    fn the_kernel_says_which_process_it_is() {
        let scene = Scene::new();
        let _liar = scene.say(r#"{"say":"hello","node":7,"pid":1}"#);
        let arrival = scene.gate.arrival(7, SOON).unwrap();
        assert_eq!(u32::try_from(arrival.hello.pid), Ok(std::process::id()));
    }

    #[test]
    fn sessions_of_one_command_are_called_in_the_order_of_their_coming() {
        let scene = Scene::new();
        for name in ["first", "second"] {
            scene.say(&format!(r#"{{"say":"hello","node":7,"root":"{name}"}}"#));
        }
        let root = || scene.gate.arrival(7, SOON).unwrap().hello.root;
        assert_eq!([root(), root()], ["first", "second"]);
    }
}

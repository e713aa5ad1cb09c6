//! The wire: what engine and agent say to each other. `docs/wire.md` is its description.
//!
//! Knows the words, and refuses numbers that would do harm. How bytes become messages is known to `inbox.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use anyorder_model::{
    About, Cell, Code, Collection, CollectionError, NotRestored, Outcome, Phase, Place, Read, Signature,
    Test, TestIndex, Way, Written,
};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

/// The version of the wire that this engine speaks.
pub const VERSION: u32 = 1;

/// No test takes longer: 30 years, which may be multiplied and added to any instant.
const MOST_SECONDS: f64 = 1e9;

/// What the engine asks of an agent.
#[derive(Debug, Serialize)]
#[serde(tag = "verb", rename_all = "lowercase")]
pub enum Request<'a> {
    /// Tell the tests.
    Collect,
    /// Make a child with this very state; it connects by itself as `node`.
    Fork {
        /// The number by which the child introduces itself.
        node: u64,
        /// Children that have been told to leave.
        reap: Vec<i32>,
    },
    /// Run these tests now.
    Run {
        /// Places in the list of collected tests.
        tests: &'a [u32],
        /// Whether nothing comes after them, so that everything is torn down with the last one.
        finish: bool,
        /// Whether to send what the tests print.
        output: bool,
    },
    /// Tear down what still stands.
    Finish,
    /// Remember the shared state.
    Mark,
    /// Tell what has changed since.
    Diff {
        /// Whether the mark moves to now.
        advance: bool,
    },
    /// From now on tell the code that runs.
    Trace,
    /// Tell what code looks at.
    Study {
        /// Its numbers, as outcomes have them.
        code: &'a [u32],
    },
    /// Tear down what still stands and this test does not share.
    Approach {
        /// Its place in the list of collected tests.
        test: u32,
    },
    /// Put cells back as they were at the mark.
    Restore {
        /// Their paths.
        cells: &'a [String],
        /// Whether these stay, and all others that differ are put back.
        others: bool,
    },
    /// Tell the cells that something could change.
    Places,
    /// Change a cell.
    Perturb {
        /// Its path.
        cell: &'a str,
        /// How.
        way: Way,
    },
    /// Tell what there is to know about cells for somebody who writes code about them.
    About {
        /// Their paths.
        cells: &'a [String],
    },
    /// Run code.
    Try {
        /// Statements.
        text: &'a str,
        /// The place in the list of collected tests of one whose module's names they see.
        beside: u32,
    },
    /// Change a function.
    Swap {
        /// The file that defines it, relative to the root.
        file: &'a str,
        /// Its name behind those of the classes around it.
        names: &'a [String],
        /// A file with nothing but the new function in it.
        text: &'a str,
        /// The seed of random numbers from then on.
        draw: Option<u32>,
    },
    /// From now on tell where these cells are written.
    Follow {
        /// Their paths.
        cells: &'a [String],
    },
    /// From now on tell where these names are loaded.
    Sight {
        /// The names, as cells have them.
        names: &'a [String],
    },
    /// Tell how this child ended.
    Wait {
        /// The child.
        pid: i32,
    },
    /// Leave.
    Exit {
        /// Children that have been told to leave.
        reap: Vec<i32>,
    },
}

/// What an agent says.
#[derive(Debug, Deserialize)]
#[serde(tag = "say", rename_all = "lowercase")]
pub enum Message {
    /// The first message on every connection.
    Hello(Hello),
    /// The tests are collected; verbs are obeyed from now on.
    Ready(Ready),
    /// Answer to `collect`.
    Collected {
        /// In the framework's order.
        tests: Vec<Test>,
        /// What collecting took of the project, if that was recorded.
        #[serde(default)]
        collection: Option<Box<Collection>>,
    },
    /// Answer to `fork`.
    Forked {
        /// The child.
        #[serde(deserialize_with = "child")]
        pid: i32,
    },
    /// One test of a `run` has ended.
    Outcome(TestOutcome),
    /// The test before this `run` or `finish` has failed in the part of its tear-down that was put off.
    Late {
        /// How.
        signature: Signature,
    },
    /// A `run` has ended.
    Ran {
        /// What hinders a fork; absent when nothing stands any more.
        #[serde(default)]
        gained: Option<Gained>,
    },
    /// A `finish` has ended.
    Finished {
        /// Whether nothing was torn down that a test could notice.
        #[serde(default)]
        bare: bool,
    },
    /// Answer to `mark`.
    Marked {
        /// How many objects are remembered.
        objects: u64,
        /// Seconds of CPU that it took.
        #[serde(default, deserialize_with = "measured")]
        seconds: f64,
    },
    /// Answer to `diff`.
    Differs {
        /// What has changed since the mark.
        cells: Vec<Cell>,
        /// Seconds of CPU that it took.
        #[serde(default, deserialize_with = "measured")]
        seconds: f64,
    },
    /// Answer to `study`.
    Studied {
        /// One for each number, in the order asked.
        code: Vec<Studied>,
    },
    /// Answer to `approach`.
    Approached,
    /// Answer to `restore`.
    Restored {
        /// What could not be put back.
        #[serde(default)]
        failed: Vec<NotRestored>,
        /// Seconds of CPU that it took.
        #[serde(default, deserialize_with = "measured")]
        seconds: f64,
    },
    /// Answer to `places`.
    Places {
        /// The cells that something could change.
        places: Vec<Place>,
        /// Seconds of CPU that it took.
        #[serde(default, deserialize_with = "measured")]
        seconds: f64,
    },
    /// Answer to `perturb`.
    Perturbed {
        /// What the cell holds now.
        after: String,
    },
    /// Answer to `about`.
    About {
        /// One for each path, in the order asked.
        cells: Vec<About>,
        /// Seconds of CPU that it took.
        #[serde(default, deserialize_with = "measured")]
        seconds: f64,
    },
    /// Answer to `try`.
    Tried {
        /// Why the code failed, if it did.
        #[serde(default)]
        failed: Option<String>,
    },
    /// Answer to `swap`.
    Swapped {
        /// Why the new function does not compile.
        #[serde(default)]
        invalid: Option<String>,
        /// Why the function cannot be changed here.
        #[serde(default)]
        refused: Option<String>,
    },
    /// Answer to `wait`.
    Waited {
        /// As `waitpid` gives it.
        status: i32,
    },
    /// The agent itself has failed.
    Trouble {
        /// Its own account.
        text: String,
    },
}

/// Who is speaking.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Hello {
    /// Absent in forked children, which speak what their parent speaks.
    pub wire: Option<u32>,
    /// The number given by `fork` or at the start.
    pub node: u64,
    /// The process. The gate asks the kernel for it, because the process may say what it likes.
    pub pid: i32,
    /// Framework and version.
    pub framework: String,
    /// Language and version.
    pub language: String,
    /// The interpreter or virtual machine.
    pub executable: String,
    /// The working directory.
    pub directory: String,
    /// The directory that test ids are relative to.
    pub root: String,
    /// The options that the framework was started with, without what it was told to run.
    pub options: Vec<String>,
    /// What it was told to run.
    pub targets: Vec<String>,
    /// Names of options that the agent had to override so that tests run once, here, in the order asked for.
    pub overridden: Vec<String>,
    /// The environment, without what brought the agent in.
    pub environment: BTreeMap<String, String>,
    /// Directories that packages are imported from.
    pub search_path: Vec<String>,
    /// Third-party plugins, each with its version.
    pub plugins: Vec<String>,
}

/// The state right after collection.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Ready {
    /// How many tests there are.
    pub tests: u32,
    /// What could not be collected.
    pub errors: Vec<CollectionError>,
    /// Whether the process can be forked at all.
    pub can_fork: bool,
    /// Why not.
    pub no_forks: Option<String>,
    /// Names of threads that a fork would lose.
    pub threads: Vec<String>,
    /// Names of connections that all forks would share.
    pub connections: Vec<String>,
    /// Modules of the project itself, where a copy of it was to be used.
    pub strays: Vec<String>,
    /// Whether a forked child can get a layer of disk for itself.
    pub can_layer: bool,
    /// Whether shared state can be marked and compared, and code traced.
    pub can_watch: bool,
}

/// The end of one test.
#[derive(Debug, Deserialize)]
pub struct TestOutcome {
    /// Its place in the list of the `run`.
    pub at: u32,
    /// What became of it.
    pub outcome: Outcome,
    /// Where that was decided.
    #[serde(default)]
    pub phase: Option<Phase>,
    /// How it failed.
    #[serde(default)]
    pub signature: Option<Signature>,
    /// How long it took.
    #[serde(deserialize_with = "measured")]
    pub seconds: f64,
    /// What it printed.
    #[serde(default)]
    pub output: Option<String>,
    /// Whether the process that this one was forked from has ended meanwhile.
    #[serde(default)]
    pub orphaned: bool,
    /// Numbers of code that it ran, if that is traced; what they mean can be asked for.
    #[serde(default)]
    pub ran: Vec<u32>,
    /// The names that its other code may look at.
    #[serde(default)]
    pub reads: BTreeSet<String>,
    /// The other code that it ran.
    #[serde(default)]
    pub code: Vec<Code>,
    /// Files of the project that it opened, if that is traced and can be told.
    #[serde(default)]
    pub opened: Option<BTreeSet<String>>,
    /// Where it has changed the cells that are followed.
    #[serde(default)]
    pub written: Vec<Written>,
    /// Where it has loaded the names that are looked for.
    #[serde(default)]
    pub read: Vec<Read>,
}

/// What there is to know about a piece of code.
#[derive(Debug, Deserialize)]
pub struct Studied {
    /// The names that it may look at.
    pub names: Vec<String>,
    /// The function, unless it is the library's.
    #[serde(default)]
    pub code: Option<Code>,
}

/// What a process has gained since the fresh state that a fork would lose or share.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Gained {
    /// Threads.
    pub threads: u32,
    /// Child processes.
    pub children: u32,
    /// Sockets and the like.
    pub connections: u32,
    /// Directories for temporary files, which siblings would share.
    pub directories: u32,
    /// Pieces of memory that a fork would share, so that siblings would see what one of them writes.
    pub shared_memory: u32,
}

impl Gained {
    /// Whether a fork has this very state.
    pub fn is_nothing(self) -> bool {
        let Gained { threads, children, connections, directories, shared_memory } = self;
        [threads, children, connections, directories, shared_memory] == [0; 5]
    }
}

/// The engine kills the group of a child that has to end. The groups -1, 0 and 1 are everybody, or the engine itself.
fn child<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i32, D::Error> {
    let pid = i32::deserialize(deserializer)?;
    if pid > 1 { Ok(pid) } else { Err(D::Error::custom(format!("{pid} is no child"))) }
}

/// A clock that was set back in the middle of a test costs its duration, not its outcome.
fn measured<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    f64::deserialize(deserializer).map(|seconds| seconds.clamp(0.0, MOST_SECONDS))
}

/// Writes one message.
pub fn send(stream: &mut impl Write, request: &Request<'_>) -> io::Result<()> {
    let mut frame = vec![0; 4];
    serde_json::to_writer(&mut frame, request)?;
    let length = u32::try_from(frame.len() - 4).map_err(io::Error::other)?;
    frame[..4].copy_from_slice(&length.to_be_bytes());
    stream.write_all(&frame)
}

/// Places in the agent's list, in the form that `run` takes.
pub(crate) fn places(tests: &[TestIndex], place_of: &[u32]) -> Vec<u32> {
    tests.iter().map(|test| place_of[test.at()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn golden_messages_are_understood() {
        let golden = include_str!("../../../fixtures/wire/messages.jsonl");
        let read: Vec<Message> = golden.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert!(
            matches!(&read[0], Message::Hello(hello) if hello.wire == Some(VERSION) && hello.options == ["-q"])
        );
        assert!(matches!(&read[3], Message::Collected { tests, collection: Some(collection) }
            if tests[0].line == 3 && collection.loaded[1].by.is_none() && collection.extensions.len() == 1));
        assert!(matches!(&read[10], Message::Ran { gained: Some(gained) } if !gained.is_nothing()));
        let [
            ..,
            Message::Studied { code },
            Message::Approached,
            Message::Restored { failed, .. },
            Message::Outcome(outcome),
            Message::Places { places, .. },
            Message::Perturbed { after },
            Message::Tried { failed: Some(why) },
            Message::About { cells, .. },
            Message::Swapped { invalid: None, refused: Some(refused) },
        ] = &read[..]
        else {
            panic!("{read:?}");
        };
        assert_eq!((code[0].names.len(), code[1].code.is_none()), (2, true));
        assert_eq!((&places[0].ways[..], after.as_str()), (&[Way::Emptied, Way::Extra][..], "{}"));
        assert_eq!(cells[0].expression.as_deref(), Some("shop.settings.FLAGS"));
        assert_eq!(cells[1], About { path: "nothing".to_owned(), ..About::default() });
        assert_eq!(why, "NameError: name 'shop' is not defined");
        assert_eq!(refused, "it closes over other names");
        assert_eq!(outcome.opened, Some(["data/rates.csv".to_owned()].into()));
        assert_eq!(failed[0].path, "thread shop-worker");
        let (written, read) = (&outcome.written[0], &outcome.read[0]);
        assert_eq!((written.at.place(), written.stack.len()), ("shop/settings.py:4".to_owned(), 2));
        assert_eq!((read.at.line, read.name.as_str()), (41, ".CURRENCY"));
    }

    #[test]
    fn golden_requests_are_what_is_sent() {
        let requests = [
            Request::Collect,
            Request::Fork { node: 12, reap: vec![4711] },
            Request::Run { tests: &[3, 1, 3], finish: true, output: false },
            Request::Finish,
            Request::Mark,
            Request::Diff { advance: true },
            Request::Trace,
            Request::Study { code: &[12, 40] },
            Request::Approach { test: 7 },
            Request::Restore { cells: &["shop.settings.CURRENCY".to_owned()], others: false },
            Request::Follow { cells: &["shop.settings.CURRENCY".to_owned()] },
            Request::Sight { names: &[".CURRENCY".to_owned()] },
            Request::Places,
            Request::Perturb { cell: "shop.settings.FLAGS", way: Way::Emptied },
            Request::Try { text: "shop.reset()", beside: 7 },
            Request::About { cells: &["shop.settings.FLAGS['beta']".to_owned()] },
            Request::Swap {
                file: "tests/test_cart.py",
                names: &["TestCart".to_owned(), "test_total".to_owned()],
                text: "class TestCart:\n    def test_total(self): pass\n",
                draw: Some(2),
            },
            Request::Wait { pid: 4712 },
            Request::Exit { reap: vec![] },
        ];
        let golden = include_str!("../../../fixtures/wire/requests.jsonl");
        assert!(golden.lines().eq(requests.iter().map(|request| serde_json::to_string(request).unwrap())));
    }

    #[test]
    fn a_number_that_no_child_can_have_is_no_message() {
        for pid in ["-1", "0", "1", "4294967297", "1e3", "null"] {
            let said = format!(r#"{{"say": "forked", "pid": {pid}}}"#);
            assert!(serde_json::from_str::<Message>(&said).is_err(), "{said}");
        }
    }

    #[test]
    fn a_time_that_no_clock_can_measure_becomes_the_nearest_that_one_can() {
        let seconds = |written: &str| {
            let said = format!(r#"{{"say": "outcome", "at": 0, "outcome": "passed", "seconds": {written}}}"#);
            match serde_json::from_str(&said) {
                Ok(Message::Outcome(outcome)) => Some(outcome.seconds),
                _ => None,
            }
        };
        assert_eq!(seconds("0.25"), Some(0.25));
        assert_eq!(seconds("-1e300"), Some(0.0));
        assert_eq!(seconds("1.8e19"), Some(MOST_SECONDS));
        assert_eq!(seconds("1e999"), None);
        assert_eq!(seconds("NaN"), None);
    }
}

//! Carries orders out: from a fresh state, sharing what orders have in common, whatever the tests do.
//!
//! Knows processes, limits and the wire. Does not know why an order is run, nor what framework the tests are written
//! for: a [`Driver`] knows how to start that, and the agent inside it obeys the verbs of `docs/wire.md`.

mod before;
mod cost;
mod crew;
mod disk;
mod driver;
mod engine;
mod errand;
mod error;
mod family;
mod gate;
mod guard;
mod inbox;
mod keeper;
mod lab;
mod launch;
mod leg;
mod link;
mod lock;
mod marked;
mod node;
mod plain;
mod pool;
mod post;
mod scratch;
mod settings;
mod status;
mod studies;
mod suspects;
mod treat;
mod tree;
mod walk;
mod ward;
mod watch;
pub mod wire;

pub use disk::{DiskMode, FileChange};
pub use driver::{AgentCall, Driver, PlainCall, PlainCommand, Rung, Silence, Words};
pub use engine::Engine;
pub use errand::{Errand, Ran};
pub use error::EngineError;
pub use family::{adopt_orphans, end_family};
pub use guard::{Cancel, default_memory_limit};
pub use inbox::Inbox;
pub use keeper::keep;
pub use plain::{PlainRequest, PlainRun};
pub use pool::{Batch, Update};
pub use scratch::Scratch;
pub use settings::{Draws, Isolation, Settings};
pub use tree::Route;

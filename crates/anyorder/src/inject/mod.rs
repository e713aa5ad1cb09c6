//! What `anyorder inject` needs of the world: a bench over engines, a journal that survives the command, and
//! detectors to be scored.

mod bench;
mod journal;
mod quiet;
mod score;

pub(crate) use bench::EngineBench;
pub(crate) use journal::Journal;
pub(crate) use score::{Score, score};

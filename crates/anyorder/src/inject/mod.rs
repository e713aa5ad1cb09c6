//! What `anyorder inject` needs of the world: a bench over engines, and a journal that survives the command.

mod bench;
mod journal;
mod quiet;

pub(crate) use bench::EngineBench;
pub(crate) use journal::Journal;

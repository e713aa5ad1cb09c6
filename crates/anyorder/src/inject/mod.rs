//! What `anyorder inject` needs of the world: a bench over engines, a journal that survives the command, and
//! detectors to be scored.

mod bench;
mod journal;
mod lines;
mod looks;
mod quiet;
mod refusal;
mod score;
mod scoring;
mod spent;
mod stop;
mod written;

pub(crate) use bench::EngineBench;
pub(crate) use journal::Journal;
pub(crate) use score::Score;
pub(crate) use scoring::{Scoring, Shown};
pub(crate) use spent::Spent;
pub(crate) use stop::Stop;
pub(crate) use written::{cost_json, scored, summary, take, write_all};

/// What the command itself needs is in this directory of the data set.
pub(crate) const WORK: &str = ".work";

pub(crate) const OUT_HINT: &str = "name a directory that you may write to with `--out`";

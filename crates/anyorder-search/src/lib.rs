//! Pure thinking: which orders to run, and what their outcomes say.
//!
//! Knows suites, orders and outcomes as values. Refuses to know processes, disks and clocks, so that thousands of
//! simulated suites can be tried per second.

mod asker;
mod blame;
mod case;
mod cleaners;
mod compare;
mod confirm;
mod fisher;
mod groups;
mod hunt;
mod judge;
mod minimise;
mod pair;
mod partners;
mod seen;
mod settings;
mod shrink;
mod sight;
#[cfg(any(test, feature = "simulate"))]
pub mod simulate;
mod strategy;
mod succession;
mod sweep;
mod twice;

pub use compare::Comparison;
pub use hunt::{HuntReport, hunt};
pub use settings::{HuntSettings, Known, Sweep, default_forks, default_rounds};
pub use shrink::{Shrunk, shrink};
pub use strategy::{Batch, Strategy, batches, sample};
pub use succession::Successions;
pub use twice::twice;

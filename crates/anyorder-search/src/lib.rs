//! Pure thinking: which orders to run, and what their outcomes say.
//!
//! Knows suites, orders and outcomes as values. Refuses to know processes, disks and clocks, so that thousands of
//! simulated suites can be tried per second.

mod compare;
mod shrink;
mod strategy;
mod succession;

pub use compare::Comparison;
pub use shrink::shrink;
pub use strategy::{Batch, Strategy, batches, sample};
pub use succession::Successions;

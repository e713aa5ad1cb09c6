//! Pure thinking: which orders to run, and what their outcomes say.
//!
//! Knows suites, orders and outcomes as values. Refuses to know processes, disks and clocks, so that thousands of
//! simulated suites can be tried per second.

mod asker;
#[cfg(test)]
mod bent_tests;
mod blame;
mod case;
mod cleaners;
mod compare;
mod confirm;
mod explore;
mod fisher;
mod groups;
mod hunt;
#[cfg(test)]
mod hunt_tests;
mod judge;
mod minimise;
mod narrow;
mod pair;
mod partners;
mod plain_trial;
#[cfg(test)]
mod resume_tests;
mod seen;
mod settings;
mod shrink;
mod sight;
#[cfg(any(test, feature = "simulate"))]
pub mod simulate;
mod steady;
mod strategy;
mod succession;
mod sweep;
mod tuscan;
mod twice;

pub use compare::Comparison;
pub use hunt::{HuntReport, hunt, investigate};
pub use narrow::{LOOKS, beginnings, narrow};
pub use settings::{HuntSettings, Known, Sweep, default_forks, default_rounds};
pub use shrink::{Shrunk, shrink};
pub use strategy::{Batch, Strategy, batches, sample};
pub use succession::Successions;
pub use twice::twice;

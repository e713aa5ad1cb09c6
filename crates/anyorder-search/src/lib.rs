//! Pure thinking: which orders to run, and what their outcomes say.
//!
//! Knows suites, orders and outcomes as values. Refuses to know processes, disks and clocks, so that thousands of
//! simulated suites can be tried per second.

mod again;
mod asker;
#[cfg(test)]
mod bent_tests;
mod blame;
mod case;
mod check;
#[cfg(test)]
mod check_tests;
mod cleaners;
mod compare;
mod confirm;
mod deps;
#[cfg(test)]
mod deps_tests;
mod effects;
mod explore;
mod fisher;
mod flow;
mod graph;
mod groups;
mod guide;
mod halve;
mod hunt;
#[cfg(test)]
mod hunt_tests;
mod judge;
mod matrix;
mod minimise;
mod narrow;
mod near;
mod noise;
mod pair;
mod pairing;
mod pairs;
#[cfg(test)]
mod pairs_tests;
mod partners;
mod plain_trial;
mod pollution;
mod profile;
mod refine;
#[cfg(test)]
mod resume_tests;
mod schedule;
mod seen;
mod settings;
mod shrink;
mod sight;
#[cfg(any(test, feature = "simulate"))]
pub mod simulate;
mod sorts;
mod steady;
mod strategy;
mod succession;
mod sweep;
mod together;
mod tuscan;
mod twice;
mod unstable;
mod victims;
#[cfg(test)]
mod victims_tests;
#[cfg(test)]
mod written;

pub use check::check;
pub use compare::Comparison;
pub use deps::{DepsReport, DepsSettings, deps};
pub use effects::Effects;
pub use flow::Flow;
pub use hunt::{HuntReport, hunt, investigate};
pub use narrow::{LOOKS, beginnings, narrow};
pub use noise::{CellPattern, Noise};
pub use pairs::{Change, PairReport, Settled, pairs};
pub use pollution::{latent_polluters, pollution};
pub use profile::{Again, ProfileReport, ProfileSettings, profile};
pub use settings::{HuntSettings, Known, Sweep, default_forks, default_pair_runs, default_rounds};
pub use shrink::{Shrunk, shrink};
pub use strategy::{Batch, Strategy, batches, sample};
pub use succession::Successions;
pub use twice::twice;
pub use victims::{VictimReport, latent_victims};

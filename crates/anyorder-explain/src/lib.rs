//! From differing cells to those that matter: the state that makes a test end otherwise, and the proof.
//!
//! Knows how to ask. Sees the world only through an `Oracle`: "run this test behind those, with these cells put back".
//! Refuses to know how cells are put back, how tests run, and how any of it is told.

mod case;
mod cures;
mod explain;
mod likely;
mod lines;
mod proof;
mod station;

pub use station::{ExplainSettings, explain, is_left_out};

#[cfg(test)]
mod simulated;
#[cfg(test)]
mod tests;

//! Causes, cleaners and setters become candidates; candidates become verified patches.
//!
//! Sees the world through oracles: the suite as it is, and as a candidate would have it. Does not know processes or disk.

mod accepted;
mod bench;
mod candidate;
mod language;
mod noticed;
mod problem;
mod python;
mod repair;
#[cfg(test)]
mod repair_tests;
mod screen;
mod together;
mod verify;
mod words;
mod workshop;
mod writes;

pub use repair::{RepairSettings, Repaired, repair};
pub use workshop::{Files, Unopened, Workshop};

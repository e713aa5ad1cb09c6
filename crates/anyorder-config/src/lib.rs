//! What people write: a project's settings file, and durations, sizes and budgets in it or on the command line.
//!
//! Knows the keys and how values are written. Does not know which command wants which, nor what is done when a file makes
//! no sense.

mod budget;
mod config;
mod error;
mod units;

pub use budget::Budget;
pub use config::{Config, KEYS};
pub use error::ConfigError;
pub use units::{parse_duration, parse_size};

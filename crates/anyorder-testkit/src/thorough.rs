//! Tests that do more of the same when a trial asks for it.

use std::env;

/// Set by `cargo xtask trial`.
pub const VARIABLE: &str = "ANYORDER_THOROUGH";

/// What is tried every day, or in a trial.
pub fn usually_or_in_trials<T>(usually: T, in_trials: T) -> T {
    if env::var_os(VARIABLE).is_some() { in_trials } else { usually }
}

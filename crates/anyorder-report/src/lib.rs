//! The only crate that prints: events become lines in a terminal and JSON in a file.
//!
//! Knows words, columns and colours. Decides nothing and runs nothing.

mod cause;
mod dependencies;
mod diff;
#[cfg(test)]
mod example;
mod finding;
mod finding_json;
mod github;
mod hidden;
mod html;
mod json;
mod patch;
mod patch_json;
mod pollution;
mod problem;
mod profile;
mod progress;
mod pull_request;
mod selection;
mod style;
mod terminal;

pub use dependencies::dot;
pub use diff::unified_diff;
pub use finding_json::finding_value;
pub use github::{github_annotations, github_summary};
pub use html::html;
pub use json::JsonReport;
pub use problem::Problem;
pub use pull_request::pull_request;
pub use style::Color;
pub use terminal::{Terminal, TerminalOptions};

use anyorder_model::Event;

/// Something that hears the event stream.
pub trait Sink {
    /// Hears one event.
    fn hear(&mut self, event: &Event);
}

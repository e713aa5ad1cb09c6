//! The only crate that prints: events become lines in a terminal and JSON in a file, and the document that is made of such
//! files becomes a page, SARIF, JUnit XML and other formats.
//!
//! Knows words, columns, colours and formats. Decides nothing and runs nothing.

mod cause;
mod dependencies;
mod diff;
#[cfg(test)]
mod example;
mod finding;
mod finding_json;
mod github;
mod github_report;
mod graph;
mod hidden;
#[cfg(test)]
mod hostile;
mod html;
mod idoft;
mod json;
mod junit_xml;
mod patch;
mod patch_json;
mod pollution;
mod problem;
mod profile;
mod progress;
mod pull_request;
mod recalled;
mod sarif;
mod sarif_fix;
mod sarif_rules;
mod selection;
mod spot;
mod style;
mod terminal;
mod told;

pub use dependencies::dot;
pub use diff::unified_diff;
pub use finding_json::finding_value;
pub use github::{github_annotations, github_summary};
pub use github_report::{annotations, job_summary};
pub use graph::findings_graph;
pub use html::html;
pub use idoft::idoft;
pub use json::JsonReport;
pub use junit_xml::junit_xml;
pub use problem::Problem;
pub use pull_request::pull_request;
pub use recalled::finding_of;
pub use sarif::sarif;
pub use style::Color;
pub use terminal::{Terminal, TerminalOptions};
pub use told::told;

use anyorder_model::Event;

/// Something that hears the event stream.
pub trait Sink {
    /// Hears one event.
    fn hear(&mut self, event: &Event);
}

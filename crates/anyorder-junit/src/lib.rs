//! The JUnit driver: lets the user's own build compile and describe the tests, and runs them in JVMs like that build's.
//!
//! Knows Maven, Gradle, JDKs and JUnit. Knows nothing of orders' purpose, and leaves processes to the engine.

mod agent;
mod capture;
mod driver;
mod error;
mod java;
mod jdk;
mod kept;
mod library;
mod module;
mod plain;
mod results;
mod silence;
mod survey;
mod targets;
mod tool;

pub use driver::JunitDriver;
pub use error::SurveyError;
pub use library::file as fork_library;
pub use module::Module;
pub use survey::{Stage, Survey};
pub use tool::{Build, Tool};

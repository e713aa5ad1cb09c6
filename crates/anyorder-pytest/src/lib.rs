//! The pytest driver: finds the interpreter, starts pytest with the agent inside, and knows its plain command lines.
//!
//! Knows pytest and Python installations. Knows nothing of orders' purpose, and leaves processes to the engine.

mod agent;
mod driver;
mod interpreter;
mod junit_xml;
mod plain;
mod silence;

pub use driver::{PytestDriver, Runner};
pub use interpreter::{
    Installed, Interpreter, InterpreterError, find_interpreter, installed_pytest, interpreters,
};

//! A function that is changed in a process that has collected the suite already.

use serde::{Deserialize, Serialize};

/// A function as it is to be.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Swap {
    /// The file that defines it, relative to the suite's root.
    pub file: String,
    /// Its name behind those of the classes around it.
    pub names: Vec<String>,
    /// A file that has the function at its own lines, in its classes, and nothing else.
    pub text: String,
    /// The seed of random numbers from then on; they go on as they are if there is none.
    pub draw: Option<u32>,
}

/// Why a function could not be changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NotSwapped {
    /// It does not compile.
    Invalid(String),
    /// It has to be changed in its file.
    Refused(String),
}

//! What collecting a suite takes of the project, before the first test runs.

use serde::{Deserialize, Serialize};

/// What collecting a suite takes of the project. Files are relative to the suite's root where they are below that.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Collection {
    /// Files whose code ran.
    pub loaded: Vec<LoadedFile>,
    /// Files of plugins, which are loaded for all tests.
    pub plugins: Vec<String>,
    /// Functions that ran, where the language can tell.
    pub functions: Vec<RanFunction>,
    /// Files that were opened; directories, with a slash behind them, that were listed.
    pub opened: Vec<LoadedFile>,
    /// Modules that are compiled code.
    pub extensions: Vec<Extension>,
}

/// A file that was wanted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LoadedFile {
    /// Which.
    pub file: String,
    /// The file of the project whose code wanted it; nothing if the framework did, or nobody knows.
    #[serde(default)]
    pub by: Option<String>,
}

/// A function that ran.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RanFunction {
    /// Its file.
    pub file: String,
    /// Its qualified name.
    pub function: String,
}

/// A module that is compiled code.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Extension {
    /// Its file.
    pub file: String,
    /// Its name.
    pub module: String,
}

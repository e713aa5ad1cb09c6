//! One place of shared state, as it was found changed.

use serde::{Deserialize, Serialize};

/// A place of shared state that a test has left changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// Its name, as a person would write it: `shop.settings.FLAGS['beta']`.
    pub path: String,
    /// What sort of place it is.
    pub kind: CellKind,
    /// What was there, cut short; `<absent>` for nothing.
    pub before: String,
    /// What is there now, cut short; `<absent>` for nothing.
    pub after: String,
    /// The names by which code mentions it or what holds it, aliases included. Empty where code needs no name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// Path and contents: new objects with their structure and aliases, old ones by their paths. Equal in other processes
    /// and under other hash seeds; empty where the contents cannot be looked into, so that nothing equals them.
    pub key: String,
    /// Which place it is. Comparable between forks of one process, and never stored.
    #[serde(default, skip_serializing)]
    pub place: String,
}

impl Cell {
    /// The path of the outermost container that it is an item of; its own where it is no item.
    pub fn holder(&self) -> &str {
        match self.kind {
            CellKind::Item => self.path.split_once('[').map_or(&self.path, |(holder, _)| holder),
            _ => &self.path,
        }
    }
}

/// Sorts of places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CellKind {
    /// A name of a module.
    Global,
    /// A name that every module sees.
    Builtin,
    /// An attribute of a class.
    ClassAttribute,
    /// An attribute of an object.
    Attribute,
    /// An item of a container.
    Item,
    /// A variable that functions share.
    Closure,
    /// A default of a parameter.
    Default,
    /// The contents of a cache that is filled by calls.
    Cache,
    /// A function or method that another one has replaced.
    Patch,
    /// A context variable or thread-local.
    Context,
    /// The value of a fixture that outlives a test.
    Fixture,
    /// A value that tests are parametrised with.
    Parameter,
    /// An environment variable.
    Environment,
    /// A module that is loaded, or no longer.
    Module,
    /// Any other state of the process: directory, locale, signals, random numbers, ...
    Process,
    /// A thread that still runs, or a descriptor that is still open.
    LeftOver,
    /// A file or directory.
    File,
}

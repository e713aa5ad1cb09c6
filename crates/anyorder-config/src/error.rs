//! Why a settings file is of no use.

use std::io;

use thiserror::Error;

use crate::config::KEYS;

/// Why a settings file is of no use.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// It is there, and it cannot be read as text.
    #[error("cannot read `{file}`: {source}")]
    Unreadable {
        /// Its name.
        file: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// It is not TOML.
    #[error("`{file}` is not valid TOML{}: {problem}", at_line(*.line))]
    NotToml {
        /// Its name.
        file: &'static str,
        /// Counted from 1.
        line: Option<usize>,
        /// What the TOML parser said.
        problem: String,
    },
    /// Our settings, or what should hold them, are no table.
    #[error("`{table}` in `{file}` is not a table")]
    NotATable {
        /// Its name.
        file: &'static str,
        /// The way to our settings.
        table: String,
    },
    /// A key that means nothing.
    #[error("unknown key `{key}` in `{file}`, line {line}")]
    UnknownKey {
        /// Its name.
        file: &'static str,
        /// As it stands there.
        key: String,
        /// Counted from 1.
        line: usize,
    },
    /// A value that the key's option would not take either.
    #[error("`{key} = {written}` in `{file}` makes no sense: {problem}")]
    WrongValue {
        /// Its name.
        file: &'static str,
        /// One of [`KEYS`].
        key: String,
        /// As it stands there.
        written: String,
        /// What the option has against it.
        problem: String,
    },
}

impl ConfigError {
    /// One thing to try.
    pub fn hint(&self) -> String {
        match self {
            ConfigError::Unreadable { .. } | ConfigError::NotToml { .. } => {
                "correct it, or move it away".to_owned()
            }
            ConfigError::NotATable { .. } => "write `[tool.anyorder]`, and the settings below it".to_owned(),
            ConfigError::UnknownKey { key, .. } => {
                format!("did you mean `{}`? The keys are {}", nearest_key(key), KEYS.join(", "))
            }
            ConfigError::WrongValue { key, .. } => {
                let command = if key == "ignore-cells" { "profile" } else { "sweep" };
                format!("`anyorder {command} --help` describes `--{key}`")
            }
        }
    }
}

fn at_line(line: Option<usize>) -> String {
    line.map_or_else(String::new, |line| format!(", line {line}"))
}

fn nearest_key(unknown: &str) -> &'static str {
    let likeness = |key: &&str| strsim::jaro_winkler(key, unknown);
    KEYS.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b))).expect("there are keys")
}

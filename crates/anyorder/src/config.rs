//! Settings from `anyorder.toml`, or from `[tool.anyorder]` in `pyproject.toml`. What was typed wins over these.

use std::fs;
use std::path::Path;

use toml::{Table, Value};

use crate::failure::Failure;

/// The keys that may be set, each the long name of an option.
const KEYS: [&str; 9] =
    ["python", "workers", "timeout", "memory", "isolation", "seed", "strategy", "rounds", "budget"];

/// What a project has written down.
#[derive(Debug, Default)]
pub(crate) struct Config {
    file: String,
    table: Table,
}

impl Config {
    /// Reads the project's file, if there is one.
    pub(crate) fn read(directory: &Path) -> Result<Self, Failure> {
        if let Ok(text) = fs::read_to_string(directory.join("anyorder.toml")) {
            let table = parse("anyorder.toml", &text)?;
            return Config::checked("anyorder.toml", &text, table);
        }
        let Ok(text) = fs::read_to_string(directory.join("pyproject.toml")) else {
            return Ok(Config::default());
        };
        if !text.contains("tool.anyorder") {
            return Ok(Config::default());
        }
        let table = parse("pyproject.toml", &text)?;
        let own = table.get("tool").and_then(|tool| tool.get("anyorder")).and_then(Value::as_table);
        Config::checked("pyproject.toml", &text, own.cloned().unwrap_or_default())
    }

    fn checked(file: &str, text: &str, table: Table) -> Result<Self, Failure> {
        if let Some(unknown) = table.keys().find(|key| !KEYS.contains(&key.as_str())) {
            let line = text.lines().position(|line| line.trim_start().starts_with(unknown.as_str()));
            let line = line.map_or(String::new(), |line| format!(", line {}", line + 1));
            let nearest = KEYS
                .iter()
                .max_by(|a, b| strsim::jaro_winkler(a, unknown).total_cmp(&strsim::jaro_winkler(b, unknown)));
            return Err(Failure::usage(
                format!("unknown key `{unknown}` in `{file}`{line}"),
                format!(
                    "did you mean `{}`? The keys are {}",
                    nearest.expect("there are keys"),
                    KEYS.join(", ")
                ),
            ));
        }
        Ok(Config { file: file.to_owned(), table })
    }

    /// The value of `key`, read as its option would read it.
    pub(crate) fn get<T>(
        &self,
        key: &str,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Option<T>, Failure> {
        debug_assert!(KEYS.contains(&key), "{key} is not in the list of keys");
        let Some(value) = self.table.get(key) else { return Ok(None) };
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        read(&text).map(Some).map_err(|problem| {
            Failure::usage(
                format!("`{key} = {value}` in `{}` makes no sense: {problem}", self.file),
                format!("`anyorder sweep --help` describes `--{key}`"),
            )
        })
    }
}

fn parse(file: &str, text: &str) -> Result<Table, Failure> {
    text.parse::<Table>().map_err(|error| {
        let place = error.span().map_or(String::new(), |span| {
            format!(", line {}", text[..span.start.min(text.len())].lines().count().max(1))
        });
        Failure::usage(
            format!("`{file}` is not valid TOML{place}: {}", error.message()),
            "correct it, or move it away",
        )
    })
}

//! Settings from `anyorder.toml`, or from `[tool.anyorder]` in `pyproject.toml`. What was typed wins over these.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use toml::de::{DeTable, DeValue};

use crate::failure::Failure;

/// The keys that may be set, each the long name of an option.
const KEYS: [&str; 10] =
    ["python", "workers", "timeout", "memory", "isolation", "disk", "seed", "strategy", "rounds", "budget"];

/// What a project has written down.
#[derive(Debug, Default)]
pub(crate) struct Config {
    file: String,
    values: BTreeMap<String, Setting>,
}

/// A value as it stands in the file, and without quotes.
#[derive(Debug)]
struct Setting {
    written: String,
    meant: String,
}

impl Config {
    /// Reads the project's file, if there is one.
    pub(crate) fn read(directory: &Path) -> Result<Self, Failure> {
        if let Some(text) = read("anyorder.toml", directory)? {
            return Config::from_text("anyorder.toml", &text, &[]);
        }
        match read("pyproject.toml", directory)? {
            Some(text) if text.contains("anyorder") => {
                Config::from_text("pyproject.toml", &text, &["tool", "anyorder"])
            }
            _ => Ok(Config::default()),
        }
    }

    /// `path` leads to our table.
    fn from_text(file: &str, text: &str, path: &[&str]) -> Result<Self, Failure> {
        let document = DeTable::parse(text).map_err(|error| not_toml(file, text, &error))?.into_inner();
        let mut table = &document;
        for name in path {
            table = match table.get(*name).map(toml::Spanned::get_ref) {
                None => return Ok(Config::default()),
                Some(DeValue::Table(inner)) => inner,
                Some(_) => {
                    let what = format!("`{}` in `{file}` is not a table", path.join("."));
                    return Err(Failure::usage(what, "write `[tool.anyorder]`, and the settings below it"));
                }
            };
        }
        if let Some(unknown) = table.keys().find(|key| !KEYS.contains(&key.get_ref().as_ref())) {
            return Err(unknown_key(file, unknown.get_ref(), line_of(text, unknown.span().start)));
        }
        let values = table.iter().map(|(key, value)| {
            let written = text[value.span()].to_owned();
            let meant = value.get_ref().as_str().map_or_else(|| written.clone(), str::to_owned);
            (key.get_ref().to_string(), Setting { written, meant })
        });
        Ok(Config { file: file.to_owned(), values: values.collect() })
    }

    /// The value of `key`, read as its option would read it.
    pub(crate) fn get<T>(
        &self,
        key: &str,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Option<T>, Failure> {
        debug_assert!(KEYS.contains(&key), "{key} is not in the list of keys");
        let Some(value) = self.values.get(key) else { return Ok(None) };
        read(&value.meant).map(Some).map_err(|problem| {
            Failure::usage(
                format!("`{key} = {}` in `{}` makes no sense: {problem}", value.written, self.file),
                format!("`anyorder sweep --help` describes `--{key}`"),
            )
        })
    }
}

fn read(name: &str, directory: &Path) -> Result<Option<String>, Failure> {
    let path = directory.join(name);
    match fs::read_to_string(&path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => {
            Err(Failure::usage(format!("cannot read `{name}`: {error}"), "correct it, or move it away"))
        }
    }
}

fn unknown_key(file: &str, unknown: &str, line: usize) -> Failure {
    let likeness = |key: &&str| strsim::jaro_winkler(key, unknown);
    let nearest = KEYS.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b))).expect("there are keys");
    Failure::usage(
        format!("unknown key `{unknown}` in `{file}`, line {line}"),
        format!("did you mean `{nearest}`? The keys are {}", KEYS.join(", ")),
    )
}

fn not_toml(file: &str, text: &str, error: &toml::de::Error) -> Failure {
    let place = error.span().map_or(String::new(), |span| format!(", line {}", line_of(text, span.start)));
    Failure::usage(
        format!("`{file}` is not valid TOML{place}: {}", error.message()),
        "correct it, or move it away",
    )
}

fn line_of(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|&byte| byte == b'\n').count() + 1
}

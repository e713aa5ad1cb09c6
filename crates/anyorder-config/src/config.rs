//! Settings from `anyorder.toml`, or from `[tool.anyorder]` in `pyproject.toml`. What was typed wins over these.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::ConfigError;

/// The keys that may be set, each the long name of an option.
pub const KEYS: [&str; 12] = [
    "python",
    "workers",
    "timeout",
    "memory",
    "isolation",
    "disk",
    "trust-forks",
    "seed",
    "strategy",
    "rounds",
    "budget",
    "ignore-cells",
];

const OWN: &str = "anyorder.toml";
const SHARED: &str = "pyproject.toml";

/// What a project has written down.
#[derive(Clone, Debug, Default)]
pub struct Config {
    file: &'static str,
    values: BTreeMap<String, Setting>,
}

/// A value as it stands in the file, and what it means.
#[derive(Clone, Debug)]
struct Setting {
    written: String,
    meant: Meaning,
}

#[derive(Clone, Debug)]
enum Meaning {
    /// Without quotes.
    One(String),
    /// A list of strings.
    Many(Vec<String>),
    /// Tables, and lists of anything else, mean nothing to any key.
    Nothing,
}

impl Setting {
    fn new(text: &str, value: &Spanned<DeValue<'_>>) -> Self {
        let written = text[value.span()].to_owned();
        match value.get_ref() {
            // What a table holds may stand anywhere in the file.
            DeValue::Table(_) => Setting { written: "{...}".to_owned(), meant: Meaning::Nothing },
            DeValue::Array(items) => {
                let strings: Option<Vec<String>> = items.iter().map(string).collect();
                Setting { written, meant: strings.map_or(Meaning::Nothing, Meaning::Many) }
            }
            DeValue::String(meant) => Setting { written, meant: Meaning::One(meant.to_string()) },
            _ => Setting { meant: Meaning::One(written.clone()), written },
        }
    }
}

fn string(value: &Spanned<DeValue<'_>>) -> Option<String> {
    match value.get_ref() {
        DeValue::String(meant) => Some(meant.to_string()),
        _ => None,
    }
}

impl Config {
    /// Reads the project's file, if there is one.
    pub fn read(directory: &Path) -> Result<Self, ConfigError> {
        if let Some(text) = read(OWN, directory)? {
            return Config::from_own_text(&text);
        }
        read(SHARED, directory)?.map_or_else(|| Ok(Config::default()), |text| Config::from_shared_text(&text))
    }

    /// The settings in the text of an `anyorder.toml`.
    pub fn from_own_text(text: &str) -> Result<Self, ConfigError> {
        Config::from_text(OWN, text, &[])
    }

    /// The settings in the text of a `pyproject.toml`. One that does not mention us may be as broken as it likes.
    pub fn from_shared_text(text: &str) -> Result<Self, ConfigError> {
        if text.contains("anyorder") {
            Config::from_text(SHARED, text, &["tool", "anyorder"])
        } else {
            Ok(Config::default())
        }
    }

    /// `path` leads to our table.
    fn from_text(file: &'static str, text: &str, path: &[&str]) -> Result<Self, ConfigError> {
        let document = DeTable::parse(text).map_err(|error| not_toml(file, text, &error))?.into_inner();
        let mut table = &document;
        for name in path {
            table = match table.get(*name).map(Spanned::get_ref) {
                None => return Ok(Config::default()),
                Some(DeValue::Table(inner)) => inner,
                Some(_) => return Err(ConfigError::NotATable { file, table: path.join(".") }),
            };
        }
        if let Some(unknown) = table.keys().find(|key| !KEYS.contains(&key.get_ref().as_ref())) {
            let line = line_of(text, unknown.span().start);
            return Err(ConfigError::UnknownKey { file, key: unknown.get_ref().to_string(), line });
        }
        let values = table.iter().map(|(key, value)| (key.get_ref().to_string(), Setting::new(text, value)));
        Ok(Config { file, values: values.collect() })
    }

    /// The value of `key`, read as its option would read it.
    pub fn get<T>(
        &self,
        key: &str,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Option<T>, ConfigError> {
        let Some(value) = self.setting(key) else { return Ok(None) };
        let meant = match &value.meant {
            Meaning::One(meant) => read(meant),
            Meaning::Many(_) | Meaning::Nothing => Err("one value is wanted".to_owned()),
        };
        meant.map(Some).map_err(|problem| self.wrong(key, value, problem))
    }

    /// The values of `key`, which may be one or a list of them, each read as its option would read it.
    pub fn get_all<T>(
        &self,
        key: &str,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Vec<T>, ConfigError> {
        let Some(value) = self.setting(key) else { return Ok(Vec::new()) };
        let meant = match &value.meant {
            Meaning::One(meant) => read(meant).map(|one| vec![one]),
            Meaning::Many(meant) => meant.iter().map(|text| read(text)).collect(),
            Meaning::Nothing => Err("a list of strings is wanted".to_owned()),
        };
        meant.map_err(|problem| self.wrong(key, value, problem))
    }

    fn setting(&self, key: &str) -> Option<&Setting> {
        debug_assert!(KEYS.contains(&key), "{key} is not in the list of keys");
        self.values.get(key)
    }

    fn wrong(&self, key: &str, value: &Setting, problem: String) -> ConfigError {
        let (key, written) = (key.to_owned(), value.written.clone());
        ConfigError::WrongValue { file: self.file, key, written, problem }
    }
}

fn read(file: &'static str, directory: &Path) -> Result<Option<String>, ConfigError> {
    match fs::read_to_string(directory.join(file)) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(ConfigError::Unreadable { file, source }),
    }
}

fn not_toml(file: &'static str, text: &str, error: &toml::de::Error) -> ConfigError {
    let line = error.span().map(|span| line_of(text, span.start));
    ConfigError::NotToml { file, line, problem: error.message().to_owned() }
}

fn line_of(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|&byte| byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn python(text: &str) -> Result<Option<String>, String> {
        let read = |config: Config| config.get("python", |text| Ok(text.to_owned()));
        Config::from_own_text(text).and_then(read).map_err(|error| error.to_string())
    }

    #[test]
    fn strings_are_read_without_their_quotes_and_numbers_as_they_stand() {
        for (text, meant) in [("python = 'a b'", "a b"), ("\u{feff}python = 3.10", "3.10")] {
            assert_eq!(python(text), Ok(Some(meant.to_owned())), "{text}");
        }
    }

    #[test]
    fn a_list_or_a_table_is_not_taken_for_a_value() {
        let problem = |written: &str| {
            Err(format!("`python = {written}` in `anyorder.toml` makes no sense: one value is wanted"))
        };
        assert_eq!(python("python = [3]"), problem("[3]"));
        for text in ["[python]\nx = 1", "python.x = 1", "python = {x = 1}"] {
            assert_eq!(python(text), problem("{...}"), "{text}");
        }
    }

    #[test]
    fn a_list_is_taken_where_several_values_may_stand() {
        let cells = |text: &str| {
            let read = |config: Config| config.get_all("ignore-cells", |text| Ok(text.to_owned()));
            Config::from_own_text(text).and_then(read).map_err(|error| error.to_string())
        };
        assert_eq!(cells(""), Ok(vec![]));
        assert_eq!(cells("ignore-cells = 'a'"), Ok(vec!["a".to_owned()]));
        assert_eq!(cells("ignore-cells = ['a', \"b*\"]"), Ok(vec!["a".to_owned(), "b*".to_owned()]));
        let problem =
            "`ignore-cells = ['a', 1]` in `anyorder.toml` makes no sense: a list of strings is wanted";
        assert_eq!(cells("ignore-cells = ['a', 1]"), Err(problem.to_owned()));
    }

    #[test]
    fn nesting_has_an_end() {
        for (open, deeper) in [("a", ".a"), ("[a", ".a"), ("a = ", "["), ("a = ", "{a = ")] {
            let text = open.to_owned() + &deeper.repeat(100_000);
            assert!(
                matches!(Config::from_own_text(&text), Err(ConfigError::NotToml { .. })),
                "{open}{deeper}"
            );
        }
    }
}

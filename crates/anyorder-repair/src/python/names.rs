//! What things are called: fixtures after the state that they are about, tests and files in sentences.

use std::collections::BTreeSet;

use anyorder_model::TestIndex;
use anyorder_source::{Function, Source, Statement, Text};

use super::site::Site;
use crate::words::words;

/// The functions of some tests, in words.
pub(super) fn functions_in_words(sites: &[(TestIndex, Site)]) -> String {
    in_words(&sites.iter().map(|(_, site)| format!("`{}`", site.function.name())).collect::<Vec<_>>())
}

/// Some files, in words.
pub(super) fn files_in_words(files: &BTreeSet<String>) -> String {
    in_words(&files.iter().map(|file| format!("`{file}`")).collect::<Vec<_>>())
}

/// A name that a file does not use.
pub(super) fn unused(source: &Source, name: &str) -> String {
    let statements = source.top_level().iter().flat_map(Statement::walk);
    let named = statements.flat_map(|statement| statement.loads.iter().chain(&statement.stores));
    let parameters = source.functions().iter().flat_map(|function| &function.parameters);
    let names = named.chain(parameters.map(|parameter| &parameter.name)).map(Text::as_str);
    let used: BTreeSet<&str> = names.chain(source.functions().iter().map(Function::name)).collect();
    let names = std::iter::once(name.to_owned()).chain((2..).map(|number| format!("{name}_{number}")));
    names.into_iter().find(|name| !used.contains(name.as_str())).expect("there are endless names")
}

/// The last name in a path that is no key, in small letters.
pub(super) fn short(path: &str) -> String {
    let head = path.split(" of ").next().unwrap_or(path);
    let head = head.strip_prefix("context variable ").unwrap_or(head);
    if let Some(file) = head.strip_prefix("file ") {
        let name = file.rsplit('/').next().unwrap_or(file);
        return name
            .split('.')
            .find(|part| !part.is_empty())
            .unwrap_or("file")
            .replace('-', "_")
            .to_lowercase();
    }
    let words: Vec<String> = words(without_keys(head))
        .filter(|word| word.starts_with(|letter: char| letter.is_alphabetic() || letter == '_'))
        .map(|word| word.trim_matches('_').to_lowercase())
        .filter(|word| !word.is_empty())
        .collect();
    match &words[..] {
        _ if path.starts_with("os.environ") => "environment".to_owned(),
        _ if path.starts_with("sys.modules") => "modules".to_owned(),
        _ if path.starts_with("sys.path") => "search_path".to_owned(),
        _ if head.contains(' ') && !path.contains('<') => words.join("_"),
        [.., last] => last.clone(),
        [] => "state".to_owned(),
    }
}

/// A path up to what holds a key, an item, a cache or a registration.
fn without_keys(path: &str) -> &str {
    let path = path.split(".register(").next().unwrap_or(path);
    let path = path.split(".<cache>").next().unwrap_or(path);
    let path = path.split(".registry[<class ").next().unwrap_or(path);
    let mut depth = 0;
    let opening = path.char_indices().rev().find(|(_, letter)| {
        depth += i32::from(*letter == ']') - i32::from(*letter == '[');
        depth == 0
    });
    match opening {
        Some((at, '[')) => without_keys(&path[..at]),
        _ => path,
    }
}

/// `a`, `b` and `c`.
pub(super) fn in_words(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] if words.len() <= 4 => format!("{} and {last}", first.join(", ")),
        [first, second, ..] => format!("{first}, {second} and {} more", words.len() - 2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fixture_is_named_after_what_it_keeps() {
        for (path, name) in [
            ("shop.settings.CURRENCY", "currency"),
            ("shop.settings.FLAGS['beta']", "flags"),
            ("shop.settings.FLAGS['a.b'][0][1:]", "flags"),
            ("shop.settings.FLAGS['a'].name", "name"),
            ("shop.rates.table.<cache>[1]", "table"),
            ("shop.Priced.register(shop.cart.Cart)", "priced"),
            ("shop.rates.describe.registry[<class builtins.float>]", "describe"),
            ("os.environ['HOME']", "environment"),
            ("working directory", "working_directory"),
            ("context variable user", "user"),
            ("file tests/left-over.txt", "left_over"),
            ("shop.load.<closure rows>[0:]", "rows"),
            ("shop.Cart.__price__", "price"),
        ] {
            assert_eq!(short(path), name, "{path}");
        }
    }
}

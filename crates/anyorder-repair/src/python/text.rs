//! Python text that names modules without saying how a file has imported them.
//!
//! Written with `«` and `»` for the marks, `«shop.settings».CURRENCY` becomes `settings.CURRENCY` in a file that has `from shop import
//! settings`. Who resolves a text decides what each module is called, and which imports are missing. The marks are letters that
//! no text has: users' own statements are in such texts, too.

/// Stands before the name of a module.
const OPEN: char = '\u{e000}';
/// Stands behind the name of a module.
const CLOSE: char = '\u{e001}';

/// Whether a letter is one of the marks.
pub(super) fn is_mark(letter: char) -> bool {
    letter == OPEN || letter == CLOSE
}

/// A module, to be resolved later.
pub(super) fn module(name: &str) -> String {
    format!("{OPEN}{name}{CLOSE}")
}

/// Begins the name of what is no module but a file.
const FILE: &str = "file ";

/// A file of the project, by its path from the suite's root, to be resolved later.
pub(super) fn file(path: &str) -> String {
    module(&format!("{FILE}{path}"))
}

/// Begins the name of what is no module but a fixture that is about to be defined.
const DEFINED: &str = "defined ";

/// A fixture that is about to be defined, by the name that it gets if nobody has that.
pub(super) fn defined(name: &str) -> String {
    module(&format!("{DEFINED}{name}"))
}

/// The name that such a fixture should get, if this is no module.
pub(super) fn as_defined(module: &str) -> Option<&str> {
    module.strip_prefix(DEFINED)
}

/// The path of a file, if this is no module.
pub(super) fn as_file(module: &str) -> Option<&str> {
    module.strip_prefix(FILE)
}

/// `expression`, which begins with the name of `module`, with that name to be resolved later.
pub(super) fn within(module_name: &str, expression: &str) -> String {
    match expression.strip_prefix(module_name) {
        Some(rest) if rest.is_empty() || rest.starts_with(['.', '[', '(']) => module(module_name) + rest,
        _ => expression.to_owned(),
    }
}

/// What stands in the place of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Called {
    /// The module has a name.
    Module(String),
    /// What stands behind the dot can do without it.
    Nothing,
}

/// The text with each module called what `name` says. It is told the name behind the module's dot, too, if something of that
/// is used there: what is only named may be about to be bound anew.
pub(super) fn resolve(text: &str, mut name: impl FnMut(&str, Option<&str>) -> Called) -> String {
    let mut parts = text.split(OPEN);
    let mut resolved = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let Some((module, rest)) = part.split_once(CLOSE) else {
            resolved.push_str(part);
            continue;
        };
        let behind = rest.strip_prefix('.').unwrap_or_default();
        let end = behind.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
        let (attribute, rest_of_it) = behind.split_at(end.unwrap_or(behind.len()));
        let is_class = attribute.starts_with(char::is_uppercase) && attribute.contains(char::is_lowercase);
        let is_used =
            rest_of_it.starts_with(['.', '[', '(']) || is_class && rest_of_it.starts_with([')', ',']);
        match name(module, Some(attribute).filter(|_| is_used)) {
            Called::Module(name) => resolved.extend([&*name, rest]),
            Called::Nothing => resolved.push_str(rest.strip_prefix('.').unwrap_or(rest)),
        }
    }
    resolved
}

/// A literal with its plain strings in double quotes, as all our texts have them.
pub(super) fn double_quoted(literal: &str) -> String {
    let is_plain = !literal.contains(['"', '\\']);
    if is_plain { literal.replace('\'', "\"") } else { literal.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_called_what_the_file_calls_them() {
        let text = within("shop.settings", "shop.settings.FLAGS['a']") + " = " + &module("os") + ".sep";
        let name =
            |module: &str, _: Option<&str>| Called::Module(module.rsplit('.').next().unwrap().to_owned());
        assert_eq!(resolve(&text, name), "settings.FLAGS['a'] = os.sep");
        assert_eq!(resolve(&text, |_, _| Called::Nothing), "FLAGS['a'] = sep");
        let mut behind = vec![];
        resolve(&text, |_, name| {
            behind.push(name.map(str::to_owned));
            Called::Nothing
        });
        assert_eq!(behind, [Some("FLAGS".to_owned()), None]);
    }

    #[test]
    fn a_name_that_only_begins_like_the_module_is_another_one() {
        assert_eq!(within("shop", "shopping.LIST"), "shopping.LIST");
    }

    #[test]
    fn strings_that_hold_quotes_stay_as_they_are() {
        assert_eq!(double_quoted("['a', 'b']"), "[\"a\", \"b\"]");
        assert_eq!(double_quoted("'say \"a\"'"), "'say \"a\"'");
        assert_eq!(double_quoted(r"'it\'s'"), r"'it\'s'");
    }
}

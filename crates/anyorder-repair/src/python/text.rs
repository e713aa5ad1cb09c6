//! Python text that names modules without saying how a file has imported them.
//!
//! `«shop.settings».CURRENCY` becomes `settings.CURRENCY` in a file that has `from shop import settings`. Who resolves a text
//! decides what each module is called, and which imports are missing.

/// Stands before the name of a module.
const OPEN: char = '«';
/// Stands behind the name of a module.
const CLOSE: char = '»';

/// A module, to be resolved later.
pub(super) fn module(name: &str) -> String {
    format!("{OPEN}{name}{CLOSE}")
}

/// `expression`, which begins with the name of `module`, with that name to be resolved later.
pub(super) fn within(module_name: &str, expression: &str) -> String {
    match expression.strip_prefix(module_name) {
        Some(rest) if rest.is_empty() || rest.starts_with(['.', '[', '(']) => module(module_name) + rest,
        _ => expression.to_owned(),
    }
}

/// The text with each module called what `name` says. Where that is nothing (the file is that module), names stand alone.
pub(super) fn resolve(text: &str, mut name: impl FnMut(&str) -> Option<String>) -> String {
    let mut parts = text.split(OPEN);
    let mut resolved = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let Some((module, rest)) = part.split_once(CLOSE) else {
            resolved.push_str(part);
            continue;
        };
        match name(module) {
            Some(name) => resolved.extend([&*name, rest]),
            None => resolved.push_str(rest.strip_prefix('.').unwrap_or(rest)),
        }
    }
    resolved
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_called_what_the_file_calls_them() {
        let text = within("shop.settings", "shop.settings.FLAGS['a']") + " = " + &module("os") + ".sep";
        let name = |module: &str| Some(module.rsplit('.').next().unwrap().to_owned());
        assert_eq!(resolve(&text, name), "settings.FLAGS['a'] = os.sep");
        assert_eq!(resolve(&text, |_| None), "FLAGS['a'] = sep");
    }

    #[test]
    fn a_name_that_only_begins_like_the_module_is_another_one() {
        assert_eq!(within("shop", "shopping.LIST"), "shopping.LIST");
    }
}

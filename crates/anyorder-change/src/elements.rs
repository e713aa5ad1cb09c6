//! What a file's elements are called: by Python, by profiles, and by people.

/// The functions that code of this qualified name is part of, itself first. Lambdas and comprehensions belong to what
/// encloses them; `<module>` to nothing.
///
/// All functions around one count: whichever made it, made it before it ran.
pub(crate) fn functions_around(code: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut name = code;
    loop {
        while last(name).starts_with('<') {
            let Some((around, _)) = name.rsplit_once('.') else { return found };
            name = around;
        }
        found.push(name);
        let Some(locals) = name.rfind(".<locals>") else { return found };
        name = &name[..locals];
    }
}

/// The last name of a qualified one.
pub(crate) fn last(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// The class that a method is of.
pub(crate) fn class_of(name: &str) -> Option<&str> {
    name.rsplit_once('.').map(|(class, _)| class).filter(|class| !class.ends_with("<locals>"))
}

/// The directory of a file; empty at the root.
pub(crate) fn directory(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

/// The name of a file without its directory.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A file in a directory.
pub(crate) fn joined(directory: &str, name: &str) -> String {
    if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") }
}

/// The names by which a file can be imported, the likeliest first. `is_package` says whether a directory has an `__init__.py`.
///
/// Any directory above the outermost package may be where Python looks for modules.
pub(crate) fn module_names(path: &str, is_package: impl Fn(&str) -> bool) -> Vec<String> {
    let stem = path.strip_suffix(".py").unwrap_or(path);
    let stem = stem.strip_suffix("/__init__").unwrap_or(stem);
    let parts: Vec<&str> = stem.split('/').collect();
    let mut base = directory(path);
    while !base.is_empty() && is_package(base) {
        base = directory(base);
    }
    let depth = if base.is_empty() { 0 } else { base.split('/').count() };
    (0..=depth.min(parts.len() - 1)).rev().map(|from| parts[from..].join(".")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lambdas_and_comprehensions_belong_to_what_encloses_them() {
        for (code, expected) in [
            ("f", vec!["f"]),
            ("C.m", vec!["C.m"]),
            ("f.<locals>.g", vec!["f.<locals>.g", "f"]),
            ("C.m.<locals>.<listcomp>", vec!["C.m"]),
            ("f.<locals>.<lambda>.<locals>.<genexpr>", vec!["f"]),
            ("<module>", vec![]),
            ("<lambda>", vec![]),
            ("C.<lambda>", vec!["C"]),
            ("f.<locals>.C.m", vec!["f.<locals>.C.m", "f"]),
        ] {
            assert_eq!(functions_around(code), expected, "{code}");
        }
    }

    #[test]
    fn a_module_is_imported_from_above_its_outermost_package() {
        let names =
            |path: &str| module_names(path, |directory| directory == "src/shop" || directory == "tests");
        assert_eq!(names("src/shop/cart.py"), ["shop.cart", "src.shop.cart"]);
        assert_eq!(names("src/shop/__init__.py"), ["shop", "src.shop"]);
        assert_eq!(names("tests/test_a.py"), ["tests.test_a"]);
        assert_eq!(names("scripts/run.py"), ["run", "scripts.run"]);
        assert_eq!(names("conftest.py"), ["conftest"]);
    }
}

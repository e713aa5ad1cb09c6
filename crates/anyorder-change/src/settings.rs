//! Settings files without what no test can notice: tables of linters, formatters and the like.

use std::borrow::Cow;

/// Files that have such tables beside others.
const FILES: [&str; 3] = ["pyproject.toml", "setup.cfg", "tox.ini"];
/// Tables, without `tool.`, of programs that look at code and do not run it.
const LOOKERS: [&str; 16] = [
    "autopep8",
    "bandit",
    "black",
    "bumpversion",
    "codespell",
    "commitizen",
    "flake8",
    "isort",
    "mypy",
    "pycodestyle",
    "pydocstyle",
    "pylint",
    "pyright",
    "ruff",
    "towncrier",
    "typos",
];

/// The contents of a file, as far as they count.
pub(crate) fn that_count<'a>(path: &str, contents: &'a [u8]) -> Cow<'a, [u8]> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let text = FILES.contains(&name).then(|| std::str::from_utf8(contents).ok()).flatten();
    let Some(text) = text else { return Cow::Borrowed(contents) };
    let mut counts = true;
    let mut kept = String::new();
    for line in text.lines() {
        if let Some(table) = table(line) {
            let program = table.strip_prefix("tool.").unwrap_or(table);
            let program = program.split(['.', ':', '-']).next().unwrap_or(program);
            counts = !LOOKERS.contains(&program);
        }
        if counts && !line.trim().is_empty() {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    Cow::Owned(kept.into_bytes())
}

/// The name in `[name]` or `[[name]]`; such a line begins a table, and an item of a list has quotes or digits there.
fn table(line: &str) -> Option<&str> {
    let name = line.strip_prefix("[[").or(line.strip_prefix('['))?;
    let name = name.split(']').next()?;
    name.starts_with(|first: char| first.is_alphabetic()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(path: &str, one: &str, other: &str) -> bool {
        that_count(path, one.as_bytes()) == that_count(path, other.as_bytes())
    }

    #[test]
    fn tables_of_linters_do_not_count() {
        let text = |rules: &str| {
            format!(
                "[project]\nname = 'shop'\n\n[tool.ruff.lint]\nselect = [\n{rules}]\n[tool.pytest]\nx = 1\n"
            )
        };
        assert!(same("pyproject.toml", &text("'B',\n"), &text("'B',\n'C4',\n['D'],\n")));
        assert!(same("lib/setup.cfg", "[flake8]\na = 1\n[mypy-shop.*]\nb = 1\n", ""));
    }

    #[test]
    fn all_else_does() {
        assert!(!same("pyproject.toml", "[tool.pytest]\nx = 1\n", "[tool.pytest]\nx = 2\n"));
        assert!(!same(
            "pyproject.toml",
            "[tool.ruff]\n[project]\nname = 'a'\n",
            "[tool.ruff]\n[project]\nname = 'b'\n"
        ));
        assert!(!same("tox.ini", "[testenv]\ndeps = a\n", ""));
        assert!(!same("other.toml", "[tool.ruff]\nx = 1\n", ""));
    }
}

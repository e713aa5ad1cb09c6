//! How a file of tests says where another file is: tests may be elsewhere when it is asked for.

use anyorder_source::{Shape, Source, Target, Text};

/// An expression for a file, from where somebody else is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// By a name that the file has already.
    Named(String),
    /// What stands behind `Path(__file__)`.
    FromHere(String),
}

/// The way from one file to another; both are told from the same root.
pub(super) fn way(source: &Source, here: &str, to: &str) -> Way {
    let to: Vec<&str> = to.split('/').collect();
    let known = constants(source, here).into_iter().filter(|(place, _)| to.starts_with(&strs(place)));
    match known.max_by_key(|(place, _)| place.len()) {
        Some((place, name)) if place.len() == to.len() => Way::Named(name.to_string()),
        Some((place, name)) => Way::Named(format!("{name}.joinpath(\"{}\")", to[place.len()..].join("/"))),
        None => Way::FromHere(behind_here(here, &to)),
    }
}

fn behind_here(here: &str, to: &[&str]) -> String {
    let mut around: Vec<&str> = here.split('/').collect();
    around.pop();
    let depth = around.len();
    let is_around = |around: &[&str]| around.len() < to.len() && to.starts_with(around);
    while !is_around(&around) {
        around.pop();
    }
    let below = to[around.len()..].join("/");
    match depth - around.len() {
        0 if !below.contains('/') => format!(".with_name(\"{below}\")"),
        0 => format!(".parent.joinpath(\"{below}\")"),
        up => format!(".parents[{up}].joinpath(\"{below}\")"),
    }
}

fn strs(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}

/// Names that the file gives, at its top and for good, to places on disk.
fn constants<'s>(source: &'s Source, here: &str) -> Vec<(Vec<String>, &'s Text)> {
    let top = source.top_level();
    let is_only = |name: &Text| {
        top.iter().flat_map(|statement| &statement.stores).filter(|&other| other == name).count() == 1
    };
    let constant = top.iter().filter_map(|statement| match &statement.shape {
        Shape::Assign { targets, value } => match &targets[..] {
            [Target::Name(name)] if is_only(name) => Some((place(value, here)?, name)),
            _ => None,
        },
        _ => None,
    });
    constant.collect()
}

/// Where such an expression leads, from the root; nothing if that cannot be told, or if it is a text and no `Path`.
fn place(expression: &str, here: &str) -> Option<Vec<String>> {
    let text = expression.replace('\'', "\"");
    let text = text.strip_prefix("pathlib.").unwrap_or(&text);
    let mut rest = text.strip_prefix("Path(__file__)")?;
    let mut place: Vec<String> = here.split('/').map(str::to_owned).collect();
    for same in [".resolve()", ".absolute()"] {
        rest = rest.strip_prefix(same).unwrap_or(rest);
    }
    while !rest.is_empty() {
        rest = step(&mut place, rest)?;
    }
    Some(place)
}

/// Takes one step of the way; what is left of the expression.
fn step<'t>(place: &mut Vec<String>, rest: &'t str) -> Option<&'t str> {
    if let Some(behind) = rest.strip_prefix(".parents[") {
        let (up, behind) = behind.split_once(']')?;
        let up: usize = up.parse().ok()?;
        place.truncate(place.len().checked_sub(up + 1)?);
        return Some(behind);
    }
    let (text, end) = if let Some(text) = rest.strip_prefix(".with_name(\"") {
        place.pop()?;
        (text, "\")")
    } else if let Some(text) = rest.strip_prefix(".joinpath(\"") {
        (text, "\")")
    } else if let Some(text) = rest.strip_prefix(" / \"") {
        (text, "\"")
    } else {
        place.pop()?;
        return rest.strip_prefix(".parent");
    };
    let (names, behind) = text.split_once(end)?;
    place.extend(names.split('/').map(str::to_owned));
    (!names.starts_with('/') && !names.contains("..")).then_some(behind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_file_is_found_from_where_the_test_is() {
        let source = Source::parse("from pathlib import Path\n").unwrap();
        for (here, to, behind) in [
            ("tests/test_a.py", "tests/b.txt", ".with_name(\"b.txt\")"),
            ("test_a.py", "b/c.txt", ".parent.joinpath(\"b/c.txt\")"),
            ("tests/test_a.py", "b.txt", ".parents[1].joinpath(\"b.txt\")"),
            ("a/b/test_a.py", "a/bc/d", ".parents[1].joinpath(\"bc/d\")"),
        ] {
            assert_eq!(way(&source, here, to), Way::FromHere(behind.to_owned()), "{here} {to}");
        }
    }

    #[test]
    fn a_name_for_the_file_or_a_directory_around_it_is_used() {
        for (text, expression) in [
            ("B = pathlib.Path(__file__).parent / 'b' / 'c.txt'\n", "B"),
            ("HERE = Path(__file__).parent\n", "HERE.joinpath(\"b/c.txt\")"),
            (
                "HERE = Path(__file__).resolve().parent\nOUT = Path(__file__).with_name('b')\n",
                "OUT.joinpath(\"c.txt\")",
            ),
            ("ROOT = Path(__file__).parents[1]\n", "ROOT.joinpath(\"tests/b/c.txt\")"),
        ] {
            let source = Source::parse(text).unwrap();
            assert_eq!(
                way(&source, "tests/test_a.py", "tests/b/c.txt"),
                Way::Named(expression.to_owned()),
                "{text}"
            );
        }
    }

    #[test]
    fn what_may_be_somewhere_else_is_not_used() {
        for text in [
            "HERE = Path(__file__).parent\nHERE = other()\n",
            "HERE = str(Path(__file__).parent)\n",
            "HERE = Path(__file__).parent / name\n",
            "HERE = Path(__file__).parents[5]\n",
            "HERE = Path(__file__).parent / '/b'\n",
            "OUT = Path(__file__).parent / 'other'\n",
        ] {
            let source = Source::parse(text).unwrap();
            let way = way(&source, "tests/test_a.py", "tests/b.txt");
            assert_eq!(way, Way::FromHere(".with_name(\"b.txt\")".to_owned()), "{text}");
        }
    }
}

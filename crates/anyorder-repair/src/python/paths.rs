//! How a file of tests says where another file is: tests may be elsewhere when it is asked for.

use anyorder_source::{Import, Shape, Source, Target, Text};

use super::site::{own_file, read};
use crate::workshop::Tree;

/// An expression for a file, from where somebody else is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// By a name that the file has already.
    Named(String),
    /// What stands behind `Path(__file__)`.
    FromHere(String),
    /// By its name among temporary files.
    Temporary(String),
    /// The same from everywhere.
    Absolute(String),
}

/// A place on disk: the names on the way there, from the root of the suite; the first is empty if it is that of the disk.
type Place = Vec<String>;

/// The way from one file to another; both are told from the same root.
pub(super) fn way(tree: &Tree<'_>, source: &Source, here: &str, to: &str) -> Way {
    let to: Vec<&str> = to.split('/').collect();
    let imported = source.imports().iter().filter_map(|import| imported(tree, source, here, import));
    let own = constants(tree, source, here).into_iter().map(|(place, name)| (place, name.to_string()));
    let known = imported.chain(own).filter(|(place, _)| to.starts_with(&strs(place)));
    match known.max_by_key(|(place, _)| place.len()) {
        Some((place, name)) if place.len() == to.len() => Way::Named(name),
        Some((place, name)) => Way::Named(format!("{name}.joinpath(\"{}\")", to[place.len()..].join("/"))),
        None if to[0].is_empty() => outside(tree, source, &to.join("/")),
        None => Way::FromHere(behind_here(here, &to)),
    }
}

/// The way to a file that is not the project's: as the tests' file would find it.
fn outside(tree: &Tree<'_>, source: &Source, to: &str) -> Way {
    let below = to.strip_prefix(&tree.temporary()).and_then(|below| below.strip_prefix('/'));
    match below.filter(|_| source.text().contains("tempfile")) {
        Some(below) => Way::Temporary(below.to_owned()),
        None => Way::Absolute(to.to_owned()),
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

/// The place that an import brings a name for.
fn imported(tree: &Tree<'_>, source: &Source, here: &str, import: &Import) -> Option<(Place, String)> {
    let is_fit = import.is_top_level && import.level == 0 && is_bound_once(source, import.bound_name());
    let name = import.name.as_ref().filter(|_| is_fit)?;
    let file = own_file(tree, here, &import.module)?;
    let source = read(tree, &file)?;
    let place = constants(tree, &source, &file).into_iter().find(|(_, other)| other.as_str() == name)?.0;
    Some((place, import.bound_name().to_owned()))
}

fn is_bound_once(source: &Source, name: &str) -> bool {
    let stores = source.top_level().iter().flat_map(|statement| &statement.stores);
    stores.filter(|stored| stored.as_str() == name).count() == 1
}

/// Names that the file gives, at its top and for good, to places on disk.
fn constants<'s>(tree: &Tree<'_>, source: &'s Source, here: &str) -> Vec<(Place, &'s Text)> {
    let temporary = tree.temporary();
    let mut known: Vec<(Place, &Text)> = vec![];
    for statement in source.top_level().iter() {
        let Shape::Assign { targets, value } = &statement.shape else { continue };
        let [Target::Name(name)] = &targets[..] else { continue };
        if !is_bound_once(source, name) {
            continue;
        }
        if let Some(place) = place(value, &[here, &temporary], &known) {
            known.push((place, name));
        }
    }
    known
}

/// Where such an expression leads; nothing if that cannot be told, or if it is a text and no `Path`. It may begin with the file
/// that it stands in, and with where temporary files are.
fn place(expression: &str, starts: &[&str; 2], known: &[(Place, &Text)]) -> Option<Place> {
    let text = expression.replace('\'', "\"");
    let (mut place, mut rest) = start(&text, starts, known)?;
    for same in [".resolve()", ".absolute()"] {
        rest = rest.strip_prefix(same).unwrap_or(rest);
    }
    while !rest.is_empty() {
        rest = step(&mut place, rest)?;
    }
    Some(place)
}

/// Where an expression begins, and what is left of it.
fn start<'t>(text: &'t str, starts: &[&str; 2], known: &[(Place, &Text)]) -> Option<(Place, &'t str)> {
    let plain = text.strip_prefix("pathlib.").unwrap_or(text);
    for (words, start) in ["Path(__file__)", "Path(tempfile.gettempdir())"].iter().zip(starts) {
        if let Some(rest) = plain.strip_prefix(words) {
            return Some((start.split('/').map(str::to_owned).collect(), rest));
        }
    }
    known.iter().find_map(|(place, name)| {
        let rest = text.strip_prefix(name.as_str())?;
        rest.starts_with([' ', '.']).then(|| (place.clone(), rest))
    })
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
    use crate::workshop::Files;

    /// A project that has one file.
    struct One(&'static str, &'static str);

    impl Files for One {
        fn read(&self, path: &str) -> Option<Vec<u8>> {
            (path == self.0).then(|| self.1.into())
        }

        fn temporary(&self) -> String {
            "/var/tmp".to_owned()
        }
    }

    fn way_in(text: &str, here: &str, to: &str) -> Way {
        let files = One(
            "tests/places.py",
            "import tempfile\nfrom pathlib import Path\nHERE = Path(__file__).parent\nNOTE = HERE / 'b' / 'note.txt'\n\
             LOCK = Path(tempfile.gettempdir()) / 'a.lock'\nHEREAFTER = Path('/')\n",
        );
        way(&Tree::new(&files), &Source::parse(text).unwrap(), here, to)
    }

    #[test]
    fn another_file_is_found_from_where_the_test_is() {
        for (here, to, behind) in [
            ("tests/test_a.py", "tests/b.txt", ".with_name(\"b.txt\")"),
            ("test_a.py", "b/c.txt", ".parent.joinpath(\"b/c.txt\")"),
            ("tests/test_a.py", "b.txt", ".parents[1].joinpath(\"b.txt\")"),
            ("a/b/test_a.py", "a/bc/d", ".parents[1].joinpath(\"bc/d\")"),
        ] {
            let way = way_in("from pathlib import Path\n", here, to);
            assert_eq!(way, Way::FromHere(behind.to_owned()), "{here} {to}");
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
            let way = way_in(text, "tests/test_a.py", "tests/b/c.txt");
            assert_eq!(way, Way::Named(expression.to_owned()), "{text}");
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
            let way = way_in(text, "tests/test_a.py", "tests/b.txt");
            assert_eq!(way, Way::FromHere(".with_name(\"b.txt\")".to_owned()), "{text}");
        }
    }

    #[test]
    fn a_name_that_another_file_gives_is_used() {
        for (text, to, expression) in [
            ("from places import NOTE\n", "tests/b/note.txt", "NOTE"),
            ("from places import NOTE as MEMO, HERE\n", "tests/b/note.txt", "MEMO"),
            ("from places import HERE\n", "tests/c.txt", "HERE.joinpath(\"c.txt\")"),
            ("from places import LOCK\n", "/var/tmp/a.lock", "LOCK"),
        ] {
            assert_eq!(way_in(text, "tests/test_a.py", to), Way::Named(expression.to_owned()), "{text}");
        }
    }

    #[test]
    fn what_is_outside_of_the_project_is_not_told_from_the_file() {
        let way = |text: &str, to: &str| way_in(text, "tests/test_a.py", to);
        let temporary = Way::Temporary("b/a.lock".to_owned());
        assert_eq!(way("import tempfile\n", "/var/tmp/b/a.lock"), temporary);
        let absolute = Way::Absolute("/var/tmp/b/a.lock".to_owned());
        assert_eq!(way("import places\n", "/var/tmp/b/a.lock"), absolute);
        let rebound = "from places import LOCK\nLOCK = LOCK.parent / 'b' / 'a.lock'\n";
        assert_eq!(way(rebound, "/var/tmp/b/a.lock"), absolute);
    }
}

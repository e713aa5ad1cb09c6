//! Who may open a file that is no code.
//!
//! Where it was recorded which files tests opened, and which were opened at import, that decides. Else a file counts for those who
//! load code that mentions its name or that of a directory around it, and for those whose code or tests stand beside it or above
//! it. The same holds for files that come or go: whether there is one, code may ask without opening it.

use std::collections::{BTreeMap, BTreeSet};

use roaring::RoaringBitmap;

use crate::Tree;
use crate::elements::directory;
use crate::graph::Graph;
use crate::record::{Seen, is_or_lists};

/// What the strings of a tree mention.
pub(crate) struct Mentioned {
    /// Files that have a string with this among its components.
    by_component: BTreeMap<String, RoaringBitmap>,
    /// Files that stand in a directory.
    by_directory: BTreeMap<String, RoaringBitmap>,
}

impl Mentioned {
    pub(crate) fn new(tree: &Tree, graph: &Graph) -> Self {
        let mut found = Mentioned { by_component: BTreeMap::new(), by_directory: BTreeMap::new() };
        for (number, path) in (0..).zip(graph.files()) {
            found.by_directory.entry(directory(path).to_owned()).or_default().insert(number);
            let strings = tree.parts(path).into_iter().flat_map(|parts| &parts.strings);
            for component in strings.flat_map(|text| text.split(['/', '\\'])).filter(|it| !it.is_empty()) {
                found.by_component.entry(component.to_owned()).or_default().insert(number);
            }
        }
        found
    }

    /// The code whose tests may open this file.
    pub(crate) fn near(&self, path: &str) -> RoaringBitmap {
        let (mut around, name) = path.rsplit_once('/').unwrap_or(("", path));
        let mut names = vec![name.to_owned()];
        names.extend(name.rsplit_once('.').map(|(_, ending)| format!("*.{ending}")));
        while !around.is_empty() && !self.by_directory.contains_key(around) {
            names.extend(around.rsplit('/').next().map(str::to_owned));
            around = directory(around);
        }
        let mut near = RoaringBitmap::new();
        for files in names.iter().filter_map(|name| self.by_component.get(name)) {
            near |= files;
        }
        if !around.is_empty() {
            near |= self.by_directory.get(around).cloned().unwrap_or_default();
        }
        near
    }
}

/// Who may open one file.
pub(crate) struct Opening {
    path: String,
    /// The code that was seen to open it at import; nothing if nobody looked.
    at_import: Option<RoaringBitmap>,
    /// The code whose tests may open it, by its names.
    guessed: RoaringBitmap,
}

impl Opening {
    pub(crate) fn new(mentioned: &Mentioned, path: &str, graph: &Graph, seen: Seen<'_>) -> Self {
        let openers = || seen.openers(path).filter_map(|file| graph.number(file)).collect();
        Opening {
            path: path.to_owned(),
            at_import: (!seen.is_empty()).then(openers),
            guessed: mentioned.near(path),
        }
    }

    /// Whether a test that loads these files is concerned by other contents of the file.
    pub(crate) fn concerns(&self, reach: &RoaringBitmap, opened: Option<&BTreeSet<String>>) -> bool {
        match (&self.at_import, opened) {
            (Some(at_import), Some(opened)) => {
                !at_import.is_disjoint(reach) || opened.iter().any(|one| is_or_lists(one, &self.path))
            }
            _ => self.may_concern(reach),
        }
    }

    /// Whether it may be concerned if the file comes or goes, for all that can be told from files.
    pub(crate) fn may_concern(&self, reach: &RoaringBitmap) -> bool {
        !self.guessed.is_disjoint(reach)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: [(&str, &str); 4] = [
        ("shop/__init__.py", ""),
        ("shop/prices.py", "open(HERE / 'tables' / name)"),
        ("tests/test_a.py", "glob('*.csv')"),
        ("tests/test_b.py", "open('../top/rates.json')"),
    ];

    fn near(path: &str) -> Vec<String> {
        let tree = Tree::new(FILES);
        let graph = Graph::of(&tree);
        let near = Mentioned::new(&tree, &graph).near(path);
        near.iter().map(|number| graph.files()[number as usize].clone()).collect()
    }

    #[test]
    fn a_file_is_known_by_its_name_its_ending_or_its_directory() {
        assert_eq!(near("rates.json"), ["tests/test_b.py"]);
        assert_eq!(near("data/x.csv"), ["tests/test_a.py"]);
        assert_eq!(near("lib/tables/x.txt"), ["shop/prices.py"]);
    }

    #[test]
    fn what_stands_beside_code_is_the_code_s() {
        assert_eq!(near("shop/extra/deep/x.txt"), ["shop/__init__.py", "shop/prices.py"]);
        assert_eq!(near("tests/x.txt"), ["tests/test_a.py", "tests/test_b.py"]);
    }

    #[test]
    fn what_nobody_mentions_concerns_nobody() {
        assert_eq!(near("README.md"), [] as [&str; 0]);
        assert_eq!(near("docs/index.rst"), [] as [&str; 0]);
    }
}

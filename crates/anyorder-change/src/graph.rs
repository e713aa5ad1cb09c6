//! The imports of one tree: which file may load which.
//!
//! Knows absolute and relative imports, packages, `conftest.py`, and modules that are named by strings. Where a name may mean
//! several files, all of them count; what a program does to the search path is not known.

use std::collections::{BTreeMap, BTreeSet};

use anyorder_source::{Import, Parts};
use roaring::RoaringBitmap;

use crate::Tree;
use crate::elements::{directory, joined, module_names};
use crate::record::Seen;

/// Names by which code loads modules that it has as strings; a single word is taken for a module only beside these.
const LOADERS: [&str; 7] =
    ["import_module", "__import__", "importorskip", "run_module", "pytest_plugins", "patch", "find_spec"];

/// Which file of a tree may load which.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    files: Vec<String>,
    numbers: BTreeMap<String, u32>,
    modules: BTreeMap<String, Vec<u32>>,
    /// What each file loads, itself and all that these load included.
    reach: Vec<RoaringBitmap>,
    /// What is loaded for all tests.
    for_all: RoaringBitmap,
}

impl Graph {
    /// By the files alone.
    pub(crate) fn of(tree: &Tree) -> Self {
        Graph::seen(tree, Seen::default())
    }

    /// With what collections were seen to load, too.
    pub(crate) fn seen(tree: &Tree, seen: Seen<'_>) -> Self {
        let files: Vec<String> = tree.python().map(|(path, _)| path.to_owned()).collect();
        let numbers: BTreeMap<String, u32> = files.iter().cloned().zip(0..).collect();
        let mut graph = Graph { files, numbers, ..Graph::default() };
        for (path, number) in &graph.numbers {
            for name in graph.names_of(path) {
                graph.modules.entry(name).or_default().push(*number);
            }
        }
        let mut edges: Vec<BTreeSet<u32>> =
            tree.python().map(|(path, file)| graph.edges(path, file.parts())).collect();
        for (by, file) in seen.loads() {
            if let (Some(by), Some(file)) = (graph.number(by), graph.number(file)) {
                edges[by as usize].insert(file);
            }
        }
        graph.reach = closures(&edges);
        let for_all = seen.plugins().map(|plugin| graph.reach(plugin));
        graph.for_all = for_all.fold(RoaringBitmap::new(), |all, reach| all | reach);
        graph
    }

    /// The files, by their numbers.
    pub(crate) fn files(&self) -> &[String] {
        &self.files
    }

    /// What a file loads, itself included.
    pub(crate) fn reach(&self, path: &str) -> RoaringBitmap {
        self.numbers.get(path).map(|&number| self.reach[number as usize].clone()).unwrap_or_default()
    }

    /// What is loaded for the tests of a file: with each `conftest.py` of the directories above, and plugins.
    pub(crate) fn reach_of_tests(&self, path: &str) -> RoaringBitmap {
        let mut reach = self.reach(path) | &self.for_all;
        let mut below = path;
        while !below.is_empty() {
            below = directory(below);
            let conftest =
                if below.is_empty() { "conftest.py".to_owned() } else { format!("{below}/conftest.py") };
            reach |= self.reach(&conftest);
        }
        reach
    }

    /// Whether a file is loaded for all tests, perhaps before anybody listens.
    pub(crate) fn is_for_all(&self, path: &str) -> bool {
        self.number(path).is_some_and(|number| self.for_all.contains(number))
    }

    /// The names by which a file can be imported.
    fn names_of(&self, path: &str) -> Vec<String> {
        module_names(path, |directory| self.numbers.contains_key(&joined(directory, "__init__.py")))
    }

    pub(crate) fn number(&self, path: &str) -> Option<u32> {
        self.numbers.get(path).copied()
    }

    /// The files that an import of this file loads by itself.
    pub(crate) fn imported(&self, path: &str, import: &Import) -> BTreeSet<u32> {
        let mut found: BTreeSet<u32> = self.imported_words(path, import).into_iter().flatten().collect();
        if import.level > 0 && import.module.is_empty() {
            let package = package_of(path, import.level);
            found.extend(package.iter().flat_map(|package| self.at_path(package)));
        }
        found
    }

    /// The files that each word of an import stands for: `a` and `a.b` of `import a.b`, or of `from a import b`.
    fn imported_words(&self, path: &str, import: &Import) -> Vec<Vec<u32>> {
        let is_relative = import.level > 0;
        let base = if is_relative { package_of(path, import.level) } else { Some(String::new()) };
        let Some(mut name) = base else { return Vec::new() };
        let words = import.module.split('.').filter(|word| !word.is_empty());
        let words = words.chain(import.name.as_deref().filter(|name| *name != "*"));
        let files = words.map(|word| {
            name = if is_relative { format!("{name}/{word}") } else { dotted(&name, word) };
            if is_relative { self.at_path(&name) } else { self.named(&name) }
        });
        files.collect()
    }

    /// The files that a dotted name stands for.
    pub(crate) fn named(&self, name: &str) -> Vec<u32> {
        self.modules.get(name).cloned().unwrap_or_default()
    }

    /// The files that are loaded whenever a file is, itself included: by imports that neither a condition nor a call decides.
    pub(crate) fn surely_loaded(&self, tree: &Tree, path: &str) -> BTreeSet<u32> {
        let mut found = BTreeSet::new();
        let mut waiting: Vec<u32> = self.number(path).into_iter().chain(self.packages_of(path)).collect();
        while let Some(file) = waiting.pop() {
            let path = &self.files[file as usize];
            let parts = tree.parts(path).filter(|_| found.insert(file));
            let imports = parts.into_iter().flat_map(|parts| &parts.imports).filter(|it| it.is_top_level);
            waiting.extend(imports.flat_map(|import| self.imported(path, import)));
        }
        found
    }

    /// The packages that a file is in.
    fn packages_of(&self, path: &str) -> Vec<u32> {
        let mut found = Vec::new();
        let mut package = directory(path);
        while let Some(number) = self.number(&joined(package, "__init__.py")) {
            found.push(number);
            if package.is_empty() {
                break;
            }
            package = directory(package);
        }
        found
    }

    /// The files that a file may have at hand as modules: not those that it takes only names from.
    pub(crate) fn held(&self, path: &str, parts: &Parts) -> BTreeSet<u32> {
        let imported = parts.imports.iter().flat_map(|import| {
            let mut words = self.imported_words(path, import);
            let is_name = import.name.as_deref().is_some_and(|name| name != "*");
            words.drain(..if is_name { words.len().saturating_sub(1) } else { 0 });
            words
        });
        let named = imports_in_strings(parts).filter_map(|import| {
            self.imported_words(path, &import).into_iter().rfind(|files| !files.is_empty())
        });
        imported.chain(named).flatten().collect()
    }

    fn edges(&self, path: &str, parts: Option<&Parts>) -> BTreeSet<u32> {
        let mut found: BTreeSet<u32> = self.number(path).into_iter().chain(self.packages_of(path)).collect();
        let Some(parts) = parts else { return found };
        parts.imports.iter().for_each(|import| found.extend(self.imported(path, import)));
        found.extend(imports_in_strings(parts).flat_map(|import| self.imported(path, &import)));
        found
    }

    fn at_path(&self, path: &str) -> Vec<u32> {
        let path = path.trim_start_matches('/');
        let places = [format!("{path}.py"), format!("{path}/__init__.py")];
        places.iter().filter_map(|place| self.number(place)).collect()
    }
}

/// What code may load that has its name as a string.
fn imports_in_strings(parts: &Parts) -> impl Iterator<Item = Import> {
    let has_loader =
        LOADERS.iter().any(|loader| parts.names.contains(*loader)) || parts.strings.contains("-m");
    parts.strings.iter().filter_map(move |text| import_in_string(text, has_loader))
}

/// `shop.cart`, `shop.cart.total`, `shop.cart:main`; `.cart`; `shop` if a single word may be meant.
fn import_in_string(text: &str, has_loader: bool) -> Option<Import> {
    let is_word = |word: &str| {
        word.starts_with(|first: char| first.is_alphabetic() || first == '_')
            && word.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
    };
    let text = text.split(':').next().unwrap_or(text);
    let words = text.trim_start_matches('.');
    if !words.split('.').all(is_word) || !(words.contains('.') || has_loader) {
        return None;
    }
    Some(Import {
        module: words.to_owned(),
        name: Some("__main__".to_owned()),
        alias: None,
        level: u32::try_from(text.len() - words.len()).unwrap_or(u32::MAX),
        line: 0,
        is_top_level: false,
    })
}

/// The directory that so many dots stand for.
pub(crate) fn package_of(path: &str, level: u32) -> Option<String> {
    let mut package = directory(path);
    for _ in 1..level {
        if package.is_empty() {
            return None;
        }
        package = directory(package);
    }
    Some(package.to_owned())
}

fn dotted(before: &str, segment: &str) -> String {
    if before.is_empty() { segment.to_owned() } else { format!("{before}.{segment}") }
}

/// All that can be reached from each.
fn closures(edges: &[BTreeSet<u32>]) -> Vec<RoaringBitmap> {
    let from = |start: usize| {
        let mut seen = RoaringBitmap::new();
        let mut waiting: Vec<u32> = edges[start].iter().copied().collect();
        while let Some(next) = waiting.pop() {
            if seen.insert(next) {
                waiting.extend(edges[next as usize].iter().filter(|&&after| !seen.contains(after)));
            }
        }
        seen
    };
    (0..edges.len()).map(from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reach(files: &[(&str, &str)], from: &str) -> Vec<String> {
        let graph = Graph::of(&Tree::new(files.iter().copied()));
        graph.reach_of_tests(from).iter().map(|number| graph.files()[number as usize].clone()).collect()
    }

    const SHOP: [(&str, &str); 5] = [
        ("src/shop/__init__.py", ""),
        ("src/shop/cart.py", "from . import money\n"),
        ("src/shop/money.py", ""),
        ("src/shop/sub/__init__.py", "from ..money import EUR"),
        ("src/shop/json.py", ""),
    ];

    fn with(test: &str) -> Vec<String> {
        let files: Vec<_> = SHOP.into_iter().chain([("tests/test_a.py", test)]).collect();
        reach(&files, "tests/test_a.py").into_iter().filter(|path| path != "tests/test_a.py").collect()
    }

    #[test]
    fn a_module_is_loaded_with_its_packages_and_all_that_it_imports() {
        let cart = ["src/shop/__init__.py", "src/shop/cart.py", "src/shop/money.py"];
        assert_eq!(with("import shop.cart"), cart);
        assert_eq!(with("from shop import cart"), cart);
        assert_eq!(with("def test():\n    from shop.cart import total"), cart);
        let sub = ["src/shop/__init__.py", "src/shop/money.py", "src/shop/sub/__init__.py"];
        assert_eq!(with("import shop.sub as s"), sub);
        assert_eq!(with("import shop"), ["src/shop/__init__.py"]);
    }

    #[test]
    fn a_module_of_a_package_is_not_one_by_its_own_name() {
        assert_eq!(with("import json, money"), [] as [&str; 0]);
    }

    #[test]
    fn modules_that_strings_name_count() {
        let cart = ["src/shop/__init__.py", "src/shop/cart.py", "src/shop/money.py"];
        assert_eq!(with("importlib.import_module('shop.cart')"), cart);
        assert_eq!(with("mocker.patch('shop.cart.total', 1)"), cart);
        assert_eq!(with("pytest.importorskip('shop')"), ["src/shop/__init__.py"]);
        assert_eq!(with("x = 'shop'"), [] as [&str; 0]);
        assert_eq!(with("x = 'a shop.cart for all'"), [] as [&str; 0]);
    }

    #[test]
    fn what_is_there_for_type_checkers_is_not_loaded() {
        assert_eq!(with("if t.TYPE_CHECKING:\n    import shop.cart\n"), [] as [&str; 0]);
    }

    #[test]
    fn a_conftest_is_for_all_tests_below_it() {
        let files = [
            ("conftest.py", "import a"),
            ("a.py", ""),
            ("tests/conftest.py", ""),
            ("tests/unit/test_a.py", ""),
            ("tests/other/conftest.py", ""),
        ];
        let expected = ["a.py", "conftest.py", "tests/conftest.py", "tests/unit/test_a.py"];
        assert_eq!(reach(&files, "tests/unit/test_a.py"), expected);
    }

    #[test]
    fn circles_end() {
        let files = [("a.py", "import b"), ("b.py", "import a"), ("test_a.py", "import a")];
        assert_eq!(reach(&files, "test_a.py"), ["a.py", "b.py", "test_a.py"]);
    }
}

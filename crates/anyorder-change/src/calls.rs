//! Functions that run while modules are imported: in no test's trace, though tests depend on them.
//!
//! Knows calls by their names only, so it may name functions that do not run, and knows nothing of what is called by other
//! means: properties, operators of objects that were not made there.

use std::collections::{BTreeMap, BTreeSet};

use anyorder_source::{Part, Parts};
use roaring::RoaringBitmap;

use crate::Tree;
use crate::elements::{class_of, last};
use crate::graph::Graph;

/// A function: the number of its file, and its qualified name.
pub(crate) type Function<'a> = (u32, &'a str);

/// All functions of a tree, by their last names.
pub(crate) struct Calls<'a> {
    graph: &'a Graph,
    files: Vec<Option<&'a Parts>>,
    by_name: BTreeMap<&'a str, Vec<(u32, &'a Part)>>,
}

impl<'a> Calls<'a> {
    pub(crate) fn new(tree: &'a Tree, graph: &'a Graph) -> Self {
        let files: Vec<Option<&Parts>> = graph.files().iter().map(|path| tree.parts(path)).collect();
        let mut by_name: BTreeMap<&str, Vec<(u32, &Part)>> = BTreeMap::new();
        for (number, parts) in (0..).zip(&files) {
            for part in parts.iter().flat_map(|parts| &parts.parts) {
                by_name.entry(last(&part.name)).or_default().push((number, part));
            }
        }
        Calls { graph, files, by_name }
    }

    /// The functions that may run when this file is imported, without those that run when the files it imports are.
    pub(crate) fn at_import_of(&self, file: u32) -> BTreeSet<Function<'a>> {
        let reach = self.graph.reach(&self.graph.files()[file as usize]);
        let Some(parts) = self.files[file as usize] else { return BTreeSet::new() };
        let hooks = parts.parts.iter().filter(|part| part.name.starts_with("pytest_"));
        let mut waiting: Vec<(u32, &Part)> = hooks.map(|part| (file, part)).collect();
        let unasked = |part: &&Part| is_part_of_classes(last(&part.name));
        waiting.extend(parts.parts.iter().filter(unasked).map(|part| (file, part)));
        for name in &parts.calls {
            waiting.extend(self.called(file, name, &reach));
        }
        let mut seen: BTreeSet<Function<'a>> = BTreeSet::new();
        while let Some((file, part)) = waiting.pop() {
            if !seen.insert((file, &part.name)) {
                continue;
            }
            waiting.extend(self.with(file, part));
            for name in &part.calls {
                waiting.extend(self.called(file, name, &reach));
            }
        }
        seen
    }

    /// What comes with a function or class that runs: functions in it; of a class, what makes and drives its objects.
    fn with(&self, file: u32, part: &'a Part) -> Vec<(u32, &'a Part)> {
        let Some(parts) = self.files[file as usize] else { return Vec::new() };
        let is_with = |inner: &&Part| {
            let Some(rest) = inner.name.strip_prefix(part.name.as_str()) else { return false };
            if part.is_class {
                rest.strip_prefix('.').is_some_and(|method| method.starts_with("__") && !method.contains('.'))
            } else {
                rest.starts_with(".<locals>.")
            }
        };
        parts.parts.iter().filter(is_with).map(|inner| (file, inner)).collect()
    }

    /// What a name may stand for in a file, among the files that are loaded.
    fn called(&self, file: u32, name: &str, reach: &RoaringBitmap) -> Vec<(u32, &'a Part)> {
        let Some(parts) = self.files[file as usize] else { return Vec::new() };
        let (first, rest) = name.split_once('.').map_or((name, None), |(first, rest)| (first, Some(rest)));
        let imported = parts.imports.iter().find(|import| import.bound_name() == first);
        if let Some(import) = imported.filter(|_| !first.is_empty()) {
            let path = &self.graph.files()[file as usize];
            if self.graph.imported(path, import).is_empty() {
                return Vec::new();
            }
        }
        let original = imported.and_then(|import| import.name.as_deref()).filter(|_| rest.is_none());
        let wanted = original.unwrap_or_else(|| last(name));
        let is_method_call = rest.is_some() && imported.is_none();
        let has_star = || parts.imports.iter().any(|import| import.name.as_deref() == Some("*"));
        let is_meant = |&&(place, part): &&(u32, &Part)| {
            let is_top_level = !part.name.contains('.');
            reach.contains(place)
                && match (is_method_call, imported.is_some()) {
                    (true, _) => class_of(&part.name).is_some(),
                    (false, true) => true,
                    (false, false) => place == file || is_top_level && has_star(),
                }
        };
        self.by_name.get(wanted).into_iter().flatten().filter(is_meant).copied().collect()
    }
}

/// Methods that run when a class is made, or derived from.
fn is_part_of_classes(name: &str) -> bool {
    matches!(
        name,
        "__init_subclass__"
            | "__set_name__"
            | "__class_getitem__"
            | "__prepare__"
            | "__mro_entries__"
            | "__new__"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What runs when `shop.py` is imported, beside a module `make.py`.
    fn run(shop: &str, make: &str) -> Vec<String> {
        let tree = Tree::new([("make.py", make), ("shop.py", shop)]);
        let graph = Graph::of(&tree);
        let calls = Calls::new(&tree, &graph);
        calls.at_import_of(1).into_iter().map(|(_, name)| name.to_owned()).collect()
    }

    const MAKE: &str = "
def table(): return row()
def row(): return 1
def unused(): return 2
class Shelf:
    def __init__(self): fill(self)
    def __len__(self): return 1
    def close(self): pass
def fill(shelf): pass
";

    #[test]
    fn calls_are_followed_through_modules() {
        assert_eq!(run("from make import table as t\nX = t()\n", MAKE), ["row", "table"]);
        assert_eq!(run("import make\nX = make.table()\n", MAKE), ["row", "table"]);
        assert_eq!(run("from make import *\n@table\ndef f(): unused()\n", MAKE), ["row", "table"]);
        assert_eq!(run("import make\ndef f(): make.table()\n", MAKE), [] as [&str; 0]);
    }

    #[test]
    fn a_class_that_is_called_runs_what_makes_its_objects() {
        let made = ["Shelf", "Shelf.__init__", "Shelf.__len__", "fill"];
        assert_eq!(run("import make\nS = make.Shelf()\n", MAKE), made);
        assert_eq!(run("import make\nS = make.Shelf().close()\n", MAKE).len(), 5);
    }

    #[test]
    fn names_of_other_packages_are_not_ours() {
        assert_eq!(run("import make, os\nX = os.table()\n", MAKE), [] as [&str; 0]);
        assert_eq!(run("import make\nX = table()\n", MAKE), [] as [&str; 0]);
    }

    #[test]
    fn what_is_handed_over_may_run_and_hooks_of_pytest_do() {
        assert_eq!(run("import make\nX = map(make.row, [])\n", MAKE), ["row"]);
        assert_eq!(
            run("import make\ndef pytest_configure(): make.row()\n", MAKE),
            ["row", "pytest_configure"]
        );
    }
}

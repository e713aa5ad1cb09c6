//! Whether importing a module does something else than before.
//!
//! A name that is new and that nobody mentioned before changes nothing by itself: neither a constant, nor an import of a module
//! that was loaded anyway. All else that runs at import counts, the sequence included.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use anyorder_source::{Import, Parts, Step};

use crate::Tree;
use crate::graph::Graph;
use crate::quiet::Quiet;

/// Modules of the standard library whose import nobody notices.
const QUIET_MODULES: [&str; 62] = [
    "__future__",
    "abc",
    "argparse",
    "array",
    "ast",
    "asyncio",
    "base64",
    "bisect",
    "builtins",
    "collections",
    "colorsys",
    "concurrent",
    "configparser",
    "contextlib",
    "contextvars",
    "copy",
    "csv",
    "dataclasses",
    "datetime",
    "decimal",
    "difflib",
    "enum",
    "errno",
    "fnmatch",
    "fractions",
    "functools",
    "glob",
    "gzip",
    "hashlib",
    "heapq",
    "inspect",
    "io",
    "itertools",
    "json",
    "keyword",
    "logging",
    "math",
    "numbers",
    "operator",
    "os",
    "pathlib",
    "pickle",
    "platform",
    "pprint",
    "random",
    "re",
    "shutil",
    "stat",
    "string",
    "struct",
    "sys",
    "tempfile",
    "textwrap",
    "threading",
    "time",
    "traceback",
    "types",
    "typing",
    "unittest",
    "uuid",
    "warnings",
    "weakref",
];

/// What gives all names of the module that it stands in, and of any.
const OWN_NAMES: [&str; 2] = ["globals", "locals"];
const ALL_NAMES: [&str; 4] = ["vars", "dir", "getmembers", "__dict__"];

/// Something that a module does otherwise at import.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    /// The only name that has another value, by its qualified name; nothing if it may be anything.
    pub(crate) name: Option<String>,
    pub(crate) line: usize,
}

/// What the modules of two trees load, asked only where it matters.
pub(crate) struct Loading<'a> {
    trees: [&'a Tree; 2],
    graphs: [OnceCell<Graph>; 2],
}

impl<'a> Loading<'a> {
    pub(crate) fn new(old: &'a Tree, new: &'a Tree) -> Self {
        Loading { trees: [old, new], graphs: [OnceCell::new(), OnceCell::new()] }
    }

    /// What a module does otherwise at import: the names that it binds to something else, or nothing less than all.
    pub(crate) fn differences(&self, path: &str, old: &Parts, new: &Parts) -> Vec<Difference> {
        let steps = [self.steps(path, old, 1), self.steps(path, new, 0)];
        let [before, after] = &steps;
        let same = before.iter().zip(after).take_while(|(one, other)| one.digest == other.digest).count();
        let differs = after.get(same).or(before.get(same)).map(|step| step.line);
        let by_import = self.line_of_import(path, old, new);
        let Some(line) = differs.or(by_import) else { return Vec::new() };
        let names = self.names(path, &steps).filter(|_| by_import.is_none());
        names.unwrap_or_else(|| vec![Difference { name: None, line }])
    }

    /// The names that are bound otherwise, if that is all: other steps are the same in the same sequence, and nobody goes through
    /// all names.
    fn names(&self, path: &str, steps: &[Vec<&Step>; 2]) -> Option<Vec<Difference>> {
        let digests =
            [0, 1].map(|which| steps[which].iter().map(|step| step.digest).collect::<BTreeSet<_>>());
        let is_common = |step: &&&Step| digests.iter().all(|known| known.contains(&step.digest));
        let common = [0, 1].map(|which| steps[which].iter().filter(is_common).map(|step| step.digest));
        let [before, after] = common;
        if !before.eq(after) {
            return None;
        }
        let mut found: BTreeMap<String, usize> = BTreeMap::new();
        for which in [0, 1] {
            let quiet = Quiet { tree: self.trees[which], graph: self.graph(which) };
            for step in steps[which].iter().filter(|step| !is_common(step)) {
                if !quiet.is_quiet(path, step) {
                    return None;
                }
                found.insert(step.binds.clone()?, step.line);
            }
            if self.trees[which].python().any(|(file, it)| self.lists(which, file, it.parts(), path)) {
                return None;
            }
        }
        Some(found.into_iter().map(|(name, line)| Difference { name: Some(name), line }).collect())
    }

    /// What runs, without constants whose names are not to be found in the other tree: settings may be looked up by name. Where
    /// somebody goes through all names of the module, each of them counts.
    fn steps<'p>(&self, path: &str, parts: &'p Parts, other: usize) -> Vec<&'p Step> {
        let files = || self.trees[other].python();
        let is_known = |name: &str| files().any(|(_, file)| file.parts().is_none_or(|it| mentions(it, name)));
        let is_new = |step: &&Step| step.constant.as_ref().is_some_and(|name| !is_known(name));
        let has_new = parts.steps.iter().any(|step| is_new(&step));
        let are_listed = has_new && files().any(|(file, it)| self.lists(other, file, it.parts(), path));
        parts.steps.iter().filter(|step| are_listed || !is_new(step)).collect()
    }

    /// Whether a file may go through all names of the module in `path`: by `globals()` its own, by `vars()` and the like those of
    /// a module that it has imported.
    fn lists(&self, which: usize, file: &str, parts: Option<&Parts>, path: &str) -> bool {
        let Some(parts) = parts else { return false };
        let has = |names: &[&str]| names.iter().any(|name| parts.names.contains(*name));
        if file == path {
            return has(&OWN_NAMES) || has(&ALL_NAMES);
        }
        let is_meant = |import: &Import| {
            let imported = self.graph(which).imported(file, import);
            self.graph(which).number(path).is_some_and(|number| imported.contains(&number))
        };
        has(&ALL_NAMES) && parts.imports.iter().any(is_meant)
    }

    fn graph(&self, which: usize) -> &Graph {
        self.graphs[which].get_or_init(|| Graph::of(self.trees[which]))
    }

    fn line_of_import(&self, path: &str, old: &Parts, new: &Parts) -> Option<usize> {
        let (before, after) = (bound(old), bound(new));
        let changed = after.iter().find(|(name, import)| match before.get(*name) {
            Some(known) => !known.is_same(import),
            None => mentions(old, name) || !self.is_loaded(0, path, import),
        });
        let gone = before.iter().find(|(name, import)| {
            !after.contains_key(*name) && (mentions(new, name) || !self.is_loaded(1, path, import))
        });
        changed.or(gone).map(|(_, import)| import.line)
    }

    /// Whether a module, without this import of it, is loaded in one of the trees.
    fn is_loaded(&self, which: usize, path: &str, import: &Import) -> bool {
        let first = import.module.split('.').next().unwrap_or_default();
        if import.level == 0 && QUIET_MODULES.contains(&first) {
            return true;
        }
        let reach = self.graph(which).reach(path);
        let other = self.graph(1 - which);
        let files = other.imported(path, import);
        if !files.is_empty() {
            let names = files.iter().map(|&file| &other.files()[file as usize]);
            return names
                .into_iter()
                .all(|name| self.graph(which).number(name).is_some_and(|it| reach.contains(it)));
        }
        let reached = reach.iter().map(|file| &self.graph(which).files()[file as usize]);
        let imports =
            reached.filter_map(|file| self.trees[which].parts(file)).flat_map(|parts| &parts.imports);
        imports
            .into_iter()
            .any(|other| other.is_top_level && other.level == 0 && other.module == import.module)
    }
}

/// Whether a name stands anywhere in a file, or is bound there.
fn mentions(parts: &Parts, name: &str) -> bool {
    parts.names.contains(name)
        || parts.part(name).is_some()
        || parts.imports.iter().any(|import| import.bound_name() == name)
        || parts.strings.contains(name)
}

/// The imports of the module itself, by the names that they bind; the last one counts.
fn bound(parts: &Parts) -> BTreeMap<String, &Import> {
    let imports = parts.imports.iter().filter(|import| import.is_top_level);
    let key = |import: &Import| match (&import.name, &import.alias) {
        // `import a.b` and `import a.c` bind the same name, and both count.
        (None, None) => import.module.clone(),
        _ => import.bound_name().to_owned(),
    };
    imports.map(|import| (key(import), import)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The line where anything may be otherwise, or a name is, in `shop.py` of a project that has two more modules.
    fn line(old: &str, new: &str) -> Option<usize> {
        differences(old, new).first().map(|difference| difference.line)
    }

    fn differences(old: &str, new: &str) -> Vec<Difference> {
        let tree = |text: &str| {
            let other = ("loaded.py", "import third_party\nimport deep\n");
            Tree::new([
                ("shop.py", text),
                other,
                ("unloaded.py", "getattr(shop, 'LOOKED_UP', 2)"),
                ("deep.py", ""),
            ])
        };
        let (old, new) = (tree(old), tree(new));
        let [before, after] = [&old, &new].map(|tree| tree.parts("shop.py").unwrap());
        Loading::new(&old, &new).differences("shop.py", before, after)
    }

    #[test]
    fn what_binds_a_name_changes_that_name_alone() {
        let named = |old: &str, new: &str| {
            let found = differences(old, new).into_iter();
            found.map(|difference| difference.name.unwrap_or_default()).collect::<Vec<_>>()
        };
        assert_eq!(named("X = 1\nf()\n", "X = 2\nf()\n"), ["X"]);
        assert_eq!(named("X = 1\nY = 1\nf()\n", "f()\nX = 2\nY = 2\n"), ["X", "Y"]);
        assert_eq!(named("f()\n", "def g(x=dict(a=1)): pass\n@str\ndef h(): pass\nf()\n"), ["h"]);
        assert_eq!(named("X = g()\n", "X = g(1)\n"), [""]);
        assert_eq!(named("X = next(counter)\n", "X = next(counter), 1\n"), [""]);
        assert_eq!(named("X = 1\nf()\ng()\n", "X = 2\ng()\nf()\n"), [""]);
        assert_eq!(named("X = 1\nf(globals())\n", "X = 2\nf(globals())\n"), [""]);
    }

    #[test]
    fn a_new_constant_that_nobody_mentioned_changes_nothing() {
        assert_eq!(line("f()\n", "X = 1\nf()\n"), None);
        assert_eq!(line("X = 1\nf()\n", "f()\n"), None);
        assert_eq!(line("f(X)\n", "X = 1\nf(X)\n"), Some(1));
        assert_eq!(line("X = 1\n", "X = 2\n"), Some(1));
        assert_eq!(line("f()\n", "X = g()\nf()\n"), Some(1));
        assert_eq!(line("f()\n", "LOOKED_UP = 1\nf()\n"), Some(1));
    }

    #[test]
    fn a_new_constant_counts_where_somebody_goes_through_all_names() {
        assert_eq!(line("f(globals())\n", "X = 1\nf(globals())\n"), Some(1));
        assert_eq!(line("def f(): return vars()\n", "X = 1\ndef f(): return vars()\n"), Some(1));
        let with = |lister: &str| {
            let tree = |shop: &str| Tree::new([("shop.py", shop), ("lister.py", lister)]);
            let (old, new) = (tree("f()\n"), tree("f()\nX = 1\n"));
            let [before, after] = [&old, &new].map(|tree| tree.parts("shop.py").unwrap());
            Loading::new(&old, &new).differences("shop.py", before, after).pop().map(|one| one.line)
        };
        assert_eq!(with("import shop\ndef f(): return vars(shop)\n"), Some(2));
        assert_eq!(with("def f(): return vars(f)\n"), None);
        assert_eq!(with("import shop\ndef f(): return globals()\n"), None);
    }

    #[test]
    fn a_new_import_counts_if_it_loads_something_or_takes_a_name() {
        assert_eq!(line("import loaded\n", "import loaded\nimport os\n"), None);
        assert_eq!(line("import loaded\n", "import loaded\nimport third_party as t\n"), None);
        assert_eq!(line("import loaded\n", "import loaded\nfrom deep import x\n"), None);
        assert_eq!(line("import loaded\n", "import loaded\nimport unloaded\n"), Some(2));
        assert_eq!(line("import loaded\n", "import loaded\nimport fourth_party\n"), Some(2));
        assert_eq!(line("def f(): open()\n", "from os import open\ndef f(): open()\n"), Some(1));
    }

    #[test]
    fn an_import_that_goes_counts_if_something_is_no_longer_loaded_or_its_name_is_used() {
        assert_eq!(line("import os\n", ""), None);
        assert_eq!(line("import unloaded\n", ""), Some(1));
        assert_eq!(line("import os\ndef f(): os.sep\n", "def f(): os.sep\n"), Some(1));
    }

    #[test]
    fn a_name_for_something_else_counts_and_the_sequence_of_imports_does_not() {
        assert_eq!(line("from os import path\n", "from posix import path\n"), Some(1));
        assert_eq!(line("import os\nimport re\n", "import re\nimport os\n"), None);
        assert_eq!(line("f()\ng()\n", "g()\nf()\n"), Some(1));
    }
}

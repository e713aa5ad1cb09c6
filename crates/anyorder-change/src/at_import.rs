//! Whether importing a module does something else than before.
//!
//! A name that is new and that nobody mentioned before changes nothing by itself: neither a constant, nor an import of a module
//! that was loaded anyway. A name that stands for something else changes that name alone, if binding it does nothing more. All else
//! that runs at import counts, the sequence included.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use anyorder_source::{Import, Part, Parts, Step, is_hook};

use crate::Tree;
use crate::changes::How;
use crate::elements::file_name;
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
/// How code comes to the module of something that it has.
const FROM_OBJECTS: [&str; 3] = ["modules", "getmodule", "__module__"];

/// Something that a module does otherwise at import.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    /// The only name that has another value, by its qualified name; nothing if it may be anything.
    pub(crate) name: Option<String>,
    /// Whether anybody notices, or only who looks at annotations.
    pub(crate) how: How,
    pub(crate) line: usize,
}

/// A name that an import binds otherwise.
struct Rebound<'p> {
    /// As it is now, or was.
    import: &'p Import,
    /// Whether nothing else comes of it: the same modules are loaded, and pytest does not look for the name.
    is_quiet: bool,
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
        let rebound = self.rebound(path, old, new);
        let by_import = || rebound.values().next().map(|rebound| rebound.import.line);
        let Some(line) = differs.or_else(by_import) else { return Vec::new() };
        let names = self.names(path, &steps).filter(|_| rebound.values().all(|rebound| rebound.is_quiet));
        let Some(mut names) = names else { return vec![Difference { name: None, how: How::Changed, line }] };
        for (name, Rebound { import, .. }) in &rebound {
            names.push(Difference { name: Some(name.clone()), how: How::Changed, line: import.line });
            if [old, new].iter().any(|parts| is_for_annotations(parts, name)) {
                names.push(Difference { name: None, how: How::Annotations, line: import.line });
            }
        }
        names
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
        let mut annotated: Option<usize> = None;
        for which in [0, 1] {
            let quiet = Quiet { tree: self.trees[which], graph: self.graph(which) };
            for step in steps[which].iter().filter(|step| !is_common(step)) {
                if !quiet.is_quiet(path, step) {
                    return None;
                }
                found.insert(step.binds.clone()?, step.line);
                annotated = annotated.or(step.is_annotated.then_some(step.line));
            }
            if self.trees[which].python().any(|(file, it)| self.lists(which, file, it.parts(), path)) {
                return None;
            }
        }
        let named = |(name, line)| Difference { name: Some(name), how: How::Changed, line };
        let annotated = annotated.map(|line| Difference { name: None, how: How::Annotations, line });
        Some(found.into_iter().map(named).chain(annotated).collect())
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
    /// a module that it has at hand.
    fn lists(&self, which: usize, file: &str, parts: Option<&Parts>, path: &str) -> bool {
        let Some(parts) = parts else { return false };
        let has = |names: &[&str]| names.iter().any(|name| parts.names.contains(*name));
        if file == path {
            return has(&OWN_NAMES) || has(&ALL_NAMES);
        }
        let graph = self.graph(which);
        let at_hand: BTreeSet<u32> = if has(&FROM_OBJECTS) {
            parts.imports.iter().flat_map(|import| graph.imported(file, import)).collect()
        } else {
            graph.held(file, parts)
        };
        has(&ALL_NAMES) && graph.number(path).is_some_and(|number| at_hand.contains(&number))
    }

    fn graph(&self, which: usize) -> &Graph {
        self.graphs[which].get_or_init(|| Graph::of(self.trees[which]))
    }

    /// The names that imports bind otherwise, and somebody mentions; and those that come or go with what they load.
    fn rebound<'p>(&self, path: &str, old: &'p Parts, new: &'p Parts) -> BTreeMap<String, Rebound<'p>> {
        let (before, after) = (bound(old), bound(new));
        let mut found: BTreeMap<String, Rebound> = BTreeMap::new();
        // What is there now comes last, so that its line is told.
        for (sides, others, parts, which) in [(&before, &after, new, 1), (&after, &before, old, 0)] {
            for (name, import) in sides {
                let (name, other) = (import.bound_name(), others.get(name));
                if other.is_some_and(|other| other.is_same(import)) {
                    continue;
                }
                let is_silent =
                    self.is_loaded(which, path, import) && !self.is_for_pytest(1 - which, path, import);
                let is_known = || mentions(parts, name) || self.is_taken(which, path, name);
                if other.is_some() || !is_silent || is_known() {
                    let is_quiet = is_silent && found.get(name).is_none_or(|known| known.is_quiet);
                    found.insert(name.to_owned(), Rebound { import, is_quiet });
                }
            }
        }
        found
    }

    /// Whether another file takes a name from this one; or may look it up in this one, if that is a package, which passes names on.
    fn is_taken(&self, which: usize, path: &str, name: &str) -> bool {
        let graph = self.graph(which);
        let Some(number) = graph.number(path) else { return false };
        let takes = |file: &str, import: &Import| {
            import.name.as_deref() == Some(name) && graph.imported(file, import).contains(&number)
        };
        let is_package = file_name(path) == "__init__.py";
        let looks = |file: &str, parts: &Parts| {
            is_package && mentions(parts, name) && graph.held(file, parts).contains(&number)
        };
        let others = self.trees[which].python().filter(|(file, _)| *file != path);
        let mut others = others.filter_map(|(file, it)| Some((file, it.parts()?)));
        others
            .any(|(file, parts)| parts.imports.iter().any(|import| takes(file, import)) || looks(file, parts))
    }

    /// Whether pytest may find what is imported by its name alone: a fixture, a test, a hook, or any of them.
    fn is_for_pytest(&self, which: usize, path: &str, import: &Import) -> bool {
        let name = import.bound_name();
        let is_looked_for = ["test", "Test"].iter().any(|start| name.starts_with(start)) || is_hook(name);
        let is_in_tests = file_name(path).contains("test");
        let quiet = Quiet { tree: self.trees[which], graph: self.graph(which) };
        let parts = quiet.parts_of(path, name);
        let is_fixture =
            |(_, part): &(&str, &Part)| part.decorators.iter().any(|name| name.ends_with("fixture"));
        let is_unknown = parts.is_empty() && import.name.is_some() && !is_quiet_module(import);
        import.name.as_deref() == Some("*")
            || is_looked_for
            || parts.iter().any(is_fixture)
            || is_in_tests && is_unknown
    }

    /// Whether a module, without this import of it, is loaded in one of the trees whenever this file is.
    fn is_loaded(&self, which: usize, path: &str, import: &Import) -> bool {
        if is_quiet_module(import) {
            return true;
        }
        let (graph, other) = (self.graph(which), self.graph(1 - which));
        let loaded = graph.surely_loaded(self.trees[which], path);
        let files = other.imported(path, import);
        if !files.is_empty() {
            let mut names = files.iter().map(|&file| &other.files()[file as usize]);
            return names.all(|name| graph.number(name).is_some_and(|it| loaded.contains(&it)));
        }
        let loaded = loaded.iter().map(|&file| &graph.files()[file as usize]);
        let mut imports =
            loaded.filter_map(|file| self.trees[which].parts(file)).flat_map(|parts| &parts.imports);
        imports.any(|other| other.is_top_level && other.level == 0 && other.module == import.module)
    }
}

/// Whether nobody notices that it is imported.
fn is_quiet_module(import: &Import) -> bool {
    let first = import.module.split('.').next().unwrap_or_default();
    import.level == 0 && QUIET_MODULES.contains(&first)
}

/// Whether a name stands in annotations, and nowhere else.
fn is_for_annotations(parts: &Parts, name: &str) -> bool {
    let mut mentioned = parts.steps.iter().map(|step| &step.mentions).chain(parts.headers.values());
    parts.names.contains(name)
        && !mentioned.any(|mentions| mentions.contains(name))
        && !parts.parts.iter().any(|part| part.mentions.contains(name))
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
        assert_eq!(with("from shop import g\ndef f(): return vars(g)\n"), None);
        assert_eq!(with("from shop import g\ndef f(): return vars(sys.modules[g.__module__])\n"), Some(2));
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

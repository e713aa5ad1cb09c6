//! Functions that run while modules are imported: in no test's trace, though tests depend on them.
//!
//! Knows calls by their names. A method may be that of any class which is made an object of at import, or of one that such a
//! class is derived from. Does not know what is called by other means: properties, functions that are kept and called later.

use std::collections::{BTreeMap, BTreeSet};

use anyorder_source::{Import, Part, Parts};
use roaring::RoaringBitmap;

use crate::Tree;
use crate::elements::{class_of, last};
use crate::graph::Graph;

/// Methods that Python calls by itself, but hardly while modules are imported.
const RARE: [&str; 9] = [
    "__copy__",
    "__deepcopy__",
    "__del__",
    "__format__",
    "__getstate__",
    "__reduce__",
    "__repr__",
    "__setstate__",
    "__str__",
];

/// A part, by the number of its file.
type Place<'a> = (u32, &'a Part);

/// All functions and classes of a tree.
pub(crate) struct Calls<'a> {
    graph: &'a Graph,
    files: Vec<Option<&'a Parts>>,
    by_name: BTreeMap<&'a str, Vec<Place<'a>>>,
}

impl<'a> Calls<'a> {
    pub(crate) fn new(tree: &'a Tree, graph: &'a Graph) -> Self {
        let files: Vec<Option<&Parts>> = graph.files().iter().map(|path| tree.parts(path)).collect();
        let mut by_name: BTreeMap<&str, Vec<Place<'_>>> = BTreeMap::new();
        for (number, parts) in (0..).zip(&files) {
            for part in parts.iter().flat_map(|parts| &parts.parts) {
                by_name.entry(last(&part.name)).or_default().push((number, part));
            }
        }
        Calls { graph, files, by_name }
    }

    /// The functions that may run when this file is imported, without those that run when the files it imports are: each with
    /// the number of its file.
    pub(crate) fn at_import_of(&self, file: u32) -> BTreeSet<(u32, &'a str)> {
        let Some(parts) = self.files[file as usize] else { return BTreeSet::new() };
        let reach = self.graph.reach(&self.graph.files()[file as usize]);
        let mut walk =
            Walk { calls: self, reach, seen: BTreeSet::new(), methods: BTreeSet::new(), made: Vec::new() };
        let unasked = parts.parts.iter().filter(|part| runs_unasked(&part.name));
        let mut waiting: Vec<Place<'a>> = unasked.map(|part| (file, part)).collect();
        waiting.extend(parts.calls.iter().flat_map(|name| walk.called(file, None, name)));
        while let Some(place) = waiting.pop() {
            waiting.extend(walk.run(place));
        }
        walk.seen
    }

    fn parts(&self, file: u32) -> impl Iterator<Item = &'a Part> {
        self.files[file as usize].into_iter().flat_map(|parts| &parts.parts)
    }
}

/// What is known so far of what runs when one file is imported.
struct Walk<'c, 'a> {
    calls: &'c Calls<'a>,
    reach: RoaringBitmap,
    seen: BTreeSet<(u32, &'a str)>,
    /// Names of methods that are called on objects.
    methods: BTreeSet<&'a str>,
    /// Classes that objects are made of, with those that they are derived from.
    made: Vec<Place<'a>>,
}

impl<'a> Walk<'_, 'a> {
    /// Notes that something runs; what runs because of that.
    fn run(&mut self, (file, part): Place<'a>) -> Vec<Place<'a>> {
        if !self.seen.insert((file, &part.name)) {
            return Vec::new();
        }
        if part.is_class {
            self.made.push((file, part));
        }
        let mut next: Vec<Place<'a>> =
            part.calls.iter().flat_map(|name| self.called(file, Some(part), name)).collect();
        if part.is_class {
            let is_python_s = |name: &str| name.starts_with("__") && !RARE.contains(&name);
            let wanted = |name: &str| is_python_s(name) || self.methods.contains(name);
            next.extend(methods(self.calls, (file, part)).filter(|(_, method)| wanted(last(&method.name))));
        }
        // What is called is what the decorators have made of it.
        for decorator in
            part.decorators.iter().flat_map(|name| self.called(file, Some(part), name)).collect::<Vec<_>>()
        {
            let inner = format!("{}.<locals>.", decorator.1.name);
            let functions = self.calls.parts(decorator.0).filter(|part| part.name.starts_with(&inner));
            next.extend(functions.map(|part| (decorator.0, part)));
        }
        next
    }

    /// What a name may stand for in a file, in a function of it.
    fn called(&mut self, file: u32, inside: Option<&Part>, name: &'a str) -> Vec<Place<'a>> {
        let (name, is_handed_over) = name.strip_prefix('&').map_or((name, false), |name| (name, true));
        let Some(parts) = self.calls.files[file as usize] else { return Vec::new() };
        let (first, rest) = name.split_once('.').map_or((name, None), |(first, rest)| (first, Some(rest)));
        let import = parts.imports.iter().find(|import| import.bound_name() == first);
        let mut found = match (import, rest) {
            (Some(import), _) => self.imported(file, import, rest),
            (None, None) => self.of_file(file, inside, name),
            (None, Some(rest)) => {
                let own = inside.and_then(|part| class_of(&part.name)).filter(|_| first == "cls");
                let class = own.unwrap_or(first);
                let named = format!("{class}.{rest}");
                let own: Vec<Place<'a>> = self
                    .calls
                    .parts(file)
                    .filter(|part| part.name == named)
                    .map(|part| (file, part))
                    .collect();
                if own.is_empty() && !is_handed_over { self.method(last(name)) } else { own }
            }
        };
        found.retain(|(_, part)| !(is_handed_over && part.is_class));
        found
    }

    /// A name of the file itself, or one that came with all names of another.
    fn of_file(&self, file: u32, inside: Option<&Part>, name: &str) -> Vec<Place<'a>> {
        let local = inside.map(|part| format!("{}.<locals>.{name}", part.name));
        let is_meant = |part: &&Part| part.name == name || local.as_ref() == Some(&part.name);
        let own: Vec<Place<'a>> = self.calls.parts(file).filter(is_meant).map(|part| (file, part)).collect();
        let parts = self.calls.files[file as usize];
        let has_star =
            parts.is_some_and(|it| it.imports.iter().any(|import| import.name.as_deref() == Some("*")));
        if own.is_empty() && has_star { self.top_level(name) } else { own }
    }

    /// Something of a module, or of a class of one.
    fn imported(&self, file: u32, import: &Import, rest: Option<&str>) -> Vec<Place<'a>> {
        let path = &self.calls.graph.files()[file as usize];
        if self.calls.graph.imported(path, import).is_empty() {
            return Vec::new();
        }
        let wanted = match (&import.name, rest) {
            (Some(name), None) => return self.top_level(name),
            (None, None) => return Vec::new(),
            (_, Some(rest)) => last(rest),
        };
        let holder = import.name.as_deref().unwrap_or_default();
        let is_method = |part: &Part| class_of(&part.name).is_some_and(|class| class == holder);
        let named = self.calls.by_name.get(wanted).into_iter().flatten();
        let methods: Vec<Place<'a>> = named
            .filter(|(place, part)| self.reach.contains(*place) && class_of(&part.name).is_some())
            .copied()
            .collect();
        let mut found = self.top_level(wanted);
        found.extend(methods.iter().filter(|(_, part)| is_method(part)));
        // What is imported may be an object, of whichever class.
        if found.is_empty() { methods } else { found }
    }

    fn top_level(&self, name: &str) -> Vec<Place<'a>> {
        let named = self.calls.by_name.get(name).into_iter().flatten();
        named.filter(|(place, part)| self.reach.contains(*place) && part.name == name).copied().collect()
    }

    /// A method of an object, whichever it is.
    fn method(&mut self, name: &'a str) -> Vec<Place<'a>> {
        if !self.methods.insert(name) {
            return Vec::new();
        }
        let made = self.made.iter().flat_map(|&class| methods(self.calls, class));
        made.filter(|(_, method)| last(&method.name) == name).collect()
    }
}

/// The methods of a class itself.
fn methods<'a>(calls: &Calls<'a>, (file, class): Place<'a>) -> impl Iterator<Item = Place<'a>> {
    let is_method = |part: &&Part| class_of(&part.name) == Some(class.name.as_str()) && !part.is_class;
    calls.parts(file).filter(is_method).map(move |part| (file, part))
}

/// Hooks of pytest, and methods that run when a class is made or derived from.
fn runs_unasked(name: &str) -> bool {
    let of_classes =
        ["__init_subclass__", "__set_name__", "__class_getitem__", "__prepare__", "__mro_entries__"];
    name.starts_with("pytest_") || of_classes.contains(&last(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What runs when `shop.py` is imported, beside a module `make.py`.
    fn run(shop: &str) -> Vec<String> {
        let tree = Tree::new([("make.py", MAKE), ("shop.py", shop)]);
        let graph = Graph::of(&tree);
        let calls = Calls::new(&tree, &graph);
        calls.at_import_of(1).into_iter().map(|(_, name)| name.to_owned()).collect()
    }

    const MAKE: &str = "
def table(): return row()
def row(): return 1
def unused(): return 2
class Box:
    def __init__(self): fill(self)
    def open(self): pass
    def close(self): pass
class Shelf(Box):
    def __len__(self): return 1
    def __repr__(self): return ''
    def close(self): pass
def fill(box): box.open()
class Other:
    def open(self): pass
def twice(f):
    def wrapper(): f()
    return wrapper
@twice
def wrapped(): pass
";

    #[test]
    fn calls_are_followed_through_modules() {
        assert_eq!(run("from make import table as t\nX = t()\n"), ["row", "table"]);
        assert_eq!(run("import make\nX = make.table()\n"), ["row", "table"]);
        assert_eq!(run("from make import *\n@table\ndef f(): unused()\n"), ["row", "table"]);
        assert_eq!(run("import make\ndef f(): make.table()\n"), [] as [&str; 0]);
    }

    #[test]
    fn a_class_that_is_called_runs_what_makes_its_objects_and_what_is_called_on_them() {
        let made = ["Box", "Box.__init__", "Box.open", "Shelf", "Shelf.__len__", "fill"];
        assert_eq!(run("import make\nS = make.Shelf()\n"), made);
        let closed: Vec<&str> =
            [&["Box", "Box.__init__", "Box.close"], &made[2..4], &["Shelf.__len__", "Shelf.close", "fill"]]
                .concat();
        assert_eq!(run("import make\nS = make.Shelf().close()\n"), closed);
    }

    #[test]
    fn a_function_in_a_function_runs_only_if_it_is_called() {
        assert_eq!(run("import make\n@make.twice\ndef f(): pass\n"), ["twice"]);
        assert_eq!(run("import make\nX = make.wrapped()\n"), ["twice.<locals>.wrapper", "wrapped"]);
        assert_eq!(run("def f():\n    def g(): pass\n    g()\nf()\n"), ["f", "f.<locals>.g"]);
    }

    #[test]
    fn a_method_of_an_object_that_is_imported_may_be_that_of_any_class() {
        assert_eq!(run("from make import BOX\n@BOX.close\ndef f(): pass\n"), ["Box.close", "Shelf.close"]);
        assert_eq!(run("import make\nX = make.BOX.close()\n"), ["Box.close", "Shelf.close"]);
    }

    #[test]
    fn names_of_other_packages_are_not_ours() {
        assert_eq!(run("import make, os\nX = os.table()\n"), [] as [&str; 0]);
        assert_eq!(run("import make\nX = table()\n"), [] as [&str; 0]);
    }

    #[test]
    fn what_is_handed_over_may_run_and_hooks_of_pytest_do() {
        assert_eq!(run("import make\nX = map(make.row, [])\n"), ["row"]);
        assert_eq!(run("import make\nX = isinstance(1, make.Shelf)\n"), [] as [&str; 0]);
        assert_eq!(run("import make\ndef pytest_configure(): make.row()\n"), ["row", "pytest_configure"]);
    }

    #[test]
    fn class_methods_know_their_class() {
        assert_eq!(run("class C:\n    def a(cls): cls.b()\n    def b(cls): pass\nC.a()\n"), ["C.a", "C.b"]);
    }
}

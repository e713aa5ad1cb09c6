//! What can run while a module is imported without leaving anything but its result.
//!
//! Knows what Python and common packages offer by name, and looks into functions and classes of the project: such as assign only their
//! own variables and attributes of `self`, and call only what is quiet. What it does not know is not quiet.

use anyorder_source::{Import, Part, Parts, Step};

use crate::Tree;
use crate::elements::{class_of, last};
use crate::graph::Graph;

/// By their last names, whatever module they come from.
const CALLS: [&str; 61] = [
    "ParamSpec",
    "Path",
    "PurePath",
    "TypeVar",
    "abs",
    "all",
    "any",
    "bool",
    "bytearray",
    "callable",
    "cast",
    "chr",
    "complex",
    "date",
    "datetime",
    "divmod",
    "filter",
    "format",
    "getattr",
    "getLogger",
    "hasattr",
    "hash",
    "id",
    "isinstance",
    "issubclass",
    "iter",
    "itemgetter",
    "attrgetter",
    "local",
    "Lock",
    "map",
    "max",
    "min",
    "namedtuple",
    "NewType",
    "OrderedDict",
    "defaultdict",
    "Counter",
    "deque",
    "ord",
    "param",
    "partial",
    "property",
    "repr",
    "reversed",
    "RLock",
    "round",
    "slice",
    "StringIO",
    "BytesIO",
    "sum",
    "super",
    "timedelta",
    "Decimal",
    "Fraction",
    "type",
    "usefixtures",
    "wraps",
    "dirname",
    "abspath",
    "realpath",
];
/// By their whole names.
const NAMED: [&str; 4] = ["re.compile", "os.path.join", "mock.patch", "mock.patch.object"];
/// Methods of values that others do not have.
const METHODS: [&str; 16] = [
    "copy",
    "decode",
    "encode",
    "endswith",
    "format",
    "get",
    "items",
    "join",
    "keys",
    "lower",
    "replace",
    "split",
    "startswith",
    "strip",
    "upper",
    "values",
];
/// Decorators and others that only wrap.
const WRAPPERS: [&str; 12] = [
    "abstractmethod",
    "cache",
    "cached_property",
    "classmethod",
    "contextmanager",
    "fixture",
    "lru_cache",
    "overload",
    "property",
    "skip",
    "staticmethod",
    "wraps",
];
/// Classes that nothing is told when others are derived from them, and that do not look into these.
const BASES: [&str; 12] = [
    "ABC",
    "Generic",
    "IsolatedAsyncioTestCase",
    "Protocol",
    "TestCase",
    "dict",
    "frozenset",
    "list",
    "object",
    "set",
    "str",
    "tuple",
];
/// Methods that run when an object is made, and when a class is derived.
const MAKING: [&str; 5] = ["__init__", "__new__", "__post_init__", "__setattr__", "__getattribute__"];
const DERIVING: [&str; 2] = ["__init_subclass__", "__set_name__"];
/// How deep calls are followed.
const DEEPEST: usize = 4;

/// One tree, and who imports whom in it.
pub(crate) struct Quiet<'a> {
    pub(crate) tree: &'a Tree,
    pub(crate) graph: &'a Graph,
}

impl<'a> Quiet<'a> {
    /// Whether a step leaves nothing but what it binds.
    pub(crate) fn is_quiet(&self, path: &str, step: &Step) -> bool {
        step.binds.is_some() && step.asks.iter().all(|asked| self.is_asked_quietly(path, asked, 0))
    }

    fn is_asked_quietly(&self, path: &str, asked: &str, depth: usize) -> bool {
        if let Some(base) = asked.strip_prefix(':') {
            return self.is_quiet_base(path, base, depth);
        }
        if let Some(handed) = asked.strip_prefix('&') {
            let parts = self.parts_of(path, handed);
            return parts.iter().all(|(file, part)| part.is_class || self.is_quiet_part(file, part, depth));
        }
        let name = last(asked);
        if let Some(method) = asked.strip_prefix('.') {
            // The class's own are looked at where it is.
            return METHODS.contains(&method) || method == "__init__";
        }
        if is_error(name) || CALLS.contains(&name) || WRAPPERS.contains(&name) || NAMED.contains(&asked) {
            return true;
        }
        let parts = self.parts_of(path, asked);
        !parts.is_empty() && parts.iter().all(|(file, part)| self.is_quiet_part(file, part, depth))
    }

    /// Whether a function can be called, or an object made, and nobody notices.
    fn is_quiet_part(&self, file: &'a str, part: &'a Part, depth: usize) -> bool {
        if depth > DEEPEST {
            return false;
        }
        if !part.is_class {
            let is_bare = part.decorators.iter().all(|name| WRAPPERS.contains(&last(name)));
            return is_bare && part.is_tidy && self.calls_quietly(file, part, depth);
        }
        let bases = part.calls.iter().all(|base| {
            let above = self.parts_of(file, base);
            is_known_base(base)
                || !above.is_empty()
                    && above.iter().all(|(file, part)| self.is_quiet_part(file, part, depth + 1))
        });
        bases
            && self.methods(file, part, &MAKING).all(|method| {
                method.is_tidy && method.decorators.is_empty() && self.calls_quietly(file, method, depth)
            })
    }

    fn calls_quietly(&self, file: &str, part: &Part, depth: usize) -> bool {
        part.calls.iter().all(|asked| self.is_asked_quietly(file, asked, depth + 1))
    }

    fn is_quiet_base(&self, path: &str, base: &str, depth: usize) -> bool {
        if is_known_base(base) {
            return true;
        }
        let above = self.parts_of(path, base);
        depth <= DEEPEST
            && !above.is_empty()
            && above.iter().all(|&(file, class)| {
                class.is_class
                    && self.methods(file, class, &DERIVING).next().is_none()
                    && class.calls.iter().all(|base| self.is_quiet_base(file, base, depth + 1))
            })
    }

    fn methods(
        &self,
        file: &str,
        class: &'a Part,
        names: &'static [&'static str],
    ) -> impl Iterator<Item = &'a Part> {
        let parts = self.tree.parts(file).into_iter().flat_map(|parts| &parts.parts);
        parts.filter(|part| {
            class_of(&part.name) == Some(class.name.as_str()) && names.contains(&last(&part.name))
        })
    }

    /// What a name may stand for at import: a function or class of the file, or of those that it may be imported from; nothing if
    /// that is not known.
    pub(crate) fn parts_of(&self, path: &str, name: &str) -> Vec<(&'a str, &'a Part)> {
        self.parts_behind(path, name, 0).unwrap_or_default()
    }

    fn parts_behind(&self, path: &str, name: &str, depth: usize) -> Option<Vec<(&'a str, &'a Part)>> {
        let (path, parts) = self.file(path).filter(|_| depth <= DEEPEST)?;
        let is_bound = |step: &Step| step.binds.as_deref() == Some(name);
        if let Some(own) = parts.part(name) {
            return Some(vec![(path, own)]);
        }
        let (first, rest) = name.split_once('.').map_or((name, None), |(first, rest)| (first, Some(rest)));
        let imports: Vec<&Import> =
            parts.imports.iter().filter(|import| import.bound_name() == first).collect();
        if imports.is_empty() || parts.steps.iter().any(is_bound) {
            return None;
        }
        let mut found = Vec::new();
        for import in imports {
            let wanted = rest.or(import.name.as_deref())?;
            let files = self.graph.imported(path, import).into_iter();
            let files = files.map(|number| &self.graph.files()[number as usize]).filter(|file| *file != path);
            let known: Vec<_> =
                files.filter_map(|file| self.parts_behind(file, wanted, depth + 1)).flatten().collect();
            found.extend(Some(known).filter(|known| !known.is_empty())?);
        }
        Some(found)
    }

    fn file(&self, path: &str) -> Option<(&'a str, &'a Parts)> {
        let (path, file) = self.tree.files.get_key_value(path)?;
        Some((path, file.parts()?))
    }
}

fn is_known_base(base: &str) -> bool {
    is_error(last(base)) || BASES.contains(&last(base))
}

fn is_error(name: &str) -> bool {
    ["Error", "Exception", "Warning"].iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names that a module binds without anybody noticing.
    fn quiet(text: &str) -> Vec<String> {
        let tree = Tree::new([
            ("shop.py", text),
            (
                "make.py",
                "ALL = []\ndef wrap(f):\n    def g(): return f()\n    return g\ndef keep(f):\n    ALL.append(f)\n    return f\n\
                 class Box:\n    def __init__(self, x): self.x = x\nclass Loud:\n    def __init__(self): ALL.append(self)\n\
                 class Told:\n    def __init_subclass__(cls): ALL.append(cls)\n",
            ),
        ]);
        let graph = Graph::of(&tree);
        let quiet = Quiet { tree: &tree, graph: &graph };
        let steps = tree.parts("shop.py").unwrap().steps.iter();
        steps.filter(|step| quiet.is_quiet("shop.py", step)).filter_map(|step| step.binds.clone()).collect()
    }

    #[test]
    fn what_only_binds_a_name_is_quiet() {
        assert_eq!(quiet("X = 1\nY = dict(a=1)\nimport make\nBOX = make.Box(3)\n"), ["X", "Y", "BOX"]);
        assert_eq!(quiet("from make import wrap\n@wrap\ndef f(): pass\n"), ["f"]);
        assert_eq!(
            quiet("import unittest\nclass TestA(unittest.TestCase):\n    limit = 3\n"),
            ["TestA", "TestA.limit"]
        );
    }

    #[test]
    fn what_leaves_something_elsewhere_is_not() {
        assert_eq!(quiet("from make import keep, Loud, Told\n@keep\ndef f(): pass\n"), [] as [&str; 0]);
        assert_eq!(quiet("from make import Loud\nX = Loud()\n"), [] as [&str; 0]);
        assert_eq!(quiet("from make import Told\nclass C(Told):\n    x = 1\n"), [] as [&str; 0]);
        assert_eq!(quiet("import other\nX = other.f()\nX.y = 3\nprint(X)\n"), [] as [&str; 0]);
        assert_eq!(quiet("from make import keep\nX = dict(a=keep(1))\n"), [] as [&str; 0]);
        assert_eq!(
            quiet("from dataclasses import dataclass\n@dataclass\nclass C:\n    x: int = 1\n"),
            [] as [&str; 0]
        );
    }

    #[test]
    fn what_another_module_passes_on_is_looked_at_where_it_is() {
        let tree = Tree::new([
            ("shop/__init__.py", "from .base import Base, Told\n"),
            ("shop/base.py", "class Base: pass\nclass Told:\n    def __init_subclass__(cls): print(cls)\n"),
            ("other.py", "class Either:\n    def __init_subclass__(cls): print(cls)\n"),
            ("both.py", "try: from nowhere import Either\nexcept ImportError: from other import Either\n"),
            (
                "cart.py",
                "from shop import Base, Told\nfrom both import Either\nclass A(Base): x = 1\nclass B(Told): x = 1\nclass C(Either): x = 1\n",
            ),
        ]);
        let quiet = Quiet { tree: &tree, graph: &Graph::of(&tree) };
        let steps = tree.parts("cart.py").unwrap().steps.iter();
        let found: Vec<_> = steps.filter(|step| quiet.is_quiet("cart.py", step)).collect();
        assert_eq!(found.iter().map(|step| step.binds.as_deref().unwrap()).collect::<Vec<_>>(), ["A", "A.x"]);
    }

    #[test]
    fn what_frameworks_look_for_is_not() {
        assert_eq!(
            quiet("pytestmark = 1\ndef setup_module(): pass\ndef __getattr__(name): pass\n"),
            [] as [&str; 0]
        );
        assert_eq!(quiet("import pytest\n@pytest.fixture(autouse=True)\ndef f(): pass\n"), [] as [&str; 0]);
    }

    #[test]
    fn what_python_looks_up_by_itself_is_its_class() {
        assert_eq!(
            quiet("class C:\n    __slots__ = ()\n    def __eq__(self, other): return True\n"),
            ["C", "C"]
        );
        assert_eq!(quiet("class C:\n    pytestmark = 1\n    x = 1\n"), ["C", "C.x"]);
        assert_eq!(quiet("class C(ValueError):\n    'A fault.'\n"), ["C"]);
    }
}

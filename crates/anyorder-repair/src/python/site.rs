//! Where a test, or a line, is in the source.

use anyorder_model::{Suite, TestIndex};
use anyorder_source::{Class, Expression, Function, Import, Source, Statement};

use crate::workshop::Tree;

/// A function in its file.
#[derive(Clone, Debug)]
pub(super) struct Site {
    pub(super) file: String,
    pub(super) source: Source,
    pub(super) function: Function,
}

impl Site {
    /// The function of a test: in its own file, or where a base class of its class has it.
    pub(super) fn of_test(tree: &Tree<'_>, suite: &Suite, test: TestIndex) -> Option<Self> {
        let (file, names) = names_of(&suite.id(test).0)?;
        let source = read(tree, &file)?;
        if let Some(function) = source.function(&names).cloned() {
            return Some(Site { file, source, function });
        }
        let inherited = suite.test(test);
        let site = Site::of_line(tree, &format!("{}:{}", inherited.file, inherited.line))?;
        (names.last().map(String::as_str) == Some(site.function.name())).then_some(site)
    }

    /// The function that a line stands in.
    pub(super) fn of_line(tree: &Tree<'_>, line: &str) -> Option<Self> {
        let (file, line) = file_and_line(line)?;
        let source = read(tree, &file)?;
        let function = source.function_at(line)?.clone();
        Some(Site { file, source, function })
    }

    /// A function of the same file: this one, or one around it.
    pub(super) fn around(&self, names: &[String]) -> Option<Self> {
        let function = self.source.function(names)?.clone();
        Some(Site { function, ..self.clone() })
    }

    /// The innermost statement of the function that begins on this line.
    pub(super) fn statement(&self, line: usize) -> Option<Statement> {
        let mut all = self.function.body.iter().flat_map(Statement::walk);
        all.find(|statement| statement.line == line && statement.blocks.is_empty()).cloned()
    }

    /// Whether this line of the function cleans up: behind the `yield` of a fixture, or where tests are torn down.
    pub(super) fn is_clean_up(&self, line: &str) -> bool {
        let line = file_and_line(line).map_or(0, |(_, line)| line);
        let mut statements = self.function.body.iter().flat_map(Statement::walk);
        let is_yield = |statement: &Statement| statement.line < line && statement.text.starts_with("yield");
        let name = self.function.name().to_lowercase().replace('_', "");
        name.starts_with("teardown") || (self.function.is_generator && statements.any(is_yield))
    }

    /// Whether the function is a method of a `unittest.TestCase`.
    pub(super) fn is_unittest(&self) -> bool {
        let class = self.function.class.as_ref().and_then(|names| self.source.class(names));
        class.is_some_and(|class| is_test_case(&self.source, class, 5))
    }

    /// What a method calls the object or class that it is called on.
    pub(super) fn receiver(&self) -> Option<&str> {
        self.function.class.as_ref()?;
        let is_static = |decorator: &Expression| decorator.text.as_str() == "staticmethod";
        let first =
            self.function.parameters.first().filter(|_| !self.function.decorators.iter().any(is_static));
        first.map(|parameter| parameter.name.as_str())
    }

    /// Whether it is a fixture of pytest; with the scope that is written there.
    pub(super) fn fixture_scope(&self) -> Option<&'static str> {
        let mut decorators = self.function.decorators.iter();
        let text = &decorators.find(|decorator| is_fixture(decorator.text.as_str()))?.text;
        let scopes = ["class", "module", "package", "session"];
        let has =
            |scope: &&str| text.contains(&format!("\"{scope}\"")) || text.contains(&format!("'{scope}'"));
        Some(scopes.into_iter().find(|scope| has(scope)).unwrap_or("function"))
    }
}

/// Whether a decorator makes a fixture.
pub(super) fn is_fixture(decorator: &str) -> bool {
    let name = decorator.split('(').next().unwrap_or_default().trim();
    name == "fixture" || name.ends_with(".fixture")
}

fn is_test_case(source: &Source, class: &Class, depth: usize) -> bool {
    class.bases.iter().any(|base| {
        let base = base.as_str();
        let name = base.rsplit('.').next().unwrap_or(base);
        let here = source.class(&[name]).filter(|_| depth > 0);
        name.ends_with("TestCase") || here.is_some_and(|class| is_test_case(source, class, depth - 1))
    })
}

/// `tests/test_a.py::TestB::test_c[x]` becomes the file and `TestB`, `test_c`.
pub(super) fn names_of(id: &str) -> Option<(String, Vec<String>)> {
    let (file, names) = id.split_once("::")?;
    let names = names.split('[').next().unwrap_or(names);
    Some((file.to_owned(), names.split("::").map(str::to_owned).collect()))
}

/// `file.py:12`, also with words behind it, becomes the file and the line.
pub(super) fn file_and_line(place: &str) -> Option<(String, usize)> {
    let place = place.split(" in ").next().unwrap_or(place);
    let (file, line) = place.rsplit_once(':')?;
    Some((file.to_owned(), line.parse().ok()?))
}

/// A file of the project that can be edited.
pub(super) fn read(tree: &Tree<'_>, file: &str) -> Option<Source> {
    let is_inside = !file.starts_with('/') && !file.split('/').any(|part| part == "..");
    Source::parse(tree.read(file).filter(|_| is_inside)?).ok()
}

/// Whether a file is the project's, and can be edited.
pub(super) fn is_editable(tree: &Tree<'_>, file: &str) -> bool {
    read(tree, file).is_some()
}

/// The file of a module of the project.
pub(super) fn file_of(tree: &Tree<'_>, module: &str) -> Option<String> {
    file_below(tree, &["", "src/", "lib/"], module)
}

/// Whether an import of a file gets something from the project: from its root, or from beside the file.
pub(super) fn is_own(tree: &Tree<'_>, file: &str, import: &Import) -> bool {
    let below = import.name.as_ref().map(|name| format!("{}.{name}", import.module));
    let names = below.iter().chain([&import.module]);
    names.into_iter().any(|name| own_file(tree, file, name).is_some())
}

/// The file of a module of the project that another file imports: below the root, or beside that file.
pub(super) fn own_file(tree: &Tree<'_>, file: &str, module: &str) -> Option<String> {
    let beside = file.rfind('/').map_or("", |at| &file[..=at]);
    file_below(tree, &[beside, "", "src/", "lib/"], module)
}

fn file_below(tree: &Tree<'_>, places: &[&str], module: &str) -> Option<String> {
    let path = module.replace('.', "/");
    let mut files =
        places.iter().flat_map(|place| [format!("{place}{path}.py"), format!("{place}{path}/__init__.py")]);
    files.find(|file| tree.read(file).is_some())
}

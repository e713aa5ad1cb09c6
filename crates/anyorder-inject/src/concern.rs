//! Which tests a function of a test file concerns: those that run it, and those that may notice when it is changed.
//!
//! Fixtures are followed by their names, as far as they can be read in the files; what asks for one while it runs
//! (`request.getfixturevalue`) is not seen.

use std::collections::{BTreeMap, BTreeSet};

use anyorder_model::{Suite, TestIndex};
use anyorder_source::Function;

use crate::generate::TestFile;
use crate::role::{Role, fixture_decorator};

pub(crate) struct Concern<'a> {
    suite: &'a Suite,
    /// The fixtures that each test asks for, through other fixtures, too.
    fixtures_of: BTreeMap<TestIndex, BTreeSet<String>>,
}

impl<'a> Concern<'a> {
    pub(crate) fn new(suite: &'a Suite, files: &[TestFile]) -> Self {
        let mut asks: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let all = files.iter().flat_map(|file| file.source.functions());
        for function in all.filter(|function| fixture_decorator(function).is_some()) {
            asks.entry(fixture_name(function)).or_default().extend(asked(function));
        }
        let mut fixtures_of = BTreeMap::new();
        for file in files {
            for function in file.source.functions() {
                for &test in file.tests_of.get(&function.range.start).into_iter().flatten() {
                    fixtures_of.insert(test, closure(asked_around(file, function), &asks));
                }
            }
        }
        Concern { suite, fixtures_of }
    }

    /// The tests that run a function, and those that may notice, class by class.
    pub(crate) fn of(
        &self,
        file: &TestFile,
        function: &Function,
        role: Role,
    ) -> (Vec<TestIndex>, Vec<Vec<TestIndex>>) {
        match role {
            Role::Test => {
                let tests = file.tests_of.get(&function.range.start).cloned().unwrap_or_default();
                let groups: BTreeSet<&str> = tests.iter().map(|&test| self.group(test)).collect();
                let judged = self.suite.indices().filter(|&test| groups.contains(self.group(test))).collect();
                (tests, vec![judged])
            }
            Role::SetUp | Role::TearDown => {
                let tests = self.near(file, function);
                (tests.clone(), vec![tests])
            }
            Role::Fixture => {
                let near = self.near(file, function);
                let tests: Vec<TestIndex> =
                    near.iter().copied().filter(|&test| self.uses(test, function)).collect();
                let mut files: BTreeMap<&str, Vec<TestIndex>> = BTreeMap::new();
                near.iter().for_each(|&test| files.entry(self.file(test)).or_default().push(test));
                let is_used = |judged: &Vec<TestIndex>| judged.iter().any(|test| tests.contains(test));
                let judged = files.into_values().filter(is_used).collect();
                (tests, judged)
            }
        }
    }

    fn file(&self, test: TestIndex) -> &str {
        &self.suite.test(test).file
    }

    fn group(&self, test: TestIndex) -> &str {
        &self.suite.test(test).group
    }

    fn uses(&self, test: TestIndex, fixture: &Function) -> bool {
        let is_for_all =
            fixture_decorator(fixture).is_some_and(|decorator| decorator.text.contains("autouse=True"));
        let name = fixture_name(fixture);
        is_for_all || self.fixtures_of.get(&test).is_some_and(|names| names.contains(&name))
    }

    /// The tests of the class that a function belongs to; of its file; or of the files beside and below a `conftest.py`.
    fn near(&self, file: &TestFile, function: &Function) -> Vec<TestIndex> {
        if let Some(class) = &function.class {
            let group = format!("{}::{}", file.path, class.join("::"));
            let inside = format!("{group}::");
            let is_in = |name: &str| name == group || name.starts_with(&inside);
            let tests: Vec<TestIndex> =
                self.suite.indices().filter(|&test| is_in(self.group(test))).collect();
            if !tests.is_empty() {
                return tests;
            }
        }
        let directory = file.path.strip_suffix("conftest.py");
        let is_near = |test: &TestIndex| {
            let other = self.file(*test);
            directory.map_or(other == file.path, |directory| other.starts_with(directory))
        };
        self.suite.indices().filter(is_near).collect()
    }
}

/// The name by which a fixture is asked for.
fn fixture_name(function: &Function) -> String {
    let decorator = fixture_decorator(function).map_or("", |decorator| &*decorator.text);
    let named = decorator.split_once("name=").and_then(|(_, rest)| {
        let quote = rest.chars().next().filter(|letter| ['"', '\''].contains(letter))?;
        rest[1..].split_once(quote).map(|(name, _)| name.to_owned())
    });
    named.unwrap_or_else(|| function.name().to_owned())
}

fn asked(function: &Function) -> BTreeSet<String> {
    let named = function.parameters.iter().map(|parameter| parameter.name.to_string());
    let marked = function.decorators.iter().flat_map(|decorator| used(&decorator.text));
    named.chain(marked).collect()
}

/// What a test asks for, by itself and by its classes.
fn asked_around(file: &TestFile, function: &Function) -> BTreeSet<String> {
    let mut names = asked(function);
    let mut class = function.class.clone().unwrap_or_default();
    while !class.is_empty() {
        let decorators = file.source.class(&class).into_iter().flat_map(|class| &class.decorators);
        names.extend(decorators.flat_map(|decorator| used(&decorator.text)));
        class.pop();
    }
    names
}

/// The names in `pytest.mark.usefixtures("a", "b")`.
fn used(decorator: &str) -> Vec<String> {
    let Some((_, names)) = decorator.split_once("usefixtures(") else { return vec![] };
    names.split(['"', '\'']).skip(1).step_by(2).map(str::to_owned).collect()
}

fn closure(mut names: BTreeSet<String>, asks: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<String> {
    let mut open: Vec<String> = names.iter().cloned().collect();
    while let Some(name) = open.pop() {
        for more in asks.get(&name).into_iter().flatten() {
            if names.insert(more.clone()) {
                open.push(more.clone());
            }
        }
    }
    names
}

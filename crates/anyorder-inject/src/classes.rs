//! Facts about classes of tests that may explain why some are easily made to depend on order.

use std::collections::{BTreeMap, BTreeSet};

use anyorder_model::{Suite, TestIndex};
use anyorder_source::{Body, Shape, Source, Statement, Target};

use crate::generate::Files;
use crate::role::Role;

/// A class of tests, or a file of tests that are in no class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// As the framework names it.
    pub name: String,
    /// Its tests.
    pub tests: Vec<TestIndex>,
    /// Names that all of its tests share: those that its class, or else its file, binds to values.
    pub shared_names: usize,
    /// Whether anything sets up or tears down around its tests, in its class or its file.
    pub has_fixture: bool,
}

/// All classes of a suite, in its order.
pub fn classes(suite: &Suite, files: &dyn Files) -> Vec<Class> {
    let mut tests: BTreeMap<&str, Vec<TestIndex>> = BTreeMap::new();
    let mut names: Vec<&str> = Vec::new();
    for index in suite.indices() {
        let group = suite.test(index).group.as_str();
        tests.entry(group).or_insert_with(|| {
            names.push(group);
            vec![]
        });
        tests.get_mut(group).expect("entered above").push(index);
    }
    let mut sources: BTreeMap<&str, Option<Source>> = BTreeMap::new();
    let mut class = |name: &str| {
        let tests = tests.remove(name).unwrap_or_default();
        let file = suite.test(tests[0]).file.as_str();
        let source = sources
            .entry(file)
            .or_insert_with(|| files.read(file).and_then(|bytes| Source::parse(bytes).ok()))
            .as_ref();
        let path: Vec<&str> = name.split("::").skip(1).collect();
        let (shared_names, has_fixture) = source.map_or((0, false), |source| facts(source, &path));
        Class { name: name.to_owned(), tests, shared_names, has_fixture }
    };
    names.into_iter().map(&mut class).collect()
}

fn facts(source: &Source, class: &[&str]) -> (usize, bool) {
    let body = source.class(class).map_or(source.top_level(), |class| &class.body);
    let is_around = |function: &&anyorder_source::Function| {
        let of = function.class.as_deref().unwrap_or_default();
        let is_its_own = of.is_empty() || of.iter().eq(class.iter());
        is_its_own && Role::around_tests(function).is_some()
    };
    (values(body).len(), source.functions().iter().any(|function| is_around(&function)))
}

/// The names that a block binds to values, functions and classes aside.
fn values(body: &Body) -> BTreeSet<String> {
    let of = |statement: &Statement| match &statement.shape {
        Shape::Assign { targets, .. } => targets.iter().filter_map(name).collect(),
        _ => vec![],
    };
    body.iter().flat_map(of).collect()
}

fn name(target: &Target) -> Option<String> {
    match target {
        Target::Name(name) => Some(name.to_string()),
        _ => None,
    }
}

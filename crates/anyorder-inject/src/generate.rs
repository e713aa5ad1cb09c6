//! All mutants of a suite, in the order in which its files are read and its functions written.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use anyorder_model::{Suite, Swap, TestIndex};
use anyorder_source::{Function, Source};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::concern::Concern;
use crate::operators::Proposal;
use crate::role::Role;
use crate::{Mutant, Operator};

/// Files of the project, by their paths relative to the suite's root.
pub trait Files {
    /// What is in a file.
    fn read(&self, path: &str) -> Option<Vec<u8>>;
}

/// A file of the suite that was read.
pub(crate) struct TestFile {
    pub(crate) path: String,
    pub(crate) source: Source,
    bytes: Arc<[u8]>,
    /// Which tests each of its functions is, by where the function begins.
    pub(crate) tests_of: BTreeMap<usize, Vec<TestIndex>>,
}

/// The mutants that these operators make of a suite; at most so many of them, chosen by the seed.
///
/// The same suite has the same mutants under the same numbers, however many are chosen.
pub fn mutants(
    suite: &Suite,
    files: &dyn Files,
    operators: &[Operator],
    most: Option<usize>,
    seed: u64,
) -> Vec<Mutant> {
    let read = read_all(suite, files);
    let drafts = sample(drafts(&read, operators), most, seed);
    let concern = Concern::new(suite, &read);
    drafts.into_iter().filter_map(|draft| draft.mutant(&concern)).collect()
}

/// A mutant that is not written yet.
struct Draft<'f> {
    number: usize,
    file: &'f TestFile,
    function: &'f Function,
    role: Role,
    operator: Operator,
    proposal: Proposal,
}

fn drafts<'f>(files: &'f [TestFile], operators: &[Operator]) -> Vec<Draft<'f>> {
    let mut drafts = Vec::new();
    for file in files {
        for function in file.source.functions() {
            let Some(role) = role_of(file, function) else { continue };
            for &operator in operators {
                for proposal in operator.changes(&file.source, function, role) {
                    let number = drafts.len() + 1;
                    drafts.push(Draft { number, file, function, role, operator, proposal });
                }
            }
        }
    }
    drafts
}

/// At most so many of these, chosen by the seed, in the same order.
pub fn sample<T>(items: Vec<T>, most: Option<usize>, seed: u64) -> Vec<T> {
    let Some(most) = most.filter(|&most| most < items.len()) else { return items };
    let mut numbered: Vec<(usize, T)> = items.into_iter().enumerate().collect();
    numbered.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    numbered.truncate(most);
    numbered.sort_by_key(|(number, _)| *number);
    numbered.into_iter().map(|(_, item)| item).collect()
}

impl Draft<'_> {
    /// Nothing if no test runs what is changed, or the change cannot be made.
    fn mutant(self, concern: &Concern<'_>) -> Option<Mutant> {
        let Draft { number, file, function, role, operator, proposal } = self;
        let (tests, judged) = concern.of(file, function, role);
        let before = file.source.bytes();
        let after = proposal.editor.finish().ok().filter(|after| **after != *before)?;
        let swap = proposal.stays_inside.then(|| swap(file, function, &after)).flatten();
        (!tests.is_empty()).then(|| Mutant {
            number,
            operator,
            file: file.path.clone(),
            line: proposal.line,
            range: proposal.range,
            words: proposal.words,
            function: function.names.clone(),
            before: Arc::clone(&file.bytes),
            swap: swap.map(Arc::new),
            after,
            is_of_test: role == Role::Test,
            tests,
            judged,
        })
    }
}

/// The changed function alone.
fn swap(file: &TestFile, function: &Function, after: &[u8]) -> Option<Swap> {
    let changed = Source::parse(after).ok()?;
    let is_it =
        |other: &&Function| other.range.start == function.range.start && other.names == function.names;
    let text = changed.functions().iter().find(is_it).and_then(|function| changed.alone(function))?;
    Some(Swap { file: file.path.clone(), names: function.names.clone(), text, draw: None })
}

fn role_of(file: &TestFile, function: &Function) -> Option<Role> {
    let is_test = file.tests_of.contains_key(&function.range.start);
    if is_test { Some(Role::Test) } else { Role::around_tests(function) }
}

/// The files with tests, in the suite's order, and the `conftest.py` files above them.
fn read_all(suite: &Suite, files: &dyn Files) -> Vec<TestFile> {
    let mut paths: Vec<String> = Vec::new();
    let mut known = BTreeSet::new();
    let mut add = |path: String| {
        if known.insert(path.clone()) {
            paths.push(path);
        }
    };
    for test in suite.tests().iter().filter(|test| test.file.rsplit('.').next() == Some("py")) {
        above(&test.file).into_iter().for_each(&mut add);
        add(test.file.clone());
    }
    paths.into_iter().filter_map(|path| read(suite, files, path)).collect()
}

/// Where fixtures of a file may be, the outermost first.
fn above(file: &str) -> Vec<String> {
    let ends = file.match_indices('/').map(|(at, _)| format!("{}/conftest.py", &file[..at]));
    std::iter::once("conftest.py".to_owned()).chain(ends).collect()
}

fn read(suite: &Suite, files: &dyn Files, path: String) -> Option<TestFile> {
    if path.starts_with("..") || path.starts_with('/') {
        return None;
    }
    let source = Source::parse(files.read(&path)?).ok()?;
    let mut tests_of: BTreeMap<usize, Vec<TestIndex>> = BTreeMap::new();
    for test in suite.indices().filter(|&test| suite.test(test).file == path) {
        if let Some(function) = source.function_at(suite.test(test).line as usize) {
            tests_of.entry(function.range.start).or_default().push(test);
        }
    }
    let bytes = source.bytes().into();
    Some(TestFile { path, source, bytes, tests_of })
}

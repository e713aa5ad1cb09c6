//! The reports that the user's build has written: which classes, in which order, and what became of their tests.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyorder_model::{ForeignRun, Outcome, Step, Suite, Test, TestId, TestIndex};
use roxmltree::{Document, Node};

use crate::tool;

/// What a build's reports say of one module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reports {
    /// The classes that the runner was given, in the order in which they ended.
    pub(crate) classes: Vec<String>,
    cases: Vec<Case>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Case {
    class: String,
    name: String,
    outcome: Outcome,
}

/// Directories that hold no reports.
const SKIPPED: [&str; 6] = ["src", "node_modules", "classes", "test-classes", ".git", ".anyorder"];
const DEEPEST: usize = 6;

impl Reports {
    /// Reads what was written below `module` since `begun`; `others` are modules of their own.
    pub(crate) fn read(module: &Path, others: &[PathBuf], begun: SystemTime) -> Self {
        let mut files = Vec::new();
        find(module, others, begun, DEEPEST, &mut files);
        files.sort();
        let mut reports = Reports::default();
        for (_, path) in in_order_of_results(files) {
            if let Ok(text) = fs::read_to_string(&path) {
                reports.add(&path, &text);
            }
        }
        reports
    }

    fn add(&mut self, path: &Path, text: &str) {
        let Ok(document) = Document::parse(text) else { return };
        let named =
            path.file_stem().and_then(|name| name.to_str()).and_then(|name| name.strip_prefix("TEST-"));
        let cases: Vec<Case> = document
            .descendants()
            .filter(|node| node.has_tag_name("testcase"))
            .filter_map(|node| case(&node))
            .collect();
        let class = named.filter(|name| is_class_name(name)).map(str::to_owned);
        let Some(class) = class.or_else(|| cases.first().map(|case| case.class.clone())) else { return };
        let class = class.split('$').next().unwrap_or_default().to_owned();
        if !self.classes.contains(&class) {
            self.classes.push(class);
        }
        self.cases.extend(cases);
    }

    /// Puts tests of the same class into the order of the reports, if the reports know them all.
    pub(crate) fn arrange<T: AsRef<Test>>(&self, tests: &mut [T]) {
        let places: BTreeMap<(&str, &str), usize> =
            self.cases.iter().enumerate().rev().map(|(at, case)| (case.key(), at)).collect();
        let place = |test: &T| places.get(&split(&test.as_ref().id)).copied();
        for class in tests.chunk_by_mut(|a, b| split(&a.as_ref().id).0 == split(&b.as_ref().id).0) {
            if class.iter().all(|test| place(test).is_some()) {
                class.sort_by_key(|test| place(test));
            }
        }
    }

    /// What became of these tests; those that the reports do not name are left out.
    pub(crate) fn outcomes<'t>(&self, tests: impl Iterator<Item = &'t Test>) -> Vec<(TestId, Outcome)> {
        let outcome_of = |test: &Test| {
            let (class, name) = split(&test.id);
            let of_class = self.cases.iter().filter(|case| case.class == class);
            let exact: Vec<&Case> = of_class.clone().filter(|case| case.name == name).collect();
            let same_method = || of_class.filter(|case| method_of(&case.name) == method_of(name)).collect();
            let is_one_of_many = name.contains('[');
            let found: Vec<&Case> = if exact.is_empty() && !is_one_of_many { same_method() } else { exact };
            found.iter().map(|case| case.outcome).max_by_key(|&outcome| badness(outcome))
        };
        tests.filter_map(|test| Some((test.id.clone(), outcome_of(test)?))).collect()
    }
}

/// The tests of a run on another machine, in the order of the file. Several invocations of one test are one, and it is red if
/// one of them is.
pub(crate) fn read_foreign(suite: &Suite, text: &str) -> Option<ForeignRun> {
    let document = Document::parse(text).ok()?;
    let mut run = ForeignRun::default();
    for case in
        document.descendants().filter_map(|node| node.has_tag_name("testcase").then(|| case(&node))?)
    {
        match tests_of(suite, &case)[..] {
            [test] => note(&mut run.steps, Step::bare(test, case.outcome)),
            [] => run.unknown.push(format!("{} {}", case.class, case.name)),
            _ => run.ambiguous.push(format!("{} {}", case.class, case.name)),
        }
    }
    Some(run)
}

/// The tests that a case may mean: the one of its very name, else all of its method.
fn tests_of(suite: &Suite, case: &Case) -> Vec<TestIndex> {
    let exact = TestId(format!("{}#{}", case.class, case.name));
    if let Some(test) = suite.index_of(&exact) {
        return vec![test];
    }
    let is_meant = |&test: &TestIndex| {
        let (class, name) = split(suite.id(test));
        class == case.class && method_of(name) == method_of(&case.name)
    };
    suite.indices().filter(is_meant).collect()
}

fn note(steps: &mut Vec<Step>, step: Step) {
    match steps.last_mut().filter(|last| last.test == step.test) {
        Some(last) if badness(step.outcome) > badness(last.outcome) => *last = step,
        Some(_) => {}
        None => steps.push(step),
    }
}

impl Case {
    fn key(&self) -> (&str, &str) {
        (&self.class, &self.name)
    }
}

fn badness(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Skipped => 0,
        Outcome::Passed => 1,
        _ => 2,
    }
}

/// The class and the rest of an id.
fn split(id: &TestId) -> (&str, &str) {
    id.0.split_once('#').unwrap_or((&id.0, ""))
}

/// The method that a report means: `bar` in `bar`, `bar()`, `bar(int)[1]`, `bar{int}[2]` and `bar[0]`.
fn method_of(name: &str) -> &str {
    name.split(['(', '{', '[', ' ']).next().unwrap_or(name)
}

fn is_class_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '$'))
}

fn case(node: &Node<'_, '_>) -> Option<Case> {
    let class = node.attribute("classname")?.to_owned();
    let name = node.attribute("name")?.to_owned();
    let has = |tag: &str| node.children().any(|child| child.has_tag_name(tag));
    let outcome = if has("failure") || has("error") {
        Outcome::Failed
    } else if has("skipped") {
        Outcome::Skipped
    } else {
        Outcome::Passed
    };
    Some(Case { class, name, outcome })
}

/// Modules below `directory`, other than those `known`, that have reports since `begun`; relative to `directory`.
pub(crate) fn others_with_reports(
    directory: &Path,
    known: &[PathBuf],
    begun: SystemTime,
) -> BTreeSet<PathBuf> {
    let mut files = Vec::new();
    find(directory, known, begun, DEEPEST, &mut files);
    let module = |path: &Path| path.ancestors().find(|place| tool::is_module(place)).map(Path::to_owned);
    let modules = files.iter().filter_map(|(_, path)| module(path));
    let others = modules.filter(|module| !known.contains(module));
    others.filter_map(|module| Some(module.strip_prefix(directory).ok()?.to_owned())).collect()
}

fn find(
    directory: &Path,
    others: &[PathBuf],
    begun: SystemTime,
    depth: usize,
    found: &mut Vec<(SystemTime, PathBuf)>,
) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        let Ok(metadata) = entry.metadata() else { continue };
        if metadata.is_dir() {
            if depth > 0 && !SKIPPED.contains(&&*name) && !others.contains(&path) {
                find(&path, others, begun, depth - 1, found);
            }
        } else if name.starts_with("TEST-") && name.ends_with(".xml") {
            found.extend(metadata.modified().ok().filter(|time| *time >= begun).map(|time| (time, path)));
        }
    }
}

/// Gradle writes all reports at the end, and beside them a file that names the classes in the order in which they ran.
fn in_order_of_results(mut files: Vec<(SystemTime, PathBuf)>) -> Vec<(SystemTime, PathBuf)> {
    let binary = |path: &Path| fs::read(path.parent()?.join("binary/results.bin")).ok();
    let Some(bytes) = files.first().and_then(|(_, path)| binary(path)) else { return files };
    files.sort_by_cached_key(|(_, path)| {
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        place_in(&bytes, stem.trim_start_matches("TEST-")).unwrap_or(usize::MAX)
    });
    files
}

/// Where the name stands in a file of Kryo's, which marks the last letter of each name.
fn place_in(bytes: &[u8], name: &str) -> Option<usize> {
    let mut wanted = name.as_bytes().to_vec();
    *wanted.last_mut()? |= 0x80;
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Listed(Test);

    impl AsRef<Test> for Listed {
        fn as_ref(&self) -> &Test {
            &self.0
        }
    }

    fn test(id: &str) -> Listed {
        let class = id.split('#').next().unwrap();
        Listed(Test {
            id: TestId(id.to_owned()),
            group: class.to_owned(),
            file: String::new(),
            line: 1,
            markers: vec![],
        })
    }

    fn reports() -> Reports {
        let mut reports = Reports::default();
        reports.add(
            Path::new("TEST-a.FooTest.xml"),
            r#"<testsuite name="a.FooTest"><testcase classname="a.FooTest" name="two" time="0.1"/>
               <testcase classname="a.FooTest" name="one"><failure message="x" type="y"/></testcase></testsuite>"#,
        );
        reports.add(
            Path::new("TEST-a.BarTest$Inner.xml"),
            r#"<testsuite><testcase classname="a.BarTest$Inner" name="many(int)[1]"/>
               <testcase classname="a.BarTest$Inner" name="many(int)[2]"><error/></testcase>
               <testcase classname="a.BarTest" name="off"><skipped/></testcase></testsuite>"#,
        );
        reports
    }

    #[test]
    fn classes_stand_in_the_order_of_their_reports() {
        assert_eq!(reports().classes, ["a.FooTest", "a.BarTest"]);
    }

    #[test]
    fn tests_of_a_class_stand_as_they_ran() {
        let mut tests =
            [test("a.FooTest#one"), test("a.FooTest#two"), test("a.BarTest$Inner#many"), test("a.X#y")];
        reports().arrange(&mut tests);
        let ids: Vec<&str> = tests.iter().map(|test| test.0.id.0.as_str()).collect();
        assert_eq!(ids, ["a.FooTest#two", "a.FooTest#one", "a.BarTest$Inner#many", "a.X#y"]);
    }

    #[test]
    fn the_worst_invocation_is_the_outcome() {
        let tests =
            [test("a.FooTest#two"), test("a.BarTest$Inner#many"), test("a.BarTest#off"), test("a.X#y")];
        let outcomes: Vec<Outcome> = reports()
            .outcomes(tests.iter().map(|test| &test.0))
            .into_iter()
            .map(|(_, outcome)| outcome)
            .collect();
        assert_eq!(outcomes, [Outcome::Passed, Outcome::Failed, Outcome::Skipped]);
    }

    #[test]
    fn a_run_of_another_machine_is_read_in_its_order_with_what_it_does_not_tell() {
        let tests = ["a.FooTest#one", "a.FooTest#many", "a.FooTest#over[1]", "a.FooTest#over[2]"];
        let suite = Suite::new("junit", tests.into_iter().map(|id| test(id).0).collect());
        let case = |name: &str, inner: &str| {
            format!(r#"<testcase classname="a.FooTest" name="{name}">{inner}</testcase>"#)
        };
        let cases = [
            case("many(int)[1]", "<failure/>"),
            case("many(int)[2]", ""),
            case("one()", ""),
            case("over(int)", ""),
            case("gone", ""),
        ];
        let run = read_foreign(&suite, &format!("<testsuite>{}</testsuite>", cases.concat())).unwrap();
        let steps: Vec<_> = run.steps.iter().map(|step| (step.test.0, step.outcome)).collect();
        assert_eq!(steps, [(1, Outcome::Failed), (0, Outcome::Passed)]);
        assert_eq!((run.ambiguous.len(), run.unknown), (1, vec!["a.FooTest gone".to_owned()]));
    }

    #[test]
    fn a_name_is_found_whole_in_the_binary_results() {
        let bytes = b"..a.FooTes\xf4..a.Fo\xef";
        assert_eq!(place_in(bytes, "a.FooTest"), Some(2));
        assert_eq!(place_in(bytes, "a.Foo"), Some(13));
        assert_eq!(place_in(bytes, "a.Bar"), None);
    }
}

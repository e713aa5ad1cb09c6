//! Candidates for state that tests hand to each other: fixtures that outlive a test, parameters, and what is left open.

use anyorder_model::{CellKind, Placement, State, Strength};
use anyorder_source::{Shape, Target};

use super::matter::{Matter, functions_in_words, in_words, tests_of};
use super::recipe::{Edit, Step};
use super::site::{Site, file_and_line, is_fixture, read};
use super::text::module;
use crate::candidate::Candidate;

/// Candidates for cells of these kinds, if the problem is one such cell.
pub(super) fn local(matter: &Matter<'_>) -> Vec<Candidate> {
    let [state] = &matter.problem.cells[..] else { return left_open(matter) };
    let candidate = match state.kind {
        Some(CellKind::LeftOver) => closed(matter, state),
        Some(CellKind::File) => elsewhere(matter),
        _ if state.cell.starts_with("fixture ") => narrowed(matter, state),
        _ if state.cell.starts_with("parameter ") => copied(matter, state),
        _ => None,
    };
    candidate.into_iter().collect()
}

/// The fixture is made anew for each test.
fn narrowed(matter: &Matter<'_>, state: &State) -> Option<Candidate> {
    let name = state.cell.strip_prefix("fixture ")?.split(' ').next()?;
    let tests = matter.problem.polluters.iter().chain(&matter.problem.sufferers);
    let (file, site) =
        tests.filter_map(|&test| matter.suite.id(test).0.split("::").next()).find_map(|file| {
            let files = std::iter::once(file.to_owned()).chain(conftests(file));
            files.into_iter().find_map(|file| Some((file.clone(), fixture_in(matter, &file, name)?)))
        })?;
    let decorator = site.function.decorators.iter().find(|decorator| is_fixture(decorator.text.as_str()))?;
    let to = without_scope(decorator.text.as_str())?;
    let from = decorator.text.to_string();
    let edit = Edit::Redecorate { function: site.function.names.clone(), from, to };
    let summary = format!("make the fixture `{name}` anew for each test");
    let candidate = matter.candidate(vec![Step { file, edit }], Placement::File, summary, vec![]);
    Some(Candidate { strength: Strength::Unsafe, ..candidate })
}

fn fixture_in(matter: &Matter<'_>, file: &str, name: &str) -> Option<Site> {
    let source = read(matter.tree, file)?;
    let function = source.functions().iter().find(|function| function.name() == name)?.clone();
    let site = Site { file: file.to_owned(), source, function };
    site.fixture_scope().is_some().then_some(site)
}

/// The `conftest.py` files that a test file sees, nearest first.
fn conftests(file: &str) -> Vec<String> {
    let parts: Vec<&str> = file.split('/').collect();
    let directories = (0..parts.len()).rev().map(|depth| &parts[..depth]);
    directories.map(|directory| [directory, &["conftest.py"]].concat().join("/")).collect()
}

/// `pytest.fixture(scope="session", autouse=True)` becomes `pytest.fixture(autouse=True)`.
fn without_scope(decorator: &str) -> Option<String> {
    let (name, arguments) = decorator.strip_suffix(')')?.split_once('(')?;
    let all: Vec<&str> =
        arguments.split(',').map(str::trim).filter(|argument| !argument.is_empty()).collect();
    let left: Vec<&str> = all.iter().copied().filter(|argument| !argument.starts_with("scope")).collect();
    let is_changed = left.len() < all.len();
    is_changed.then(|| if left.is_empty() { name.to_owned() } else { format!("{name}({})", left.join(", ")) })
}

/// The polluters work on a copy.
fn copied(matter: &Matter<'_>, state: &State) -> Option<Candidate> {
    let name = state.cell.strip_prefix("parameter ")?.split(' ').next()?;
    let line = format!("{name} = {}.deepcopy({name})", module("copy"));
    let sites = matter.sites(&matter.problem.polluters)?;
    let step = |site: &Site| Step {
        file: site.file.clone(),
        edit: Edit::First { function: site.function.names.clone(), lines: vec![line.clone()] },
    };
    let steps = sites.iter().map(|(_, site)| step(site)).collect();
    let edited = tests_of(&sites);
    let summary = format!("let the tests that change the parameter `{name}` work on a copy");
    Some(matter.candidate(steps, Placement::Polluter, summary, edited))
}

/// What tests call on things that are to go.
const ENDINGS: [&[&str]; 5] =
    [&["close"], &["shutdown", "server_close"], &["stop"], &["shutdown"], &["terminate"]];

/// Where nothing is known, what a polluter has opened may still be open: it is closed as other tests do it, or as usual.
fn left_open(matter: &Matter<'_>) -> Vec<Candidate> {
    let sites = matter.sites(&matter.problem.polluters).filter(|_| matter.problem.cells.is_empty());
    let Some([(test, site)]) = sites.as_deref() else { return vec![] };
    let mut candidates = vec![];
    for statement in site.function.statements() {
        let Shape::Assign { targets, value } = &statement.shape else { continue };
        let [Target::Name(name)] = &targets[..] else { continue };
        let elsewhere = endings_elsewhere(site, value);
        let usual = ENDINGS.iter().map(|methods| methods.iter().map(|&method| method.to_owned()).collect());
        let all =
            Some(elsewhere).filter(|methods: &Vec<String>| !methods.is_empty()).into_iter().chain(usual);
        for methods in all.filter(|_| value.ends_with(')') && !is_ended(site, name)) {
            let steps = finalizers(site, &statement.text, name, &methods);
            let calls: Vec<String> = methods.iter().map(|method| format!("`{name}.{method}()`")).collect();
            let summary = format!("call {} behind `{}`", in_words(&calls), site.function.name());
            candidates.push(matter.candidate(steps, Placement::Polluter, summary, vec![*test]));
        }
    }
    candidates
}

/// What other tests of the file call on what they get from the same expression, if it sounds like an end.
fn endings_elsewhere(site: &Site, value: &str) -> Vec<String> {
    let is_ending = |method: &str| ENDINGS.iter().any(|methods| methods.contains(&method));
    let others = site.source.functions().iter().filter(|other| other.names != site.function.names);
    let found = others.filter_map(|other| {
        let name = other.statements().iter().find_map(|statement| match &statement.shape {
            Shape::Assign { targets, value: same } if *same == *value => match &targets[..] {
                [Target::Name(name)] => Some(name.clone()),
                _ => None,
            },
            _ => None,
        })?;
        let calls = other.statements().iter().flat_map(|statement| &statement.calls);
        let receivers = calls.filter_map(anyorder_source::Call::receiver);
        let methods = receivers.filter(|(object, method)| *object == name && is_ending(method));
        Some(methods.map(|(_, method)| method.to_string()).collect::<Vec<_>>())
    });
    found.into_iter().find(|methods| !methods.is_empty()).unwrap_or_default()
}

/// Whether the function ends it itself.
fn is_ended(site: &Site, name: &str) -> bool {
    let calls = site.function.statements().iter().flat_map(|statement| &statement.calls);
    let mut receivers = calls.filter_map(anyorder_source::Call::receiver);
    receivers
        .any(|(object, method)| object == *name && ENDINGS.iter().any(|all| all.contains(&method.as_str())))
}

/// These methods are called behind the test, the first first.
fn finalizers(site: &Site, statement: &str, name: &str, methods: &[String]) -> Vec<Step> {
    let function = site.function.names.clone();
    let step = |edit| Step { file: site.file.clone(), edit };
    let is_unittest = site.is_unittest();
    let finalizer = if is_unittest { "self.addCleanup" } else { "request.addfinalizer" };
    // What is added last is done first.
    let lines = methods.iter().rev().map(|method| format!("{finalizer}({name}.{method})")).collect();
    let behind = Edit::Behind { function: function.clone(), statement: statement.to_owned(), lines };
    let parameter = Edit::Parameter { function, name: "request".to_owned() };
    std::iter::once(step(behind)).chain(Some(step(parameter)).filter(|_| !is_unittest)).collect()
}

/// What a polluter opens is closed behind it.
fn closed(matter: &Matter<'_>, state: &State) -> Option<Candidate> {
    let mut lines = state.written.iter().chain(&state.stack);
    let (site, statement, name) = lines.find_map(|line| opening(matter, line))?;
    let steps = finalizers(&site, &statement, &name, &["close".to_owned()]);
    let summary = format!("close `{name}` behind `{}`", site.function.name());
    Some(matter.candidate(steps, Placement::Polluter, summary, vec![]))
}

/// A statement on this line that gives a name to what it opens.
fn opening(matter: &Matter<'_>, line: &str) -> Option<(Site, String, String)> {
    let site = Site::of_line(&matter.original, line)?;
    let statement = site.statement(file_and_line(line)?.1)?;
    let Shape::Assign { targets, .. } = &statement.shape else { return None };
    let [target] = &targets[..] else { return None };
    let name = match target {
        Target::Name(name) => name.to_string(),
        Target::Attribute { object, name } => format!("{object}.{name}"),
        _ => return None,
    };
    Some((site, statement.text.to_string(), name))
}

/// Code under test that changes its argument in place makes a new value instead: for somebody who knows that code.
pub(super) fn in_code(matter: &Matter<'_>) -> Option<Candidate> {
    let [state] = &matter.problem.cells[..] else { return None };
    let line = state.written.as_deref()?;
    let site = Site::of_line(&matter.original, line)?;
    let statement = site.statement(file_and_line(line)?.1)?;
    let Shape::AugAssign { target: Target::Name(name), operator, value } = &statement.shape else {
        return None;
    };
    site.function.parameters.iter().find(|parameter| parameter.name == *name)?;
    let by = format!("{name} = {name} {operator} {value}");
    let function = site.function.names.clone();
    let edit = Edit::Replace { function, statement: statement.text.to_string(), by };
    let summary = format!("let `{}` leave its argument `{name}` as it is", site.function.name());
    let step = Step { file: site.file.clone(), edit };
    let candidate = matter.candidate(vec![step], Placement::Code, summary, vec![]);
    Some(Candidate { strength: Strength::Show, ..candidate })
}

/// Tests that leave files where they run do so in a directory of their own.
fn elsewhere(matter: &Matter<'_>) -> Option<Candidate> {
    let sites = matter.sites(&matter.problem.polluters)?;
    let mut steps = vec![];
    for (_, site) in &sites {
        if site.is_unittest() {
            return None;
        }
        let function = site.function.names.clone();
        let lines = vec!["monkeypatch.chdir(tmp_path)".to_owned()];
        let edits = [
            Edit::First { function: function.clone(), lines },
            Edit::Parameter { function: function.clone(), name: "monkeypatch".to_owned() },
            Edit::Parameter { function, name: "tmp_path".to_owned() },
        ];
        steps.extend(edits.map(|edit| Step { file: site.file.clone(), edit }));
    }
    let summary = format!("let {} work in a directory of its own", functions_in_words(&sites));
    let edited = tests_of(&sites);
    Some(matter.candidate(steps, Placement::Polluter, summary, edited))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fixture_without_a_scope_keeps_its_other_options() {
        assert_eq!(without_scope("pytest.fixture(scope=\"session\")").as_deref(), Some("pytest.fixture"));
        let autouse = without_scope("fixture(autouse=True, scope='module')");
        assert_eq!(autouse.as_deref(), Some("fixture(autouse=True)"));
        assert_eq!(without_scope("pytest.fixture"), None);
        assert_eq!(without_scope("pytest.fixture(autouse=True)"), None);
    }

    #[test]
    fn a_test_sees_the_conftest_of_each_directory_above_it() {
        assert_eq!(
            conftests("tests/unit/test_a.py"),
            ["tests/unit/conftest.py", "tests/conftest.py", "conftest.py"]
        );
    }
}

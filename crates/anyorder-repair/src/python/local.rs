//! Candidates for state that tests hand to each other: fixtures that outlive a test, parameters, and files.

use anyorder_model::{CellKind, Placement, State, Strength};
use anyorder_source::{Shape, Target};

use super::matter::{Matter, tests_of};
use super::names::functions_in_words;
use super::recipe::{Edit, Step};
use super::setup::narrower;
use super::site::{Site, file_and_line, read};
use super::text::module;
use crate::candidate::Candidate;

/// Candidates for cells of these kinds, if the problem is one such cell.
pub(super) fn local(matter: &Matter<'_>) -> Vec<Candidate> {
    let [state] = &matter.problem.cells[..] else { return vec![] };
    let candidate = match state.kind {
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
    let summary = format!("make the fixture `{name}` anew for each test");
    let candidate = matter.candidate(vec![anew(matter, name)?], Placement::File, summary, vec![]);
    Some(Candidate { strength: Strength::Unsafe, ..candidate })
}

/// Makes a fixture of the problem's tests anew for each test; nothing if it is.
pub(super) fn anew(matter: &Matter<'_>, name: &str) -> Option<Step> {
    let tests = matter.problem.polluters.iter().chain(&matter.problem.sufferers);
    let site = tests.filter_map(|&test| matter.suite.id(test).0.split("::").next()).find_map(|file| {
        let files = std::iter::once(file.to_owned()).chain(conftests(file));
        files.into_iter().find_map(|file| fixture_in(matter, &file, name))
    })?;
    Some(Step { edit: narrower(&site)?, file: site.file })
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
pub(super) fn without_scope(decorator: &str) -> Option<String> {
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

/// Code under test that changes its argument in place makes a new value instead: for somebody who knows that code.
pub(super) fn in_code(matter: &Matter<'_>) -> Option<Candidate> {
    let [state] = &matter.problem.cells[..] else { return None };
    let line = state.written.as_deref()?;
    let site = Site::of_line(&matter.original, line).filter(|site| matter.is_under_test(&site.file))?;
    let statement = site.statement(file_and_line(line)?.1)?;
    let Shape::AugAssign { target: Target::Name(name), operator, value } = &statement.shape else {
        return None;
    };
    site.function.parameters.iter().find(|parameter| parameter.name == *name)?;
    let value = if is_atom(value) { value.to_string() } else { format!("({value})") };
    let by = format!("{name} = {name} {operator} {value}");
    let function = site.function.names.clone();
    let edit = Edit::Replace { function, statement: statement.text.to_string(), by };
    let summary = format!("let `{}` leave its argument `{name}` as it is", site.function.name());
    let step = Step { file: site.file.clone(), edit };
    let candidate = matter.candidate(vec![step], Placement::Code, summary, vec![]);
    Some(Candidate { strength: Strength::Show, ..candidate })
}

/// Whether an expression stays what it is behind any operator: names, and what is called or in brackets as a whole.
fn is_atom(expression: &str) -> bool {
    let mut depth = 0;
    expression.chars().all(|letter| {
        depth += i32::from("([{".contains(letter)) - i32::from(")]}".contains(letter));
        depth > 0 || letter.is_alphanumeric() || "._)]}".contains(letter)
    })
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
    fn what_would_become_something_else_behind_an_operator_gets_parentheses() {
        for atom in ["a", "a.b", "[a, b]", "f(a)(b)", "{a: b}", "10"] {
            assert!(is_atom(atom), "{atom}");
        }
        for other in ["a - b", "[a] if b else []", "(a) + (b)", "not a", "[a][0] + b", "\"a\" \"b\""] {
            assert!(!is_atom(other), "{other}");
        }
    }

    #[test]
    fn a_test_sees_the_conftest_of_each_directory_above_it() {
        assert_eq!(
            conftests("tests/unit/test_a.py"),
            ["tests/unit/conftest.py", "tests/conftest.py", "conftest.py"]
        );
    }
}

//! Reads the results that plain pytest writes with `--junitxml`: the only account of a plain run that is built in.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use anyorder_model::{ForeignRun, Order, Outcome, Phase, Signature, Step, Suite, TestId, TestIndex};
use roxmltree::{Document, Node};

/// The tests in the order that ran; `None` if `text` is no such file.
pub(crate) fn read(suite: &Suite, order: &Order, text: &str) -> Option<Vec<Step>> {
    Some(read_cases(suite, order.tests().iter().copied(), text)?.steps)
}

/// The same for a file of another machine, which may have other tests.
pub(crate) fn read_foreign(suite: &Suite, text: &str) -> Option<ForeignRun> {
    read_cases(suite, suite.indices(), text)
}

fn read_cases(suite: &Suite, tests: impl Iterator<Item = TestIndex>, text: &str) -> Option<ForeignRun> {
    let document = Document::parse(text).ok()?;
    let mut names: HashMap<(String, String), BTreeSet<TestIndex>> = HashMap::new();
    for (name, test) in tests.flat_map(|test| spellings(suite.id(test)).map(|name| (name, test))) {
        names.entry(name).or_default().insert(test);
    }
    let mut run = ForeignRun::default();
    for case in document.descendants().filter(|node| node.has_tag_name("testcase")) {
        // A test that was interrupted has no name.
        let Some((class, name)) = case.attribute("classname").zip(case.attribute("name")) else { continue };
        let tests = names.get(&(class.to_owned(), name.to_owned()));
        match tests.map(|tests| (tests.len(), tests.first())) {
            Some((1, Some(&test))) => note(&mut run.steps, step_of(test, &case)),
            Some(_) => run.ambiguous.push(format!("{class} {name}")),
            None => run.unknown.push(format!("{class} {name}")),
        }
    }
    Some(run)
}

/// A failed test whose tear-down fails too is written as two cases.
fn note(steps: &mut Vec<Step>, step: Step) {
    let is_same_execution = step.phase == Some(Phase::Teardown)
        && steps.last().is_some_and(|last| last.test == step.test && last.outcome == Outcome::Failed);
    if !is_same_execution {
        steps.push(step);
    }
}

/// pytest writes characters that XML does not have as `#x1B`; before version 9 that went for all beyond the first plane too.
fn spellings(id: &TestId) -> [(String, String); 2] {
    let spell = |last_legal: char| {
        let (class, name) = class_and_name(id);
        (escaped(&class, last_legal), escaped(&name, last_legal))
    };
    [spell(char::MAX), spell('\u{fffd}')]
}

fn escaped(text: &str, last_legal: char) -> String {
    let is_legal = |c: char| {
        matches!(c, '\t' | '\n' | '\r' | ' '..='~' | '\u{80}'..='\u{fffd}')
            || c > '\u{ffff}' && c <= last_legal
    };
    text.chars()
        .map(|c| match u32::from(c) {
            _ if is_legal(c) => c.to_string(),
            code @ ..=0xff => format!("#x{code:02X}"),
            code => format!("#x{code:04X}"),
        })
        .collect()
}

/// How pytest writes an id into `classname` and `name`.
fn class_and_name(id: &TestId) -> (String, String) {
    let (path, parameters) = id.0.find('[').map_or((id.0.as_str(), ""), |at| id.0.split_at(at));
    let mut names: Vec<String> = path.split("::").map(str::to_owned).collect();
    names[0] = names[0].strip_suffix(".py").unwrap_or(&names[0]).replace('/', ".");
    let last = names.pop().unwrap_or_default() + parameters;
    (names.join("."), last)
}

fn step_of(test: TestIndex, case: &Node<'_, '_>) -> Step {
    let seconds: f64 = case.attribute("time").and_then(|time| time.parse().ok()).unwrap_or_default();
    let mut step = Step::bare(test, Outcome::Passed);
    step.duration = Duration::try_from_secs_f64(seconds).unwrap_or_default();
    let weight = |child: &Node<'_, '_>| match child.tag_name().name() {
        "failure" => 2,
        "error" => 1,
        _ => 0,
    };
    let mut children: Vec<Node<'_, '_>> = case.children().collect();
    children.sort_by_key(|child| std::cmp::Reverse(weight(child)));
    for child in children {
        let message = child.attribute("message").unwrap_or_default();
        (step.outcome, step.phase) = match child.tag_name().name() {
            "failure" => (Outcome::Failed, Some(Phase::Call)),
            "error" if message.starts_with("failed on teardown") => (Outcome::Error, Some(Phase::Teardown)),
            "error" => (Outcome::Error, Some(Phase::Setup)),
            "skipped" if child.attribute("type") == Some("pytest.xfail") => {
                (Outcome::Xfailed, Some(Phase::Call))
            }
            "skipped" => (Outcome::Skipped, Some(Phase::Setup)),
            _ => continue,
        };
        step.signature = Some(signature_of(message));
        break;
    }
    let texts: Vec<&str> =
        case.children().filter_map(|child| child.text()).filter(|text| !text.trim().is_empty()).collect();
    step.output = Some(texts.join("\n"));
    step
}

/// pytest writes `Type: message`, and for errors `failed on setup with "Type: message"`.
fn signature_of(message: &str) -> Signature {
    let inner = message.split_once(" with \"").map_or(message, |(_, rest)| rest.trim_end_matches('"'));
    let first = inner.lines().next().unwrap_or_default();
    let is_type =
        |word: &str| !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
    match first.split_once(": ") {
        Some((kind, rest)) if is_type(kind) => {
            Signature { kind: kind.to_owned(), message: rest.to_owned(), at: None }
        }
        _ => Signature { kind: String::new(), message: first.to_owned(), at: None },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyorder_model::Test;

    fn suite(ids: &[&str]) -> Suite {
        let test = |id: &&str| Test::in_file(*id, "");
        Suite::new("pytest", ids.iter().map(test).collect())
    }

    #[test]
    fn the_order_in_the_file_is_the_order_that_ran() {
        let suite =
            suite(&["tests/test_a.py::TestX::test_y[a.b::c]", "tests/test_a.py::test_z", "x.py::other"]);
        let text = r#"<testsuites><testsuite>
            <testcase classname="tests.test_a" name="test_z" time="0.5"><failure message="ValueError: no">x</failure></testcase>
            <testcase classname="tests.test_a" name="test_z" time="0"><error message="failed on teardown with &quot;OSError: late&quot;"/></testcase>
            <testcase classname="tests.test_a.TestX" name="test_y[a.b::c]" time="0"><skipped type="pytest.skip" message="why"/></testcase>
        </testsuite></testsuites>"#;
        let steps = read(&suite, &Order::original(&suite), text).unwrap();
        let seen: Vec<_> = steps.iter().map(|step| (step.test.0, step.outcome)).collect();
        assert_eq!(seen, [(1, Outcome::Failed), (0, Outcome::Skipped)]);
        assert_eq!(steps[0].signature.as_ref().unwrap().to_string(), "ValueError: no");
    }

    #[test]
    fn a_test_that_was_interrupted_is_not_among_the_results() {
        let suite = suite(&["a.py::b", "a.py::c"]);
        let text =
            r#"<testsuites><testcase classname="a" name="b" time="0"/><testcase time="0.1"/></testsuites>"#;
        assert_eq!(read(&suite, &Order::original(&suite), text).unwrap().len(), 1);
    }

    #[test]
    fn cases_that_are_no_test_or_several_are_told_apart() {
        let suite = suite(&["a/b.py::C::d", "a/b/C.py::d", "x.py::T::p[1-a.b]"]);
        let case = |class: &str, name: &str| format!(r#"<testcase classname="{class}" name="{name}"/>"#);
        let text = [case("x.T", "p[1-a.b]"), case("a.b.C", "d"), case("x.T", "p[2]")].concat();
        let run = read_foreign(&suite, &format!("<testsuite>{text}</testsuite>")).unwrap();
        assert_eq!(run.steps.iter().map(|step| step.test.0).collect::<Vec<_>>(), [2]);
        assert_eq!((run.ambiguous, run.unknown), (vec!["a.b.C d".to_owned()], vec!["x.T p[2]".to_owned()]));
    }

    #[test]
    fn half_a_file_is_no_result() {
        let suite = suite(&["a.py::b"]);
        assert!(read(&suite, &Order::original(&suite), "<testsuites><testsu").is_none());
    }
}

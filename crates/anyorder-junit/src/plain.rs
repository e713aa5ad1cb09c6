//! The plain runner: one readable source file that runs an order with JUnit's own API, in a JVM like the user's build has.
//! It is compiled once, beside its source, because that takes longer than most orders.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use std::{fs, io};

use anyorder_engine::{PlainCall, PlainCommand};
use anyorder_model::{Order, Outcome, Phase, Signature, Step, Suite};

use crate::java::{argument_file, plain_arguments, with_environment};
use crate::module::Module;
use crate::{agent, jdk};

/// The runner for each kind of class path: what has to be on it, and the source.
const RUNNERS: [(&str, &str); 3] = [
    (
        "org/junit/platform/launcher/Launcher.class",
        include_str!("../../../agents/junit/plain/platform/AnyorderOrder.java"),
    ),
    ("org/junit/runner/JUnitCore.class", include_str!("../../../agents/junit/plain/four/AnyorderOrder.java")),
    ("junit/framework/TestCase.class", include_str!("../../../agents/junit/plain/three/AnyorderOrder.java")),
];

const MAIN: &str = "AnyorderOrder";
const SOURCE: &str = "AnyorderOrder.java";

/// A command that runs the order; its files stay where the command line says.
pub(crate) fn command(module: &Module, call: &PlainCall<'_>) -> io::Result<PlainCommand> {
    let capture = &module.capture;
    let place = call.files.join(fingerprint(module.name.as_bytes()));
    fs::create_dir_all(&place)?;
    let source = RUNNERS.iter().find(|(class, _)| jdk::has_class(&capture.class_path, class));
    let (_, source) = source.ok_or_else(|| io::Error::other("no JUnit on the class path of the tests"))?;
    let runner = place.join(format!("runner-{}", fingerprint(source.as_bytes())));
    if !runner.is_dir() {
        agent::unpack_compiled(&capture.java_home, (SOURCE, source), &capture.class_path, &runner)
            .map_err(io::Error::other)?;
    }
    let words = argument_file(&plain_arguments(capture, &runner));
    let arguments = place.join(format!("arguments-{}.txt", fingerprint(words.as_bytes())));
    PlainCall::write(&arguments, words.as_bytes())?;
    let order = write_order(&place, call)?;
    let used = match &call.moved {
        Some((original, copy)) => {
            let moved = capture.clone().moved(original, copy);
            let used = call.results.with_extension("arguments");
            fs::write(&used, argument_file(&plain_arguments(&moved, &runner)))?;
            used
        }
        None => arguments.clone(),
    };
    let words = [format!("@{}", arguments.display()), MAIN.to_owned(), order.display().to_string()];
    let java = capture.java();
    let shown = show(module, &java, &words);
    let mut command = Command::new(java);
    command.current_dir(&capture.directory);
    with_environment(&mut command, &module.environment);
    command
        .arg(format!("@{}", used.display()))
        .arg(format!("-Danyorder.results={}", call.results.display()))
        .args(&words[1..]);
    Ok(PlainCommand { command, shown })
}

/// One test on each line, with its group where the id does not tell.
fn write_order(place: &Path, call: &PlainCall<'_>) -> io::Result<PathBuf> {
    let line = |&test: &anyorder_model::TestIndex| {
        let test = call.suite.test(test);
        if test.id.0.split('#').next() == Some(&test.group) {
            format!("{}\n", test.id)
        } else {
            format!("{}\t{}\n", test.group, test.id)
        }
    };
    let text: String = call.order.tests().iter().map(line).collect();
    let path = place.join(format!("order-{}.txt", fingerprint(text.as_bytes())));
    PlainCall::write(&path, text.as_bytes())?;
    Ok(path)
}

/// A name for each content, so that a command line that was printed keeps its meaning.
fn fingerprint(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..8].to_owned()
}

/// The command line as one would type it into a shell, in the project's directory.
fn show(module: &Module, java: &Path, words: &[String]) -> String {
    let quote =
        |word: &str| shlex::try_quote(word).map_or_else(|_| word.to_owned(), std::borrow::Cow::into_owned);
    let relative = |path: &str| {
        let (at, path) = path.strip_prefix('@').map_or(("", path), |path| ("@", path));
        let inside = Path::new(path)
            .strip_prefix(&module.capture.directory)
            .map(|inside| inside.display().to_string());
        format!("{at}{}", inside.unwrap_or_else(|_| path.to_owned()))
    };
    let set = module.environment.iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
    let variables = set.map(|(name, value)| format!("{name}={}", quote(value)));
    let words = std::iter::once(java.display().to_string()).chain(words.iter().map(|word| relative(word)));
    let line = variables.chain(words.map(|word| quote(&word))).collect::<Vec<_>>().join(" ");
    if module.capture.directory == module.home {
        line
    } else {
        let place = module.capture.directory.strip_prefix(&module.home).unwrap_or(&module.capture.directory);
        format!("(cd {} && {line})", quote(&place.display().to_string()))
    }
}

/// The tests in the order that ran.
pub(crate) fn read_results(suite: &Suite, order: &Order, text: &str) -> Option<Vec<Step>> {
    let asked: BTreeSet<_> = order.tests().iter().copied().collect();
    let steps = text.lines().map(|line| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [outcome, seconds, id, rest @ ..] = &fields[..] else { return None };
        let test = suite.index_of(&anyorder_model::TestId((*id).to_owned()))?;
        let field = |at: usize| rest.get(at).copied().filter(|text| !text.is_empty());
        let signature = field(0).map(|kind| Signature {
            kind: kind.to_owned(),
            message: field(1).unwrap_or_default().to_owned(),
            at: field(2).map(str::to_owned),
        });
        let seconds: f64 = seconds.parse().ok()?;
        Some(Step {
            phase: field(3).and_then(named::<Phase>),
            signature,
            duration: Duration::try_from_secs_f64(seconds).unwrap_or_default(),
            ..Step::bare(test, named::<Outcome>(outcome)?)
        })
    });
    let steps: Option<Vec<Step>> = steps.collect();
    steps.map(|steps| steps.into_iter().filter(|step| asked.contains(&step.test)).collect())
}

/// A word of the wire.
fn named<T: serde::de::DeserializeOwned>(word: &str) -> Option<T> {
    serde_json::from_value(serde_json::Value::String(word.to_owned())).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyorder_model::{Test, TestId};

    #[test]
    fn results_are_read_in_the_order_that_ran() {
        let test = |id: &str| Test {
            id: TestId(id.to_owned()),
            group: "a.B".to_owned(),
            file: String::new(),
            line: 1,
            markers: vec![],
        };
        let suite = Suite::new("junit", ["a.B#x", "a.B#y"].map(test).to_vec());
        let text =
            "failed\t0.5\ta.B#y\tjava.lang.AssertionError\tno\tB.java:3\tcall\npassed\t0.1\ta.B#x\t\t\t\t\n";
        let steps = read_results(&suite, &Order::original(&suite), text).unwrap();
        let seen: Vec<_> = steps.iter().map(|step| (step.test.0, step.outcome)).collect();
        assert_eq!(seen, [(1, Outcome::Failed), (0, Outcome::Passed)]);
        assert_eq!(
            steps[0].signature.as_ref().unwrap().to_string(),
            "java.lang.AssertionError: no (B.java:3)"
        );
        assert!(read_results(&suite, &Order::original(&suite), "passed\t0.").is_none());
    }
}

//! Command lines for plain pytest that run a given order.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::process::Command;
use std::{fs, io};

use anyorder_engine::wire::Hello;
use anyorder_engine::{PlainCall, PlainCommand, Rung};
use anyorder_model::{Order, Suite, TestId};

use crate::agent::ORDER_PLUGIN;

/// How many bytes of test ids a command line may have; systems allow at least this.
const LONGEST: usize = 100_000;

/// What puts right each option that the agent has overridden, so that a plain run does what the agent's run did.
const OVERRIDES: [(&str, &str); 10] = [
    ("numprocesses", "-n0"),
    ("randomly_reorganize", "--randomly-dont-reorganize"),
    ("randomly_seed", "--randomly-seed=1"),
    ("random_order_bucket", "--random-order-bucket=none"),
    ("count", "--count=1"),
    ("reruns", "--reruns=0"),
    ("retries", "--retries=0"),
    ("maxfail", "--maxfail=0"),
    ("no_cov", "--no-cov"),
    ("dist", "--dist=no"),
];

/// Whether plain pytest can be told this order by naming the tests: it runs a test that is named twice only once.
pub(crate) fn fits_on_command_line(suite: &Suite, order: &Order) -> bool {
    if *order == Order::original(suite) {
        return true;
    }
    let mut tests = order.tests().to_vec();
    tests.sort_unstable();
    let has_repeats = tests.windows(2).any(|pair| pair[0] == pair[1]);
    !has_repeats && tests.iter().map(|&test| suite.id(test).0.len() + 1).sum::<usize>() < LONGEST
}

/// The original order is what pytest does by itself; for any other it is told ids, or reads them through the plugin.
pub(crate) fn command(call: &PlainCall<'_>) -> io::Result<PlainCommand> {
    let targets = call.collected.unwrap_or(&call.hello.targets).iter().map(OsString::from);
    let directory = Path::new(&call.hello.directory);
    let mut arguments: Vec<OsString> = vec!["-m".into(), "pytest".into()];
    arguments.extend(call.hello.options.iter().map(OsString::from));
    let overridden = |name: &str| call.hello.overridden.iter().any(|overridden| overridden == name);
    arguments.extend(OVERRIDES.iter().filter(|(name, _)| overridden(name)).map(|(_, option)| option.into()));
    if !call.suite.errors.is_empty() {
        arguments.push("--continue-on-collection-errors".into());
    }
    let mut variables = variables_of(call.hello);
    match call.rung {
        Rung::Plain if *call.order == Order::original(call.suite) => arguments.extend(targets),
        Rung::Plain => {
            let root = Path::new(&call.hello.root);
            arguments.extend(
                call.order.ids(call.suite).into_iter().map(|id| from_here(id, root, directory).into()),
            );
        }
        Rung::PlainOrdered => {
            let mut path = call.files.as_os_str().to_owned();
            if let Some(users) = call.hello.environment.get("PYTHONPATH").filter(|users| !users.is_empty()) {
                path.push(":");
                path.push(users);
            }
            variables.insert("PYTHONPATH", path);
            variables.insert("ANYORDER_ORDER", write_order(call)?.into());
            arguments.extend(["-p", "anyorder_order"].map(OsString::from));
            arguments.extend(targets);
        }
    }
    let shown = show(&variables, &call.hello.executable, &arguments);
    let mut command = Command::new(&call.hello.executable);
    command.current_dir(directory).args(arguments).envs(variables);
    if let Some(seed) = call.seed {
        command.env("PYTHONHASHSEED", seed.to_string()); // not shown: it must hold under any
    }
    let logging = if call.output { "junit_logging=all" } else { "junit_logging=no" };
    command.arg("--junitxml").arg(call.results).args(["--junitprefix=", "-o", logging]);
    Ok(PlainCommand { command, shown })
}

/// What the command that started pytest has set, beyond our own environment.
fn variables_of(hello: &Hello) -> BTreeMap<&str, OsString> {
    const PASSING: [&str; 5] = ["PYTEST_VERSION", "PWD", "OLDPWD", "SHLVL", "_"];
    let differs = |name: &str, value: &str| std::env::var_os(name).is_none_or(|ours| ours != *value);
    let set = hello
        .environment
        .iter()
        .filter(|(name, value)| !PASSING.contains(&name.as_str()) && differs(name, value));
    set.map(|(name, value)| (name.as_str(), OsString::from(value))).collect()
}

/// The id as pytest takes it in `directory`: ids are relative to the root, arguments to the working directory.
fn from_here(id: &TestId, root: &Path, directory: &Path) -> String {
    if root == directory {
        return id.0.clone();
    }
    let (file, rest) = id.0.split_once("::").map_or((id.0.as_str(), None), |(file, rest)| (file, Some(rest)));
    let file = relative_to(&root.join(file), directory);
    let file = file.to_string_lossy();
    rest.map_or_else(|| file.to_string(), |rest| format!("{file}::{rest}"))
}

fn relative_to(path: &Path, directory: &Path) -> PathBuf {
    let shared = path.components().zip(directory.components()).take_while(|(a, b)| a == b).count();
    let up = directory.components().skip(shared).map(|_| Component::ParentDir);
    up.chain(path.components().skip(shared)).collect()
}

/// Writes the plugin and the order that it reads; gives the order's path.
fn write_order(call: &PlainCall<'_>) -> io::Result<PathBuf> {
    let (name, text) = ORDER_PLUGIN;
    fs::create_dir_all(call.files)?;
    PlainCall::write(&call.files.join(name), text.as_bytes())?;
    let ids = serde_json::to_vec(&call.order.ids(call.suite))?;
    let path = call.files.join(format!("order-{:08x}.json", fingerprint(&ids)));
    PlainCall::write(&path, &ids)?;
    Ok(path)
}

/// A name for each order, so that a command line that was printed keeps its meaning (FNV-1a).
fn fingerprint(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// The command line as one would type it into a shell.
fn show(variables: &BTreeMap<&str, OsString>, program: &str, arguments: &[OsString]) -> String {
    let quote = |word: &str| shlex::try_quote(word).map_or_else(|_| word.to_owned(), Cow::into_owned);
    let variables =
        variables.iter().map(|(name, value)| format!("{name}={}", quote(&value.to_string_lossy())));
    let words =
        std::iter::once(quote(program)).chain(arguments.iter().map(|word| quote(&word.to_string_lossy())));
    variables.chain(words).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_named_from_the_working_directory() {
        let id = TestId("tests/unit/test_a.py::TestX::test_y[a::b]".to_owned());
        let name = |directory: &str| from_here(&id, Path::new("/p"), Path::new(directory));
        assert_eq!(name("/p"), "tests/unit/test_a.py::TestX::test_y[a::b]");
        assert_eq!(name("/p/tests"), "unit/test_a.py::TestX::test_y[a::b]");
        assert_eq!(name("/p/docs"), "../tests/unit/test_a.py::TestX::test_y[a::b]");
    }
}

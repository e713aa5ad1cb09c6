//! The agent's files, embedded in the binary, and the environment that makes pytest load them.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;
use std::{env, fs, io};

use anyorder_engine::{AgentCall, Draws};
use serde_json::json;

macro_rules! agent_files {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../../agents/pytest/", $name)))),*]
    };
}

const FILES: &[(&str, &str)] = &agent_files![
    "anyorder_agent/__init__.py",
    "anyorder_agent/about.py",
    "anyorder_agent/cells.py",
    "anyorder_agent/collection.py",
    "anyorder_agent/contents.py",
    "anyorder_agent/disk.py",
    "anyorder_agent/expression.py",
    "anyorder_agent/files.py",
    "anyorder_agent/find.py",
    "anyorder_agent/fixtures.py",
    "anyorder_agent/follow.py",
    "anyorder_agent/forked.py",
    "anyorder_agent/frames.py",
    "anyorder_agent/hidden.py",
    "anyorder_agent/image.py",
    "anyorder_agent/kernel.py",
    "anyorder_agent/names.py",
    "anyorder_agent/neutral.py",
    "anyorder_agent/observe.py",
    "anyorder_agent/opened.py",
    "anyorder_agent/own.py",
    "anyorder_agent/perturb.py",
    "anyorder_agent/places.py",
    "anyorder_agent/probes.py",
    "anyorder_agent/process.py",
    "anyorder_agent/put.py",
    "anyorder_agent/reads.py",
    "anyorder_agent/rebuild.py",
    "anyorder_agent/reset.py",
    "anyorder_agent/restore.py",
    "anyorder_agent/saved.py",
    "anyorder_agent/serve.py",
    "anyorder_agent/shapes.py",
    "anyorder_agent/sight.py",
    "anyorder_agent/snippet.py",
    "anyorder_agent/source.py",
    "anyorder_agent/stores.py",
    "anyorder_agent/swap.py",
    "anyorder_agent/trace.py",
    "anyorder_agent/walk.py",
    "anyorder_agent/watch.py",
    "anyorder_agent/wire.py",
    "anyorder_order.py",
];

/// Grows with every change of the agent that may change an outcome, or what is told of state.
pub(crate) const VERSION: u32 = 2;

/// The plugin that a `plain-ordered` run needs, and nothing else.
pub(crate) const ORDER_PLUGIN: (&str, &str) =
    ("anyorder_order.py", include_str!("../../../agents/pytest/anyorder_order.py"));

/// Writes the agent to `directory`.
pub(crate) fn unpack(directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory.join("anyorder_agent"))?;
    FILES.iter().try_for_each(|(name, text)| fs::write(directory.join(name), not_rewritten(text)))
}

/// pytest rewrites the assertions of every plugin and of all that is in its package, which takes longer than to compile them.
/// There is nothing to rewrite here, and a docstring can say so. Lines stay where they are.
fn not_rewritten(text: &str) -> String {
    text.replacen(DOCSTRING, &format!("{DOCSTRING}PYTEST_DONT_REWRITE "), 1)
}

const DOCSTRING: &str = "\"\"\"";

/// Makes whatever pytest `command` starts load the agent. The agent undoes this before it imports the project.
pub(crate) fn inject(command: &mut Command, agent: &Path, call: &AgentCall<'_>) -> io::Result<()> {
    let mut changed = BTreeMap::new();
    changed
        .insert("PYTEST_ADDOPTS", with_user_value("PYTEST_ADDOPTS", "-p anyorder_agent", " ", Side::After));
    changed.insert("PYTHONPATH", with_user_value("PYTHONPATH", agent, ":", Side::Before));
    changed.insert("PYTHONHASHSEED", OsString::from(call.seed.to_string()));
    let mut restore = BTreeMap::new();
    for (name, value) in changed {
        restore.insert(name, env::var_os(name).map(into_text).transpose()?);
        command.env(name, value);
    }
    let orders = json!({
        "socket": call.socket,
        "node": call.node,
        "scratch": call.nodes,
        "path": agent,
        "moved": call.moved,
        "layers": call.layers,
        "records": call.records,
        "random": (call.draws == Draws::Seeded).then_some(call.seed),
        "restore": restore,
    });
    command.env("ANYORDER_AGENT", orders.to_string());
    Ok(())
}

#[derive(Clone, Copy)]
enum Side {
    Before,
    After,
}

/// Our value, beside the one that the user has set.
fn with_user_value(name: &str, ours: impl Into<OsString>, between: &str, side: Side) -> OsString {
    let ours = ours.into();
    let Some(users) = env::var_os(name).filter(|users| !users.is_empty()) else { return ours };
    let (mut joined, last) = match side {
        Side::Before => (ours, users),
        Side::After => (users, ours),
    };
    joined.push(between);
    joined.push(last);
    joined
}

fn into_text(value: OsString) -> io::Result<String> {
    value.into_string().map_err(|_| io::Error::other("an environment variable is not valid UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::{DOCSTRING, FILES, not_rewritten};

    #[test]
    fn every_file_asks_pytest_to_leave_it_alone() {
        for (name, text) in FILES {
            assert!(text.starts_with(DOCSTRING), "{name}");
            assert!(not_rewritten(text).lines().next().unwrap().contains("PYTEST_DONT_REWRITE"), "{name}");
        }
    }
}

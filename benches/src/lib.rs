//! What the benches share: a suite with an open engine, and CPU time as the only measure, because machines are noisy.

pub mod generated;
pub mod memory;
pub mod rounds;
pub mod tool;

use std::fs;
use std::process::{Command, Stdio};

use anyorder_engine::{Engine, Isolation, Settings};
use anyorder_model::Order;
use anyorder_testkit::spent::{cpu, cpu_of_ended_children, own_cpu};
use anyorder_testkit::suites::{Prepared, Suite};
use anyorder_testkit::{engine, repository};

/// A public suite that is ready to run.
pub struct Bench {
    /// Which.
    pub suite: Suite,
    /// Where.
    pub prepared: Prepared,
    /// Forks, one worker.
    pub engine: Engine,
}

impl Bench {
    /// Prepares and opens the suite.
    pub fn open(suite: Suite) -> Self {
        Bench::open_prepared(suite, suite.prepare())
    }

    /// Opens the suite in an environment that is there already.
    pub fn open_prepared(suite: Suite, prepared: Prepared) -> Self {
        let settings = Settings { isolation: Some(Isolation::Fork), workers: 1, ..Settings::default() };
        let engine = engine::open(&prepared.python, &prepared.directory, suite.arguments, settings);
        Bench { suite, prepared, engine }
    }

    /// Milliseconds of CPU that these orders take.
    pub fn cpu_of_orders(&self, batches: Vec<Vec<Order>>) -> f64 {
        let before = self.cpu_now();
        engine::run(&self.engine, batches);
        self.cpu_now() - before
    }

    /// Milliseconds of CPU until now: in the tests' processes that have ended, in the one they are forked from, and in
    /// the engine itself.
    pub fn cpu_now(&self) -> f64 {
        cpu(&self.engine.hello().pid.to_string()) + own_cpu()
    }

    /// The same for the original order, with the engine's own part apart.
    pub fn cpu_of_long_order(&self) -> (f64, f64) {
        let own_before = own_cpu();
        let order = Order::original(self.engine.suite());
        let first = Order(vec![order.tests()[0]]);
        // A process is counted when its parent has waited for it, which is before the next fork.
        let all = self.cpu_of_orders(vec![vec![order], vec![first]]);
        (all, own_cpu() - own_before)
    }

    /// Milliseconds of CPU of plain pytest on the whole suite.
    pub fn cpu_of_suite(&self, options: &[&str]) -> f64 {
        let mut command = Command::new(&self.prepared.python);
        command.args(["-m", "pytest"]).args(self.suite.arguments).args(options);
        command.current_dir(&self.prepared.directory);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let before = cpu_of_ended_children();
        command.status().expect("python starts");
        cpu_of_ended_children() - before
    }

    /// Milliseconds of CPU of a new pytest process that runs one test.
    pub fn cpu_of_process(&self, id: &str, kind: Process) -> f64 {
        let mut command = Command::new(&self.prepared.python);
        command
            .args(["-m", "pytest", "-q"])
            .args(self.suite.arguments.iter().filter(|word| word.starts_with('-')));
        command.current_dir(&self.prepared.directory);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if kind != Process::Ordinary {
            command.env("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1");
        }
        let order = tempfile::NamedTempFile::new().expect("a temporary file can be made");
        if kind == Process::SameState {
            fs::write(order.path(), serde_json::json!([id]).to_string()).expect("it was just made");
            command.env("ANYORDER_ORDER", order.path()).env("PYTHONPATH", repository().join("agents/pytest"));
            command
                .args(["-p", "anyorder_order"])
                .args(self.suite.arguments.iter().filter(|word| !word.starts_with('-')));
        } else {
            command.arg(id);
        }
        let before = cpu_of_ended_children();
        command.status().expect("python starts");
        cpu_of_ended_children() - before
    }
}

/// The kinds of new process that a fork saves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Process {
    /// Third-party plugins are off; only the test's own file is collected.
    Lean,
    /// Third-party plugins are off; everything is collected, as in the process that forks come from.
    SameState,
    /// As the environment has it; only the test's own file is collected.
    Ordinary,
}

/// The middle value, or halfway between the two.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { f64::midpoint(values[middle - 1], values[middle]) }
}

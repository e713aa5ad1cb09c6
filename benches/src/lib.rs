//! What the benches share: a suite with an open engine, and CPU time as the only measure, because machines are noisy.

use std::fs;
use std::process::{Command, Stdio};

use anyorder_engine::{Engine, Isolation, Settings};
use anyorder_model::Order;
use anyorder_testkit::engine;
use anyorder_testkit::suites::{Prepared, Suite};

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
        let prepared = suite.prepare();
        let settings = Settings { isolation: Some(Isolation::Fork), workers: 1, ..Settings::default() };
        let engine = engine::open(&prepared.python, &prepared.directory, suite.arguments, settings);
        Bench { suite, prepared, engine }
    }

    /// Milliseconds of CPU that these orders take: in the tests' processes, in the one they are forked from, and in the
    /// engine itself.
    pub fn cpu_of_orders(&self, batches: Vec<Vec<Order>>) -> f64 {
        let zygote = self.engine.hello().pid.to_string();
        let now = || cpu(&zygote) + own_cpu();
        let before = now();
        engine::run(&self.engine, batches);
        now() - before
    }

    /// Milliseconds of CPU of a plain pytest process that runs one test, with or without third-party plugins.
    pub fn cpu_of_process(&self, id: &str, with_plugins: bool) -> f64 {
        let options = self.suite.arguments.iter().filter(|argument| argument.starts_with('-'));
        let mut command = Command::new(&self.prepared.python);
        command.args(["-m", "pytest", "-q"]).args(options).arg(id).current_dir(&self.prepared.directory);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if !with_plugins {
            command.env("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1");
        }
        let before = cpu_of_ended_children();
        command.status().expect("python starts");
        cpu_of_ended_children() - before
    }
}

/// Milliseconds of CPU that a process and its ended children have used.
fn cpu(pid: &str) -> f64 {
    stat(pid, 11, 4)
}

fn own_cpu() -> f64 {
    stat("self", 11, 2)
}

fn cpu_of_ended_children() -> f64 {
    stat("self", 13, 2)
}

fn stat(pid: &str, first: usize, fields: usize) -> f64 {
    const MILLISECONDS_PER_TICK: f64 = 10.0;
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_ascii_whitespace();
    after_name.skip(first).take(fields).filter_map(|field| field.parse::<f64>().ok()).sum::<f64>()
        * MILLISECONDS_PER_TICK
}

/// The middle value.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

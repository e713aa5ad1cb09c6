//! Trials on public suites: does the agent see what plain pytest sees, and do forks see what new processes see?

use std::collections::HashMap;
use std::time::{Duration, Instant};

use anyorder_engine::{Engine, Isolation, PlainRequest, Rung, Settings};
use anyorder_model::{Order, Outcome, RunRecord, Step, Suite as Collected, TestIndex};
use anyorder_search::{Strategy, batches};
use anyorder_testkit::engine;
use anyorder_testkit::suites::{Prepared, SUITES, Suite};

const RANDOM_ORDERS: usize = 3;

/// Runs the named suites, or all; prints one line for each. Whether all agreed.
pub(crate) fn suites(names: &[&str]) -> bool {
    let chosen = SUITES.iter().filter(|suite| names.is_empty() || names.contains(&suite.name));
    println!("{:14} {:>6}  agent = plain   fork = process   (tests that differ)", "suite", "tests");
    let mut is_good = true;
    for suite in chosen {
        let begun = Instant::now();
        let trial = Trial::new(suite);
        let tests = trial.forks.suite().len();
        let plain = trial.agent_against_plain();
        let process = trial.forks_against_processes();
        is_good &= plain.is_empty() && process.is_empty();
        println!(
            "{:14} {tests:>6}  {:13} {:15}  {:.0} s",
            suite.name,
            format!("{} of {tests}", tests - plain.len()),
            format!("{} of {}", RANDOM_ORDERS * tests - process.len(), RANDOM_ORDERS * tests),
            begun.elapsed().as_secs_f64()
        );
        plain.iter().take(10).for_each(|line| println!("    plain:   {line}"));
        process.iter().take(10).for_each(|line| println!("    process: {line}"));
    }
    is_good
}

struct Trial {
    forks: Engine,
    processes: Engine,
}

impl Trial {
    fn new(suite: &Suite) -> Self {
        let prepared = suite.prepare();
        Trial {
            forks: open(suite, &prepared, Isolation::Fork),
            processes: open(suite, &prepared, Isolation::Process),
        }
    }

    fn agent_against_plain(&self) -> Vec<String> {
        let order = Order::original(self.forks.suite());
        let ours = engine::run(&self.forks, vec![vec![order.clone()]]);
        let plain = self
            .forks
            .run_plain(PlainRequest::new(&order).on(Rung::Plain), |_| {})
            .expect("plain pytest runs");
        let mut different = differences(self.forks.suite(), &ours[0], &plain.record, as_plain);
        // Results name tests by id; one whose id changes with every start cannot be found in them.
        different.retain(|(test, _)| self.processes.suite().index_of(self.forks.suite().id(*test)).is_some());
        different.into_iter().map(|(_, line)| line).collect()
    }

    fn forks_against_processes(&self) -> Vec<String> {
        let orders = || batches(Strategy::Random, self.forks.suite(), RANDOM_ORDERS as u64, 1).collect();
        let forked = engine::run(&self.forks, orders());
        let anew = engine::run(&self.processes, orders());
        let pairs = forked.iter().zip(&anew);
        pairs
            .flat_map(|(ours, other)| differences(self.forks.suite(), ours, other, |outcome| outcome))
            .map(|(_, line)| line)
            .collect()
    }
}

fn open(suite: &Suite, prepared: &Prepared, isolation: Isolation) -> Engine {
    let timeout = Duration::from_secs(20);
    // One at a time: suites with fixed ports or files would disturb each other, which is not what this is about.
    let settings = Settings { isolation: Some(isolation), workers: 1, timeout, ..Settings::default() };
    engine::open(&prepared.python, &prepared.directory, suite.arguments, settings)
}

/// pytest's results do not know an unexpected pass.
fn as_plain(outcome: Outcome) -> Outcome {
    if outcome == Outcome::Xpassed { Outcome::Passed } else { outcome }
}

/// Each test whose outcome is not the same in both; every test occurs once in these orders.
fn differences(
    suite: &Collected,
    ours: &RunRecord,
    other: &RunRecord,
    view: impl Fn(Outcome) -> Outcome,
) -> Vec<(TestIndex, String)> {
    let others: HashMap<TestIndex, &Step> = other.steps.iter().map(|step| (step.test, step)).collect();
    let tell = |step: &Step| {
        let signature = step.signature.as_ref().map_or(String::new(), |signature| format!(" ({signature})"));
        format!("{}{signature}", step.outcome)
    };
    let different = ours.steps.iter().filter_map(|step| {
        let other = others[&step.test];
        let line = || format!("{}: {} / {}", suite.id(step.test), tell(step), tell(other));
        (view(step.outcome) != view(other.outcome)).then(|| (step.test, line()))
    });
    different.collect()
}

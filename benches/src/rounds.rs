//! Rounds of a whole Java suite: the same random orders in forks, and each in a new JVM as the user's build starts it.
//!
//! That is what iDFlakies does: classes in a random order, and the methods of each. Both sides run the very same orders, so that
//! failures, which take longer than successes, are the same on both.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyorder_engine::{Engine, Isolation, PlainCall, Rung, Scratch, Settings};
use anyorder_junit::{Build, JunitDriver, Module, Survey};
use anyorder_model::{Order, Step};
use anyorder_search::{Strategy, batches};
use anyorder_store::digest_of_sources;
use anyorder_testkit::binary::{Profile, anyorder};
use anyorder_testkit::engine;
use anyorder_testkit::spent::{cpu, own_cpu, spend};
use tempfile::TempDir;

const SEED: u64 = 7;

/// What rounds of one module have taken, in milliseconds of CPU.
pub struct Rounds {
    /// The module, as the build calls it.
    pub module: String,
    /// How many tests it has.
    pub tests: usize,
    /// The JVM that is forked, until it is ready for that.
    pub zygote: f64,
    /// All rounds, in forks, with the engine's own part.
    pub forks: f64,
    /// All rounds, in a new JVM each.
    pub plain: f64,
    /// The original order, in a new JVM, so many times. Where JUnit has no way to run methods in a given order the runner starts
    /// it once for each, which takes long; in this order it need not.
    pub original: f64,
    /// How many outcomes differ between the two.
    pub differing: usize,
}

impl Rounds {
    /// Runs `count` rounds of every module that the build in `directory` has.
    pub fn of(directory: &Path, count: u64) -> Vec<Rounds> {
        let settings = Settings {
            isolation: Some(Isolation::Fork),
            workers: 1,
            keeper: anyorder(Profile::Release),
            ..Settings::default()
        };
        let directory = directory.canonicalize().expect("the directory is there");
        modules(&directory, &settings).into_iter().map(|module| of_module(module, &settings, count)).collect()
    }
}

/// As the build describes them, or as it did the last time.
fn modules(directory: &Path, settings: &Settings) -> Vec<Module> {
    let build = Build::find(directory, &[], &[]);
    let kept = directory.join(".anyorder/build");
    fs::create_dir_all(&kept).expect("the directory can be written to");
    let (file, sources) = (kept.join("survey.json"), digest_of_sources(directory, None));
    let kept = Some((file.as_path(), sources.as_str()));
    let survey = Survey { build: &build, modules: &[], targets: &[], settings, kept };
    let scratch = Scratch::new().expect("a temporary directory can be made");
    survey.carry_out(&scratch, &mut |_, _| {}).unwrap_or_else(|error| panic!("{error}"))
}

fn of_module(module: Module, settings: &Settings, count: u64) -> Rounds {
    let name = module.name.clone();
    let scratch = Scratch::new().expect("a temporary directory can be made");
    let driver = JunitDriver::new(module, &scratch).expect("the agent can be unpacked");
    let opened = Engine::open(Arc::new(driver), settings.clone(), scratch);
    let engine = opened.unwrap_or_else(|error| panic!("{name}: {error}"));
    let orders: Vec<Order> = batches(Strategy::RandomClass, engine.suite(), count, SEED).flatten().collect();
    // What a fork takes is known when its parent has waited for it, which is before the next fork.
    let settled = || {
        let first = Order(vec![Order::original(engine.suite()).tests()[0]]);
        engine::run(&engine, vec![vec![first.clone()], vec![first]]);
        cpu(&engine.hello().pid.to_string())
    };
    let (zygote, own) = (settled(), own_cpu());
    let records = engine::run(&engine, orders.iter().map(|order| vec![order.clone()]).collect());
    let forks = settled() - zygote + own_cpu() - own;
    let files = TempDir::with_prefix("bench").expect("a temporary directory can be made");
    let runs: Vec<PlainRun> = orders.iter().map(|order| PlainRun::of(&engine, order, files.path())).collect();
    let pairs = records.iter().zip(&runs);
    Rounds {
        module: name,
        tests: engine.suite().len(),
        zygote,
        forks,
        plain: runs.iter().map(|run| run.cpu).sum(),
        original: count as f64 * PlainRun::of(&engine, &Order::original(engine.suite()), files.path()).cpu,
        differing: pairs.map(|(record, run)| differing(&record.steps, &run.steps)).sum(),
    }
}

fn differing(one: &[Step], other: &[Step]) -> usize {
    let outcome = |step: &Step| (step.test, step.outcome);
    let pairs: Vec<(_, _)> = one.iter().map(outcome).zip(other.iter().map(outcome)).collect();
    pairs.iter().filter(|(one, other)| one != other).count() + one.len().abs_diff(other.len())
}

/// An order in a new JVM, with the options of the user's build and without the agent.
struct PlainRun {
    cpu: f64,
    steps: Vec<Step>,
}

impl PlainRun {
    /// The runner, which is compiled once, stays in `files`.
    fn of(engine: &Engine, order: &Order, files: &Path) -> Self {
        let place = TempDir::new_in(files).expect("a temporary directory can be made");
        let results = place.path().join("results");
        let call = PlainCall {
            suite: engine.suite(),
            order,
            rung: Rung::PlainOrdered,
            hello: engine.hello(),
            collected: None,
            seed: None,
            files,
            results: &results,
            output: false,
            moved: None,
        };
        let mut plain = engine.driver().plain_command(&call).expect("the runner can be written");
        let spent = spend(&mut plain.command);
        let steps = engine.driver().read_plain_results(engine.suite(), order, &results).unwrap_or_default();
        PlainRun { cpu: 1e3 * spent.cpu_s, steps }
    }
}

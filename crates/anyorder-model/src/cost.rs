//! What a command spent, and how much of the possible it has tried.

use serde::Serialize;

/// What was spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Cost {
    /// Executions of tests, repeated prefixes included.
    pub test_runs: u64,
    /// Of those, executions that only regained a state which could not be kept.
    pub replayed_runs: u64,
    /// Processes of the framework that were started.
    pub processes: u64,
    /// Forks of such processes.
    pub forks: u64,
    /// Seconds on the clock.
    pub wall_s: f64,
    /// Seconds of CPU, in the suite's processes and in the tool itself.
    pub cpu_s: f64,
    /// Of those, what it took to look at shared state, if anything was watched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub looks_cpu_s: Option<f64>,
    /// Seconds of CPU that one plain run of the suite takes, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suite_cpu_s: Option<f64>,
}

impl Cost {
    /// With what ran in other suites meanwhile; the clock, and the CPU, have counted these already.
    #[must_use]
    pub fn with_runs_of(self, other: Cost) -> Cost {
        let looks = [self.looks_cpu_s, other.looks_cpu_s].into_iter().flatten();
        Cost {
            test_runs: self.test_runs + other.test_runs,
            replayed_runs: self.replayed_runs + other.replayed_runs,
            processes: self.processes + other.processes,
            forks: self.forks + other.forks,
            looks_cpu_s: looks.reduce(|one, more| one + more),
            ..self
        }
    }
}

/// How much was tried.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Coverage {
    /// Orders that ran.
    pub orders: u64,
    /// Tests that were seen both in the original order and in another.
    pub tests_compared: u64,
    /// Ordered pairs of different tests that there are.
    pub pairs: u64,
    /// Pairs (a, b) where b ran directly after a in some order.
    pub pairs_tried: u64,
    /// Other pairs, where a test that leaves the same behind as a did run right before b; or where a leaves nothing behind.
    /// `None`, as the next two are, if tests were not profiled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairs_inferred: Option<u64>,
    /// Pairs where a leaves something changed that b may look at, or changes too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairs_likely: Option<u64>,
    /// Of these, the ones that were neither tried nor inferred when the runs for pairs were used up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairs_likely_open: Option<u64>,
    /// Which pairs those are; nothing if nobody counted them by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matrix: Option<PairMatrix>,
}

/// Pairs of tests by what they are called: by single tests, or by files where there are many tests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PairMatrix {
    /// `test` or `file`.
    pub by: &'static str,
    /// Tests, or files, in the original order.
    pub names: Vec<String>,
    /// The first and the second, as places in `names`; how many ordered pairs there are, how many of them were tried, and how
    /// many others are inferred. Rows with nothing tried or inferred are left out.
    pub rows: Vec<[u64; 5]>,
}

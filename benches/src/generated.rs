//! Suites with injected dependencies whose answers are known.
//!
//! The original order is green: a victim stands before its polluter, or behind a cleaner that undoes it; a setter stands
//! before its brittle. Tests work for as long as they are told, in CPU time, so that suite times are alike everywhere.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use tempfile::TempDir;

/// What a generated suite is like.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// How many tests.
    pub tests: usize,
    /// How many files they are spread over.
    pub modules: usize,
    /// How many victims stand before their polluter.
    pub victims: usize,
    /// How many victims stand behind their polluter and a cleaner.
    pub masked: usize,
    /// How many tests need another one to run before them.
    pub brittles: usize,
    /// Milliseconds of CPU of the mean test.
    pub mean_ms: f64,
    /// Decides who is what.
    pub seed: u64,
}

/// A suite on the disk; it vanishes when it is dropped.
#[derive(Debug)]
pub struct Generated {
    home: TempDir,
    /// The ids of the tests that depend on order.
    pub dependent: Vec<String>,
}

impl Generated {
    /// Writes the suite.
    pub fn new(plan: Plan) -> Self {
        let home = TempDir::with_prefix("generated").expect("a temporary directory can be made");
        let roles = roles(plan);
        fs::write(home.path().join("state.py"), STATE).expect("a file can be written");
        let each = plan.tests.div_ceil(plan.modules);
        for (number, module) in roles.chunks(each).enumerate() {
            let text = module_text(module, number * each, plan.mean_ms);
            fs::write(home.path().join(file(number)), text).expect("a file can be written");
        }
        let depends = |role: &Role| matches!(role, Role::Victim(_) | Role::Brittle(_));
        let dependent = roles.iter().enumerate().filter(|(_, role)| depends(role));
        let dependent = dependent.map(|(test, _)| format!("{}::test_{test}", file(test / each))).collect();
        Generated { home, dependent }
    }

    /// Where it is.
    pub fn directory(&self) -> &Path {
        self.home.path()
    }
}

/// What one test does, and to which cell.
#[derive(Clone, Copy)]
enum Role {
    Ordinary,
    Victim(usize),
    Polluter(usize),
    Cleaner(usize),
    Brittle(usize),
    Setter(usize),
}

const STATE: &str = "\
import time

cells = set()


def work(milliseconds):
    end = time.process_time() + milliseconds / 1000
    while time.process_time() < end:
        pass
";

/// Durations differ as they do in real suites: most are short. Their mean is 1.
const SHARES: [f64; 8] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.8, 1.7, 4.0];

fn file(number: usize) -> String {
    format!("test_module_{number:03}.py")
}

fn roles(plan: Plan) -> Vec<Role> {
    let mut places: Vec<usize> = (0..plan.tests).collect();
    places.shuffle(&mut ChaCha8Rng::seed_from_u64(plan.seed));
    let mut free = places.into_iter();
    let mut roles = vec![Role::Ordinary; plan.tests];
    let mut assign = |chosen: &[Role]| {
        let mut taken: Vec<usize> = free.by_ref().take(chosen.len()).collect();
        taken.sort_unstable();
        taken.iter().zip(chosen).for_each(|(&place, &role)| roles[place] = role);
    };
    let (masked, brittles) = (plan.victims + plan.masked, plan.victims + plan.masked + plan.brittles);
    (0..plan.victims).for_each(|cell| assign(&[Role::Victim(cell), Role::Polluter(cell)]));
    (plan.victims..masked)
        .for_each(|cell| assign(&[Role::Polluter(cell), Role::Cleaner(cell), Role::Victim(cell)]));
    (masked..brittles).for_each(|cell| assign(&[Role::Setter(cell), Role::Brittle(cell)]));
    roles
}

fn module_text(roles: &[Role], first: usize, mean_ms: f64) -> String {
    let mut text = "from state import cells, work\n".to_owned();
    for (test, role) in (first..).zip(roles) {
        let line = match role {
            Role::Ordinary => "pass".to_owned(),
            Role::Victim(cell) => format!("assert {cell} not in cells"),
            Role::Polluter(cell) | Role::Setter(cell) => format!("cells.add({cell})"),
            Role::Cleaner(cell) => format!("cells.discard({cell})"),
            Role::Brittle(cell) => format!("assert {cell} in cells"),
        };
        let milliseconds = mean_ms * SHARES[test % SHARES.len()];
        write!(text, "\n\ndef test_{test}():\n    work({milliseconds:.3})\n    {line}\n")
            .expect("text can be written");
    }
    text
}

//! Simulated suites: tests as small programs over shared cells, exact and fast, with nothing hidden.
//!
//! Knows what each test would really do, so that verdicts can be checked. Refuses to know how verdicts are reached.

mod answer;
mod pair_trial;
mod random;
mod trial;
mod truth;
mod watch;

pub use pair_trial::{PairTrial, pair_trial};
pub use random::{Mix, random_suite};
pub use trial::{Recall, Trial, recall, trial, trial_with};
pub use truth::{faults, passes, single_partners};
pub use watch::Eyes;

use anyorder_model::{Fan, News, Outcome, Phase, Rung, Signature, Step, Suite, Test, TestIndex};

/// One instruction of a simulated test. A mask has a bit for each value of a cell, from 0 to 7.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Fail unless the cell's value is in the mask.
    Need(usize, u8),
    /// Skip unless the cell's value is in the mask.
    SkipUnless(usize, u8),
    /// Write this value.
    Set(usize, u8),
    /// Add one, from 7 back to 0.
    Bump(usize),
    /// If the first cell's value is in the mask, write the value to the second.
    When(usize, u8, usize, u8),
}

/// A simulated test.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SimTest {
    /// Its file or class.
    pub group: usize,
    /// What it does; a failed need ends it.
    pub ops: Vec<Op>,
    /// How likely it fails for no reason, after all its instructions.
    pub rate: Option<f64>,
    /// Where this cell's value is in the mask, it fails at this rate instead.
    pub other_rate: Option<(usize, u8, f64)>,
}

impl SimTest {
    fn rate_in(&self, cells: &[u8]) -> Option<f64> {
        let other = self.other_rate.filter(|(cell, mask, _)| mask & (1 << cells[*cell]) != 0);
        other.map(|(_, _, rate)| rate).or(self.rate)
    }
}

/// A module fixture of a simulated group: its cells start anew whenever the group is left.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SimFixture {
    /// Set to 0 when it is torn down.
    pub cells: Vec<usize>,
    /// Its tear-down fails unless the cell's value is in the mask.
    pub need: Option<(usize, u8)>,
}

/// A suite that is simulated.
#[derive(Clone, Debug)]
pub struct SimSuite {
    suite: Suite,
    tests: Vec<SimTest>,
    fixtures: Vec<SimFixture>,
    cells: usize,
    seed: u64,
    chance: u64,
    /// Whether forks share what they leave to chance: the same in all that are in the same state after as many draws.
    pub is_correlated: bool,
    /// Cells that new processes do not have: writes to them are lost in plain runs.
    pub fork_only: Vec<usize>,
    /// Cells that new processes have only if everything is collected.
    pub import_only: Vec<usize>,
    /// How well its tests are watched; not at all if nothing is said.
    pub eyes: Option<Eyes>,
    /// Halt when this many tests have run.
    pub limit: u64,
    /// Tests that have run.
    pub runs: u64,
    /// Processes that a fork would have had to make.
    pub forks: u64,
    /// Plain runs.
    pub plain_runs: u64,
    /// Watches.
    pub watches: u64,
    /// Every question so far, if they are kept.
    pub questions: Option<Vec<Fan>>,
    /// What was told.
    pub news: Vec<News>,
}

struct World {
    cells: Vec<u8>,
    group: Option<usize>,
    /// How often something was left to chance.
    draws: u64,
    /// How its process was told its order, unless it is a fork.
    rung: Option<Rung>,
    /// The cells that the last test looked at, if they are kept.
    looked: Option<Vec<usize>>,
}

impl World {
    /// Notes what an instruction looks at.
    fn look(&mut self, op: &Op) {
        if let (
            Some(looked),
            Op::Need(cell, _) | Op::SkipUnless(cell, _) | Op::Bump(cell) | Op::When(cell, ..),
        ) = (&mut self.looked, *op)
        {
            looked.push(cell);
        }
    }

    /// What a process like this leaves to chance for a test.
    fn digest(&self, test: TestIndex) -> u64 {
        let facts = self.cells.iter().map(|&cell| u64::from(cell)).chain([self.draws, u64::from(test.0)]);
        facts.fold(0xcbf2_9ce4_8422_2325, |digest: u64, fact| (digest ^ fact).wrapping_mul(0x0100_0000_01b3))
    }
}

impl SimSuite {
    /// A suite of these tests, with no fixtures. `seed` decides what is left to chance.
    pub fn new(tests: Vec<SimTest>, seed: u64) -> Self {
        let groups = tests.iter().map(|test| test.group + 1).max().unwrap_or(0);
        let of_ops = tests.iter().flat_map(|test| &test.ops).map(|op| match *op {
            Op::Need(cell, _) | Op::SkipUnless(cell, _) | Op::Set(cell, _) | Op::Bump(cell) => cell,
            Op::When(one, _, two, _) => one.max(two),
        });
        let cells = of_ops.max().map_or(0, |cell| cell + 1);
        let named = tests.iter().enumerate().map(|(at, test)| {
            Test::in_file(format!("g{}.py::t{at}", test.group), format!("g{}.py", test.group))
        });
        SimSuite {
            suite: Suite::new("simulated", named.collect()),
            fixtures: vec![SimFixture::default(); groups],
            cells,
            tests,
            seed,
            chance: seed,
            is_correlated: false,
            fork_only: vec![],
            import_only: vec![],
            eyes: Some(Eyes::default()),
            limit: u64::MAX,
            runs: 0,
            forks: 0,
            plain_runs: 0,
            watches: 0,
            questions: None,
            news: vec![],
        }
    }

    /// Gives a group a fixture.
    #[must_use]
    pub fn with_fixture(mut self, group: usize, fixture: SimFixture) -> Self {
        let cells = fixture.cells.iter().copied().chain(fixture.need.map(|(cell, _)| cell));
        self.cells = cells.map(|cell| cell + 1).chain([self.cells]).max().unwrap_or(0);
        self.fixtures[group] = fixture;
        self
    }

    /// What its tests do.
    pub fn tests(&self) -> &[SimTest] {
        &self.tests
    }

    /// What really happens when these tests run in this order, leaving nothing to chance.
    pub fn truth(&self, order: &[TestIndex]) -> Vec<Step> {
        let mut world = self.fresh(None);
        let mut steps = Vec::with_capacity(order.len());
        self.run_into(&mut world, order, &mut steps, &mut |_, _, _| false);
        self.leave(&mut world, None).into_iter().for_each(|late| charge(&mut steps, late));
        steps
    }

    /// Whether a test has a fixture around it.
    fn has_fixture(&self, test: TestIndex) -> bool {
        self.fixtures[self.tests[test.at()].group] != SimFixture::default()
    }

    /// Whether a fork has what happens at this rate: by the numbers that are `left`, unless forks share them.
    fn has_luck(&self, world: &World, test: TestIndex, rate: f64, left: &mut u64) -> bool {
        let mut shared = self.seed ^ world.digest(test);
        next(if self.is_correlated { &mut shared } else { left }) < rate
    }

    fn fresh(&self, rung: Option<Rung>) -> World {
        World { cells: vec![0; self.cells], group: None, draws: 0, rung, looked: None }
    }

    /// Returns a tear-down error that belongs to a test before these.
    fn run_into(
        &self,
        world: &mut World,
        order: &[TestIndex],
        steps: &mut Vec<Step>,
        chance: &mut impl FnMut(&World, TestIndex, f64) -> bool,
    ) -> Option<Signature> {
        let mut late = None;
        for &test in order {
            let program = &self.tests[test.at()];
            if let Some(error) = self.leave(world, Some(program.group)) {
                if steps.is_empty() { late = Some(error) } else { charge(steps, error) }
            }
            let mut step = self.execute(world, test);
            if let Some(rate) = program.rate_in(&world.cells).filter(|_| step.outcome == Outcome::Passed) {
                world.draws += 1;
                if chance(world, test, rate) {
                    step = failed(test, Outcome::Failed, "chance");
                }
            }
            steps.push(step);
        }
        late
    }

    /// Tears the standing group's fixture down, unless the next test belongs to it.
    fn leave(&self, world: &mut World, next: Option<usize>) -> Option<Signature> {
        if world.group == next {
            return None;
        }
        let left = std::mem::replace(&mut world.group, next)?;
        let fixture = &self.fixtures[left];
        let fails = fixture.need.is_some_and(|(cell, mask)| mask & (1 << world.cells[cell]) == 0);
        fixture.cells.iter().for_each(|&cell| world.cells[cell] = 0);
        fails.then(|| signature(&format!("fixture {left}")))
    }

    fn execute(&self, world: &mut World, test: TestIndex) -> Step {
        for (at, op) in self.tests[test.at()].ops.iter().enumerate() {
            world.look(op);
            let has = |cell: usize, mask: u8| mask & (1 << world.cells[cell]) != 0;
            match *op {
                Op::Need(cell, mask) if !has(cell, mask) => {
                    return failed(test, Outcome::Failed, &format!("need {at}"));
                }
                Op::SkipUnless(cell, mask) if !has(cell, mask) => {
                    return failed(test, Outcome::Skipped, "skip");
                }
                Op::Set(cell, value) => self.write(world, cell, value),
                Op::Bump(cell) => self.write(world, cell, (world.cells[cell] + 1) % 8),
                Op::When(cell, mask, other, value) if has(cell, mask) => self.write(world, other, value),
                Op::Need(..) | Op::SkipUnless(..) | Op::When(..) => {}
            }
        }
        Step::bare(test, Outcome::Passed)
    }

    fn write(&self, world: &mut World, cell: usize, value: u8) {
        let is_lost = match world.rung {
            None => false,
            Some(Rung::Plain) => self.fork_only.contains(&cell) || self.import_only.contains(&cell),
            Some(Rung::PlainOrdered) => self.fork_only.contains(&cell),
        };
        if !is_lost {
            world.cells[cell] = value;
        }
    }
}

fn signature(kind: &str) -> Signature {
    Signature { kind: kind.to_owned(), ..Signature::default() }
}

fn failed(test: TestIndex, outcome: Outcome, kind: &str) -> Step {
    Step { phase: Some(Phase::Call), signature: Some(signature(kind)), ..Step::bare(test, outcome) }
}

/// Blames the last step for an error in a tear-down, as frameworks do.
fn charge(steps: &mut [Step], error: Signature) {
    let last = steps.last_mut().expect("a group that stands has a test");
    if !last.outcome.is_red() {
        *last = Step {
            phase: Some(Phase::Teardown),
            signature: Some(error),
            ..Step::bare(last.test, Outcome::Error)
        };
    }
}

/// A number from 0 to 1 (splitmix64).
fn next(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

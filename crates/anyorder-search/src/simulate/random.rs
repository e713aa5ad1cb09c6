//! Random suites: small ones where everything happens, large ones where little does.

use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Eyes, Op, SimSuite, SimTest};

/// What a random suite is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mix {
    /// Tests whose outcome is decided by state alone.
    Deterministic,
    /// Some tests fail at random too; those look at no state.
    WithChance,
    /// The same, where forks share what they leave to chance: it seems to depend on the state, and on the draws before.
    WithSharedChance,
    /// One polluter and one victim per cell, and cleaners that hide the one from the other.
    Masked,
}

/// The rates at which tests fail for no reason.
const RATES: [f64; 9] = [0.005, 0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98, 0.995];

/// A random suite with at most `largest` tests.
pub fn random_suite(seed: u64, mix: Mix, largest: usize) -> SimSuite {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let size = match random.random_range(0..10) {
        0..6 => random.random_range(2..=12.min(largest)),
        6..9 => random.random_range(2..=40.min(largest)),
        _ => random.random_range(2..=largest),
    };
    if mix == Mix::Masked {
        return masked(largest, &mut random);
    }
    let cells = random.random_range(1..=3 + size / 8);
    let group_size = random.random_range(1..=6);
    let busy = if size > 40 { 0.3 } else { random.random_range(0.4..1.0) };
    let tests = (0..size).map(|at| {
        let mut test = SimTest { group: at / group_size, ..SimTest::default() };
        if random.random_bool(busy) {
            test.ops = (0..random.random_range(1..=3)).map(|_| op(cells, &mut random)).collect();
        }
        if matches!(mix, Mix::WithChance | Mix::WithSharedChance) && random.random_bool(0.3) {
            test.ops.retain(|op| matches!(op, Op::Set(..) | Op::Bump(_)));
            test.rate = Some(*RATES.choose(&mut random).expect("there are rates"));
        }
        test
    });
    let tests: Vec<SimTest> = tests.collect();
    let groups = size.div_ceil(group_size);
    let mut suite = SimSuite::new(tests, random.next_u64());
    suite.is_correlated = mix == Mix::WithSharedChance;
    suite.eyes = Some(random_eyes(seed, suite.cells));
    for group in 0..groups {
        if suite.cells > 0 && random.random_bool(0.15) {
            suite.fixtures[group].cells.push(random.random_range(0..suite.cells));
        }
        if suite.cells > 0 && random.random_bool(0.02) {
            suite.fixtures[group].need =
                Some((random.random_range(0..suite.cells), random.random_range(1..8)));
        }
    }
    suite
}

/// Eyes as real ones are: some state is hidden, reads are missed and imagined.
fn random_eyes(seed: u64, cells: usize) -> Eyes {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(1);
    let mut some = |share| (0..cells).filter(|_| random.random_bool(share)).collect::<Vec<_>>();
    let (hidden, unnamed, caches) = (some(0.1), some(0.1), some(0.2));
    let mut share = || *[0.0, 0.1, 0.3].choose(&mut random).expect("there are shares");
    Eyes { hidden, unnamed, caches, missed: share(), imagined: share() }
}

fn op(cells: usize, random: &mut ChaCha8Rng) -> Op {
    let mut cell = || random.random_range(0..cells);
    let (one, two) = (cell(), cell());
    let value = random.random_range(0..3);
    // Most tests pass alone: they are content with the first value of a cell.
    let mask = random.random_range(1_u8..8) | u8::from(random.random_bool(0.8));
    match random.random_range(0..20) {
        0..8 => Op::Need(one, mask),
        8 => Op::SkipUnless(one, mask),
        9..15 => Op::Set(one, value),
        15..17 => Op::Bump(one),
        _ => Op::When(one, mask & 6 | 2, two, value),
    }
}

/// How many cleaners each victim has.
const CLEANERS: [usize; 10] = [0, 0, 1, 2, 4, 8, 12, 16, 20, 30];

/// As many cells as there are numbers of cleaners, each with a polluter and a victim of its own.
fn masked(size: usize, random: &mut ChaCha8Rng) -> SimSuite {
    let mut tests: Vec<SimTest> =
        (0..size).map(|at| SimTest { group: at / 10, ..SimTest::default() }).collect();
    let roles = sample(size, 2 * CLEANERS.len(), random);
    for (cell, (role, cleaners)) in roles.chunks(2).zip(CLEANERS).enumerate() {
        for at in sample(size, cleaners, random).into_iter().filter(|at| !role.contains(at)) {
            tests[at].ops.push(Op::Set(cell, 0));
        }
        tests[role[0]].ops.push(Op::Set(cell, 1));
        tests[role[1]].ops.insert(0, Op::Need(cell, 1));
    }
    SimSuite::new(tests, random.next_u64())
}

/// Some different places of `size`.
fn sample(size: usize, wanted: usize, random: &mut ChaCha8Rng) -> Vec<usize> {
    let mut places: Vec<usize> = (0..size).collect();
    places.shuffle(random);
    places.truncate(wanted);
    places
}

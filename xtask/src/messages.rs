//! The trial of messages and files: any number of bad ones through the probes, the same ones for the same seed.
//!
//! Needs nothing but the stable compiler. `fuzz.rs` runs a fuzzer that learns on the same probes.

use std::fs;
use std::panic;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use anyorder_testkit::probe::PROBES;
use anyorder_testkit::repository;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::mutate::{framed, mutated};

/// One input that takes longer hangs.
const LIMIT: Duration = Duration::from_secs(10);

/// How much of a bad input is shown.
const SHOWN: usize = 2000;

/// Tries `count` inputs; prints how many were understood, or the one for which a probe panicked or hung. Whether all is well.
pub(crate) fn messages(count: u64, seed: u64) -> bool {
    let begun = Instant::now();
    let plan = Arc::new(Plan { inputs: PROBES.map(|(name, _)| good_inputs(name)), seed, count });
    match plan.carry_out() {
        Ok(tally) => {
            for (at, (name, _)) in PROBES.iter().enumerate() {
                println!("{name:10} {:>8} tried, {:>7} understood", tally.tried[at], tally.understood[at]);
            }
            let (took, slowest) = (begun.elapsed().as_secs_f64(), tally.slowest.as_millis());
            println!(
                "{count} messages and files from seed {seed} in {took:.0} s, the slowest in {slowest} ms"
            );
            true
        }
        Err(Trouble { what, number }) => {
            let (at, bytes) = plan.input(number);
            let shown = bytes[..bytes.len().min(SHOWN)].escape_ascii();
            println!(
                "{} {what}: input {number} of seed {seed}, {} bytes: {shown}",
                PROBES[at].0,
                bytes.len()
            );
            false
        }
    }
}

/// Good input for the probe called `name`.
pub(crate) fn good_inputs(name: &str) -> Vec<Vec<u8>> {
    let root = repository();
    if name == "wire" {
        let lines =
            fs::read_to_string(root.join("fixtures/wire/messages.jsonl")).expect("there are golden lines");
        return lines.lines().map(|line| line.as_bytes().to_vec()).collect();
    }
    let mut files: Vec<_> = fs::read_dir(root.join("fuzz/seeds").join(name))
        .expect("every probe has seeds")
        .map(|entry| entry.expect("the directory can be read").path())
        .collect();
    files.sort();
    files.into_iter().map(|file| fs::read(file).expect("seeds can be read")).collect()
}

struct Plan {
    /// Good input for each probe.
    inputs: [Vec<Vec<u8>>; PROBES.len()],
    seed: u64,
    count: u64,
}

#[derive(Default)]
struct Tally {
    tried: [u64; PROBES.len()],
    understood: [u64; PROBES.len()],
    slowest: Duration,
}

struct Trouble {
    what: &'static str,
    number: u64,
}

/// The input that a worker is busy with, since when.
type Busy = Arc<Mutex<Option<(u64, Instant)>>>;

impl Plan {
    /// Bad input, and the place of its probe. Half of all goes over the wire.
    fn input(&self, number: u64) -> (usize, Vec<u8>) {
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        random.set_stream(number);
        let at = [0, 1, 0, 2][random.random_range(0..4)];
        let make = if at == 0 { conversation } else { mutated };
        (at, make(&self.inputs[at], &mut random))
    }

    /// Workers share the numbers among them; this thread watches that none of them is stuck.
    fn carry_out(self: &Arc<Self>) -> Result<Tally, Trouble> {
        let workers = thread::available_parallelism().map_or(1, |number| number.get() as u64);
        let (sender, receiver) = mpsc::channel();
        let busy: Vec<Busy> = (0..workers).map(|_| Busy::default()).collect();
        for (first, busy) in (0..workers).zip(&busy) {
            let (plan, busy, sender) = (Arc::clone(self), Arc::clone(busy), sender.clone());
            let numbers = (first..self.count).step_by(usize::try_from(workers).expect("workers are few"));
            thread::spawn(move || drop(sender.send(plan.try_all(numbers, &busy))));
        }
        drop(sender);
        let mut all = Tally::default();
        loop {
            match receiver.recv_timeout(LIMIT / 10) {
                Ok(tally) => all.add(&tally?),
                Err(RecvTimeoutError::Timeout) => busy.iter().try_for_each(in_time)?,
                Err(RecvTimeoutError::Disconnected) => return Ok(all),
            }
        }
    }

    fn try_all(&self, numbers: impl Iterator<Item = u64>, busy: &Busy) -> Result<Tally, Trouble> {
        let mut tally = Tally::default();
        for number in numbers {
            let (at, bytes) = self.input(number);
            let begun = Instant::now();
            *busy.lock().expect("nobody panics with it") = Some((number, begun));
            let understood = panic::catch_unwind(|| PROBES[at].1(&bytes));
            *busy.lock().expect("nobody panics with it") = None;
            let is_understood = understood.map_err(|_| Trouble { what: "panicked", number })?;
            tally.tried[at] += 1;
            tally.understood[at] += u64::from(is_understood);
            tally.slowest = tally.slowest.max(begun.elapsed());
        }
        Ok(tally)
    }
}

impl Tally {
    fn add(&mut self, other: &Tally) {
        for at in 0..PROBES.len() {
            self.tried[at] += other.tried[at];
            self.understood[at] += other.understood[at];
        }
        self.slowest = self.slowest.max(other.slowest);
    }
}

fn in_time(busy: &Busy) -> Result<(), Trouble> {
    match *busy.lock().expect("nobody panics with it") {
        Some((number, since)) if since.elapsed() > LIMIT => Err(Trouble { what: "hangs", number }),
        _ => Ok(()),
    }
}

/// A few messages on one connection, and the byte that says in which pieces they arrive.
fn conversation(messages: &[Vec<u8>], random: &mut ChaCha8Rng) -> Vec<u8> {
    let mut stream = vec![random.random()];
    for _ in 0..random.random_range(1..=3) {
        let body = mutated(messages, random);
        stream.extend(framed(&body, random));
    }
    stream
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_depends_on_its_number_and_on_the_seed_alone() {
        let plan = |seed| Plan { inputs: PROBES.map(|(name, _)| good_inputs(name)), seed, count: 0 };
        assert!((0..200).all(|number| plan(7).input(number) == plan(7).input(number)));
        assert!((0..200).any(|number| plan(7).input(number) != plan(8).input(number)));
    }

    #[test]
    fn nothing_at_all_can_be_mutated_too() {
        let mut random = ChaCha8Rng::seed_from_u64(0);
        let longest = (0..1000).map(|_| mutated(&[vec![]], &mut random).len()).max();
        assert!(longest > Some(0));
    }
}

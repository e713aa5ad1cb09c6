//! The stations of a hunt that look before anybody is a suspect: known findings, the original order, each test alone
//! and again, other orders.
//!
//! Knows which orders to run and notes what they show. Judges nothing but tests that differ between identical runs.

use anyorder_model::{FanRecord, Halted, News, Order, Outcome, Purpose, Rate, Station, Step, TestIndex};

use crate::asker::{self, Branches};
use crate::hunt::Hunt;
use crate::near::pieces;
use crate::seen::Sighting;
use crate::settings::{Known, Sweep, default_rounds};
use crate::sight::Sight;
use crate::steady::{in_plain_terms, plain_ask};
use crate::sweep::Orders;
use crate::twice::{doubles, judge_doubles};

/// Sweeping ends when this share of the time is spent: the rest is for verdicts.
const SWEEP_UNTIL: f64 = 0.5;
/// How many rounds are asked for at once, so that many workers have something to do. Where likely pairs have run before, and
/// neither they nor these rounds show a suspect, they are the last.
const AT_ONCE: usize = 8;

impl Hunt<'_> {
    pub(crate) fn replay_known(&mut self) -> Result<(), Halted> {
        let known: &[Known] = &self.judge.settings.known;
        if known.is_empty() {
            return Ok(());
        }
        self.judge.asker().begin(Station::Replay, Some(2 * known.len() as u64));
        let orders =
            known.iter().flat_map(|known| [known.passing.0.clone(), known.failing.0.clone()]).collect();
        let runs = self.judge.asker().orders(Purpose::Known, 0, orders)?;
        for (known, runs) in known.iter().zip(runs.chunks(2)) {
            let [passing, failing] = [0, 1].map(|at| asker::end(&runs[at]));
            let holds = passing.kind_if(&failing).is_some();
            self.judge.asker().tell(News::Replayed { test: known.test, kind: known.kind, holds });
            runs.iter().filter(|steps| has_no_repeats(steps)).for_each(|steps| self.seen.note_run(steps));
        }
        Ok(())
    }

    /// Orders in which a test failed elsewhere: what fails here, too, is a suspect as in any other order.
    pub(crate) fn replay_foreign(&mut self) -> Result<(), Halted> {
        let orders: Vec<Vec<TestIndex>> =
            self.judge.settings.foreign.iter().map(|order| order.0.clone()).collect();
        if orders.is_empty() {
            return Ok(());
        }
        self.judge.asker().begin(Station::Replay, Some(orders.len() as u64));
        for steps in self.judge.asker().orders(Purpose::Known, 0, orders)? {
            self.seen.note_run(&steps);
        }
        Ok(())
    }

    pub(crate) fn baseline(&mut self) -> Result<(), Halted> {
        let runs = self.judge.settings.baseline_runs;
        let forks = if runs > 1 { runs - 1 } else { runs };
        self.judge.asker().begin(Station::Baseline, Some(runs.into()));
        let original: Vec<TestIndex> = self.judge.asker().suite().indices().collect();
        let mut outcomes: Vec<Vec<Outcome>> = vec![Vec::new(); original.len()];
        let fans = (0..forks).map(|repetition| (repetition, (vec![], vec![original.clone()]))).collect();
        for record in self.judge.asker().run(Purpose::Baseline, fans)? {
            let steps = &record.tails[0].steps;
            for step in steps.iter().filter(|step| Sight::from(*step).is_evidence()) {
                outcomes[step.test.at()].push(step.outcome);
            }
            self.seen.note_run(steps);
        }
        if forks < runs {
            self.plain_baseline(&original, &mut outcomes)?;
        }
        let differs = |test: &&TestIndex| outcomes[test.at()].windows(2).any(|pair| pair[0] != pair[1]);
        let differing: Vec<TestIndex> = original.iter().filter(differs).copied().collect();
        for &test in &differing {
            let rate =
                outcomes[test.at()].iter().fold(Rate::default(), |rate, outcome| rate.with(outcome.is_red()));
            self.judge.set_aside(test).suite = Some(rate);
        }
        self.judge.asker().tell(News::Baseline { runs, differing });
        Ok(())
    }

    /// Forks of one process share what it left to chance: one run of the original order is a new process, with another hash
    /// seed. What ends otherwise there is either chance or the fault of forks, which two more such runs can tell.
    fn plain_baseline(
        &mut self,
        original: &[TestIndex],
        outcomes: &mut [Vec<Outcome>],
    ) -> Result<(), Halted> {
        let first = self.plain_outcomes(original, 0)?;
        let is_otherwise = |at: usize, seen: &[Option<Outcome>]| {
            seen[at].zip(outcomes[at].first()).is_some_and(|(plain, &forked)| plain != in_plain_terms(forked))
        };
        let open: Vec<usize> = (0..original.len()).filter(|&at| is_otherwise(at, &first)).collect();
        if open.is_empty() {
            return Ok(());
        }
        let more = [self.plain_outcomes(original, 1)?, self.plain_outcomes(original, 2)?];
        for at in open {
            let seen: Vec<Outcome> = [&first, &more[0], &more[1]].iter().filter_map(|run| run[at]).collect();
            if seen.windows(2).any(|pair| pair[0] != pair[1]) {
                outcomes[at].extend(seen);
            }
        }
        Ok(())
    }

    /// How each test ended in a plain run of the original order.
    fn plain_outcomes(
        &mut self,
        original: &[TestIndex],
        number: u32,
    ) -> Result<Vec<Option<Outcome>>, Halted> {
        let seen = self.judge.asker().plain(vec![plain_ask(original.to_vec(), number)])?.remove(0);
        let mut outcomes = vec![None; original.len()];
        let steps = seen.steps.iter().filter(|step| seen.is_as_asked && Sight::from(*step).is_evidence());
        steps.for_each(|step| outcomes[step.test.at()] = Some(in_plain_terms(step.outcome)));
        Ok(outcomes)
    }

    /// Alone and again: all tests that nobody has seen alone.
    pub(crate) fn rest_alone_and_again(&mut self) -> Result<(), Halted> {
        let tests = self.judge.asker().suite().indices();
        let rest: Vec<TestIndex> = tests.filter(|&test| self.seen.alone(test).is_none()).collect();
        if rest.is_empty() {
            self.tell_suspects(0);
            return Ok(());
        }
        self.alone_and_again(rest)
    }

    /// One process for both: a test and the same test again.
    pub(crate) fn alone_and_again(&mut self, tests: Vec<TestIndex>) -> Result<(), Halted> {
        self.judge.asker().begin(Station::Twice, Some(tests.len() as u64));
        let orders = tests.into_iter().map(|test| vec![test, test]).collect();
        let records = self.judge.asker().orders(Purpose::Twice, 0, orders)?;
        let all = records.iter().flat_map(|steps| doubles(steps));
        let all: Vec<_> =
            all.inspect(|double| self.seen.note_alone(double.test, double.first.clone())).collect();
        let steady = all.into_iter().filter(|double| !self.judge.is_aside(double.test)).collect();
        judge_doubles(&mut self.judge, steady);
        self.tell_suspects(0);
        Ok(())
    }

    pub(crate) fn alone(&mut self, tests: &[TestIndex]) -> Result<(), Halted> {
        let orders = tests.iter().map(|&test| vec![test]).collect();
        let ends = self.judge.asker().ends(Purpose::Alone, 0, orders)?;
        tests.iter().zip(ends).for_each(|(&test, end)| self.seen.note_alone(test, end));
        Ok(())
    }

    /// Runs a test behind others, of which somebody says that they matter. Where one group of them is enough, pieces that are
    /// near the test come first: most often the rest need not run at all.
    pub(crate) fn try_behind(&mut self, others: &[TestIndex], test: TestIndex) -> Result<(), Halted> {
        let settings = self.judge.settings;
        let is_short = settings.wants_one_group() && !settings.is_dear;
        let pieces = if is_short { pieces(self.judge.asker().suite(), others, test) } else { Vec::new() };
        for piece in pieces.iter().map(Vec::as_slice).chain([others]) {
            let order = [piece, &[test]].concat();
            let runs = self.judge.asker().orders(Purpose::Sweep, 0, vec![order])?;
            runs.iter().for_each(|steps| self.seen.note_run(steps));
            if self.seen.suspects().iter().any(|suspect| suspect.test == test) {
                break;
            }
        }
        self.tell_suspects(0);
        Ok(())
    }

    pub(crate) fn sweep(&mut self) -> Result<(), Halted> {
        let (tests, settings) = (self.judge.asker().scope().len(), self.judge.settings);
        let rounds = settings.rounds.unwrap_or_else(|| default_rounds(tests));
        let orders = if settings.sweep == Sweep::Whole { 1 } else { tests as u64 };
        self.judge.asker().begin(Station::Sweep, Some(rounds * orders));
        let scope = self.judge.asker().scope().to_vec();
        let mut orders = Orders::new(self.judge.asker().suite(), &scope, settings.seed);
        for first in (0..rounds).step_by(AT_ONCE) {
            if self.judge.asker().spent() > SWEEP_UNTIL {
                break;
            }
            let last = rounds.min(first + AT_ONCE as u64);
            let fans = (first..last).flat_map(|round| fans_of(settings.sweep, &mut orders, round)).collect();
            let noted = self.seen.runs();
            for record in self.judge.asker().run(Purpose::Sweep, fans)? {
                self.note_fan(&record);
            }
            self.tell_suspects(noted);
            if self.told.is_empty() && self.pairing.is_some() && settings.rounds.is_none() {
                break;
            }
        }
        Ok(())
    }

    pub(crate) fn note_fan(&mut self, record: &FanRecord) {
        if record.prefix.is_empty() {
            record.tails.iter().for_each(|tail| self.seen.note_run(&tail.steps));
        } else {
            self.seen.note_fan(record);
        }
    }

    /// Tells of suspects that showed themselves after the first few orders.
    pub(crate) fn tell_suspects(&mut self, noted: usize) {
        for suspect in self.seen.suspects_since(noted) {
            if !self.judge.is_aside(suspect.test) && self.told.insert(suspect.test) {
                let Sighting { before, sight } = &suspect.sightings[0];
                let order = Order([before.as_slice(), &[suspect.test]].concat());
                let (test, alone, seen) = (suspect.test, suspect.alone.outcome, sight.outcome);
                self.judge.asker().tell(News::Suspect { test, alone, seen, order });
            }
        }
    }
}

/// What runs in one round.
fn fans_of(sweep: Sweep, orders: &mut Orders, round: u64) -> Vec<(u32, Branches)> {
    let repetition = u32::try_from(round).unwrap_or(u32::MAX);
    let tails = |tests: &[TestIndex]| tests.iter().map(|&test| vec![test]).collect::<Vec<_>>();
    match sweep {
        Sweep::Whole => vec![(repetition, (vec![], vec![orders.whole(round)]))],
        Sweep::Halves => {
            let [one, other] = orders.halves(round);
            let (after_one, after_other) = (tails(&other), tails(&one));
            vec![(repetition, (one, after_one)), (repetition, (other, after_other))]
        }
    }
}

fn has_no_repeats(steps: &[Step]) -> bool {
    let mut tests: Vec<TestIndex> = steps.iter().map(|step| step.test).collect();
    tests.sort_unstable();
    tests.windows(2).all(|pair| pair[0] != pair[1])
}

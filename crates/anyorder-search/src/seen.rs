//! What all whole orders so far have shown, and which tests stand out.
//!
//! Knows outcomes alone, again, and in each order. Asks nothing.

use std::collections::{BTreeMap, BTreeSet};

use anyorder_model::{FanRecord, Kind, Outcome, Step, TailRecord, TestIndex};

use crate::sight::Sight;

/// Everything that was seen before anybody became a suspect.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    alone: BTreeMap<TestIndex, Sight>,
    runs: Vec<Run>,
    /// The first run in which nothing but the first of two tests ran before the second.
    pairs: BTreeMap<(TestIndex, TestIndex), usize>,
}

/// A whole order that ran; or the prefix of a fan and then its tails, each of which ran right after the prefix.
#[derive(Debug)]
struct Run {
    order: Vec<TestIndex>,
    /// Where the tails begin.
    fork: usize,
    /// The tests that did not pass.
    odd: BTreeMap<TestIndex, Sight>,
}

/// An execution that was unlike the one alone.
#[derive(Clone, Debug)]
pub(crate) struct Sighting {
    pub(crate) before: Vec<TestIndex>,
    pub(crate) sight: Sight,
}

/// A test that ended otherwise than alone.
#[derive(Clone, Debug)]
pub(crate) struct Suspect {
    pub(crate) test: TestIndex,
    pub(crate) kind: Kind,
    pub(crate) alone: Sight,
    /// Those of this kind, the shortest first.
    pub(crate) sightings: Vec<Sighting>,
}

impl Suspect {
    /// Whether it is one because of a tear-down.
    pub(crate) fn is_torn(&self) -> bool {
        self.sightings[0].sight.is_torn()
    }
}

/// How many sightings of a test are kept.
const SIGHTINGS: usize = 3;

impl Seen {
    pub(crate) fn note_alone(&mut self, test: TestIndex, sight: Sight) {
        self.alone.insert(test, sight);
    }

    pub(crate) fn alone(&self, test: TestIndex) -> Option<&Sight> {
        self.alone.get(&test)
    }

    /// Notes an order that ran from the fresh state, each test once.
    pub(crate) fn note_run(&mut self, steps: &[Step]) {
        self.note(steps, usize::MAX);
    }

    /// Notes a fan none of whose tails holds a test of the prefix.
    pub(crate) fn note_fan(&mut self, record: &FanRecord) {
        let behind = |tails: &[&TailRecord]| -> Vec<Step> {
            record.prefix.iter().chain(tails.iter().flat_map(|tail| &tail.steps)).cloned().collect()
        };
        let (single, rows): (Vec<&TailRecord>, Vec<&TailRecord>) =
            record.tails.iter().partition(|tail| tail.steps.len() == 1);
        self.note(&behind(&single), record.prefix.len());
        for row in rows {
            let steps = behind(&[row]);
            self.note_run(&steps);
        }
    }

    fn note(&mut self, steps: &[Step], fork: usize) {
        let reached = steps.iter().filter(|step| step.outcome != Outcome::NotReached);
        let odd = reached.clone().filter(|step| step.outcome != Outcome::Passed);
        let odd = odd.map(|step| (step.test, step.into())).collect();
        let run = Run { fork, order: reached.map(|step| step.test).collect(), odd };
        for (first, test) in run.pairs() {
            self.pairs.entry((first, test)).or_insert(self.runs.len());
        }
        self.runs.push(run);
    }

    /// How a test ended when only one other had run before it, if that was tried.
    pub(crate) fn after_one(&self, first: TestIndex, test: TestIndex) -> Option<Sight> {
        self.pairs.get(&(first, test)).map(|&number| self.runs[number].sight(test))
    }

    /// How many orders were noted.
    pub(crate) fn runs(&self) -> usize {
        self.runs.len()
    }

    /// Every test that was red in some order, in the original order.
    pub(crate) fn red(&self) -> Vec<TestIndex> {
        let red = self.runs.iter().flat_map(|run| run.odd.iter().filter(|(_, sight)| sight.outcome.is_red()));
        let red: BTreeSet<TestIndex> = red.map(|(&test, _)| test).collect();
        red.into_iter().collect()
    }

    /// Every test that ended otherwise than alone, in the original order. Pass against fail counts most. A test that
    /// was seen with an error in a tear-down is there for that once more, since it may not be to blame.
    pub(crate) fn suspects(&self) -> Vec<Suspect> {
        self.suspects_since(0)
    }

    /// The suspects of all orders but the first few.
    pub(crate) fn suspects_since(&self, first: usize) -> Vec<Suspect> {
        let mut places: BTreeMap<(TestIndex, bool, Kind), Vec<(usize, usize)>> = BTreeMap::new();
        for (number, run) in self.runs.iter().enumerate().skip(first) {
            for (at, &test) in run.order.iter().enumerate() {
                let sight = run.sight(test);
                if let Some(kind) = self.alone.get(&test).and_then(|alone| alone.kind_if(&sight)) {
                    let place = (run.before(at).len(), number);
                    places.entry((test, sight.is_torn(), kind)).or_default().push(place);
                }
            }
        }
        let mut suspects: Vec<Suspect> = Vec::new();
        for ((test, is_torn, kind), mut places) in places {
            if suspects.last().is_some_and(|suspect| suspect.test == test && suspect.is_torn() == is_torn) {
                continue;
            }
            places.sort_unstable();
            let sightings = places.iter().take(SIGHTINGS).map(|&(at, number)| Sighting {
                before: self.runs[number].order[..at].to_vec(),
                sight: self.runs[number].sight(test),
            });
            let sightings = sightings.collect();
            suspects.push(Suspect { test, kind, alone: self.alone[&test].clone(), sightings });
        }
        suspects
    }

    /// Whether it was red in every state that was tried, and how; by a time limit it was not.
    pub(crate) fn always_red(&self, test: TestIndex) -> Option<&Sight> {
        let alone = self.alone.get(&test).filter(|alone| alone.is_evidence() && alone.outcome.is_red())?;
        let is_red = |run: &Run| run.odd.get(&test).is_some_and(|sight| sight.outcome.is_red());
        self.runs.iter().filter(|run| run.order.contains(&test)).all(is_red).then_some(alone)
    }

    /// What a test would be that differs only by a time limit, if that were evidence.
    pub(crate) fn kind_by_time_limit(&self, test: TestIndex) -> Option<Kind> {
        let is_late = |sight: &Sight| sight.outcome == Outcome::TimedOut;
        let mut others = self.runs.iter().filter(|run| run.order.contains(&test)).map(|run| run.sight(test));
        let alone = self.alone.get(&test)?;
        if is_late(alone) {
            Some(if others.any(|sight| sight.is_pass()) { Kind::Brittle } else { Kind::Broken })
        } else {
            (alone.is_pass() && others.any(|sight| is_late(&sight))).then_some(Kind::Victim)
        }
    }

    /// What ran between `after` (as a whole, in this order) and `test` in some order in which `test` passed.
    pub(crate) fn passing_between(&self, after: &[TestIndex], test: TestIndex) -> Option<Vec<TestIndex>> {
        self.runs.iter().find_map(|run| {
            let at = run.order.iter().position(|&other| other == test)?;
            let mut rest = run.before(at).iter();
            let is_after = after.iter().all(|member| rest.any(|other| other == member));
            (is_after && run.sight(test).is_pass()).then(|| rest.copied().collect())
        })
    }
}

impl Run {
    /// Its first test, with each that ran when nothing else had.
    fn pairs(&self) -> impl Iterator<Item = (TestIndex, TestIndex)> {
        let seconds = if self.fork == 1 { self.order.len() } else { 2 };
        let firsts = self.order.first().into_iter().filter(|_| self.fork > 0);
        firsts.flat_map(move |&first| {
            self.order[..seconds.min(self.order.len())].iter().skip(1).map(move |&test| (first, test))
        })
    }

    /// What ran before the test at this place.
    fn before(&self, at: usize) -> &[TestIndex] {
        &self.order[..at.min(self.fork)]
    }

    fn sight(&self, test: TestIndex) -> Sight {
        let passed = || Sight { outcome: Outcome::Passed, phase: None, signature: None };
        self.odd.get(&test).cloned().unwrap_or_else(passed)
    }
}

//! Compares runs with the original order and keeps the tests whose outcome differs.

use anyorder_model::{Differs, Order, Outcome, RunRecord, Sighting, Signature, Step, Tally};

/// What the runs so far say about each test, against the original order.
#[derive(Debug)]
pub struct Comparison {
    original: Vec<Option<(Outcome, Option<Signature>)>>,
    seen: Vec<Seen>,
}

#[derive(Clone, Debug, Default)]
struct Seen {
    outcomes: Vec<Outcome>,
    /// The earliest few, by the number of their order.
    sightings: Vec<Sighting>,
}

/// How many different sights of a test are remembered.
const SIGHTINGS: usize = 4;

impl Comparison {
    /// `original` is the record of the original order.
    pub fn new(original: &RunRecord) -> Self {
        let mut outcomes = vec![None; original.steps.len()];
        for step in original.steps.iter().filter(|step| step.outcome != Outcome::NotReached) {
            outcomes[step.test.at()] = Some((step.outcome, step.signature.clone()));
        }
        Comparison { seen: vec![Seen::default(); outcomes.len()], original: outcomes }
    }

    /// Notes the run of order `number` (from 1). Runs may come in any sequence: the result is the same.
    pub fn note(&mut self, number: u64, record: &RunRecord) {
        for (at, step) in record.steps.iter().enumerate() {
            if step.outcome == Outcome::NotReached {
                continue;
            }
            let seen = &mut self.seen[step.test.at()];
            seen.outcomes.push(step.outcome);
            if self.original[step.test.at()].as_ref().is_some_and(|first| differs(first, step)) {
                let sighting = Sighting {
                    number,
                    outcome: step.outcome,
                    signature: step.signature.clone(),
                    order: record.steps[..=at].iter().map(|step| step.test).collect::<Order>(),
                    saved: None,
                    replay: None,
                };
                let place = seen.sightings.partition_point(|earlier| earlier.number < number);
                seen.sightings.insert(place, sighting);
                seen.sightings.truncate(SIGHTINGS);
            }
        }
    }

    /// How many tests were seen both in the original order and in another.
    pub fn compared(&self) -> u64 {
        let both = self.original.iter().zip(&self.seen);
        both.filter(|(original, seen)| original.is_some() && !seen.outcomes.is_empty()).count() as u64
    }

    /// The tests that differ, in the original order.
    pub fn differing(self) -> Vec<Differs> {
        let rows = (0..).map(anyorder_model::TestIndex).zip(self.original.into_iter().zip(self.seen));
        rows.filter_map(|(test, (original, seen))| {
            let mut sightings = seen.sightings.into_iter();
            Some(Differs {
                test,
                original: original?.0,
                tally: Tally::of(seen.outcomes.iter().copied()),
                reached: seen.outcomes.len() as u64,
                first: sightings.next()?,
                later: sightings.collect(),
                repeats: None,
            })
        })
        .collect()
    }
}

/// Another outcome, or the same red outcome for another reason.
fn differs((outcome, signature): &(Outcome, Option<Signature>), step: &Step) -> bool {
    if *outcome != step.outcome {
        return true;
    }
    match (signature, &step.signature) {
        (Some(before), Some(now)) if outcome.is_red() => !before.is_same_failure(now),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyorder_model::TestIndex;

    fn record(steps: &[(u32, Outcome, &str)]) -> RunRecord {
        let step = |&(test, outcome, kind): &(u32, Outcome, &str)| Step {
            signature: (!kind.is_empty())
                .then(|| Signature { kind: kind.to_owned(), ..Signature::default() }),
            ..Step::bare(TestIndex(test), outcome)
        };
        let steps: Vec<Step> = steps.iter().map(step).collect();
        RunRecord { asked: steps.iter().map(|step| step.test).collect(), steps }
    }

    #[test]
    fn the_first_sighting_is_the_lowest_order_whatever_came_in_first() {
        let mut comparison = Comparison::new(&record(&[(0, Outcome::Passed, ""), (1, Outcome::Passed, "")]));
        comparison.note(2, &record(&[(1, Outcome::Failed, "B"), (0, Outcome::Passed, "")]));
        comparison.note(1, &record(&[(0, Outcome::Passed, ""), (1, Outcome::Error, "A")]));
        let differing = comparison.differing();
        assert_eq!(differing.len(), 1);
        assert_eq!(differing[0].first.number, 1);
        assert_eq!(differing[0].tally.to_string(), "1 failed, 1 error");
    }

    #[test]
    fn another_reason_for_the_same_red_differs_and_another_skip_reason_does_not() {
        let mut comparison =
            Comparison::new(&record(&[(0, Outcome::Failed, "A"), (1, Outcome::Skipped, "A")]));
        comparison.note(1, &record(&[(0, Outcome::Failed, "B"), (1, Outcome::Skipped, "B")]));
        assert_eq!(comparison.differing().iter().map(|differs| differs.test.0).collect::<Vec<_>>(), [0]);
    }

    #[test]
    fn a_test_that_was_not_reached_says_nothing() {
        let mut comparison = Comparison::new(&record(&[(0, Outcome::Passed, "")]));
        comparison.note(1, &record(&[(0, Outcome::NotReached, "")]));
        assert!(comparison.differing().is_empty());
    }
}

//! A pair of runs as evidence: the order that shows a difference, and the test as it is without it.
//!
//! Knows what one pair says about a case. Does not know how pairs are asked for.

use anyorder_model::{Outcome, Rate, TestIndex};

use crate::case::Case;
use crate::sight::{Sight, Target};

/// What a pair says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Says {
    /// The difference is there.
    For,
    /// Both runs ended as alone.
    Absent,
    /// The base did not end as alone.
    Against,
    /// A time limit, or a run that did not get there.
    Nothing,
}

/// Two orders that end with the case's test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    /// The difference was seen here.
    pub(crate) odd: Vec<TestIndex>,
    /// It should not be seen here.
    pub(crate) base: Vec<TestIndex>,
}

impl Pair {
    pub(crate) fn new(case: &Case, before: &[TestIndex]) -> Self {
        Pair { odd: case.after(before), base: case.after(&case.base) }
    }
}

/// What was counted over several pairs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Count {
    pub(crate) pairs: u32,
    pub(crate) for_it: u32,
    pub(crate) absent: u32,
    pub(crate) against: u32,
    pub(crate) nothing: u32,
    /// How often the test was red, in each order.
    pub(crate) odd: Rate,
    pub(crate) base: Rate,
}

impl Count {
    pub(crate) fn note(&mut self, case: &Case, odd: &Sight, base: &Sight) {
        let says = weigh(case, odd, base);
        self.for_it += u32::from(says == Says::For);
        self.absent += u32::from(says == Says::Absent);
        self.against += u32::from(says == Says::Against);
        if says == Says::Nothing {
            self.nothing += 1;
            return;
        }
        self.pairs += 1;
        self.odd = self.odd.with(odd.outcome.is_red());
        self.base = self.base.with(base.outcome.is_red());
    }

    pub(crate) fn is_unanimous(&self) -> bool {
        self.pairs == self.for_it
    }

    pub(crate) fn is_absent(&self) -> bool {
        self.pairs == self.absent
    }

    pub(crate) fn is_against(&self) -> bool {
        self.pairs == self.against
    }
}

fn weigh(case: &Case, odd: &Sight, base: &Sight) -> Says {
    let is_silent = |sight: &Sight| !sight.is_evidence() || case.target.is_hidden(sight);
    if is_silent(odd) || is_silent(base) {
        Says::Nothing
    } else if case.target.is_met(base) || !is_as_alone(case, base) {
        Says::Against
    } else if case.target.is_met(odd) {
        Says::For
    } else {
        Says::Absent
    }
}

fn is_as_alone(case: &Case, base: &Sight) -> bool {
    let is_as = case.alone.outcome == base.outcome;
    is_as || case.target != Target::Torn && case.alone.is_pass() && base.is_torn()
}

/// A case in the terms of the plain runner, whose results know neither unexpected passes nor places.
pub(crate) fn in_plain_terms(case: &Case) -> Case {
    let mut plain = case.clone();
    plain.alone = plain_sight(plain.alone);
    if let Target::Like(sight) = plain.target {
        plain.target = Target::Like(plain_sight(sight));
    }
    plain
}

/// A sight in those terms.
pub(crate) fn plain_sight(mut sight: Sight) -> Sight {
    if sight.outcome == Outcome::Xpassed {
        sight.outcome = Outcome::Passed;
    }
    sight.signature.iter_mut().for_each(|signature| signature.at = None);
    sight
}

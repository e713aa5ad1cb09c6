//! One execution of a test, as evidence: what it ended in, and whether that is what somebody is looking for.
//!
//! Knows outcomes, phases and signatures. Does not know which order led there.

use anyorder_model::{Kind, Outcome, Phase, Signature, Step};

/// What one execution of a test ended in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sight {
    pub(crate) outcome: Outcome,
    pub(crate) phase: Option<Phase>,
    pub(crate) signature: Option<Signature>,
}

impl From<&Step> for Sight {
    fn from(step: &Step) -> Self {
        Sight { outcome: step.outcome, phase: step.phase, signature: step.signature.clone() }
    }
}

impl Sight {
    /// Whether it says anything: what was not reached does not, and a time limit is no property of a test.
    pub(crate) fn is_evidence(&self) -> bool {
        !matches!(self.outcome, Outcome::NotReached | Outcome::TimedOut)
    }

    /// Whether all but the tear-down went well.
    pub(crate) fn is_torn(&self) -> bool {
        self.outcome == Outcome::Error && self.phase == Some(Phase::Teardown)
    }

    pub(crate) fn is_pass(&self) -> bool {
        self.outcome == Outcome::Passed
    }

    /// Red, for another reason than its tear-down.
    pub(crate) fn is_fail(&self) -> bool {
        self.is_evidence() && self.outcome.is_red() && !self.is_torn()
    }

    /// The same outcome, for the same reason if it is red.
    pub(crate) fn is_like(&self, other: &Sight) -> bool {
        self.outcome == other.outcome
            && match (&self.signature, &other.signature) {
                (Some(one), Some(two)) if self.outcome.is_red() => one.is_same_failure(two),
                _ => true,
            }
    }

    /// What a test is that ends like `self` alone and like `seen` after others; `None` if that is no difference.
    pub(crate) fn kind_if(&self, seen: &Sight) -> Option<Kind> {
        if !self.is_evidence() || !seen.is_evidence() || self.is_like(seen) {
            return None;
        }
        let is_green = |sight: &Sight| sight.is_pass();
        Some(match (is_green(self), is_green(seen)) {
            (true, false) if seen.outcome.is_red() => Kind::Victim,
            (false, true) if self.outcome.is_red() => Kind::Brittle,
            _ => Kind::OutcomeVaries,
        })
    }
}

/// What somebody is looking for in the last test of an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// It fails before its tear-down.
    Fails,
    /// It fails in its tear-down.
    Torn,
    /// It passes.
    Passes,
    /// It ends just like this.
    Like(Sight),
}

impl Target {
    /// What makes a test of this kind stand out when it is like `alone` by itself and like `seen` after others.
    pub(crate) fn of(kind: Kind, alone: &Sight, seen: &Sight) -> Self {
        match kind {
            Kind::Victim if seen.is_torn() => Target::Torn,
            Kind::Victim => Target::Fails,
            Kind::Brittle if !alone.is_torn() => Target::Passes,
            _ => Target::Like(seen.clone()),
        }
    }

    /// Whether an error behind the test keeps us from seeing how it ended.
    pub(crate) fn is_hidden(&self, sight: &Sight) -> bool {
        sight.is_torn() && matches!(self, Target::Like(wanted) if !wanted.is_torn())
    }

    /// Whether this is it.
    pub(crate) fn is_met(&self, sight: &Sight) -> bool {
        match self {
            Target::Fails => sight.is_fail(),
            Target::Torn => sight.is_torn(),
            // Where a fixture above the test fails, the last test is blamed; its body passed all the same.
            Target::Passes => sight.is_pass() || sight.is_torn(),
            Target::Like(wanted) => sight.is_like(wanted),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sight(outcome: Outcome, kind: &str) -> Sight {
        let signature = Signature { kind: kind.to_owned(), ..Signature::default() };
        Sight { outcome, phase: None, signature: Some(signature) }
    }

    #[test]
    fn only_pass_against_red_makes_a_victim_or_a_brittle() {
        let kind = |alone, seen| sight(alone, "").kind_if(&sight(seen, ""));
        assert_eq!(kind(Outcome::Passed, Outcome::Crashed), Some(Kind::Victim));
        assert_eq!(kind(Outcome::Error, Outcome::Passed), Some(Kind::Brittle));
        assert_eq!(kind(Outcome::Passed, Outcome::Skipped), Some(Kind::OutcomeVaries));
        assert_eq!(kind(Outcome::Xfailed, Outcome::Xpassed), Some(Kind::OutcomeVaries));
        assert_eq!(kind(Outcome::Skipped, Outcome::Failed), Some(Kind::OutcomeVaries));
    }

    #[test]
    fn another_reason_for_the_same_red_varies_and_another_reason_to_skip_does_not() {
        let kind = |outcome| sight(outcome, "A").kind_if(&sight(outcome, "B"));
        assert_eq!(kind(Outcome::Failed), Some(Kind::OutcomeVaries));
        assert_eq!(kind(Outcome::Skipped), None);
    }

    #[test]
    fn a_time_limit_is_never_evidence() {
        let (passed, late) = (sight(Outcome::Passed, ""), sight(Outcome::TimedOut, ""));
        assert_eq!((passed.kind_if(&late), late.kind_if(&passed)), (None, None));
        assert!(!Target::Fails.is_met(&late));
    }
}

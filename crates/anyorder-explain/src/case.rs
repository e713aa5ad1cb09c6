//! One group of tests, and one test behind it: questions about the state in between.
//!
//! Knows what to put back for a set of cells, and what an answer means. Does not know which sets to try.

use anyorder_model::{
    Fan, Halted, Lines, NotRestored, Oracle, Order, Outcome, Purpose, Remedy, Step, Suspect, TestIndex,
    Treated, Treatment, TreatmentRecord,
};

use crate::explain::Role;

/// Why nothing more is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The oracle does not answer any more.
    Halted(Halted),
    /// The questions are used up.
    Questions,
    /// The group did not come to its end, or a process was lost.
    Lost,
}

impl From<Halted> for Stop {
    fn from(halted: Halted) -> Self {
        Stop::Halted(halted)
    }
}

/// How the test ended, as far as the two outcomes of its finding go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// As in the passing order.
    Passes,
    /// As in the failing order, for the same reason.
    Fails,
    /// In a third way: a skip, or another failure.
    Otherwise,
}

/// An answer about one remedy.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) ended: Ended,
    /// Whether the process was lost before the test ran.
    pub(crate) is_lost: bool,
    pub(crate) failed: Vec<NotRestored>,
}

/// A set of cells, as places in the list of suspects.
pub(crate) type Set = Vec<usize>;

/// One group of tests, and the test behind it.
pub(crate) struct Case<'a> {
    oracle: &'a mut dyn Oracle,
    prefix: Order,
    test: TestIndex,
    role: Role,
    passing: Step,
    failing: Step,
    questions: usize,
    /// How long all answers took.
    pub(crate) seconds: f64,
}

impl<'a> Case<'a> {
    /// Runs both orders once, to know the two outcomes.
    pub(crate) fn open(
        oracle: &'a mut dyn Oracle,
        role: Role,
        [base, prefix]: [Order; 2],
        test: TestIndex,
        questions: usize,
    ) -> Result<Self, Stop> {
        let after = |order: &Order| order.tests().iter().copied().chain([test]).collect::<Order>();
        let fan = Fan {
            purpose: Purpose::Explain,
            repetition: 0,
            prefix: Order::default(),
            tails: vec![after(&base), after(&prefix)],
        };
        let mut records = oracle.run(vec![fan])?.pop().ok_or(Stop::Lost)?.tails.into_iter();
        let mut last = || records.next().and_then(|mut tail| tail.steps.pop()).ok_or(Stop::Lost);
        let (usual, changed) = (last()?, last()?);
        let (passing, failing) = match role {
            Role::Harms => (usual, changed),
            Role::Helps => (changed, usual),
        };
        Ok(Case { oracle, prefix, test, role, passing, failing, questions, seconds: 0.0 })
    }

    /// Whether one order passes and the other fails, as the finding says.
    pub(crate) fn is_reproduced(&self) -> bool {
        self.failing.outcome.is_red() && !self.passing.outcome.is_red()
    }

    pub(crate) fn ended(&self, step: &Step) -> Ended {
        let is_same_failure = match (&step.signature, &self.failing.signature) {
            (Some(one), Some(other)) => one.is_same_failure(other),
            (one, other) => one.is_none() && other.is_none(),
        };
        if step.outcome == self.passing.outcome {
            Ended::Passes
        } else if step.outcome == self.failing.outcome && is_same_failure {
            Ended::Fails
        } else {
            Ended::Otherwise
        }
    }

    /// What has to be put back so that these cells, and no others, are as in the passing order.
    pub(crate) fn with(&self, cells: Vec<String>) -> Remedy {
        match self.role {
            Role::Harms => Remedy::Only(cells),
            Role::Helps => Remedy::AllBut(cells),
        }
    }

    /// What has to be put back so that all cells but these are as in the passing order.
    pub(crate) fn without(&self, cells: Vec<String>) -> Remedy {
        match self.role {
            Role::Harms => Remedy::AllBut(cells),
            Role::Helps => Remedy::Only(cells),
        }
    }

    /// How the test ends when nothing is put back.
    pub(crate) fn untreated(&self) -> Ended {
        match self.role {
            Role::Harms => Ended::Fails,
            Role::Helps => Ended::Passes,
        }
    }

    /// How it ends when everything is, if the state decides.
    pub(crate) fn undone(&self) -> Ended {
        match self.role {
            Role::Harms => Ended::Passes,
            Role::Helps => Ended::Fails,
        }
    }

    /// Asks about remedies; an answer for each, and what differs right before the test.
    pub(crate) fn ask(
        &mut self,
        repetition: u32,
        remedies: Vec<Remedy>,
    ) -> Result<(Vec<Answer>, TreatmentRecord), Stop> {
        self.questions = self.questions.checked_sub(remedies.len()).ok_or(Stop::Questions)?;
        let asked = remedies.len();
        let treatment = Treatment { repetition, ..self.treatment(remedies) };
        let record = self.treat(treatment)?;
        if record.treated.len() < asked {
            return Err(Stop::Lost);
        }
        let answer = |treated: &Treated| Answer {
            ended: self.ended(&treated.step),
            is_lost: treated.step.outcome == Outcome::NotReached,
            failed: treated.failed.clone(),
        };
        Ok((record.treated.iter().map(answer).collect(), record))
    }

    /// The untreated test once more, with the lines that write and read.
    pub(crate) fn lines(&mut self, lines: Lines) -> Result<TreatmentRecord, Stop> {
        let treatment = Treatment { lines: Some(lines), ..self.treatment(vec![Remedy::PLACEBO]) };
        self.treat(treatment)
    }

    /// The lines that write when `between` runs behind the group.
    pub(crate) fn lines_between(
        &mut self,
        between: &[TestIndex],
        lines: Lines,
    ) -> Result<TreatmentRecord, Stop> {
        let mut treatment = Treatment { lines: Some(lines), ..self.treatment(vec![]) };
        treatment.prefix.0.extend_from_slice(between);
        self.treat(treatment)
    }

    fn treatment(&self, remedies: Vec<Remedy>) -> Treatment {
        Treatment::new(self.prefix.clone(), self.test, remedies)
    }

    fn treat(&mut self, treatment: Treatment) -> Result<TreatmentRecord, Stop> {
        let record = self.oracle.treat(vec![treatment])?.pop().ok_or(Stop::Lost)?;
        self.seconds += record.seconds;
        if record.differing.is_some() { Ok(record) } else { Err(Stop::Lost) }
    }
}

/// Every path of these suspects.
pub(crate) fn paths(suspects: &[Suspect], set: &[usize]) -> Vec<String> {
    set.iter().flat_map(|&at| suspects[at].paths()).cloned().collect()
}

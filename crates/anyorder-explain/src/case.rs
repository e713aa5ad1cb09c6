//! One group of tests, and one test behind it: questions about the state in between.
//!
//! Knows what to put back for a set of cells, and what an answer means. Does not know which sets to try.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use anyorder_model::{
    Fan, Halted, Lines, NotRestored, Oracle, Order, Outcome, Purpose, Remedy, Signature, Step, Suspect,
    TestIndex, Treated, Treatment, TreatmentRecord, Watch,
};

use crate::explain::{Question, Role};

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
    /// It passed, as in the passing order.
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
    /// How the test fails in the failing order.
    failure: Option<Signature>,
    questions: usize,
    /// Every path of every suspect, once they are known.
    all: BTreeSet<String>,
    /// What was answered about the first state.
    known: BTreeMap<Remedy, Answer>,
    /// How long all answers took.
    pub(crate) seconds: f64,
}

impl<'a> Case<'a> {
    /// Runs the failing order once, to know how the test fails; nothing if it does not.
    pub(crate) fn open(
        oracle: &'a mut dyn Oracle,
        question: &Question<'_>,
        questions: usize,
    ) -> Result<Option<Self>, Stop> {
        let step = run_failing(oracle, question)?;
        let Question { role, test, .. } = *question;
        let (prefix, failure) = (question.prefix.clone(), step.signature);
        let (all, known) = (BTreeSet::new(), BTreeMap::new());
        let case = Case { oracle, prefix, test, role, failure, questions, all, known, seconds: 0.0 };
        Ok(step.outcome.is_red().then_some(case))
    }

    fn ended(&self, step: &Step) -> Ended {
        let is_same_failure = match (&step.signature, &self.failure) {
            (Some(one), Some(other)) => one.is_same_failure(other),
            (one, other) => one.is_none() && other.is_none(),
        };
        match step.outcome {
            Outcome::Passed => Ended::Passes,
            outcome if outcome.is_red() && is_same_failure => Ended::Fails,
            _ => Ended::Otherwise,
        }
    }

    /// What has to be put back so that these cells, and no others, are as in the passing order.
    pub(crate) fn with(&self, cells: Vec<String>) -> Remedy {
        match self.role {
            Role::Harms => self.only(cells),
            Role::Helps => self.all_but(cells),
        }
    }

    /// What has to be put back so that all cells but these are as in the passing order.
    pub(crate) fn without(&self, cells: Vec<String>) -> Remedy {
        match self.role {
            Role::Harms => self.all_but(cells),
            Role::Helps => self.only(cells),
        }
    }

    /// The same remedy is always written the same way, so that it is asked about once.
    fn only(&self, cells: Vec<String>) -> Remedy {
        if self.is_all(&cells) { Remedy::EVERYTHING } else { Remedy::Only(cells) }
    }

    fn all_but(&self, cells: Vec<String>) -> Remedy {
        if self.is_all(&cells) { Remedy::PLACEBO } else { Remedy::AllBut(cells) }
    }

    fn is_all(&self, cells: &[String]) -> bool {
        !cells.is_empty() && cells.len() == self.all.len() && cells.iter().all(|cell| self.all.contains(cell))
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

    /// Looks at the state: how the test ends with nothing and with everything put back, and what differs.
    pub(crate) fn look(&mut self) -> Result<([Answer; 2], TreatmentRecord), Stop> {
        let remedies = vec![Remedy::PLACEBO, Remedy::EVERYTHING];
        self.count(remedies.len())?;
        let record = self.treat(vec![self.treatment(remedies.clone())])?.remove(0);
        self.all = record.differing.iter().flatten().flat_map(Suspect::paths).cloned().collect();
        let answers = self.answers(&record);
        self.known.extend(remedies.into_iter().zip(answers.iter().cloned()));
        let answers = answers.try_into().map_err(|_| Stop::Lost)?;
        Ok((answers, record))
    }

    /// Asks about remedies; an answer for each.
    pub(crate) fn ask(&mut self, remedies: &[Remedy]) -> Result<Vec<Answer>, Stop> {
        let new: Vec<Remedy> = each_once(remedies).filter(|one| !self.known.contains_key(one)).collect();
        if !new.is_empty() {
            self.count(new.len())?;
            let treatment = Treatment { looks: false, ..self.treatment(new.clone()) };
            let record = self.treat(vec![treatment])?.remove(0);
            let answers = self.answers(&record);
            self.known.extend(new.into_iter().zip(answers));
        }
        Ok(remedies.iter().map(|remedy| self.known[remedy].clone()).collect())
    }

    /// Asks about the same remedies again and again, each time from the fresh state on.
    pub(crate) fn ask_again(
        &mut self,
        repetitions: Range<u32>,
        remedies: &[Remedy],
    ) -> Result<Vec<Vec<Answer>>, Stop> {
        let asked: Vec<Remedy> = each_once(remedies).collect();
        self.count(repetitions.len() * asked.len())?;
        let once = |repetition| Treatment { repetition, looks: false, ..self.treatment(asked.clone()) };
        let treatments = repetitions.map(once).collect();
        let records = self.treat(treatments)?;
        let answers = records.iter().map(|record| {
            let answers: BTreeMap<&Remedy, Answer> = asked.iter().zip(self.answers(record)).collect();
            remedies.iter().map(|remedy| answers[remedy].clone()).collect()
        });
        Ok(answers.collect())
    }

    /// The untreated test once more, with the lines that write and read.
    pub(crate) fn lines(&mut self, lines: Lines) -> Result<TreatmentRecord, Stop> {
        let treatment =
            Treatment { looks: false, lines: Some(lines), ..self.treatment(vec![Remedy::PLACEBO]) };
        Ok(self.treat(vec![treatment])?.remove(0))
    }

    /// The lines that write when `between` runs behind the group.
    pub(crate) fn lines_between(
        &mut self,
        between: &[TestIndex],
        lines: Lines,
    ) -> Result<TreatmentRecord, Stop> {
        let mut treatment = Treatment { lines: Some(lines), ..self.treatment(vec![]) };
        treatment.prefix.0.extend_from_slice(between);
        Ok(self.treat(vec![treatment])?.remove(0))
    }

    /// The names that the test may look at, as it runs by itself.
    pub(crate) fn reads(&mut self) -> Result<BTreeSet<String>, Stop> {
        if !self.oracle.can_watch() {
            return Ok(BTreeSet::new());
        }
        let watch = Watch::new(Order::default(), Order(vec![self.test]));
        let watched = self.oracle.watch(vec![watch])?.pop().and_then(|mut record| record.watched.pop());
        Ok(watched.map(|watched| watched.reads).unwrap_or_default())
    }

    fn count(&mut self, questions: usize) -> Result<(), Stop> {
        self.questions = self.questions.checked_sub(questions).ok_or(Stop::Questions)?;
        Ok(())
    }

    fn answers(&self, record: &TreatmentRecord) -> Vec<Answer> {
        let answer = |treated: &Treated| Answer {
            ended: self.ended(&treated.step),
            is_lost: treated.step.outcome == Outcome::NotReached,
            failed: treated.failed.clone(),
        };
        record.treated.iter().map(answer).collect()
    }

    fn treatment(&self, remedies: Vec<Remedy>) -> Treatment {
        Treatment::new(self.prefix.clone(), self.test, remedies)
    }

    /// Every treatment has an answer for each of its remedies.
    fn treat(&mut self, treatments: Vec<Treatment>) -> Result<Vec<TreatmentRecord>, Stop> {
        let asked: Vec<usize> = treatments.iter().map(|treatment| treatment.remedies.len()).collect();
        let records = self.oracle.treat(treatments)?;
        self.seconds += records.iter().map(|record| record.seconds).sum::<f64>();
        let is_whole = |(record, &asked): (&TreatmentRecord, &usize)| {
            record.differing.is_some() && record.treated.len() == asked
        };
        let are_whole = records.len() == asked.len() && records.iter().zip(&asked).all(is_whole);
        if are_whole { Ok(records) } else { Err(Stop::Lost) }
    }
}

fn run_failing(oracle: &mut dyn Oracle, question: &Question<'_>) -> Result<Step, Stop> {
    let before = match question.role {
        Role::Harms => &question.prefix,
        Role::Helps => &question.base,
    };
    let order: Order = before.tests().iter().copied().chain([question.test]).collect();
    let (purpose, prefix) = (Purpose::Explain, Order::default());
    let fan = Fan { purpose, repetition: 0, prefix, tails: vec![order] };
    let record = oracle.run(vec![fan])?.pop().and_then(|mut record| record.tails.pop());
    record.and_then(|mut tail| tail.steps.pop()).ok_or(Stop::Lost)
}

fn each_once(remedies: &[Remedy]) -> impl Iterator<Item = Remedy> {
    remedies.iter().collect::<BTreeSet<&Remedy>>().into_iter().cloned()
}

/// Every path of these suspects.
pub(crate) fn paths(suspects: &[Suspect], set: &[usize]) -> Vec<String> {
    set.iter().flat_map(|&at| suspects[at].paths()).cloned().collect()
}

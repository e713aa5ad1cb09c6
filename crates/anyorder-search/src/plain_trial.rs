//! One case on its way through pairs of runs of the user's own runner.
//!
//! Knows when pairs are enough, and where else to look if they do not show the difference: first together with other
//! cases, then by itself, then with everything collected as the zygote has it. Does not know which cases go together.

use anyorder_model::{Halted, Order, PlainAsk, PlainSeen, Rung, TestIndex};

use crate::asker::Asker;
use crate::case::{Case, Confirmed};
use crate::confirm::{self, Verdict};
use crate::judge::NO_RESULT;
use crate::pair::{Count, Pair, in_plain_terms, plain_sight};

/// Plain pairs after which a difference that is never shown is given up.
const GIVE_UP: u32 = 2;
/// More plain pairs for a test with so many partners, or with none but several together: forks may share what they leave
/// to chance, and then a test seems to have such partners.
const CROWD_PAIRS: u32 = 3;
const CROWD: usize = 3;
/// Pairs that may say nothing.
const SILENT_PAIRS: u32 = 2;

/// One case on its way through plain pairs.
pub(crate) struct PlainTrial {
    case: Case,
    before: Vec<TestIndex>,
    own: Pair,
    /// Asked for in place of its own pair from the second pair on.
    shared: Option<Pair>,
    rung: Option<Rung>,
    pairs: u32,
    /// The next pair.
    number: u32,
    count: Count,
    confirmed: Option<Confirmed>,
    regrouped: bool,
}

impl PlainTrial {
    pub(crate) fn new(case: &Case, shared: Option<Pair>, pairs: u32) -> Self {
        let is_together = case.has_partners() && case.groups[0].len() > 1;
        let is_crowd = is_together || case.groups.len() >= CROWD;
        PlainTrial {
            case: in_plain_terms(case),
            before: case.groups[0].clone(),
            own: Pair::new(case, &case.groups[0]),
            shared,
            rung: None,
            pairs: if is_crowd { pairs + CROWD_PAIRS } else { pairs },
            number: 0,
            count: Count::default(),
            confirmed: None,
            regrouped: false,
        }
    }

    fn is_open(&self) -> bool {
        let is_undecided = self.count.is_unanimous() || (self.is_never_shown() && self.count.pairs < GIVE_UP);
        self.count.pairs < self.pairs && self.count.nothing <= SILENT_PAIRS && is_undecided && !self.regrouped
    }

    /// All pairs agree that it is not there, or that the test is not even as usual without it.
    fn is_never_shown(&self) -> bool {
        self.count.is_absent() || self.count.is_against()
    }

    fn is_silent(&self) -> bool {
        self.count.pairs == 0 || self.count.nothing > SILENT_PAIRS
    }

    fn is_shown(&self) -> bool {
        !self.regrouped && !self.is_silent() && self.count.is_unanimous()
    }

    /// Starts again where the difference is more likely to be shown, if there is such a place.
    fn look_elsewhere(&mut self) {
        let was_plain = self.confirmed.as_ref().is_some_and(|confirmed| confirmed.rung == Rung::Plain);
        if self.shared.take().is_none() {
            if self.rung.is_some() || !was_plain || self.is_silent() || !self.is_never_shown() {
                return;
            }
            self.rung = Some(Rung::PlainOrdered);
        }
        (self.number, self.count, self.confirmed, self.regrouped) = (0, Count::default(), None, false);
    }

    /// The pair to ask for next.
    fn pair(&self) -> &Pair {
        self.shared.as_ref().filter(|_| self.number > 0).unwrap_or(&self.own)
    }

    /// All trials ask for their pairs under the same hash seeds, so that equal runs are asked for once.
    fn asks(&self) -> [PlainAsk; 2] {
        let pair = self.pair();
        [&pair.odd, &pair.base].map(|order| PlainAsk {
            order: Order(order.clone()),
            repetition: self.number,
            hash_seed: self.number + 1,
            rung: self.rung,
        })
    }

    fn note(&mut self, odd: &PlainSeen, base: &PlainSeen) {
        self.number += 1;
        self.regrouped |= !odd.is_as_asked || !base.is_as_asked;
        let sight = |seen: &PlainSeen| plain_sight(confirm::sight_of(&seen.steps, self.case.test));
        self.count.note(&self.case, &sight(odd), &sight(base));
        let rung = odd.rung.max(base.rung);
        let confirmed = self.confirmed.get_or_insert_with(|| Confirmed {
            before: self.before.clone(),
            rung,
            pairs: 0,
            odd_command: odd.command.clone(),
            base_command: base.command.clone(),
        });
        confirmed.rung = confirmed.rung.max(rung);
        confirmed.pairs = self.count.for_it;
    }

    pub(crate) fn verdict(mut self, asker: &mut Asker<'_>) -> Result<Verdict, Halted> {
        if self.regrouped {
            return Ok(Verdict::NotShown(
                "the plain runner ran the tests in another order than it was asked to",
            ));
        }
        if self.is_silent() {
            return Ok(Verdict::NotShown(NO_RESULT));
        }
        if self.count.is_unanimous() {
            return Ok(self
                .confirmed
                .take()
                .map_or(Verdict::NotShown("no plain run was made"), Verdict::OrderDecides));
        }
        if self.count.is_absent() {
            return Ok(Verdict::NotShown("the plain runner does not show it"));
        }
        self.rates(asker)
    }

    /// More pairs for a test whose pairs disagree.
    fn rates(mut self, asker: &mut Asker<'_>) -> Result<Verdict, Halted> {
        while self.number < confirm::RATE_PAIRS {
            ask_pairs(asker, &mut [&mut self])?;
        }
        let (rate, reference) = (self.count.odd, self.count.base);
        if !rate.is_mixed() && !reference.is_mixed() {
            return Ok(Verdict::NotShown("by itself, it ends otherwise in the plain runner"));
        }
        Ok(Verdict::NonDeterministic(confirm::after(self.own.odd, rate, reference)))
    }
}

pub(crate) fn run_trials(asker: &mut Asker<'_>, trials: &mut [PlainTrial]) -> Result<(), Halted> {
    loop {
        let mut open: Vec<&mut PlainTrial> = trials.iter_mut().filter(|trial| trial.is_open()).collect();
        if open.is_empty() {
            return Ok(());
        }
        ask_pairs(asker, &mut open)?;
        open.into_iter()
            .filter(|trial| !trial.is_open() && !trial.is_shown())
            .for_each(PlainTrial::look_elsewhere);
    }
}

/// Asks for one more pair of each trial; equal runs are asked for once.
fn ask_pairs(asker: &mut Asker<'_>, open: &mut [&mut PlainTrial]) -> Result<(), Halted> {
    let mut asked: Vec<PlainAsk> = Vec::new();
    for ask in open.iter().flat_map(|trial| trial.asks()) {
        if !asked.contains(&ask) {
            asked.push(ask);
        }
    }
    let seen = asker.plain(asked.clone())?;
    let of = |ask: &PlainAsk| asked.iter().position(|other| other == ask).map(|at| &seen[at]);
    for trial in open.iter_mut() {
        let [odd, base] = trial.asks();
        if let (Some(odd), Some(base)) = (of(&odd), of(&base)) {
            trial.note(odd, base);
        }
    }
    Ok(())
}

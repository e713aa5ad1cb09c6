//! Partners and cleaners once more: each was seen in one run, and a test that chance decides seems to have many of them.
//!
//! Knows what a case claims beyond the order that the plain runner confirmed. A claim that does not come again is either
//! chance, and then the test is non-deterministic after all, or the partner's own, and then it is left out.

use anyorder_model::{Group, Halted, Purpose, TestIndex};

use crate::case::Case;
use crate::confirm;
use crate::judge::Judge;
use crate::pair::Pair;
use crate::sight::Sight;

/// Runs of this number have not been asked for before.
const AGAIN: u32 = 2;
/// How many partners of a case run once more, and how many cleaners.
const MOST: u64 = 24;

/// What did not come again.
struct Gone {
    groups: Vec<Group>,
    /// Places in `by_polluter`, and a cleaner there.
    cleaners: Vec<(usize, Group)>,
}

impl Judge<'_> {
    /// Runs what a confirmed case claims once more, and leaves out what does not come again; whether it is still a case.
    pub(crate) fn look_again(&mut self, case: &mut Case) -> Result<bool, Halted> {
        let Some(gone) = self.gone(case)? else { return Ok(true) };
        let after = confirm::rates_in_forks(self.asker(), Pair::new(case, &case.groups[0]))?;
        if after.rate.is_mixed() || after.reference.is_mixed() {
            self.set_aside_with(case, after);
            return Ok(false);
        }
        gone.leave(case);
        Ok(true)
    }

    fn gone(&mut self, case: &Case) -> Result<Option<Gone>, Halted> {
        let most = usize::try_from(self.settings.affordable(MOST)).unwrap_or(usize::MAX);
        let groups: Vec<&Group> = case.groups.iter().take(most).collect();
        let cleaners: Vec<(usize, &Group)> = cleaners(case).take(most).collect();
        if groups.len() < 2 && cleaners.is_empty() {
            return Ok(None);
        }
        let polluted = groups.iter().map(|group| case.after(group));
        let cleaned = cleaners
            .iter()
            .map(|&(row, cleaner)| case.after(&[polluters(case, row), cleaner.as_slice()].concat()));
        let orders = polluted.chain(cleaned).collect();
        let ends = self.asker().ends(Purpose::Minimise, AGAIN, orders)?;
        let says =
            |end: &Sight| (end.is_evidence() && !case.target.is_hidden(end)).then(|| case.target.is_met(end));
        let (after_groups, after_cleaners) = ends.split_at(groups.len());
        let missing = groups.into_iter().zip(after_groups).filter(|(_, end)| says(end) == Some(false));
        let back = cleaners.into_iter().zip(after_cleaners).filter(|(_, end)| says(end) == Some(true));
        let gone = Gone {
            groups: missing.map(|(group, _)| group.clone()).collect(),
            cleaners: back.map(|((row, cleaner), _)| (row, cleaner.clone())).collect(),
        };
        Ok((!gone.groups.is_empty() || !gone.cleaners.is_empty()).then_some(gone))
    }
}

impl Gone {
    /// Takes it out of the case; what the plain runner confirmed stays.
    fn leave(self, case: &mut Case) {
        let mut rows = case.by_polluter.take();
        for (row, cleaner) in self.cleaners {
            let cleaners = rows.iter_mut().flat_map(|rows| &mut rows[row].cleaners);
            cleaners.for_each(|cleaners| cleaners.retain(|other| *other != cleaner));
        }
        let is_confirmed =
            |group: &Group| case.confirmed.as_ref().is_some_and(|confirmed| confirmed.before == *group);
        for group in self.groups.into_iter().filter(|group| !is_confirmed(group)) {
            let Some(place) = case.groups.iter().position(|other| *other == group) else { continue };
            case.groups.remove(place);
            if let Some(rows) = &mut rows {
                rows.retain(|row| row.group != place);
                rows.iter_mut().filter(|row| row.group > place).for_each(|row| row.group -= 1);
            }
        }
        case.by_polluter = rows;
    }
}

fn cleaners(case: &Case) -> impl Iterator<Item = (usize, &Group)> {
    let rows = case.by_polluter.iter().flatten().enumerate();
    rows.flat_map(|(at, row)| row.cleaners.iter().flatten().map(move |cleaner| (at, cleaner)))
}

/// The polluters that a row is about.
fn polluters(case: &Case, row: usize) -> &[TestIndex] {
    let rows = case.by_polluter.as_ref().expect("there is such a row");
    &case.groups[rows[row].group]
}

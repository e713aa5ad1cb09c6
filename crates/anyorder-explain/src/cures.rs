//! The minimal sets of cells that decide the outcome.
//!
//! Knows nothing but suspects and a question about sets of them. Never assumes that putting more cells back helps more:
//! one cell may mask another.

use anyorder_model::{Remedy, Suspect};
use anyorder_search::{Shrunk, shrink};

use crate::case::{Answer, Case, Ended, Set, Stop, paths};

/// So many likely cells are tried one by one; of the others, those of blocks that show something.
pub(crate) const SINGLES: usize = 48;
/// How many cells a block has.
const BLOCK: usize = 16;
/// More sets than this are not looked for.
const MOST_CURES: usize = 8;
/// How many questions it may take to make one set minimal.
const SHRINKING: usize = 200;

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Minimal sets: each decides by itself.
    pub(crate) cures: Vec<Set>,
    /// How many cells were tried by themselves.
    pub(crate) tried: usize,
    /// How the test ended with all cells but these put back, or kept.
    pub(crate) converse: Option<Ended>,
}

impl Found {
    /// All cells of all sets.
    pub(crate) fn cells(&self) -> Set {
        let mut cells: Set = self.cures.iter().flatten().copied().collect();
        cells.sort_unstable();
        cells.dedup();
        cells
    }
}

/// Looks for all cells that decide by themselves, then for sets that do, until the others do not matter.
///
/// `all` is how the test ends with every suspect as in the passing order.
pub(crate) fn find(
    case: &mut Case<'_>,
    suspects: &[Suspect],
    all: Ended,
    found: &mut Found,
) -> Result<(), Stop> {
    let places: Set = (0..suspects.len()).collect();
    let (first, others) = places.split_at(SINGLES.min(places.len()));
    singles(case, suspects, first, found)?;
    if found.cures.is_empty() && !others.is_empty() {
        let blocks: Vec<Set> = others.chunks(BLOCK).map(<[usize]>::to_vec).collect();
        let shown = passing(case, suspects, &blocks)?;
        singles(case, suspects, &shown.concat(), found)?;
    }
    let mut rest_passes = if found.cures.is_empty() { all } else { without(case, suspects, found)? };
    while rest_passes == Ended::Passes && found.cures.len() < MOST_CURES {
        let chosen = found.cells();
        let rest: Set = places.iter().copied().filter(|at| !chosen.contains(at)).collect();
        if rest.is_empty() {
            break; // what helps is none of the suspects: something that would not go back, but did in part
        }
        let Some(cure) = minimal(case, suspects, &rest)? else { return Err(Stop::Questions) };
        found.cures.push(cure);
        rest_passes = without(case, suspects, found)?;
    }
    Ok(())
}

/// Adds each of these cells that decides by itself.
fn singles(
    case: &mut Case<'_>,
    suspects: &[Suspect],
    places: &[usize],
    found: &mut Found,
) -> Result<(), Stop> {
    let sets: Vec<Set> = places.iter().map(|&at| vec![at]).collect();
    let shown = passing(case, suspects, &sets)?;
    found.tried += sets.len();
    found.cures.extend(shown);
    Ok(())
}

/// Those of `sets` that make the test pass.
fn passing(case: &mut Case<'_>, suspects: &[Suspect], sets: &[Set]) -> Result<Vec<Set>, Stop> {
    let remedies: Vec<Remedy> = sets.iter().map(|set| case.with(paths(suspects, set))).collect();
    let answers = case.ask(&remedies)?;
    let passes = |(_, answer): &(&Set, &Answer)| answer.ended == Ended::Passes;
    Ok(sets.iter().zip(&answers).filter(passes).map(|(set, _)| set.clone()).collect())
}

/// The converse: everything but what was found.
fn without(case: &mut Case<'_>, suspects: &[Suspect], found: &mut Found) -> Result<Ended, Stop> {
    let remedy = case.without(paths(suspects, &found.cells()));
    let ended = case.ask(&[remedy])?[0].ended;
    found.converse = Some(ended);
    Ok(ended)
}

/// A minimal part of `rest`, of which all together pass; nothing if the questions run out before.
fn minimal(case: &mut Case<'_>, suspects: &[Suspect], rest: &[usize]) -> Result<Option<Set>, Stop> {
    let shrunk =
        shrink(rest, SHRINKING, |set| Ok::<_, Stop>(!passing(case, suspects, &[set.to_vec()])?.is_empty()))?;
    Ok(match shrunk {
        Shrunk::Minimal(set) => Some(set),
        Shrunk::Unfinished(_) => None,
    })
}

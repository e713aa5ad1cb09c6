//! Candidates from the code: calls of functions and methods that can put the state right, tried in forks.

use std::collections::BTreeSet;

use anyorder_model::{Halted, PatchSource, Snippet, TestIndex};

use super::callable::{Call, likely};
use super::helpers::which_do_it;
use super::initial::initial;
use super::matter::Matter;
use super::near::near;
use super::place::{Lines, placed};
use super::site::Site;
use super::text::{Called, resolve};
use crate::candidate::Candidate;
use crate::workshop::Workshop;

/// Of so many calls all pairs are tried, if none does it by itself.
const PAIRED: usize = 12;
/// So many calls that do it are placed.
const PLACED: usize = 2;

/// Calls that let the tests pass, where they do.
pub(super) fn reset(workshop: &mut dyn Workshop, matter: &Matter<'_>) -> Result<Vec<Candidate>, Halted> {
    let Some(claim) = matter.problem.claims.first().filter(|_| !matter.problem.is_brittle()) else {
        return Ok(vec![]);
    };
    let Some(&beside) = matter.problem.polluters.first() else { return Ok(vec![]) };
    let site = Site::of_test(matter.tree, matter.suite, beside);
    let likely = likely(matter, site.as_ref());
    let initial = initial(matter, site.as_ref());
    let mut helpful = tried(workshop, &claim.order, &alone(&likely), beside)?;
    for more in [pairs(&likely), alone(&initial)] {
        if helpful.is_empty() {
            helpful = tried(workshop, &claim.order, &more, beside)?;
        }
    }
    let near = if helpful.is_empty() { near(matter, site.as_ref()) } else { vec![] };
    helpful.extend(tried(workshop, &claim.order, &alone(&near), beside)?);
    helpful.truncate(PLACED);
    Ok(helpful.iter().flat_map(|calls| placed(matter, &lines(calls))).collect())
}

fn alone(calls: &[Call]) -> Vec<Vec<&Call>> {
    calls.iter().map(|call| vec![call]).collect()
}

/// All pairs of the likeliest calls.
fn pairs(calls: &[Call]) -> Vec<Vec<&Call>> {
    let few = &calls[..calls.len().min(PAIRED)];
    let behind =
        |first| few.iter().filter(move |second| *second != first).map(move |second| vec![first, second]);
    few.iter().flat_map(behind).collect()
}

/// Those that let the last test of the order pass, in the order given.
fn tried<'c>(
    workshop: &mut dyn Workshop,
    order: &anyorder_model::Order,
    sequences: &[Vec<&'c Call>],
    beside: TestIndex,
) -> Result<Vec<Vec<&'c Call>>, Halted> {
    if sequences.is_empty() {
        return Ok(vec![]);
    }
    let snippet = |calls: &Vec<&Call>| {
        let text = calls.iter().map(|call| call.text.as_str()).collect::<Vec<_>>().join("\n");
        let mut imports = BTreeSet::new();
        let text = resolve(&text, |module, _| {
            imports.insert(format!("import {module}\n"));
            Called::Module(module.to_owned())
        });
        Snippet { text: imports.into_iter().collect::<String>() + &text, beside }
    };
    let snippets: Vec<Snippet> = sequences.iter().map(snippet).collect();
    let passed = which_do_it(workshop.as_is(), order, &snippets)?;
    Ok(sequences.iter().zip(passed).filter(|(_, passed)| *passed).map(|(calls, _)| calls.clone()).collect())
}

fn lines(calls: &[&Call]) -> Lines {
    Lines {
        text: calls.iter().map(|call| call.text.clone()).collect(),
        imports: vec![],
        fixtures: vec![],
        home: calls.iter().find_map(|call| call.home.clone()),
        source: PatchSource::Reset,
        from: vec![],
        back: None,
    }
}

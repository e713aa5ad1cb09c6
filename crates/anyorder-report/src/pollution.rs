//! Pollution in words: what tests leave changed for good, and what they would mind, place by place.

use anyorder_model::{CellKind, Finding, Kind, Minded, Pollution, Suite, TestIndex};
use serde_json::{Value, json};

use crate::style::{NAME, count, grouped};

/// How many places are listed, and tests for each.
const PLACES: usize = 25;
const TESTS: usize = 3;

/// One line for each place, and a few of the tests that change or mind it below.
pub(crate) fn story(suite: &Suite, pollution: &[Pollution], minded: Option<&[Minded]>) -> String {
    let changed = listed(pollution, |one| changed(suite, one));
    let minded = listed(minded.unwrap_or_default(), |one| minds(suite, one));
    changed.into_iter().chain(minded).collect::<Vec<_>>().join("\n")
}

fn listed<T>(places: &[T], one: impl Fn(&T) -> Vec<String>) -> Vec<String> {
    let mut story: Vec<String> =
        places.iter().take(PLACES).map(|place| one(place).join("\n") + "\n").collect();
    if places.len() > PLACES {
        let left = grouped((places.len() - PLACES) as u64);
        story.push(format!("and {left} more: `--json` has them all\n"));
    }
    story
}

fn changed(suite: &Suite, one: &Pollution) -> Vec<String> {
    let what = match one.cells {
        1 => format!("{NAME}{}{NAME:#}   {} -> {}", one.example.path, one.example.before, one.example.after),
        cells if one.example.kind == CellKind::Item => {
            format!("{NAME}{}[…]{NAME:#}   {}", one.place, count(cells as u64, "item"))
        }
        cells => {
            let word = if one.example.kind == CellKind::File { "file" } else { "object" };
            format!("{NAME}{}{NAME:#}   {}", one.place, count(cells as u64, word))
        }
    };
    let unstable = if one.is_unstable { "   (differs between two identical runs)" } else { "" };
    let readers = count(one.readers as u64, "test");
    let lines = vec![format!("{what}{unstable}"), format!("    {readers} may look at it")];
    lines.into_iter().chain(some_of(suite, &one.writers, "left by")).collect()
}

fn minds(suite: &Suite, one: &Minded) -> Vec<String> {
    let number = count(one.victims.len() as u64, "test");
    let verb = if one.victims.len() == 1 { "minds" } else { "mind" };
    let readers = count(one.readers as u64, "test");
    let mut lines = vec![
        format!("{number} {verb} {NAME}{}{NAME:#}   {}", one.place, one.before),
        format!("    {readers} may look at it"),
    ];
    lines.extend(one.after.iter().map(|after| format!("    red with {after}")));
    lines.into_iter().chain(some_of(suite, &one.victims, "in")).collect()
}

fn some_of(suite: &Suite, tests: &[TestIndex], word: &str) -> Vec<String> {
    let mut lines: Vec<String> =
        tests.iter().take(TESTS).map(|&test| format!("    {word} {}", suite.id(test))).collect();
    if tests.len() > TESTS {
        lines.push(format!("    and {}", count((tests.len() - TESTS) as u64, "other")));
    }
    lines
}

/// How many tests pollute how many places, and how many mind.
pub(crate) fn summary(pollution: &[Pollution], minded: Option<&[Minded]>, findings: &[Finding]) -> String {
    let number = |kind: Kind| findings.iter().filter(|finding| finding.kind == kind).count() as u64;
    let polluted = match number(Kind::LatentPolluter) {
        0 => "no test leaves shared state changed for good".to_owned(),
        number => format!(
            "{} changed for good, by {}",
            count(pollution.len() as u64, "place"),
            count(number, "latent polluter")
        ),
    };
    let Some(minded) = minded else { return polluted };
    let minding = match number(Kind::LatentVictim) {
        0 => "no test was seen to mind a change".to_owned(),
        number => {
            format!("{} minded, by {}", count(minded.len() as u64, "place"), count(number, "latent victim"))
        }
    };
    format!("{polluted}; {minding}")
}

pub(crate) fn minded_value(suite: &Suite, minded: &[Minded]) -> Value {
    let one = |one: &Minded| {
        let victims: Vec<_> = one.victims.iter().map(|&test| suite.id(test)).collect();
        json!({
            "place": one.place,
            "kind": one.kind,
            "before": one.before,
            "after": one.after,
            "victims": victims,
            "readers": one.readers,
        })
    };
    minded.iter().map(one).collect()
}

pub(crate) fn pollution_value(suite: &Suite, pollution: &[Pollution]) -> Value {
    let one = |one: &Pollution| {
        let writers: Vec<_> = one.writers.iter().map(|&test| suite.id(test)).collect();
        json!({
            "place": one.place,
            "kind": one.example.kind,
            "example": {"cell": one.example.path, "before": one.example.before, "after": one.example.after},
            "cells": one.cells,
            "writers": writers,
            "readers": one.readers,
            "unstable": one.is_unstable,
        })
    };
    pollution.iter().map(one).collect()
}

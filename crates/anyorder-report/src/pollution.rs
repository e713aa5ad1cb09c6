//! Pollution in words: what tests leave changed for good, place by place.

use anyorder_model::{CellKind, Pollution, Suite};
use serde_json::{Value, json};

use crate::style::{NAME, count, grouped};

/// How many places are listed, and tests for each.
const PLACES: usize = 25;
const TESTS: usize = 3;

/// One line for each place, and a few of the tests that change it below.
pub(crate) fn story(suite: &Suite, pollution: &[Pollution]) -> String {
    let one = |one: &Pollution| {
        let what = match one.cells {
            1 => format!(
                "{NAME}{}{NAME:#}   {} -> {}",
                one.example.path, one.example.before, one.example.after
            ),
            cells if one.example.kind == CellKind::Item => {
                format!("{NAME}{}[…]{NAME:#}   {}", one.place, count(cells as u64, "item"))
            }
            cells => format!("{NAME}{}{NAME:#}   {}", one.place, count(cells as u64, "object")),
        };
        let unstable = if one.is_unstable { "   (differs between two identical runs)" } else { "" };
        let readers = count(one.readers as u64, "test");
        let mut lines = vec![format!("{what}{unstable}"), format!("    {readers} may look at it")];
        let writers = one.writers.iter().take(TESTS).map(|&test| format!("    left by {}", suite.id(test)));
        lines.extend(writers);
        if one.writers.len() > TESTS {
            lines.push(format!("    and {}", count((one.writers.len() - TESTS) as u64, "other")));
        }
        lines.join("\n") + "\n"
    };
    let mut story: Vec<String> = pollution.iter().take(PLACES).map(one).collect();
    if pollution.len() > PLACES {
        let left = grouped((pollution.len() - PLACES) as u64);
        story.push(format!("and {left} more: `--json` has them all\n"));
    }
    story.join("\n")
}

/// How many tests pollute how many places.
pub(crate) fn summary(pollution: &[Pollution], polluters: usize) -> String {
    match polluters {
        0 => "no test leaves shared state changed for good".to_owned(),
        number => format!(
            "{} changed for good, by {}",
            count(pollution.len() as u64, "place"),
            count(number as u64, "latent polluter")
        ),
    }
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

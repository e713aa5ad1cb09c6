//! Dependencies in words, as JSON, and as a graph in the DOT language.

use std::fmt::Write as _;

use anyorder_model::{DataEdge, Dependencies, Group, Manifest, SharedPlace, Suite, TestId, TestIndex};
use serde_json::{Value, json};

use crate::style::{BAD, NAME, count, grouped};

/// How many manifest dependencies are listed in the terminal.
const LISTED: usize = 30;
/// A place with more writers and readers than this is not drawn.
const DRAWN: usize = 50;

/// The manifest dependencies, one below the other.
pub(crate) fn story(suite: &Suite, dependencies: &Dependencies) -> String {
    let name = |test| format!("{NAME}{}{NAME:#}", suite.id(test));
    let one = |one: &Manifest| {
        let through = one.cells.first().map(|cell| format!("   through {cell}")).unwrap_or_default();
        let inferred = if one.is_inferred { "; inferred" } else { "" };
        format!(
            "{} before {}{through}\n    else {BAD}{}{BAD:#} for {}, expected {}{inferred}\n",
            name(one.before),
            name(one.after),
            one.otherwise,
            suite.id(one.test),
            one.expected
        )
    };
    let mut story: String = dependencies.manifest.iter().take(LISTED).map(one).collect();
    if let Some(left) = dependencies.manifest.len().checked_sub(LISTED).filter(|&left| left > 0) {
        let _ = writeln!(story, "and {} more: `--json` has them all", grouped(left as u64));
    }
    story
}

/// How many there are of each sort, and what follows.
pub(crate) fn summary(dependencies: &Dependencies) -> String {
    let manifest = dependencies.manifest.len() as u64;
    let mut lines = vec![format!(
        "{} of {}, through {}",
        match manifest {
            1 => "1 manifest dependency".to_owned(),
            number => format!("{} manifest dependencies", grouped(number)),
        },
        count(dependencies.data_pairs, "pair") + " with data in common",
        count(dependencies.data.len() as u64, "place")
    )];
    lines.push(format!(
        "{} benign, {} untestable, {} not tried",
        grouped(dependencies.benign),
        grouped(dependencies.untestable.len() as u64),
        grouped(dependencies.open)
    ));
    let groups = dependencies.parallel.iter().filter(|group| group.len() > 1).count();
    let free = dependencies.parallel.len() - groups;
    let stay = count(groups as u64, "group");
    lines.push(format!(
        "{stay} of tests that stay together, {} that may run anywhere",
        count(free as u64, "test")
    ));
    match dependencies.unexpected.as_deref() {
        Some([]) => lines.push("the schedule was tried, and every test ended as expected".to_owned()),
        Some(tests) => {
            lines.push(format!(
                "in the schedule, {} ended otherwise than expected",
                count(tests.len() as u64, "test")
            ));
        }
        None => {}
    }
    if !dependencies.conflicts.is_empty() {
        let conflicts = grouped(dependencies.conflicts.len() as u64);
        lines.push(format!(
            "{conflicts} of them cannot be respected in one process: they contradict each other"
        ));
    }
    lines.join("\n")
}

/// All of it, with the ids of tests.
pub(crate) fn dependencies_value(suite: &Suite, dependencies: &Dependencies) -> Value {
    let ids = |tests: &[TestIndex]| -> Vec<&TestId> { tests.iter().map(|&test| suite.id(test)).collect() };
    let place = |place: &SharedPlace| {
        let mut value = json!({"place": place.place, "writers": ids(&place.writers)});
        if let Some(readers) = &place.readers {
            value["readers"] = json!(ids(readers));
        }
        value
    };
    let manifest = |one: &Manifest| {
        json!({
            "before": suite.id(one.before),
            "after": suite.id(one.after),
            "test": suite.id(one.test),
            "expected": one.expected,
            "otherwise": one.otherwise,
            "cells": one.cells,
            "inferred": one.is_inferred,
        })
    };
    let edge = |edge: &DataEdge| json!({"writer": suite.id(edge.writer), "reader": suite.id(edge.reader), "cells": edge.cells});
    let group = |group: &Group| json!(ids(group));
    let mut value = json!({
        "data": dependencies.data.iter().map(place).collect::<Vec<_>>(),
        "data_pairs": dependencies.data_pairs,
        "manifest": dependencies.manifest.iter().map(manifest).collect::<Vec<_>>(),
        "untestable": dependencies.untestable.iter().map(edge).collect::<Vec<_>>(),
        "benign": dependencies.benign,
        "open": dependencies.open,
        "schedule": ids(dependencies.schedule.tests()),
        "conflicts": dependencies.conflicts.iter().map(manifest).collect::<Vec<_>>(),
        "parallel": dependencies.parallel.iter().map(group).collect::<Vec<_>>(),
    });
    if let Some(unexpected) = &dependencies.unexpected {
        value["unexpected"] = json!(ids(unexpected));
    }
    value
}

/// A graph: tests are boxes, shared state is round. Solid edges go from a test to one that has to run later; dashed ones are
/// untestable; dotted ones lead from writers over what they write to its readers.
pub fn dot(suite: &Suite, dependencies: &Dependencies) -> String {
    let name = |test| quoted(&suite.id(test).0);
    let label = |cells: &[String]| quoted(&cells.join("\n"));
    let mut lines = vec!["digraph tests {".to_owned(), "  rankdir=LR; node [shape=box];".to_owned()];
    for one in &dependencies.manifest {
        lines.push(format!("  {} -> {} [label={}];", name(one.before), name(one.after), label(&one.cells)));
    }
    for edge in &dependencies.untestable {
        let (writer, reader) = (name(edge.writer), name(edge.reader));
        lines.push(format!("  {writer} -> {reader} [style=dashed, label={}];", label(&edge.cells)));
    }
    for place in &dependencies.data {
        lines.extend(place_lines(place, &name));
    }
    lines.push("}\n".to_owned());
    lines.join("\n")
}

fn place_lines(place: &SharedPlace, name: &impl Fn(TestIndex) -> String) -> Vec<String> {
    let node = quoted(&place.place);
    let writers = place.writers.len();
    let Some(readers) = place.readers.as_ref().filter(|readers| writers + readers.len() <= DRAWN) else {
        let readers =
            place.readers.as_ref().map_or("all".to_owned(), |some| count(some.len() as u64, "test"));
        return vec![format!("  // {node}: {}, read by {readers}", count(writers as u64, "writer"))];
    };
    let mut lines = vec![format!("  {node} [shape=ellipse];")];
    lines.extend(place.writers.iter().map(|&writer| format!("  {} -> {node} [style=dotted];", name(writer))));
    lines.extend(readers.iter().map(|&reader| format!("  {node} -> {} [style=dotted];", name(reader))));
    lines
}

/// A string of the DOT language.
pub(crate) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

#[cfg(test)]
mod tests {
    use anyorder_model::{Order, Outcome};

    use super::*;
    use crate::example;

    fn suite() -> Suite {
        example::suite(&["a", "b[\"x\"]", "c"])
    }

    fn dependencies() -> Dependencies {
        let [a, b, c] = [0, 1, 2].map(TestIndex);
        Dependencies {
            data: vec![
                SharedPlace { place: "m.x".to_owned(), writers: vec![a], readers: Some(vec![b]) },
                SharedPlace { place: "random".to_owned(), writers: vec![a], readers: None },
            ],
            data_pairs: 3,
            manifest: vec![Manifest {
                before: a,
                after: b,
                test: b,
                expected: Outcome::Passed,
                otherwise: Outcome::Failed,
                cells: vec!["m.x".to_owned()],
                is_inferred: false,
            }],
            untestable: vec![DataEdge { writer: a, reader: c, cells: vec![] }],
            benign: 1,
            schedule: Order(vec![a, b, c]),
            parallel: vec![vec![a, b], vec![c]],
            unexpected: Some(vec![]),
            ..Dependencies::default()
        }
    }

    #[test]
    fn the_graph_has_edges_in_three_styles_and_quotes_names() {
        let expected = [
            "digraph tests {",
            "  rankdir=LR; node [shape=box];",
            r#"  "t.py::a" -> "t.py::b[\"x\"]" [label="m.x"];"#,
            r#"  "t.py::a" -> "t.py::c" [style=dashed, label=""];"#,
            r#"  "m.x" [shape=ellipse];"#,
            r#"  "t.py::a" -> "m.x" [style=dotted];"#,
            r#"  "m.x" -> "t.py::b[\"x\"]" [style=dotted];"#,
            r#"  // "random": 1 writer, read by all"#,
            "}\n",
        ];
        assert_eq!(dot(&suite(), &dependencies()), expected.join("\n"));
    }

    #[test]
    fn what_has_to_run_before_what_is_told_with_what_happens_otherwise() {
        let told = story(&suite(), &dependencies()) + &summary(&dependencies());
        let expected = [
            r#"t.py::a before t.py::b["x"]   through m.x"#,
            r#"    else failed for t.py::b["x"], expected passed"#,
            "1 manifest dependency of 3 pairs with data in common, through 2 places",
            "1 benign, 1 untestable, 0 not tried",
            "1 group of tests that stay together, 1 test that may run anywhere",
            "the schedule was tried, and every test ended as expected",
        ];
        assert_eq!(anstream::adapter::strip_str(&told).to_string(), expected.join("\n"));
    }

    #[test]
    fn readers_that_may_be_anybody_are_absent() {
        let value = dependencies_value(&suite(), &dependencies());
        assert_eq!(value["data"][0]["readers"], json!(["t.py::b[\"x\"]"]));
        assert!(value["data"][1].get("readers").is_none());
        assert_eq!(value["parallel"], json!([["t.py::a", "t.py::b[\"x\"]"], ["t.py::c"]]));
    }
}

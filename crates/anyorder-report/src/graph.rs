//! Findings as a graph in the DOT language: who pollutes, sets and cleans for whom.

use std::collections::BTreeSet;

use anyorder_model::{Finding, Group, Kind, Suite};
use serde_json::Value;

use crate::dependencies::quoted;
use crate::recalled::Recalled;

/// The graph. A group of several tests is a point of its own, since none of them does it alone.
pub fn findings_graph(document: &Value) -> String {
    let Recalled { suite, findings } = Recalled::of(document);
    // Each line once, in the same sequence for the same findings.
    let mut nodes = BTreeSet::new();
    let mut edges = BTreeSet::new();
    for finding in &findings {
        nodes.insert(node(&suite, finding));
        let mut add = |groups: &Option<Vec<Group>>, word: &str, style: &str| {
            for group in groups.iter().flatten() {
                edges.extend(group_edges(&suite, finding, group, word, style));
            }
        };
        add(&finding.polluters, "pollutes", "color=red");
        add(&finding.setters, "sets", "color=darkgreen");
        add(&finding.cleaners, "cleans", "color=blue, style=dashed");
    }
    let lines = nodes.into_iter().chain(edges).map(|line| format!("  {line};\n"));
    format!("digraph findings {{\n  rankdir=LR; node [shape=box];\n{}}}\n", lines.collect::<String>())
}

fn node(suite: &Suite, finding: &Finding) -> String {
    let shape = match finding.kind {
        Kind::Victim => "style=filled, fillcolor=mistyrose",
        Kind::Brittle => "style=filled, fillcolor=lightyellow",
        _ => "style=dashed",
    };
    let id = &suite.id(finding.test).0;
    let label = quoted(&format!("{id}\n{} {}", finding.kind.name(), finding.id));
    format!("{} [label={label}, {shape}]", quoted(id))
}

fn group_edges(suite: &Suite, finding: &Finding, group: &Group, word: &str, style: &str) -> Vec<String> {
    let ids: Vec<&str> = group.iter().map(|&test| suite.id(test).0.as_str()).collect();
    let target = quoted(&suite.id(finding.test).0);
    if let [one] = ids[..] {
        return vec![format!("{} -> {target} [label=\"{word}\", {style}]", quoted(one))];
    }
    let point = quoted(&format!("{word}: {}", ids.join(", then ")));
    let mut lines = vec![
        format!("{point} [shape=point]"),
        format!("{point} -> {target} [label=\"{word} together\", {style}]"),
    ];
    lines.extend(ids.iter().map(|id| format!("{} -> {point} [{style}, arrowhead=none]", quoted(id))));
    lines
}

#[cfg(test)]
mod tests {
    use anyorder_model::TestIndex;
    use serde_json::json;

    use super::*;
    use crate::example;
    use crate::finding_json::finding_value;

    #[test]
    fn groups_meet_in_a_point_and_single_tests_point_at_the_victim() {
        let suite = example::suite(&["p", "a", "b\"c\""]);
        let mut finding = example::victims().remove(0);
        finding.polluters = Some(vec![vec![TestIndex(0)], vec![TestIndex(0), TestIndex(2)]]);
        let graph = findings_graph(&json!({"findings": [finding_value(&suite, &finding)]}));
        let expected = [
            "digraph findings {",
            "  rankdir=LR; node [shape=box];",
            r#"  "t.py::a" [label="t.py::a\nvictim v-d18be1", style=filled, fillcolor=mistyrose];"#,
            r#"  "pollutes: t.py::p, then t.py::b\"c\"" -> "t.py::a" [label="pollutes together", color=red];"#,
            r#"  "pollutes: t.py::p, then t.py::b\"c\"" [shape=point];"#,
            r#"  "t.py::b\"c\"" -> "pollutes: t.py::p, then t.py::b\"c\"" [color=red, arrowhead=none];"#,
            r#"  "t.py::p" -> "pollutes: t.py::p, then t.py::b\"c\"" [color=red, arrowhead=none];"#,
            r#"  "t.py::p" -> "t.py::a" [label="pollutes", color=red];"#,
            "}\n",
        ];
        assert_eq!(graph, expected.join("\n"));
    }
}

//! What each way to select came to along a history: how much it selects and costs, what it makes possible and finds; and the table.
//!
//! Knows reports of checks and of whole hunts. Does not know how they are asked for.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::hunts::{is_order_dependent, list};

/// The share of the published rule's selection that ours may have.
const OF_CLASS: f64 = 0.5;

/// The published variants, and ours last.
pub(crate) const VARIANTS: [(&str, &str); 7] = [
    ("affected", "dynamic"),
    ("affected", "static"),
    ("class", "dynamic"),
    ("class", "static"),
    ("all", "dynamic"),
    ("cells", "static"),
    ("cells", "dynamic"),
];
const CLASS: usize = 2;
pub(crate) const OURS: usize = 6;

/// What one variant came to.
#[derive(Default)]
pub(crate) struct Column {
    pub(crate) selected: Vec<f64>,
    cpu: Vec<f64>,
    /// Of the order-dependent tests that the change concerns: selected with a partner, and found.
    possible: usize,
    found: usize,
    /// How many of their partners are selected.
    partners: usize,
}

/// What was seen on the way.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) columns: [Column; VARIANTS.len()],
    /// Seconds of CPU.
    pub(crate) hunts: Vec<f64>,
    /// How many order-dependent tests the sampled changes concern, and how many partners these have.
    pub(crate) concerned: usize,
    pub(crate) partners: usize,
    /// Commits whose suite cannot be collected with the packages that are installed.
    pub(crate) unusable: usize,
    pub(crate) lost: Vec<String>,
}

/// Ids of selected tests.
#[derive(Default)]
pub(crate) struct Selection {
    affected: BTreeSet<String>,
    pub(crate) all: BTreeSet<String>,
}

impl Selection {
    pub(crate) fn new(report: &Value) -> Self {
        let ids = |field: &str| -> BTreeSet<String> {
            let tests = list(&report["selection"], field).filter_map(|selected| selected["test"].as_str());
            tests.map(str::to_owned).collect()
        };
        let affected = ids("affected");
        let all = affected.union(&ids("related")).cloned().collect();
        Selection { affected, all }
    }

    pub(crate) fn share(&self, report: &Value) -> f64 {
        self.all.len() as f64 / report["suite"]["tests"].as_u64().unwrap_or(0).max(1) as f64
    }

    /// Whether an order-dependent test, or one of its partners, is affected.
    pub(crate) fn concerns(&self, finding: &Value) -> bool {
        is_order_dependent(finding) && names(finding).any(|name| self.affected.contains(name))
    }

    /// Whether it is selected, and one of its partners too.
    fn makes_possible(&self, finding: &Value) -> bool {
        let is_in = |name: &str| self.all.contains(name);
        let mut partners = partners(finding).peekable();
        finding["test"].as_str().is_some_and(is_in) && (partners.peek().is_none() || partners.any(is_in))
    }
}

impl Column {
    /// What a variant selects and finds. Which findings the change concerns, `ours` says for all variants alike.
    pub(crate) fn note(
        &mut self,
        ours: &Selection,
        report: &Value,
        cpu_s: f64,
        hunted: Option<&(f64, Value)>,
    ) {
        let selection = Selection::new(report);
        self.selected.push(selection.share(report));
        let Some((hunt_cpu_s, hunted)) = hunted else { return };
        self.cpu.push(cpu_s / hunt_cpu_s);
        for finding in list(hunted, "findings").filter(|finding| ours.concerns(finding)) {
            let same = |other: &Value| other["kind"] == finding["kind"] && other["test"] == finding["test"];
            self.possible += usize::from(selection.makes_possible(finding));
            self.found += usize::from(list(report, "findings").any(same));
            self.partners += partners(finding).filter(|name| selection.all.contains(*name)).count();
        }
    }
}

impl Seen {
    /// Whether little enough is selected, and nothing lost.
    pub(crate) fn print(&self) -> bool {
        let share = |number: usize, of: usize| {
            (100 * number).checked_div(of).map_or("-".to_owned(), |share| share.to_string())
        };
        println!("    {:18} %selected   %time    %P  %partners    %D", "variant");
        for ((select, rts), column) in VARIANTS.iter().zip(&self.columns) {
            let [selected, cpu] = [&column.selected, &column.cpu].map(|shares| 100.0 * mean(shares));
            let [possible, found] =
                [column.possible, column.found].map(|number| share(number, self.concerned));
            let partners = share(column.partners, self.partners);
            let name = format!("{select}, {rts}");
            println!("    {name:18} {selected:>9.1} {cpu:>7.1} {possible:>5} {partners:>10} {found:>5}");
        }
        println!("    order-dependent tests that sampled changes concern: {}", self.concerned);
        println!("    pairs that end otherwise than before, and are not selected: {}", self.lost.len());
        self.lost.iter().for_each(|pair| println!("        {pair}"));
        let [ours, class] = [OURS, CLASS].map(|at| mean(&self.columns[at].selected));
        self.lost.is_empty() && ours <= OF_CLASS * class
    }
}

fn names(finding: &Value) -> impl Iterator<Item = &str> {
    finding["test"].as_str().into_iter().chain(partners(finding))
}

pub(crate) fn partners(finding: &Value) -> impl Iterator<Item = &str> {
    let groups = ["polluters", "setters"].into_iter().flat_map(|field| list(finding, field));
    groups.flat_map(|group| group.as_array().into_iter().flatten()).filter_map(Value::as_str)
}
pub(crate) fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

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
/// Those that are asked what they select; the others can be told from these. Ours comes last: it is asked to profile, too.
pub(crate) const ASKED: [(&str, &str); 4] =
    [("class", "static"), ("cells", "static"), ("class", "dynamic"), ("cells", "dynamic")];
/// So many of them only at sampled commits.
pub(crate) const SELDOM: usize = 2;
const CLASS: usize = 2;
pub(crate) const OURS: usize = 6;

/// What one variant came to.
#[derive(Default)]
struct Column {
    selected: Vec<f64>,
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
    columns: [Column; VARIANTS.len()],
    /// Seconds of CPU.
    pub(crate) hunts: Vec<f64>,
    /// How many order-dependent tests the sampled changes concern, and how many partners these have.
    concerned: usize,
    partners: usize,
    /// Pairs that ran before and after sampled changes; those of them that end otherwise for a reason that is not selected.
    pairs: u64,
    lost: Vec<String>,
}

/// Ids of selected tests.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct Selection {
    pub(crate) affected: BTreeSet<String>,
    pub(crate) all: BTreeSet<String>,
    tests: u64,
}

impl Selection {
    pub(crate) fn new(report: &Value) -> Self {
        let ids = |field: &str| -> BTreeSet<String> {
            let tests = list(&report["selection"], field).filter_map(|selected| selected["test"].as_str());
            tests.map(str::to_owned).collect()
        };
        let affected = ids("affected");
        let all = affected.union(&ids("related")).cloned().collect();
        Selection { affected, all, tests: report["suite"]["tests"].as_u64().unwrap_or(0) }
    }

    pub(crate) fn share(&self) -> f64 {
        self.all.len() as f64 / self.tests.max(1) as f64
    }

    /// Whether an order-dependent test, or one of its partners, is affected.
    fn concerns(&self, finding: &Value) -> bool {
        is_order_dependent(finding) && names(finding).any(|name| self.affected.contains(name))
    }

    /// Whether it is selected, and one of its partners too.
    fn makes_possible(&self, finding: &Value) -> bool {
        let is_in = |name: &str| self.all.contains(name);
        let mut partners = partners(finding).peekable();
        finding["test"].as_str().is_some_and(is_in) && (partners.peek().is_none() || partners.any(is_in))
    }
}

/// What a variant looks at, as far as it matters whether two look at the same.
#[derive(PartialEq, Eq)]
pub(crate) enum Sort {
    All,
    These(Selection),
}

/// What a variant selects, told by the answers to those that were asked; nothing if that takes one which was not.
pub(crate) fn sort((select, rts): (&str, &str), answers: &[Value]) -> Option<(f64, Sort)> {
    let asked = if matches!(select, "affected" | "all") { ("class", rts) } else { (select, rts) };
    let at = ASKED.iter().position(|&one| one == asked).expect("each is told by one that is asked");
    let mut selection = Selection::new(answers.get((at + answers.len()).checked_sub(ASKED.len())?)?);
    let is_all = select == "all" && !selection.all.is_empty();
    if select == "affected" {
        selection.all.clone_from(&selection.affected);
    }
    let share = if is_all { 1.0 } else { selection.share() };
    let is_whole = share >= 1.0 && !selection.all.is_empty();
    Some((share, if is_whole { Sort::All } else { Sort::These(selection) }))
}

impl Seen {
    /// What the variants select at one commit. Gives back the shares, as far as they are known.
    pub(crate) fn note_selected(&mut self, answers: &[Value]) -> Vec<Option<f64>> {
        let share = |&variant| sort(variant, answers).map(|(share, _)| share);
        let shares: Vec<Option<f64>> = VARIANTS.iter().map(share).collect();
        self.columns.iter_mut().zip(&shares).for_each(|(column, share)| column.selected.extend(share));
        shares
    }

    /// What came of a sampled commit. Which findings the change concerns, our variant says for all alike.
    pub(crate) fn note_sample(&mut self, sample: &Value) {
        let cpu = |value: &Value| value["cpu_s"].as_f64().unwrap_or(f64::NAN);
        let hunt = &sample["hunt"];
        self.hunts.push(cpu(hunt));
        let checks: Vec<&Value> = list(sample, "checks").collect();
        let ours = Selection::new(&checks[OURS]["report"]);
        let concerned: Vec<&Value> =
            list(&hunt["report"], "findings").filter(|finding| ours.concerns(finding)).collect();
        self.concerned += concerned.len();
        self.partners += concerned.iter().map(|finding| partners(finding).count()).sum::<usize>();
        for (column, check) in self.columns.iter_mut().zip(checks) {
            column.cpu.push(cpu(check) / cpu(hunt));
            let selection = Selection::new(&check["report"]);
            for finding in &concerned {
                let same =
                    |other: &Value| other["kind"] == finding["kind"] && other["test"] == finding["test"];
                column.possible += usize::from(selection.makes_possible(finding));
                column.found += usize::from(list(&check["report"], "findings").any(same));
                column.partners += partners(finding).filter(|name| selection.all.contains(*name)).count();
            }
        }
        self.pairs += sample["pairs"].as_u64().unwrap_or(0);
        self.lost.extend(list(sample, "lost").filter_map(Value::as_str).map(str::to_owned));
    }

    /// Whether little enough is selected, and nothing lost.
    pub(crate) fn print(&self) -> bool {
        let share = |number: usize, of: usize| {
            (100 * number).checked_div(of).map_or("-".to_owned(), |share| share.to_string())
        };
        println!("    {:18} %selected   %time    %P  %partners    %D", "variant");
        for ((select, rts), column) in VARIANTS.iter().zip(&self.columns) {
            let told = |shares: &[f64]| {
                if shares.is_empty() { "-".to_owned() } else { format!("{:.1}", 100.0 * mean(shares)) }
            };
            let [selected, cpu] = [&column.selected, &column.cpu].map(|shares| told(shares));
            let [possible, found] =
                [column.possible, column.found].map(|number| share(number, self.concerned));
            let partners = share(column.partners, self.partners);
            let name = format!("{select}, {rts}");
            println!("    {name:18} {selected:>9} {cpu:>7} {possible:>5} {partners:>10} {found:>5}");
        }
        println!("    order-dependent tests that sampled changes concern: {}", self.concerned);
        println!("    of {} pairs, end otherwise and are not selected: {}", self.pairs, self.lost.len());
        self.lost.iter().for_each(|pair| println!("        {pair}"));
        let [ours, class] = [OURS, CLASS].map(|at| mean(&self.columns[at].selected));
        self.lost.is_empty() && ours <= OF_CLASS * class
    }
}

fn names(finding: &Value) -> impl Iterator<Item = &str> {
    finding["test"].as_str().into_iter().chain(partners(finding))
}

fn partners(finding: &Value) -> impl Iterator<Item = &str> {
    let groups = ["polluters", "setters"].into_iter().flat_map(|field| list(finding, field));
    groups.flat_map(|group| group.as_array().into_iter().flatten()).filter_map(Value::as_str)
}

pub(crate) fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

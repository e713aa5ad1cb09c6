//! The station of the line that explains findings: which of them, in which order, and how far.

use std::collections::BTreeSet;

use anyorder_model::{Cause, Finding, Group, Halted, Kind, News, Oracle, Order, State, Station};
use anyorder_search::Noise;

use crate::explain::{Question, Role, explain_group};
use crate::likely::Likely;

/// How much is asked.
#[derive(Clone, Debug)]
pub struct ExplainSettings {
    /// Cells that nobody can observe: they are tried last.
    pub noise: Noise,
    /// Groups of one finding that are looked into, at most.
    pub groups: usize,
    /// Groups of all findings that are looked into, at most.
    pub all_groups: usize,
    /// Remedies that are tried for one group, at most.
    pub questions: usize,
}

impl Default for ExplainSettings {
    /// What is enough for most, at a price that a hunt can pay.
    fn default() -> Self {
        ExplainSettings { noise: Noise::default(), groups: 3, all_groups: 100, questions: 600 }
    }
}

impl ExplainSettings {
    /// Where each remedy takes a new process.
    pub fn dear(noise: Noise) -> Self {
        ExplainSettings { noise, groups: 1, all_groups: 10, questions: 60 }
    }

    /// For somebody who asks about one finding.
    pub fn thorough(noise: Noise) -> Self {
        ExplainSettings { noise, groups: 50, ..ExplainSettings::default() }
    }
}

/// Where nothing can be explained.
const UNSEEN: &str = "the state behind it: it cannot be seen in a suite like this";
/// Where the time was spent.
const SPENT: &str = "the state behind it: the time was spent";
/// Where there are too many.
const MANY: &str = "the state behind it: there are many findings; `anyorder explain` looks into one";
/// Where there are too many groups.
const FURTHER: &str = "the state that further groups leave: `anyorder explain` looks into them";

/// Whether this says that the state behind a finding was not looked for.
pub fn is_left_out(what: &str) -> bool {
    [UNSEEN, SPENT, MANY, FURTHER].contains(&what)
}

/// Looks for the state behind each finding that order alone decides; why it ended early, if it did.
pub fn explain(
    oracle: &mut dyn Oracle,
    findings: &mut [Finding],
    settings: &ExplainSettings,
) -> Option<Halted> {
    let mut chosen: Vec<&mut Finding> =
        findings.iter_mut().filter(|finding| can_be_explained(finding)).collect();
    if chosen.is_empty() {
        return None;
    }
    if !oracle.can_treat() {
        chosen.iter_mut().for_each(|finding| leave_out(finding, UNSEEN));
        return None;
    }
    let groups: usize = chosen.iter().map(|finding| orders(finding).len().min(settings.groups)).sum();
    oracle.tell(News::Began(Station::Explain, Some(groups.min(settings.all_groups) as u64)));
    let mut likely = Likely { noise: settings.noise.clone(), ..Likely::default() };
    let mut left = settings.all_groups;
    let mut halted = None;
    for finding in chosen {
        match halted {
            Some(Halted::Interrupted) => break,
            Some(_) => leave_out(finding, SPENT),
            None if left == 0 => leave_out(finding, MANY),
            None => halted = explain_finding(oracle, finding, settings, &mut likely, &mut left),
        }
    }
    halted
}

fn can_be_explained(finding: &Finding) -> bool {
    finding.kind.is_order_dependent() && finding.unconfirmed.is_none() && !orders(finding).is_empty()
}

fn leave_out(finding: &mut Finding, what: &str) {
    finding.not_searched.push(what.to_owned());
}

fn explain_finding(
    oracle: &mut dyn Oracle,
    finding: &mut Finding,
    settings: &ExplainSettings,
    likely: &mut Likely,
    left: &mut usize,
) -> Option<Halted> {
    let orders = orders(finding);
    let mut causes: Vec<Cause> = Vec::new();
    let mut halted = None;
    for (group, [base, prefix]) in orders.iter().enumerate().take(settings.groups.min(*left)) {
        let question = Question {
            role: if finding.kind == Kind::Brittle { Role::Helps } else { Role::Harms },
            group,
            base: base.clone(),
            prefix: prefix.clone(),
            test: finding.test,
            cleaners: &cleaners(finding, group),
        };
        let explained = explain_group(oracle, &question, likely, settings.questions);
        *left -= 1;
        if explained.halted != Some(Halted::Interrupted) {
            likely.known.extend(explained.cause.state.iter().map(|state| state.cell.clone()));
            finding.failure = finding.failure.take().or(explained.failure);
            causes.push(explained.cause);
        }
        halted = explained.halted;
        if halted.is_some() {
            break;
        }
    }
    if causes.len() < orders.len() {
        leave_out(finding, if halted.is_some() { SPENT } else { FURTHER });
    }
    finding.state = Some(union(&causes));
    finding.causes = Some(causes);
    halted
}

/// For each group: what runs before the test where it ends as usual, and where it ends otherwise.
fn orders(finding: &Finding) -> Vec<[Order; 2]> {
    let before =
        |order: &Order| Order(order.tests().split_last().map_or(vec![], |(_, before)| before.to_vec()));
    if finding.kind == Kind::NonIdempotent {
        let evidence = finding.evidence.as_ref();
        let orders = evidence
            .and_then(|evidence| Some([before(evidence.passing.as_ref()?), before(&evidence.failing)]));
        return orders.into_iter().collect();
    }
    let groups = finding.polluters.as_ref().or(finding.setters.as_ref());
    groups.into_iter().flatten().map(|group| [Order::default(), Order(group.clone())]).collect()
}

fn cleaners(finding: &Finding, group: usize) -> Vec<Group> {
    let row = finding.by_polluter.iter().flatten().find(|row| row.group == group);
    row.and_then(|row| row.cleaners.clone()).unwrap_or_default()
}

/// Each cell once, as the first group has it.
fn union(causes: &[Cause]) -> Vec<State> {
    let mut known = BTreeSet::new();
    let all = causes.iter().flat_map(|cause| &cause.state);
    all.filter(|state| known.insert(state.cell.clone())).cloned().collect()
}

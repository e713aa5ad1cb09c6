//! Findings that one patch may cure: those that the same cells carry.

use std::collections::{BTreeMap, BTreeSet};

use anyorder_model::{About, Cause, Finding, Group, Kind, Order, State, TestIndex};

/// Findings with one cause.
#[derive(Clone, Debug, Default)]
pub(crate) struct Problem {
    /// The cells that carry it; none if they are not known.
    pub(crate) cells: Vec<State>,
    /// What there is to know about them, in the same order.
    pub(crate) abouts: Vec<About>,
    /// Modules that may own state that is not known, with their files.
    pub(crate) imported: Vec<(String, String)>,
    /// Who changes each of them: the lines of the last change, innermost first.
    pub(crate) writers: BTreeMap<String, BTreeSet<Vec<String>>>,
    /// What has to end well.
    pub(crate) claims: Vec<Claim>,
    /// Tests that leave the state.
    pub(crate) polluters: BTreeSet<TestIndex>,
    /// Tests that need the state to be another.
    pub(crate) sufferers: BTreeSet<TestIndex>,
    /// Tests that put it right when they run in between, or before.
    pub(crate) helpers: Vec<Helper>,
}

/// An order that has to end with a passing test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Claim {
    /// The place of the finding.
    pub(crate) finding: usize,
    /// What runs; the last test is the finding's own.
    pub(crate) order: Order,
}

/// Tests that put the state right for a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Helper {
    /// The place of the claim.
    pub(crate) claim: usize,
    /// Cleaners or setters, in order.
    pub(crate) tests: Group,
}

impl Problem {
    /// Whether tests fail by themselves: something has to be set up, rather than cleaned up.
    pub(crate) fn is_brittle(&self) -> bool {
        self.polluters.is_empty()
    }

    fn has(&self, path: &str) -> bool {
        self.cells.iter().any(|state| state.cell == path)
    }

    fn join(&mut self, other: Problem) {
        let claims = self.claims.len();
        let new: Vec<State> = other.cells.into_iter().filter(|state| !self.has(&state.cell)).collect();
        self.cells.extend(new);
        for (cell, writers) in other.writers {
            self.writers.entry(cell).or_default().extend(writers);
        }
        self.claims.extend(other.claims);
        self.sufferers.extend(other.sufferers);
        let moved = |helper: Helper| Helper { claim: helper.claim + claims, ..helper };
        self.helpers.extend(other.helpers.into_iter().map(moved));
    }

    fn note_writers(&mut self, cells: &[State]) {
        for state in cells.iter().filter(|state| state.written.is_some()) {
            let lines = state.written.iter().chain(&state.stack).cloned().collect();
            self.writers.entry(state.cell.clone()).or_default().insert(lines);
        }
    }

    /// The places of its findings, each once.
    pub(crate) fn findings(&self) -> BTreeSet<usize> {
        self.claims.iter().map(|claim| claim.finding).collect()
    }
}

/// So many orders of one finding have to end well.
const ORDERS: usize = 40;
/// So many helpers of one claim are looked at.
const HELPERS: usize = 3;

/// What is wrong with a suite, what cures most first.
pub(crate) fn problems(findings: &[Finding], is_wanted: impl Fn(&Finding) -> bool) -> Vec<Problem> {
    let mut problems: BTreeMap<Vec<String>, Problem> = BTreeMap::new();
    for (at, finding) in findings.iter().enumerate() {
        let is_fixable =
            finding.kind.is_order_dependent() && finding.unconfirmed.is_none() && is_wanted(finding);
        for part in parts(finding).into_iter().filter(|_| is_fixable) {
            let unknown = [format!("test {}", finding.test.0)];
            let paths: Vec<String> = part.cells.iter().map(|state| state.cell.clone()).collect();
            let side = if finding.kind == Kind::Brittle { "brittle" } else { "" }.to_owned();
            let key = [if paths.is_empty() { unknown.to_vec() } else { paths }, vec![side]].concat();
            let problem = problems
                .entry(key)
                .or_insert_with(|| Problem { cells: part.cells.clone(), ..Problem::default() });
            let claim = problem.claims.len();
            problem.note_writers(&part.cells);
            problem.sufferers.insert(finding.test);
            problem.polluters.extend(&part.polluters);
            let helpers = part.helpers.into_iter().take(HELPERS);
            problem.helpers.extend(helpers.map(|tests| Helper { claim, tests }));
            problem.claims.push(Claim { finding: at, order: part.order });
        }
    }
    let mut problems = joined(problems.into_values());
    problems.sort_by_key(|problem| std::cmp::Reverse(problem.findings().len()));
    problems
}

/// Problems with the same polluters and a cell in common are one: what puts all of their cells back cures all of them.
fn joined(problems: impl Iterator<Item = Problem>) -> Vec<Problem> {
    let mut joined: Vec<Problem> = vec![];
    for problem in problems {
        let is_same = |other: &&mut Problem| {
            let shares = other.cells.iter().any(|state| problem.has(&state.cell));
            shares && other.polluters == problem.polluters && !problem.is_brittle()
        };
        match joined.iter_mut().find(is_same) {
            Some(other) => other.join(problem),
            None => joined.push(problem),
        }
    }
    joined
}

/// One failing order of a finding.
struct Part {
    cells: Vec<State>,
    order: Order,
    polluters: Group,
    helpers: Vec<Group>,
}

fn parts(finding: &Finding) -> Vec<Part> {
    let cells = |group: usize| cells_of(finding, group);
    match finding.kind {
        Kind::Brittle => {
            let setters = finding.setters.clone().unwrap_or_default();
            let order = Order(vec![finding.test]);
            vec![Part { cells: cells(0), order, polluters: vec![], helpers: setters }]
        }
        Kind::NonIdempotent => {
            let failing = finding.evidence.as_ref().map(|evidence| evidence.failing.clone());
            let order = failing.unwrap_or_else(|| Order(vec![finding.test, finding.test]));
            vec![Part { cells: cells(0), order, polluters: vec![finding.test], helpers: vec![] }]
        }
        _ => {
            let part = |(at, group): (usize, &Group)| Part {
                cells: cells(at),
                order: Order([&group[..], &[finding.test]].concat()),
                polluters: group.clone(),
                helpers: cleaners(finding, at),
            };
            let groups = finding.polluters.iter().flatten();
            let mut parts: Vec<Part> = groups.clone().enumerate().take(ORDERS).map(part).collect();
            // Those that are too many to be tried one by one leave the same, most likely.
            if let Some(last) = parts.last_mut() {
                last.polluters.extend(groups.skip(ORDERS).flatten());
            }
            parts
        }
    }
}

/// The smallest set of cells that decides; for a group that nobody has looked into, that of another one.
fn cells_of(finding: &Finding, group: usize) -> Vec<State> {
    let proved = || finding.causes.iter().flatten().filter(|cause| cause.is_proved());
    let cause = proved().find(|cause| cause.group == group);
    let is_unknown = |cause: &Cause| cause.group == group;
    let was_looked_into = finding.causes.iter().flatten().any(is_unknown);
    let cause = cause.or_else(|| proved().next().filter(|_| !was_looked_into));
    let smallest = cause.and_then(|cause| Some((cause, cause.cures.iter().min_by_key(|cure| cure.len())?)));
    smallest.map_or(vec![], |(cause, cure)| {
        cause.state.iter().filter(|state| cure.contains(&state.cell)).cloned().collect()
    })
}

fn cleaners(finding: &Finding, group: usize) -> Vec<Group> {
    let rows = finding.by_polluter.iter().flatten();
    let mut cleaners: Vec<Group> = rows
        .filter(|row| row.group == group)
        .flat_map(|row| row.cleaners.clone().unwrap_or_default())
        .collect();
    cleaners.sort_by_key(Vec::len);
    cleaners
}

#[cfg(test)]
mod tests {
    use anyorder_model::{Effort, TestId};

    use super::*;

    fn victim(test: u32, polluter: u32, cells: &[&str]) -> Finding {
        let mut finding = Finding::new(Kind::Victim, TestIndex(test), &TestId(format!("t.py::t{test}")));
        finding.polluters = Some(vec![vec![TestIndex(polluter)]]);
        let state = |cell: &&str| State { cell: (*cell).to_owned(), ..State::default() };
        finding.causes = Some(vec![Cause {
            group: 0,
            state: cells.iter().map(state).collect(),
            cures: vec![cells.iter().map(|&cell| cell.to_owned()).collect()],
            reason: None,
            left: vec![],
            resets: vec![],
            effort: Effort::default(),
        }]);
        finding
    }

    fn cells(problem: &Problem) -> Vec<&str> {
        problem.cells.iter().map(|state| state.cell.as_str()).collect()
    }

    #[test]
    fn findings_with_the_same_cells_are_one_problem_whoever_pollutes_them() {
        let problems =
            problems(&[victim(0, 8, &["a"]), victim(1, 9, &["a"]), victim(2, 8, &["b"])], |_| true);
        let seen: Vec<(Vec<&str>, usize)> =
            problems.iter().map(|problem| (cells(problem), problem.findings().len())).collect();
        assert_eq!(seen, [(vec!["a"], 2), (vec!["b"], 1)]);
        assert_eq!(problems[0].polluters, BTreeSet::from([TestIndex(8), TestIndex(9)]));
    }

    #[test]
    fn findings_of_one_polluter_that_share_a_cell_are_one_problem() {
        let problems =
            problems(&[victim(0, 8, &["a", "b"]), victim(1, 8, &["a", "c"]), victim(2, 9, &["c"])], |_| true);
        assert_eq!(problems.iter().map(cells).collect::<Vec<_>>(), [vec!["a", "b", "c"], vec!["c"]]);
        assert_eq!(problems[0].claims.len(), 2);
    }

    #[test]
    fn findings_of_one_test_whose_cause_is_unknown_are_one_problem() {
        let mut finding = victim(0, 8, &[]);
        finding.causes = None;
        let mut again = Finding::new(Kind::NonIdempotent, TestIndex(0), &TestId("t.py::t0".to_owned()));
        again.evidence = None;
        let problems = problems(&[finding, again], |_| true);
        assert_eq!(problems.len(), 1);
        assert_eq!(problems[0].polluters, BTreeSet::from([TestIndex(0), TestIndex(8)]));
        assert_eq!(problems[0].claims[1].order, Order(vec![TestIndex(0), TestIndex(0)]));
    }
}

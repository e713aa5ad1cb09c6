//! A case: one suspect on its way to a verdict, with all that was learnt about it so far.

use anyorder_model::{ByPolluter, Evidence, Finding, Group, Kind, Order, Reproduce, Rung, Suite, TestIndex};

use crate::groups::keeps_groups;
use crate::seen::{Sighting, Suspect};
use crate::sight::{Sight, Target};

/// One suspect.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) test: TestIndex,
    pub(crate) kind: Kind,
    pub(crate) alone: Sight,
    /// How it ended where it differed.
    pub(crate) seen: Sight,
    pub(crate) target: Target,
    pub(crate) sightings: Vec<Sighting>,
    /// What runs before the test where it ends as usual; nothing, except for a test that is run twice behind others.
    pub(crate) base: Vec<TestIndex>,
    /// Minimal groups after which the target is met.
    pub(crate) groups: Vec<Group>,
    pub(crate) by_polluter: Option<Vec<ByPolluter>>,
    pub(crate) not_searched: Vec<String>,
    /// What runs before the test in the order that was confirmed.
    pub(crate) confirmed: Option<Confirmed>,
}

/// What the plain runner confirmed.
#[derive(Clone, Debug)]
pub(crate) struct Confirmed {
    pub(crate) before: Vec<TestIndex>,
    pub(crate) rung: Rung,
    pub(crate) pairs: u32,
    pub(crate) odd_command: String,
    pub(crate) base_command: String,
}

impl Case {
    pub(crate) fn new(suspect: Suspect) -> Self {
        let seen = suspect.sightings[0].sight.clone();
        Case {
            test: suspect.test,
            kind: suspect.kind,
            target: Target::of(suspect.kind, &suspect.alone, &seen),
            alone: suspect.alone,
            seen,
            sightings: suspect.sightings,
            base: Vec::new(),
            groups: Vec::new(),
            by_polluter: None,
            not_searched: Vec::new(),
            confirmed: None,
        }
    }

    /// A test that is its own partner: after `base` it ends like `alone`, and run again like `again`.
    pub(crate) fn of_twice(
        kind: Kind,
        base: Vec<TestIndex>,
        test: TestIndex,
        [alone, again]: [Sight; 2],
    ) -> Self {
        let as_plain = if kind == Kind::NonIdempotent { Kind::Victim } else { Kind::Brittle };
        Case {
            test,
            kind,
            target: Target::of(as_plain, &alone, &again),
            alone,
            sightings: vec![Sighting { before: base.clone(), sight: again.clone() }],
            groups: vec![[base.as_slice(), &[test]].concat()],
            seen: again,
            base,
            by_polluter: None,
            not_searched: Vec::new(),
            confirmed: None,
        }
    }

    /// Whether what it needs is another test.
    pub(crate) fn has_partners(&self) -> bool {
        !matches!(self.kind, Kind::NonIdempotent | Kind::SelfSetting)
    }

    /// The order that ends with the test, after these.
    pub(crate) fn after(&self, before: &[TestIndex]) -> Vec<TestIndex> {
        [before, &[self.test]].concat()
    }

    /// A test that is run twice, after other tests than so far.
    pub(crate) fn twice_after(&mut self, base: &[TestIndex]) {
        self.base = base.to_vec();
        self.groups = vec![self.after(base)];
    }

    /// The same difference in other orders than that of its first group.
    pub(crate) fn other_orders(&self) -> Vec<Case> {
        let sighted = self.sightings.last().map(|sighting| sighting.before.clone());
        if self.has_partners() {
            let others = self.groups.get(1).cloned().into_iter().chain(sighted);
            return others.map(|before| Case { groups: vec![before], ..self.clone() }).collect();
        }
        let mut other = self.clone();
        sighted
            .filter(|before| *before != self.base)
            .map(|before| {
                other.twice_after(&before);
                other
            })
            .into_iter()
            .collect()
    }

    /// Notes something that was not looked for.
    pub(crate) fn leave_out(&mut self, what: impl Into<String>) {
        let what = what.into();
        if !self.not_searched.contains(&what) {
            self.not_searched.push(what);
        }
    }

    /// The groups of one test.
    pub(crate) fn singles(&self) -> impl Iterator<Item = TestIndex> {
        self.groups.iter().filter(|group| group.len() == 1).map(|group| group[0])
    }

    /// What somebody calls the groups: polluters, or setters.
    pub(crate) fn partner_word(&self) -> &'static str {
        if self.kind == Kind::Brittle { "setters" } else { "polluters" }
    }

    /// All that is known, as a finding.
    pub(crate) fn finding(&self, suite: &Suite) -> Finding {
        let mut finding = Finding::new(self.kind, self.test, suite.id(self.test));
        let red = if self.seen.outcome.is_red() { &self.seen } else { &self.alone };
        finding.signature.clone_from(&red.signature);
        finding.declared = is_declared(suite, self.test);
        finding.evidence = self.evidence();
        finding.reproduce = self.confirmed.as_ref().map(|confirmed| self.reproduce(confirmed));
        finding.not_searched.clone_from(&self.not_searched);
        if self.has_partners() {
            let groups = (!self.groups.is_empty()).then(|| self.groups.clone());
            *(if self.kind == Kind::Brittle { &mut finding.setters } else { &mut finding.polluters }) =
                groups;
            finding.interleaved_only = Some(self.is_interleaved_only(suite));
            finding.by_polluter.clone_from(&self.by_polluter);
            finding.cleaners = self.by_polluter.as_ref().map(|rows| union(rows));
        }
        finding
    }

    /// The orders that show it: confirmed ones, else what was seen.
    fn evidence(&self) -> Option<Evidence> {
        let seen = || self.groups.first().or(self.sightings.first().map(|sighting| &sighting.before));
        let before = self.confirmed.as_ref().map(|confirmed| &confirmed.before).or_else(seen)?;
        let (base, odd) = (Order(self.after(&self.base)), Order(self.after(before)));
        let (passing, failing) = if self.is_odd_green() { (odd, base) } else { (base, odd) };
        Some(Evidence {
            passing: Some(passing),
            failing,
            confirmed: self.confirmed.as_ref().map(|confirmed| confirmed.rung),
            plain_pairs: self.confirmed.as_ref().map_or(0, |confirmed| confirmed.pairs),
        })
    }

    fn reproduce(&self, confirmed: &Confirmed) -> Reproduce {
        let (base, odd) = (confirmed.base_command.clone(), confirmed.odd_command.clone());
        if self.is_odd_green() {
            Reproduce { pass: odd, fail: base }
        } else {
            Reproduce { pass: base, fail: odd }
        }
    }

    fn is_odd_green(&self) -> bool {
        matches!(self.kind, Kind::Brittle | Kind::SelfSetting)
    }

    fn is_interleaved_only(&self, suite: &Suite) -> bool {
        let known = self.groups.iter().chain(self.sightings.iter().map(|sighting| &sighting.before));
        !known.into_iter().any(|before| keeps_groups(suite, &self.after(before)))
    }
}

/// Marks of pytest-order, pytest-ordering and pytest-dependency, and what agents say of annotations.
fn is_declared(suite: &Suite, test: TestIndex) -> bool {
    suite
        .test(test)
        .markers
        .iter()
        .any(|marker| matches!(marker.as_str(), "order" | "run" | "dependency" | "declared-order"))
}

fn union(rows: &[ByPolluter]) -> Vec<Group> {
    let mut all: Vec<Group> =
        rows.iter().filter_map(|row| row.cleaners.as_ref()).flatten().cloned().collect();
    all.sort();
    all.dedup();
    all
}

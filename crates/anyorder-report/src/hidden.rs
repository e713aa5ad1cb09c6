//! Why the original order does not show a finding.

use anyorder_model::{Finding, Group, Kind, Suite, TestIndex};

/// Why the test does not fail in the original order, as far as that can be told.
pub(crate) fn hidden(suite: &Suite, finding: &Finding) -> Option<String> {
    match finding.kind {
        Kind::Victim => by_order(finding).or_else(|| by_cleaner(suite, finding)),
        Kind::Brittle => by_setter(suite, finding),
        Kind::NonIdempotent => Some("each test runs once in the original order".to_owned()),
        _ => None,
    }
}

/// Whether these tests run before another one in the original order, in this order themselves.
fn runs_before(group: &Group, test: TestIndex) -> bool {
    group.is_sorted() && group.last().is_some_and(|&last| last < test)
}

/// No group of polluters comes before the victim.
fn by_order(finding: &Finding) -> Option<String> {
    let groups = finding.polluters.as_ref().filter(|groups| !groups.is_empty())?;
    if groups.iter().any(|group| runs_before(group, finding.test)) {
        return None;
    }
    let is_first = groups.iter().all(|group| group.iter().all(|&polluter| finding.test < polluter));
    let polluters = if groups.len() == 1 { "polluter" } else { "polluters" };
    Some(if is_first {
        format!("the original order runs it before its {polluters}")
    } else {
        "the original order runs only some of a group of polluters before it, or in another order".to_owned()
    })
}

/// After every group of polluters that comes before the victim, a cleaner does too.
fn by_cleaner(suite: &Suite, finding: &Finding) -> Option<String> {
    let groups = finding.polluters.as_ref()?;
    let cleaner_after = |(at, group): (usize, &Group)| {
        let row = finding.by_polluter.iter().flatten().find(|row| row.group == at)?;
        let between = |cleaner: &&Group| {
            let first = cleaner.first().copied();
            first.is_some_and(|first| group.last() < Some(&first)) && runs_before(cleaner, finding.test)
        };
        row.cleaners.as_ref()?.iter().find(between).and_then(|cleaner| cleaner.last().copied())
    };
    let before = groups.iter().enumerate().filter(|(_, group)| runs_before(group, finding.test));
    let cleaners: Option<Vec<TestIndex>> = before.map(cleaner_after).collect();
    let first = *cleaners?.first()?;
    Some(format!("the original order runs {} in between, which undoes it", suite.id(first)))
}

fn by_setter(suite: &Suite, finding: &Finding) -> Option<String> {
    let group = finding.setters.iter().flatten().find(|group| runs_before(group, finding.test))?;
    let setters: Vec<&str> = group.iter().map(|&test| suite.id(test).0.as_str()).collect();
    Some(format!("the original order runs {} before it", setters.join(", then ")))
}

#[cfg(test)]
mod tests {
    use anyorder_model::ByPolluter;

    use super::*;
    use crate::example;

    fn victim(test: u32, polluters: &[&[u32]], cleaners: Option<u32>) -> Finding {
        let group = |tests: &&[u32]| tests.iter().copied().map(TestIndex).collect::<Group>();
        let suite = example::suite(&["a", "b", "c", "d"]);
        let mut finding = Finding::new(Kind::Victim, TestIndex(test), suite.id(TestIndex(test)));
        finding.polluters = Some(polluters.iter().map(group).collect());
        let cleaners = Some(cleaners.into_iter().map(|test| vec![TestIndex(test)]).collect());
        finding.by_polluter = Some(vec![ByPolluter { group: 0, cleaners }]);
        finding
    }

    fn why(finding: &Finding) -> Option<String> {
        hidden(&example::suite(&["a", "b", "c", "d"]), finding)
    }

    #[test]
    fn a_victim_is_hidden_by_its_place_or_by_a_cleaner_in_between() {
        let first = why(&victim(0, &[&[2]], None)).unwrap();
        assert_eq!(first, "the original order runs it before its polluter");
        let cleaned = why(&victim(3, &[&[0]], Some(1))).unwrap();
        assert_eq!(cleaned, "the original order runs t.py::b in between, which undoes it");
        assert_eq!(why(&victim(1, &[&[0]], Some(2))), None);
        assert!(why(&victim(2, &[&[1, 0]], None)).unwrap().contains("in another order"));
    }

    #[test]
    fn a_victim_that_any_polluter_reaches_is_not_hidden() {
        assert_eq!(why(&victim(2, &[&[0], &[3]], None)), None);
    }

    #[test]
    fn a_brittle_is_hidden_by_a_setter_before_it() {
        let suite = example::suite(&["a", "b", "c", "d"]);
        let mut finding = Finding::new(Kind::Brittle, TestIndex(2), suite.id(TestIndex(2)));
        finding.setters = Some(vec![vec![TestIndex(3)], vec![TestIndex(0)]]);
        assert_eq!(why(&finding).unwrap(), "the original order runs t.py::a before it");
    }
}

//! Groups: the files and classes that hold tests together.

use std::collections::BTreeMap;

use anyorder_model::{Suite, TestIndex};

/// The tests of each group as collected; groups in the order of their first tests.
pub(crate) fn groups_of(suite: &Suite) -> Vec<Vec<TestIndex>> {
    let mut groups: Vec<Vec<TestIndex>> = Vec::new();
    let mut places = BTreeMap::new();
    for index in suite.indices() {
        let place = *places.entry(suite.test(index).group.as_str()).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[place].push(index);
    }
    groups
}

/// Whether tests of the same group stand next to each other.
pub(crate) fn keeps_groups(suite: &Suite, order: &[TestIndex]) -> bool {
    let mut names: Vec<&str> = order.iter().map(|&test| suite.test(test).group.as_str()).collect();
    names.dedup();
    let stretches = names.len();
    names.sort_unstable();
    names.dedup();
    names.len() == stretches
}

//! Walks through a list once, with a few looks on the way, to see behind which piece of it something holds for the first
//! time; then the same with that piece alone.
//!
//! Knows nothing but a list and a question about several beginnings of it, which share what they have in common: to look
//! costs little more than the walk. One culprit costs a third more than one run of the list. A piece that does not do it
//! without what comes before it ends the walk: what is left holds, and is for `shrink` to make minimal.

/// How many looks there are in a walk. More would save little, and cost much where states cannot be forked.
pub const LOOKS: usize = 4;

/// The beginnings of `items` at which to look, `looks` at most; there is always a last one, which is all of it.
pub fn beginnings<T: Clone>(items: &[T], looks: usize) -> Vec<Vec<T>> {
    let looks = looks.min(items.len()).max(1);
    (1..=looks).map(|look| items[..items.len() * look / looks].to_vec()).collect()
}

/// A part of `items` that holds. `holds` is what was seen at the beginnings of it, of which the last holds.
pub fn narrow<T: Clone, E>(
    items: &[T],
    mut holds: Vec<bool>,
    mut ask: impl FnMut(Vec<Vec<T>>) -> Result<Vec<bool>, E>,
) -> Result<Vec<T>, E> {
    let mut list = items.to_vec();
    while holds.len() > 1 {
        let lists = beginnings(&list, holds.len());
        let rise = (0..holds.len()).rev().find(|&at| holds[at] && (at == 0 || !holds[at - 1])).unwrap_or(0);
        let start = if rise == 0 { 0 } else { lists[rise - 1].len() };
        let piece = lists[rise][start..].to_vec();
        list.truncate(lists[rise].len());
        let mut pieces = beginnings(&piece, LOOKS);
        if start == 0 {
            pieces.pop(); // it was just seen to hold
        }
        holds = if pieces.is_empty() { Vec::new() } else { ask(pieces)? };
        if start == 0 {
            holds.push(true);
        } else if holds.last() != Some(&true) {
            return Ok(list);
        }
        list = piece;
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What is left, and how many items were walked over.
    fn narrowed(size: u32, holds: impl Fn(&[u32]) -> bool) -> (Vec<u32>, usize) {
        let all: Vec<u32> = (0..size).collect();
        let mut walked = all.len();
        let seen = beginnings(&all, LOOKS).iter().map(|list| holds(list)).collect();
        let left = narrow(&all, seen, |lists| {
            walked += lists.last().map_or(0, Vec::len);
            Ok::<_, ()>(lists.iter().map(|list| holds(list)).collect())
        });
        (left.expect("nothing fails here"), walked)
    }

    #[test]
    fn one_culprit_among_a_thousand_costs_a_third_more_than_one_walk() {
        for culprit in [0, 1, 321, 998, 999] {
            let (left, walked) = narrowed(1000, |list| list.contains(&culprit));
            assert_eq!(left, [culprit]);
            assert!(walked <= 1340, "{walked}");
        }
    }

    #[test]
    fn a_culprit_behind_the_cleaner_of_another_is_found() {
        let is_dirty = |list: &[u32]| {
            list.iter().fold(false, |dirty, item| (dirty && *item != 200) || [100, 700].contains(item))
        };
        assert_eq!(narrowed(1000, is_dirty).0, [700]);
    }

    #[test]
    fn two_that_work_together_are_left_with_what_is_between_them() {
        let (left, _) = narrowed(1000, |list| list.contains(&17) && list.contains(&600));
        assert_eq!(left, (0..750).collect::<Vec<u32>>());
    }

    proptest! {
        /// Whether a list holds is an arbitrary function of it here.
        #[test]
        fn whatever_the_world_what_is_left_holds(size in 1_u32..40, salt in any::<u64>()) {
            let all: Vec<u32> = (0..size).collect();
            let holds = |list: &[u32]| {
                let hash = list.iter().fold(salt, |hash, &item| (hash ^ u64::from(item)).wrapping_mul(0x9e37_79b9_7f4a_7c15));
                list == all || hash >> 63 == 1
            };
            prop_assert!(holds(&narrowed(size, holds).0));
        }
    }
}

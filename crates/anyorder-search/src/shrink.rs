//! Delta debugging: the fewest of many things that still have an effect.

/// Drops items until no single one can be dropped and `holds` is still true; it must be true of all `items`.
///
/// Keeps the order of `items`. Other, smaller sets may exist: this one is minimal, not minimum. Halves first, so a single
/// cause among n items takes about 2 log n questions.
pub fn shrink<T: Clone, E>(
    items: Vec<T>,
    holds: &mut impl FnMut(&[T]) -> Result<bool, E>,
) -> Result<Vec<T>, E> {
    let mut items = items;
    let mut parts = 2;
    while items.len() > 1 {
        let size = items.len().div_ceil(parts);
        let Some(smaller) = smaller(&items, size, holds)? else {
            if size == 1 {
                break;
            }
            parts = (parts * 2).min(items.len());
            continue;
        };
        parts = if smaller.len() <= size { 2 } else { (parts - 1).max(2) };
        items = smaller;
    }
    Ok(items)
}

/// One part that suffices by itself, or else all parts but one.
fn smaller<T: Clone, E>(
    items: &[T],
    size: usize,
    holds: &mut impl FnMut(&[T]) -> Result<bool, E>,
) -> Result<Option<Vec<T>>, E> {
    let starts = || (0..items.len()).step_by(size);
    for start in starts() {
        let part = &items[start..(start + size).min(items.len())];
        if holds(part)? {
            return Ok(Some(part.to_vec()));
        }
    }
    if size * 2 >= items.len() {
        return Ok(None); // the complements are the parts
    }
    for start in starts() {
        let rest = [&items[..start], &items[(start + size).min(items.len())..]].concat();
        if holds(&rest)? {
            return Ok(Some(rest));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};
    use std::collections::BTreeSet;
    use std::convert::Infallible;

    fn shrunk(items: Vec<u32>, mut holds: impl FnMut(&[u32]) -> bool) -> Vec<u32> {
        shrink(items, &mut |items: &[u32]| Ok::<_, Infallible>(holds(items))).unwrap()
    }

    proptest! {
        #[test]
        fn what_is_left_holds_and_nothing_can_be_dropped(
            size in 1_u32..60, causes in proptest::collection::vec(proptest::collection::btree_set(0_u32..60, 1..4), 1..4),
        ) {
            let holds = |items: &[u32]| causes.iter().any(|cause: &BTreeSet<u32>| cause.iter().all(|one| items.contains(one)));
            let all: Vec<u32> = (0..size).collect();
            if holds(&all) {
                let left = shrunk(all, holds);
                prop_assert!(holds(&left) && left.is_sorted());
                for dropped in 0..left.len() {
                    let mut fewer = left.clone();
                    fewer.remove(dropped);
                    prop_assert!(!holds(&fewer));
                }
            }
        }

        #[test]
        fn a_single_cause_is_found_in_logarithmic_time(size in 2_u32..2000, cause in 0_u32..2000) {
            let mut asked = 0;
            let cause = cause % size;
            let left = shrunk((0..size).collect(), |items| { asked += 1; items.contains(&cause) });
            prop_assert_eq!(left, vec![cause]);
            prop_assert!(asked <= 2 * (32 - size.leading_zeros()) + 2);
        }
    }
}

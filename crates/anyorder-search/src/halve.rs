//! Halves a list as if exactly one of its items did it, and proves the one that is left.
//!
//! Knows nothing but a list and a question. Where one half does not do it, the other one is taken without a question: so
//! all of it costs one run of the list, and a logarithm of questions. If several items work together, or one undoes another,
//! the proof fails, and it is for `narrow` and `shrink` to find out what is so.

/// The item that does it by itself, if halving leads to one.
pub(crate) fn halve<T: Clone, E>(
    items: &[T],
    mut holds: impl FnMut(&[T]) -> Result<bool, E>,
) -> Result<Option<T>, E> {
    let mut list = items;
    let mut is_proved = false;
    while list.len() > 1 {
        // The culprit is more often near the end, where less comes after it.
        let (first, second) = list.split_at(list.len() / 2);
        is_proved = holds(second)?;
        list = if is_proved { second } else { first };
    }
    let is_proved = is_proved || (!list.is_empty() && holds(list)?);
    Ok(list.first().filter(|_| is_proved).cloned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is found, how many questions that takes, and how many items are run over.
    fn halved(size: u32, holds: impl Fn(&[u32]) -> bool) -> (Option<u32>, usize, usize) {
        let all: Vec<u32> = (0..size).collect();
        let (mut asked, mut walked) = (0, 0);
        let found = halve(&all, |list| {
            (asked, walked) = (asked + 1, walked + list.len());
            Ok::<_, ()>(holds(list))
        });
        (found.expect("nothing fails here"), asked, walked)
    }

    #[test]
    fn one_culprit_costs_one_run_and_a_logarithm_of_questions() {
        for size in [1, 2, 3, 17, 1000] {
            for culprit in [0, size / 3, size - 1] {
                let (found, asked, walked) = halved(size, |list| list.contains(&culprit));
                assert_eq!(found, Some(culprit));
                assert!(
                    asked <= size.ilog2() as usize + 2 && walked <= size as usize + 11,
                    "{asked} {walked}"
                );
            }
        }
    }

    #[test]
    fn one_of_two_culprits_is_enough() {
        assert_eq!(halved(100, |list| list.contains(&3) || list.contains(&70)).0, Some(70));
    }

    #[test]
    fn nobody_is_accused_where_two_work_together() {
        assert_eq!(halved(100, |list| list.contains(&3) && list.contains(&70)).0, None);
        assert_eq!(halved(0, |_| true).0, None);
    }
}

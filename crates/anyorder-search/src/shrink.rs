//! Drops tests until none can be dropped: what is left is minimal, though smaller sets may exist.
//!
//! Knows nothing but a list and a question. Keeps the order of the list, since two tests may do something in one order
//! and nothing in the other. Never assumes that a larger list shows what a smaller one does: cleaners see to that.
//!
//! Three phases, each of which leaves a list that holds. *Halves*: while one half holds, go on with that half; a single
//! culprit costs about one run of the list in all. *Edges*: binary search for a test that cannot be dropped from the
//! front, keep it, go on behind it; each member of a group costs a logarithm of questions. *Singles*: drop one test at
//! a time until none can go. The last phase is the proof of minimality; the others only make it short.

use std::marker::PhantomData;

/// What came of it.
#[derive(Debug, PartialEq, Eq)]
pub enum Shrunk<T> {
    /// None of these can be dropped.
    Minimal(Vec<T>),
    /// The questions ran out; these hold.
    Unfinished(Vec<T>),
}

/// Shrinks `items`, of which the caller knows that they hold and that nothing at all does not.
pub fn shrink<T: Clone, E>(
    items: &[T],
    questions: usize,
    holds: impl FnMut(&[T]) -> Result<bool, E>,
) -> Result<Shrunk<T>, E> {
    let mut shrinker = Shrinker { holds, questions, items: PhantomData };
    let halved = shrinker.halves(items.to_vec())?;
    let edged = shrinker.edges(halved)?;
    let (list, is_minimal) = shrinker.singles(edged)?;
    Ok(if is_minimal { Shrunk::Minimal(list) } else { Shrunk::Unfinished(list) })
}

struct Shrinker<F, T, E> {
    holds: F,
    questions: usize,
    items: PhantomData<(T, E)>,
}

impl<T: Clone, E, F: FnMut(&[T]) -> Result<bool, E>> Shrinker<F, T, E> {
    /// `None` when no question is left.
    fn ask(&mut self, list: &[T]) -> Result<Option<bool>, E> {
        if self.questions == 0 {
            return Ok(None);
        }
        self.questions -= 1;
        (self.holds)(list).map(Some)
    }

    /// The culprit is more often near the end, where less comes after it: the second half goes first.
    fn halves(&mut self, mut list: Vec<T>) -> Result<Vec<T>, E> {
        while list.len() > 1 {
            let (first, second) = list.split_at(list.len() / 2);
            if self.ask(second)? == Some(true) {
                list = second.to_vec();
            } else if self.ask(first)? == Some(true) {
                list = first.to_vec();
            } else {
                break;
            }
        }
        Ok(list)
    }

    /// All the while, `kept` and `rest` together hold.
    fn edges(&mut self, list: Vec<T>) -> Result<Vec<T>, E> {
        let mut kept: Vec<T> = Vec::new();
        let mut rest = list;
        while rest.len() > 1 {
            let (mut with, mut without) = (0, rest.len());
            while without - with > 1 {
                let middle = usize::midpoint(with, without);
                match self.ask(&[&kept, &rest[middle..]].concat())? {
                    Some(true) => with = middle,
                    Some(false) => without = middle,
                    None => return Ok([kept, rest].concat()),
                }
            }
            kept.extend(rest.drain(..=with).last());
            if !rest.is_empty() && self.ask(&kept)? == Some(true) {
                return Ok(kept);
            }
        }
        Ok([kept, rest].concat())
    }

    fn singles(&mut self, mut list: Vec<T>) -> Result<(Vec<T>, bool), E> {
        let mut at = 0;
        let mut needed = 0;
        while needed < list.len() && list.len() > 1 {
            at %= list.len();
            let mut fewer = list.clone();
            fewer.remove(at);
            match self.ask(&fewer)? {
                Some(true) => (list, needed) = (fewer, 0),
                Some(false) => (at, needed) = (at + 1, needed + 1),
                None => return Ok((list, false)),
            }
        }
        Ok((list, true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyorder_model::{Halted, TestIndex};
    use proptest::prelude::*;

    fn list(numbers: impl IntoIterator<Item = u32>) -> Vec<TestIndex> {
        numbers.into_iter().map(TestIndex).collect()
    }

    #[test]
    fn one_culprit_among_a_thousand_costs_two_runs_of_the_list() {
        let mut runs = 0;
        let shrunk = shrink(&list(0..1000), 1000, |list| {
            runs += list.len();
            Ok::<_, Halted>(list.contains(&TestIndex(321)))
        });
        assert_eq!(shrunk, Ok(Shrunk::Minimal(list([321]))));
        assert!(runs <= 2000, "{runs}");
    }

    #[test]
    fn two_far_apart_cost_fewer_than_forty_questions() {
        let mut asked = 0;
        let shrunk = shrink(&list(0..1000), 1000, |list| {
            asked += 1;
            Ok::<_, Halted>(list.contains(&TestIndex(17)) && list.contains(&TestIndex(900)))
        });
        assert_eq!(shrunk, Ok(Shrunk::Minimal(list([17, 900]))));
        assert!(asked < 40, "{asked}");
    }

    #[test]
    fn when_questions_run_out_what_is_left_still_holds() {
        let shrunk = shrink(&list(0..100), 3, |list| Ok::<_, Halted>(list.contains(&TestIndex(99))));
        assert_eq!(shrunk, Ok(Shrunk::Unfinished(list(87..100))));
    }

    proptest! {
        /// Whether a set holds is an arbitrary function of it here, with no regard to its subsets.
        #[test]
        fn whatever_the_world_the_result_holds_and_is_minimal(size in 1_u32..10, salt in any::<u64>()) {
            let all = list(0..size);
            let holds = |list: &[TestIndex]| {
                let set = list.iter().fold(0_u64, |set, test| set | 1 << test.0);
                list.len() == size as usize
                    || (set != 0 && (set.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ salt).wrapping_mul(0xd6e8_feb8_6659_fd93) >> 63 == 1)
            };
            let Ok(Shrunk::Minimal(result)) = shrink(&all, usize::MAX, |list| Ok::<_, Halted>(holds(list))) else {
                panic!("there were questions enough");
            };
            prop_assert!(holds(&result));
            for at in 0..result.len() {
                let mut fewer = result.clone();
                fewer.remove(at);
                prop_assert!(!holds(&fewer));
            }
        }
    }
}

//! Tuscan orders: every test right after every other, with as few whole orders as there are tests.
//!
//! Knows how to lay tests out in rows. For an even number n, row r of a Williams square visits r, r+1, r-1, r+2, r-2 and
//! so on around a circle of n: the steps 1, -2, 3, -4, ... are all different, so over the n rows every ordered pair
//! stands side by side exactly once. For n where n + 1 is prime, the rows of its multiplication table do the same and
//! begin with the numbers in their order. For another odd n, a blank is added and left out of the rows that result:
//! n + 1 rows, in which no pair is missing, and some stand side by side twice.

/// Rows in which every ordered pair of `items` stands side by side.
pub(crate) fn rows<T: Clone>(items: &[T]) -> impl Iterator<Item = Vec<T>> + use<T> {
    let items = items.to_vec();
    (0..count(items.len())).map(move |row| {
        let places = places(items.len(), row);
        places.into_iter().filter_map(|place| items.get(place).cloned()).collect()
    })
}

/// How many rows there are for so many items.
pub(crate) fn count(items: usize) -> usize {
    if items.is_multiple_of(2) || items == 1 { items } else { items + 1 }
}

/// One row, as places; a place beyond the items is a blank.
fn places(items: usize, row: usize) -> Vec<usize> {
    let circle = count(items);
    if is_prime(items + 1) {
        return (1..=items).map(|step| step * (row + 1) % (items + 1) - 1).collect();
    }
    (0..circle)
        .map(|step| {
            let offset = step.div_ceil(2);
            (row + if step % 2 == 1 { offset } else { circle - offset }) % circle
        })
        .collect()
}

fn is_prime(number: usize) -> bool {
    number > 1 && (2..=number.isqrt()).all(|divisor| !number.is_multiple_of(divisor))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn pairs<T: Copy + Ord>(rows: impl Iterator<Item = Vec<T>>) -> BTreeSet<(T, T)> {
        rows.flat_map(|row| row.windows(2).map(|pair| (pair[0], pair[1])).collect::<Vec<_>>()).collect()
    }

    #[test]
    fn every_ordered_pair_stands_side_by_side_whatever_the_number() {
        for size in 1..40_usize {
            let items: Vec<usize> = (0..size).collect();
            assert_eq!(rows(&items).count(), count(size));
            assert!(rows(&items).all(|row| row.iter().collect::<BTreeSet<_>>().len() == size), "{size}");
            assert_eq!(pairs(rows(&items)).len(), size * (size - 1), "{size}");
        }
    }
}

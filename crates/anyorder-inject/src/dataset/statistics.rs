//! The three statistics of the FLAKER paper's third question, with chances that hold for few values, of which most are the same.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// So many times values are dealt out anew, to see what comes about without any connection.
const DEALS: u32 = 9_999;

/// A number with the chance that it, or one further from nothing, comes about if there is no connection.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Tested {
    /// The statistic.
    pub value: f64,
    /// Two-sided: the share of random deals that are as far away. The deals are always the same.
    pub p: f64,
}

/// Spearman's rank coefficient; nothing if one side does not vary.
pub(super) fn spearman(pairs: &[(f64, f64)]) -> Option<Tested> {
    let [x, y] = [0, 1].map(|side| {
        ranks(&pairs.iter().map(|pair| if side == 0 { pair.0 } else { pair.1 }).collect::<Vec<_>>())
    });
    let mean = f64::midpoint(pairs.len() as f64, 1.0);
    let sum = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>();
    let spread = (sum(&x, &x) * sum(&y, &y)).sqrt();
    (spread > 0.0).then(|| Tested { value: sum(&x, &y) / spread, p: by_chance(&y, |y| sum(&x, y).abs()) })
}

/// Mann and Whitney's U of the first sample; nothing if one is empty or nothing varies.
pub(super) fn mann_whitney(first: &[f64], second: &[f64]) -> Option<Tested> {
    let all = ranks(&[first, second].concat());
    let varies = all.iter().any(|rank| (rank - all[0]).abs() > f64::EPSILON);
    if first.is_empty() || second.is_empty() || !varies {
        return None;
    }
    let (n, m) = (first.len() as f64, second.len() as f64);
    let u = |ranks: &[f64]| ranks[..first.len()].iter().sum::<f64>() - n * (n + 1.0) / 2.0;
    Some(Tested { value: u(&all), p: by_chance(&all, |ranks| (u(ranks) - n * m / 2.0).abs()) })
}

/// The share of deals of these values in which they are at least as far `away` as they are.
fn by_chance(values: &[f64], away: impl Fn(&[f64]) -> f64) -> f64 {
    let seen = away(values) - 1e-9;
    let (mut dealt, mut random) = (values.to_vec(), ChaCha8Rng::seed_from_u64(0));
    let is_as_far = |_: &u32| {
        dealt.shuffle(&mut random);
        away(&dealt) >= seen
    };
    let as_far = (0..DEALS).filter(is_as_far).count();
    (as_far + 1) as f64 / f64::from(DEALS + 1)
}

/// Cliff's delta: how much more often a value of the first sample is the larger one; nothing if one is empty.
pub(super) fn cliffs_delta(first: &[f64], second: &[f64]) -> Option<f64> {
    let sign = |a: f64, b: f64| f64::from(i8::from(a > b) - i8::from(a < b));
    let sum: f64 = first.iter().flat_map(|&a| second.iter().map(move |&b| sign(a, b))).sum();
    let pairs = (first.len() * second.len()) as f64;
    (pairs > 0.0).then(|| sum / pairs)
}

/// The rank of each value, from 1; equal ones share the mean of theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let rank = |value: &f64| {
        let below = values.iter().filter(|other| *other < value).count() as f64;
        let equal = values.iter().filter(|other| (**other - value).abs() < f64::EPSILON).count() as f64;
        below + f64::midpoint(equal, 1.0)
    };
    values.iter().map(rank).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-4
    }

    #[test]
    fn spearman_ranks_and_shares_ranks_of_ties() {
        let pairs = [(1.0, 2.0), (2.0, 1.0), (3.0, 4.0), (4.0, 3.0), (5.0, 5.0)];
        assert!(is_near(spearman(&pairs).unwrap().value, 0.8));
        let tied = [(1.0, 1.0), (1.0, 2.0), (2.0, 3.0), (3.0, 3.0)];
        assert!(is_near(spearman(&tied).unwrap().value, 0.888_89));
        assert_eq!(spearman(&[(1.0, 1.0), (2.0, 1.0)]), None);
    }

    #[test]
    fn mann_whitney_is_that_of_the_tables() {
        let tested = mann_whitney(&[19.0, 22.0, 16.0, 29.0, 24.0], &[20.0, 11.0, 17.0, 12.0]).unwrap();
        assert!(is_near(tested.value, 17.0));
        assert!((tested.p - 14.0 / 126.0).abs() < 1e-2, "of all ways to deal: {tested:?}");
        assert_eq!(mann_whitney(&[1.0], &[]), None);
        assert_eq!(mann_whitney(&[1.0, 1.0], &[1.0]), None);
    }

    #[test]
    fn cliffs_delta_goes_from_never_to_always_larger() {
        assert_eq!(cliffs_delta(&[3.0, 4.0], &[1.0, 2.0]), Some(1.0));
        assert_eq!(cliffs_delta(&[1.0, 2.0], &[1.0, 2.0]), Some(0.0));
        assert_eq!(cliffs_delta(&[], &[1.0]), None);
    }

    #[test]
    fn chances_hold_where_nearly_all_values_are_the_same() {
        // Two classes of nine have such mutants, and none of twenty others: as many ways as there are to choose two of nine.
        let tested = mann_whitney(&[1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], &[0.0; 20]).unwrap();
        assert!((tested.p - 36.0 / 406.0).abs() < 1e-2, "{tested:?}");
    }
}

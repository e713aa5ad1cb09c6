//! The three statistics of the FLAKER paper's third question.

use std::f64::consts::SQRT_2;

/// A number with the chance that it, or one further from nothing, comes about if there is no connection.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Tested {
    /// The statistic.
    pub value: f64,
    /// Two-sided, by the normal approximation.
    pub p: f64,
}

/// Spearman's rank coefficient; nothing if one side does not vary.
pub(super) fn spearman(pairs: &[(f64, f64)]) -> Option<Tested> {
    let [x, y] = [0, 1].map(|side| {
        ranks(&pairs.iter().map(|pair| if side == 0 { pair.0 } else { pair.1 }).collect::<Vec<_>>())
    });
    let count = pairs.len() as f64;
    let mean = f64::midpoint(count, 1.0);
    let sum = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>();
    let spread = (sum(&x, &x) * sum(&y, &y)).sqrt();
    (spread > 0.0).then(|| {
        let value = sum(&x, &y) / spread;
        Tested { value, p: two_sided(value * (count - 1.0).sqrt()) }
    })
}

/// Mann and Whitney's U of the first sample, corrected for ties; nothing if one is empty or nothing varies.
pub(super) fn mann_whitney(first: &[f64], second: &[f64]) -> Option<Tested> {
    if first.is_empty() || second.is_empty() {
        return None;
    }
    let all: Vec<f64> = first.iter().chain(second).copied().collect();
    let ranked: f64 = ranks(&all)[..first.len()].iter().sum();
    let (n, m) = (first.len() as f64, second.len() as f64);
    let value = ranked - n * (n + 1.0) / 2.0;
    let count = n + m;
    let ties: f64 = tied(&all).into_iter().map(|tied| tied.powi(3) - tied).sum();
    let variance = n * m / 12.0 * (count + 1.0 - ties / (count * (count - 1.0)));
    (variance > 0.0).then(|| {
        let away = (value - n * m / 2.0).abs() - 0.5;
        Tested { value, p: two_sided(away.max(0.0) / variance.sqrt()) }
    })
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

/// How many values each group of equal ones has.
fn tied(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.chunk_by(|a, b| (a - b).abs() < f64::EPSILON).map(|group| group.len() as f64).collect()
}

/// The chance of a standard normal value at least so far from 0.
fn two_sided(z: f64) -> f64 {
    erfc(z.abs() / SQRT_2).min(1.0)
}

/// The complementary error function for values from 0 on, to 1.2e-7 (Numerical Recipes' Chebyshev fit).
fn erfc(x: f64) -> f64 {
    const FIT: [f64; 10] = [
        -1.265_512_23,
        1.000_023_68,
        0.374_091_96,
        0.096_784_18,
        -0.186_288_06,
        0.278_868_07,
        -1.135_203_98,
        1.488_515_87,
        -0.822_152_23,
        0.170_872_77,
    ];
    let t = 1.0 / (1.0 + 0.5 * x);
    let fit = FIT.iter().rev().fold(0.0, |sum, factor| sum * t + factor);
    t * (-x * x + fit).exp()
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
        assert!((tested.p - 0.1113).abs() < 1e-3, "{tested:?}");
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
    fn chances_are_those_of_the_normal_distribution() {
        assert!(is_near(two_sided(1.96), 0.05));
        assert!(is_near(two_sided(0.0), 1.0));
    }
}

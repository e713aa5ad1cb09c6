//! Fisher's exact test: how likely it is that two rates this far apart are one and the same.

use anyorder_model::Rate;

/// The two-sided chance of a table at least as unlikely as this one, if both rates are the same.
pub(crate) fn chance(one: Rate, two: Rate) -> f64 {
    let (fails, runs) = (one.0 + two.0, one.1 + two.1);
    let log_chance =
        |of_one: u32| log_choose(one.1, of_one) + log_choose(two.1, fails - of_one) - log_choose(runs, fails);
    let (least, most) = (fails.saturating_sub(two.1), fails.min(one.1));
    let seen = log_chance(one.0) + 1e-9;
    (least..=most).map(log_chance).filter(|&chance| chance <= seen).map(f64::exp).sum::<f64>().min(1.0)
}

fn log_choose(total: u32, chosen: u32) -> f64 {
    let log_factorial = |number: u32| (1..=number).map(|factor| f64::from(factor).ln()).sum::<f64>();
    log_factorial(total) - log_factorial(chosen) - log_factorial(total - chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_are_those_of_the_textbook() {
        let close = |one, two, expected: f64| (chance(one, two) - expected).abs() < 1e-4;
        assert!(close(Rate(3, 4), Rate(1, 4), 0.4857)); // the lady tasting tea
        assert!(close(Rate(1, 10), Rate(11, 14), 0.0028));
        assert!(close(Rate(0, 5), Rate(0, 5), 1.0));
        assert!(close(Rate(0, 5), Rate(5, 5), 0.0079));
    }
}

//! How much a command may spend: a time, or a number of suite times.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::units::{LONGEST, parse_duration};

/// `5m`, or `20x`: twenty times what collecting and running the suite once takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Budget {
    /// So long.
    Time(Duration),
    /// So many times as long as the suite.
    SuiteTimes(f64),
}

impl Budget {
    /// What it comes to for a suite that takes `suite_time`.
    pub fn allowance(self, suite_time: Duration) -> Duration {
        match self {
            Budget::Time(time) => time,
            Budget::SuiteTimes(times) => {
                Duration::from_secs_f64((suite_time.as_secs_f64() * times).min(LONGEST))
            }
        }
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Budget::Time(time) => write!(formatter, "{}s", time.as_secs_f64()),
            Budget::SuiteTimes(times) => write!(formatter, "{times}x"),
        }
    }
}

impl FromStr for Budget {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some(times) = text.strip_suffix('x') else { return parse_duration(text).map(Budget::Time) };
        match times.parse::<f64>() {
            Ok(times) if times > 0.0 && times < 1e6 => Ok(Budget::SuiteTimes(times)),
            _ => Err("suite times are written as a number and an x, for example `20x`".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_a_time_that_a_clock_can_count() {
        let allowance = |text: &str, suite| text.parse().map(|budget: Budget| budget.allowance(suite));
        assert_eq!(allowance("20x", Duration::from_millis(500)), Ok(Duration::from_secs(10)));
        assert_eq!(allowance("5m", Duration::ZERO), Ok(Duration::from_mins(5)));
        assert_eq!(allowance("999999x", Duration::MAX), Ok(Duration::from_secs(1_000_000_000)));
        assert!(allowance("0x", Duration::ZERO).is_err());
    }
}

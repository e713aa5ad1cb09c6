//! How many tests passed and failed: what test runners say in their closing lines.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// What a part has come to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
}

impl Tally {
    pub(crate) fn add(&mut self, other: &Tally) {
        self.passed += other.passed;
        self.failed += other.failed;
    }

    /// What a line counts, if a test runner closes with it. A failed test may have printed anything, so the whole line has to
    /// look like it.
    fn of(line: &str) -> Option<Tally> {
        let counts = line.strip_prefix("test result: ").or_else(|| counted_by_pytest(line))?;
        let failed = count_before(counts, "failed") + count_before(counts, "error");
        Some(Tally { passed: count_before(counts, "passed"), failed })
    }
}

/// The counts of `=== 1 failed, 2 passed in 0.12s ===`.
fn counted_by_pytest(line: &str) -> Option<&str> {
    let (counts, time) = line.trim_matches([' ', '=']).rsplit_once(" in ")?;
    let (seconds, _) = time.split_once('s')?;
    let is_count = |part: &str| part.split_once(' ').is_some_and(|(number, _)| number.parse::<u64>().is_ok());
    (seconds.parse::<f64>().is_ok() && counts.split(", ").all(is_count)).then_some(counts)
}

pub(crate) fn one_check(command: &mut Command) -> Tally {
    one_result(command.status().is_ok_and(|status| status.success()))
}

pub(crate) fn one_result(is_good: bool) -> Tally {
    Tally { passed: u64::from(is_good), failed: u64::from(!is_good) }
}

/// Runs a test runner, shows what it prints, and adds up the counts in its closing lines.
pub(crate) fn counted(command: &mut Command) -> Tally {
    heard(command, &mut |line| println!("{line}"))
}

/// Runs a test runner, tells every line that it prints, and adds up the counts in its closing lines. A program that counts
/// nothing is one check.
pub(crate) fn heard(command: &mut Command, tell: &mut dyn FnMut(&str)) -> Tally {
    let mut child =
        command.stdout(Stdio::piped()).spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let (mut tally, mut has_counted) = (Tally::default(), false);
    for line in BufReader::new(child.stdout.take().expect("it is piped")).lines().map_while(Result::ok) {
        tell(&line);
        let counts = Tally::of(&line);
        has_counted |= counts.is_some();
        tally.add(&counts.unwrap_or_default());
    }
    let is_good = child.wait().is_ok_and(|status| status.success());
    if !is_good && tally.failed == 0 {
        tally.failed = 1; // it did not get as far as counting
    }
    if has_counted || !is_good { tally } else { one_result(true) }
}

/// The number right before `word`, which may end in an `s` or a punctuation mark.
fn count_before(line: &str, word: &str) -> u64 {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let at = words.windows(2).find(|pair| pair[1].trim_end_matches([',', ';', '.', 's']) == word);
    at.and_then(|pair| pair[0].parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::Tally;

    fn counted(line: &str) -> Option<(u64, u64)> {
        Tally::of(line).map(|tally| (tally.passed, tally.failed))
    }

    #[test]
    fn closing_lines_of_test_runners_are_counted() {
        let cargo = "test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 1 filtered out; finished in 0.52s";
        assert_eq!(counted(cargo), Some((3, 2)));
        assert_eq!(counted("803 passed in 71.58s (0:01:11)"), Some((803, 0)));
        assert_eq!(counted("=== 1 failed, 2 passed, 3 errors in 0.12s ==="), Some((2, 4)));
    }

    #[test]
    fn what_a_failed_test_has_printed_is_not_counted() {
        let lines = [
            "            passed in the original order; 2 failed in 3 orders",
            "2 failed in 3 orders",
            "  Replayed  4 tests: 3 passed, 1 failed",
            "4 passed in 2 of 3 files",
        ];
        assert_eq!(lines.map(counted), [None; 4]);
    }
}

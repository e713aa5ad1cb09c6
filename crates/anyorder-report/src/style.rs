//! Columns and colours: the verb column, and what each colour means.

use std::time::Duration;

use anstyle::{AnsiColor, Style};

/// When to colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Color {
    /// In a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Color {
    pub(crate) fn choice(self) -> anstream::ColorChoice {
        match self {
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::Always,
            Color::Never => anstream::ColorChoice::Never,
        }
    }
}

pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default().bold();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
pub(crate) const ADDED: Style = AnsiColor::Green.on_default();
pub(crate) const REMOVED: Style = AnsiColor::Red.on_default();
pub(crate) const NAME: Style = AnsiColor::Cyan.on_default();
pub(crate) const DIM: Style = Style::new().dimmed();

/// Width of the verb column.
pub(crate) const VERB: usize = 10;

/// A line with its verb; further lines of `text` stand under the first.
pub(crate) fn line(style: Style, verb: &str, text: &str) -> String {
    let indent = format!("\n{:VERB$}  ", "");
    format!("{style}{verb:>VERB$}{style:#}  {}", text.replace('\n', &indent))
}

/// `1 test`, `2 tests`.
pub(crate) fn count(number: u64, noun: &str) -> String {
    let plural = match number {
        1 => "",
        _ if noun.ends_with('s') || noun.ends_with("ch") => "es",
        _ => "s",
    };
    format!("{}{noun}{plural}", grouped(number) + " ")
}

/// `26,852`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A duration as one would say it.
pub(crate) fn spoken(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds < 10.0 {
        format!("{seconds:.1} s")
    } else if seconds < 90.0 {
        format!("{seconds:.0} s")
    } else if seconds < 5400.0 {
        format!("{:.0} min", seconds / 60.0)
    } else {
        format!("{:.1} h", seconds / 3600.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_times_read_well() {
        assert_eq!(
            (count(1, "test"), count(26_852, "test")),
            ("1 test".to_owned(), "26,852 tests".to_owned())
        );
        let spoken_s = |seconds| spoken(Duration::from_secs_f64(seconds));
        assert_eq!(
            [spoken_s(0.04), spoken_s(12.3), spoken_s(300.0), spoken_s(7300.0)],
            ["0.0 s", "12 s", "5 min", "2.0 h"]
        );
    }
}

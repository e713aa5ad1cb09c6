//! Reads what users write for durations and sizes: `90s`, `5m`, `2GiB`.

use std::time::Duration;

/// Seconds that may be added to any instant, and multiplied, without a second thought: 30 years.
pub(crate) const LONGEST: f64 = 1e9;

/// `500ms`, `90s`, `5m`, `2h`; a bare number is seconds.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = split(text)?;
    let seconds = match unit {
        "ms" => number / 1000.0,
        "" | "s" => number,
        "m" | "min" => number * 60.0,
        "h" => number * 3600.0,
        _ => return Err(format!("`{unit}` is not a unit of time; use ms, s, m or h")),
    };
    if seconds <= LONGEST { Ok(Duration::from_secs_f64(seconds)) } else { Err("out of range".to_owned()) }
}

/// `512MiB`, `2GiB`, `2G`; a bare number is MiB.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let (number, unit) = split(text)?;
    let shift = match unit.to_ascii_lowercase().trim_end_matches("ib").trim_end_matches('b') {
        "k" => 10,
        "" | "m" => 20,
        "g" => 30,
        "t" => 40,
        _ => return Err(format!("`{unit}` is not a unit of memory; use MiB or GiB")),
    };
    let bytes =
        number * f64::from(2_i32.pow(shift % 30)) * if shift >= 30 { f64::from(1 << 30) } else { 1.0 };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be in range")]
    if (1.0..1e18).contains(&bytes) { Ok(bytes as u64) } else { Err("out of range".to_owned()) }
}

fn split(text: &str) -> Result<(f64, &str), String> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number = text[..end].parse().map_err(|_| "a number is missing, for example `5m`".to_owned())?;
    Ok((number, text[end..].trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_and_sizes_are_read_as_people_write_them() {
        assert_eq!(parse_duration("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_duration("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(parse_size("2GiB"), Ok(2 << 30));
        assert_eq!(parse_size("512"), Ok(512 << 20));
        assert_eq!(parse_size("1.5g"), Ok(3 << 29));
        assert!(parse_duration("5 parsecs").is_err());
        assert!(parse_duration("m").is_err());
        assert!(parse_size("0").is_err());
    }

    #[test]
    fn what_no_clock_can_count_is_out_of_range() {
        for text in ["9999999999999999999", "300000h", &"9".repeat(400)] {
            assert_eq!(parse_duration(text), Err("out of range".to_owned()), "{text}");
            assert!(parse_size(&format!("{text}T")).is_err(), "{text}");
        }
    }
}

//! A picture of a terminal: `anyorder explain v-a69b7f --color always | cargo xtask picture > docs/images/explain.svg`.
//!
//! Knows the few styles that our output has: bold, dim, and four colours.

use std::fmt::Write as _;
use std::io::{Read as _, stdin};

/// Of a character, and of a line.
const SIZE: (f64, f64) = (8.0, 18.0);
const MARGIN: f64 = 16.0;

/// Where text ends, at most.
const COLUMNS: usize = 118;

/// Codes that a terminal understands, and how they look here.
const STYLES: [(&str, &str); 6] = [
    ("1", "font-weight:bold"),
    ("2", "opacity:.6"),
    ("31", "fill:#ff7b72"),
    ("32", "fill:#7ee787"),
    ("33", "fill:#f2cc60"),
    ("36", "fill:#79c0ff"),
];

/// Turns what stands on standard input into a picture on standard output.
pub(crate) fn picture() -> bool {
    let mut text = String::new();
    let is_read = stdin().read_to_string(&mut text).is_ok();
    println!("{}", drawn(&text));
    is_read
}

fn drawn(text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let (width, height) =
        (COLUMNS as f64 * SIZE.0 + 2.0 * MARGIN, lines.len() as f64 * SIZE.1 + 2.0 * MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"ui-monospace, monospace\" \
         font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#0d1117\"/>\n"
    );
    for (at, line) in (1_u32..).zip(&lines) {
        let y = MARGIN + f64::from(at) * SIZE.1 - 5.0;
        let _ = writeln!(
            svg,
            "<text x=\"{MARGIN}\" y=\"{y}\" fill=\"#e6edf3\" xml:space=\"preserve\">{}</text>",
            styled(line)
        );
    }
    svg + "</svg>"
}

/// A line as spans, one for each style.
fn styled(line: &str) -> String {
    let (mut spans, mut styles, mut room) = (String::new(), Vec::new(), COLUMNS);
    for (at, part) in line.split("\u{1b}[").enumerate() {
        let text = match part.split_once('m') {
            Some((codes, text)) if at > 0 => {
                for code in codes.split(';') {
                    match STYLES.iter().find(|(known, _)| *known == code) {
                        Some((_, style)) => styles.push(*style),
                        None => styles.clear(),
                    }
                }
                text
            }
            _ => part,
        };
        let shown: String = text.chars().take(room).collect();
        room -= shown.chars().count();
        let escaped = shown.replace('&', "&amp;").replace('<', "&lt;");
        let _ = write!(spans, "<tspan style=\"{}\">{escaped}</tspan>", styles.join(";"));
    }
    spans.replace("<tspan style=\"\"></tspan>", "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_become_spans_and_nothing_is_markup() {
        let line = "\u{1b}[1m\u{1b}[32m  Found\u{1b}[0m  <b> & co";
        let expected = "<tspan style=\"font-weight:bold;fill:#7ee787\">  Found</tspan><tspan style=\"\">  &lt;b> &amp; co</tspan>";
        assert_eq!(styled(line).replace("<tspan style=\"font-weight:bold\"></tspan>", ""), expected);
    }

    #[test]
    fn what_does_not_fit_is_cut() {
        assert!(styled(&"x".repeat(COLUMNS + 1)).contains(&format!(">{}<", "x".repeat(COLUMNS))));
    }
}

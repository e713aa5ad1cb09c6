//! A document in the terminal: its findings as a hunt tells them, and when they were seen.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyorder_model::Kind;
use serde_json::Value;

use crate::finding::story;
use crate::recalled::Recalled;
use crate::style::{GOOD, NAME, WARN, count, line};

/// Everything, with colours; without times, so that equal histories give equal texts, if that is wished.
pub fn told(document: &Value, with_times: bool) -> String {
    let Recalled { suite, findings } = Recalled::of(document);
    let mut text = story(&suite, &findings, false);
    if !text.is_empty() {
        text.push('\n');
    }
    let hunts = document["hunts"].as_array().map_or(&[][..], Vec::as_slice);
    let ids = hunts.iter().filter_map(|hunt| hunt["findings"].as_array()).flatten().filter_map(Value::as_str);
    let mut seen: BTreeMap<&str, u64> = BTreeMap::new();
    ids.for_each(|id| *seen.entry(id).or_default() += 1);
    for finding in document["history"].as_array().into_iter().flatten() {
        let is_fixed = finding.get("fixed").is_some();
        let (style, verb) = if is_fixed { (GOOD, "Gone") } else { (WARN, "Seen") };
        let _ = writeln!(text, "{}", line(style, verb, &lifetime(finding, &seen, with_times)));
    }
    let known = |kind: &Kind| findings.iter().filter(|finding| finding.kind == *kind).count();
    let counts = Kind::ALL.iter().map(|kind| (kind, known(kind))).filter(|(_, number)| *number > 0);
    let counts: Vec<String> =
        counts.map(|(kind, number)| format!("{number} {}", kind.counted(number))).collect();
    let counts = if counts.is_empty() { "nothing is known".to_owned() } else { counts.join(", ") };
    let mut summary = format!("{counts}; {}", count(hunts.len() as u64, "hunt"));
    if let Some(at) = hunts.last().and_then(|hunt| hunt["at"].as_str()).filter(|_| with_times) {
        let _ = write!(summary, ", the last at {at}");
    }
    text + &line(GOOD, "Summary", &summary) + "\n"
}

/// When a finding was seen, and in how many of the hunts.
fn lifetime(finding: &Value, seen: &BTreeMap<&str, u64>, with_times: bool) -> String {
    let [id, kind, test, first, last, fixed] = ["id", "kind", "test", "first_seen", "last_seen", "fixed"]
        .map(|field| finding[field].as_str().unwrap_or_default());
    let mut words = format!("in {}", count(seen.get(id).copied().unwrap_or(0), "hunt"));
    if with_times {
        let _ = write!(words, ", {first}");
        let _ = if first == last { Ok(()) } else { write!(words, " to {last}") };
    }
    if !fixed.is_empty() {
        words += if with_times { "; not since " } else { "; not any more" };
        words += if with_times { fixed } else { "" };
    }
    format!("{id}  {kind}  {NAME}{test}{NAME:#}\n{words}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::example;
    use crate::finding_json::finding_value;

    #[test]
    fn what_stands_is_told_in_full_and_what_is_gone_by_its_history() {
        let suite = example::suite(&["p", "a", "b"]);
        let mut standing = example::victims().remove(0);
        standing.causes = None;
        let (first, last) = ("2026-11-01T10:00:00Z", "2026-11-02T10:00:00Z");
        let of = |id: &str| json!({"id": id, "kind": "victim", "test": "t.py::a", "first_seen": first, "last_seen": last});
        let mut gone = of("v-000000");
        gone["fixed"] = json!("2026-11-03T10:00:00Z");
        let document = json!({
            "findings": [finding_value(&suite, &standing)],
            "tests": suite.tests(),
            "history": [gone, of(&standing.id.0)],
            "hunts": [{"findings": ["v-000000", standing.id]}, {"findings": [standing.id], "at": last}],
        });
        let plain = |with_times| anstream::adapter::strip_str(&told(&document, with_times)).to_string();
        let text = plain(true);
        assert!(
            text.starts_with(&format!("{}  victim  t.py::a\n    polluter  t.py::p\n", standing.id)),
            "{text}"
        );
        assert!(text.contains("Gone  v-000000  victim  t.py::a\n            in 1 hunt, 2026-11-01T10:00:00Z to 2026-11-02T10:00:00Z; not since 2026-11-03T10:00:00Z\n"), "{text}");
        assert!(text.ends_with("Summary  1 victim; 2 hunts, the last at 2026-11-02T10:00:00Z\n"), "{text}");
        assert!(!plain(false).contains("2026"), "{}", plain(false));
    }
}

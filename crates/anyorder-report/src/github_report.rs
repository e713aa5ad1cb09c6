//! What GitHub shows of all findings of a project, whether or not a change has brought them.

use std::fmt::Write as _;

use anyorder_model::Finding;
use serde_json::Value;

use crate::github::{annotation, commands, row, table};
use crate::recalled::Recalled;
use crate::spot::origin;
use crate::style::count;

/// One `::error` line for each finding that counts, at the line that it comes from.
pub fn annotations(document: &Value) -> String {
    let Recalled { suite, findings } = Recalled::of(document);
    let prefix = document["repository"]["prefix"].as_str().unwrap_or_default();
    let counting = findings.iter().filter(|finding| finding.counts());
    counting.map(|finding| annotation(&suite, finding, &origin(&suite, finding), prefix)).collect()
}

/// Markdown for the page of the job.
pub fn job_summary(document: &Value) -> String {
    let Recalled { suite, findings } = Recalled::of(document);
    let (counting, others): (Vec<Finding>, Vec<Finding>) = findings.into_iter().partition(Finding::counts);
    let found = match counting.len() as u64 {
        0 => "no order-dependent test is known".to_owned(),
        number => count(number, "order-dependent test"),
    };
    let mut text = format!("## anyorder: {found}\n\n");
    for (heading, findings) in [("", &counting), ("### Others\n\n", &others)] {
        let rows: Vec<String> = findings.iter().map(|finding| row(&suite, finding)).collect();
        if !rows.is_empty() {
            let _ = writeln!(text, "{heading}{}", table(&rows));
        }
    }
    text + &commands(&counting)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hostile;

    #[test]
    fn a_hostile_name_starts_no_command_of_its_own() {
        let lines = annotations(&hostile::document());
        assert_eq!(lines.lines().count(), 3, "{lines}");
        assert!(
            lines.lines().all(|line| line.starts_with("::error file=sub/t.py,line=2,title=victim")),
            "{lines}"
        );
    }

    #[test]
    fn a_hostile_name_leaves_its_row_of_the_table_whole() {
        let text = job_summary(&hostile::document());
        assert!(text.starts_with("## anyorder: 3 order-dependent tests\n"), "{text}");
        assert!(!text.contains("<script>"), "{text}");
        let rows = text.lines().filter(|line| line.starts_with("| v-")).count();
        assert_eq!(rows, 4, "{text}");
    }
}

//! Patches as JSON, and what became of the search for them.

use anyorder_model::{Patch, Proposal, Repair};
use serde_json::{Value, json};

/// Every patch, with the files that hold it.
pub(crate) fn patches_value(proposals: &[Proposal]) -> Value {
    flat(proposals).map(|(proposal, patch)| patch_value(proposal, patch)).collect()
}

fn flat(proposals: &[Proposal]) -> impl Iterator<Item = (&Proposal, &Patch)> {
    proposals.iter().flat_map(|proposal| proposal.patches.iter().map(move |patch| (proposal, patch)))
}

fn patch_value(proposal: &Proposal, patch: &Patch) -> Value {
    json!({
        "cures": patch.cures,
        "source": patch.source,
        "placement": patch.placement,
        "strength": patch.strength,
        "summary": patch.summary,
        "files": patch.changes.iter().map(|change| &change.path).collect::<Vec<_>>(),
        "diff": proposal.diff,
        "pull_request": proposal.pull_request,
        "applied": proposal.is_applied,
        "verified": patch.verified,
    })
}

/// Adds to `findings` what became of them.
pub(crate) fn note_repairs(findings: &mut [Value], proposals: &[Proposal], repairs: &[Repair]) {
    for finding in findings {
        let Some(repair) = repairs.iter().find(|repair| finding["id"] == repair.finding.0) else { continue };
        let mut value = json!({"generated": repair.generated, "tried": repair.tried});
        if let Some(reason) = repair.reason {
            value["reason"] = json!(reason);
        }
        finding["repair"] = value;
        if let Some((proposal, _)) = repair.patch.and_then(|at| flat(proposals).nth(at)) {
            finding["patch"] = json!(proposal.diff);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example;
    use crate::finding_json::finding_value;

    #[test]
    fn a_finding_has_the_path_of_its_diff_or_the_reason_that_there_is_none() {
        let (suite, findings) = (example::suite(&["p", "a", "b"]), example::victims());
        let mut values: Vec<Value> = findings.iter().map(|finding| finding_value(&suite, finding)).collect();
        note_repairs(&mut values, &[example::proposal(&findings[..1])], &example::repairs(&findings));
        assert_eq!(values[0]["patch"], ".anyorder/patches/v-d18be1.diff");
        assert_eq!(values[0]["repair"], json!({"generated": 12, "tried": 5}));
        assert_eq!(values[1].get("patch"), None);
        assert_eq!(values[1]["repair"]["reason"], "breaks-others");
    }
}
